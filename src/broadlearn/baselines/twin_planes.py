"""Pairs of hyperplanes, one pair per class against the rest, for many bounds at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel

from broadlearn.baselines.twin_svm import TwinFactor, TwinPlanes, factor_plane, planes
from broadlearn.models import TrainingData
from broadlearn.random_features import Standardization
from broadlearn.utils import Array, Floats, distinct_rows

# Length of a normal, relative to the intercept, that rounding alone may give.
FLAT = 1e-10


@dataclass(frozen=True)
class PlaneSpace:
    """The columns in which planes live.

    Attributes
    ----------
    standardization : Standardization
    basis : ndarray of shape (n_basis, n_features) or None
        Standardised samples b of the columns ``K(x, b)``; None for linear planes.
    """

    standardization: Standardization
    basis: Floats | None

    def columns(self, X: Floats, kernel_width: float, rows: slice = slice(None)) -> Floats:
        """Columns of some samples."""
        Z = self.standardization.affine(X, rows)[:, :-1]
        if self.basis is None:
            return Z
        basis = self.basis.astype(Z.dtype, copy=False)
        return rbf_kernel(Z, basis, gamma=1.0 / kernel_width**2)

    def problem(
        self, data: TrainingData, kernel_width: float, regularization: float
    ) -> TwinProblem:
        """What the planes of all C1, C2 and scores share."""
        F = self.columns(data.X, kernel_width).astype(np.float64, copy=False)
        return twin_problem(F, data.codes, data.classes.size, data.weight, regularization)


def plane_space(data: TrainingData, kernel: str, n_basis: int, seed: int) -> PlaneSpace:
    """The space of planes of a kernel, with distinct samples drawn by weight as the basis."""
    absent = np.setdiff1d(np.arange(data.classes.size), data.codes)
    if absent.size:
        raise ValueError(
            f"All rows of class {data.classes[absent].tolist()[0]!r} have a weight of 0 "
            "(sample_weight times class_weight), so no plane can be fitted to it; leave them out."
        )
    if kernel == "linear":
        return PlaneSpace(data.standardization, None)
    weight = np.ones(data.codes.size) if data.weight is None else data.weight
    distinct = distinct_rows(data.X, np.zeros(data.codes.size, dtype=np.intp), weight)
    X = data.X[distinct.first]
    order = np.lexsort(X.T[::-1])
    X, weight = X[order], distinct.weight[order]
    draws = np.random.default_rng(seed).exponential(size=len(X))
    chosen = np.sort(np.argsort(draws / weight, kind="stable")[:n_basis])
    Z = data.standardization.affine(X, chosen)[:, :-1]
    return PlaneSpace(data.standardization, np.ascontiguousarray(Z))


@dataclass(frozen=True)
class TwinProblem:
    """All that the planes of some training samples share, whatever C1, C2 and the scores are.

    Attributes
    ----------
    factors : list of (TwinFactor, TwinFactor)
        For each task, of the plane of its class and of that of the rest. Two classes are one task.
    away : list of (ndarray, ndarray)
        Positions of the samples that each plane keeps away from.
    rotation : ndarray of shape (d, n_samples) or None
        Orthonormal columns that span the samples, where these are fewer than columns.
    """

    factors: list[tuple[TwinFactor, TwinFactor]]
    away: list[tuple[NDArray[np.intp], NDArray[np.intp]]]
    rotation: Array | None

    def solve(self, task: int, side: int, bounds: Array) -> TwinPlanes:
        """Planes of a task's class (side 0) or of the rest (side 1).

        Parameters
        ----------
        task, side : int
        bounds : ndarray of shape (n_problems, n_samples)
            Upper bound of the dual coefficient of every sample, used or not.

        Returns
        -------
        TwinPlanes
            With vectors of unit length: ``|w·x + b|`` is the distance to the plane.
        """
        found = planes(self.factors[task][side], bounds[:, self.away[task][side]])
        w, b = found.vectors[:, :-1], found.vectors[:, -1:]
        if self.rotation is not None:
            w = w @ self.rotation.T
        length = np.linalg.norm(w, axis=1, keepdims=True)
        # A plane whose direction is rounding only is equally far from all samples, and very far.
        flat = length <= FLAT * np.abs(b)
        length = np.where(flat, 1.0, length)
        w, b = (
            np.where(flat, 0.0, w / length),
            np.where(flat, np.copysign(1.0 / FLAT, b), b / length),
        )
        return found._replace(vectors=np.concatenate([w, b], axis=1))


def twin_problem(
    F: Array, codes: NDArray[np.intp], n_classes: int, weight: Array | None, regularization: float
) -> TwinProblem:
    """Factor the planes of all tasks.

    Parameters
    ----------
    F : ndarray of shape (n_samples, d)
        Columns in which the planes live.
    codes : ndarray of shape (n_samples,)
    n_classes : int
    weight : ndarray of shape (n_samples,) or None
    regularization : float
        Added to the diagonal of the normal matrices.
    """
    rotation = None
    if F.shape[1] > F.shape[0]:
        rotation, R = np.linalg.qr(F.T)
        F = R.T
    factors, away = [], []
    for k in range(n_classes if n_classes > 2 else 1):
        own, rest = np.flatnonzero(codes == k), np.flatnonzero(codes != k)
        first, second = (
            factor_plane(
                F[near],
                F[far],
                delta=float(regularization),
                near_weight=None if weight is None else weight[near],
                away_sign=sign,
            )
            for near, far, sign in ((own, rest, -1.0), (rest, own, 1.0))
        )
        factors.append((first, second))
        away.append((rest, own))
    return TwinProblem(factors, away, rotation)


def distances(F: Floats, vectors: Floats) -> Floats:
    """Distances of samples to planes.

    Parameters
    ----------
    F : ndarray of shape (n_samples, d)
    vectors : ndarray of shape (n_planes, d + 1)
        Of unit length, the intercept last.
    """
    V = vectors.astype(F.dtype, copy=False)
    return np.abs(F @ V[:, :-1].T + V[:, -1])
