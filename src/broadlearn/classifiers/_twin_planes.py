"""Pairs of hyperplanes, one pair a task of one class against the rest, for many bounds at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadlearn.solvers._twin_svm import TwinFactor, TwinPlanes, factor_plane, planes

Array = NDArray[np.float64]

# Length of a normal, relative to the intercept, that rounding alone may give.
FLAT = 1e-10


@dataclass(frozen=True)
class TwinProblem:
    """All that the planes of some training rows share, whatever C1, C2 and the scores are.

    Attributes
    ----------
    factors : list of (TwinFactor, TwinFactor)
        For each task, of the plane of its class and of the plane of the rest. Two classes make
        one task.
    away : list of (ndarray, ndarray)
        Rows that each plane keeps away from.
    rotation : ndarray of shape (d, n_samples) or None
        Orthonormal columns that span the rows, where these are fewer than columns.
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
            Upper bound of the dual coefficient of every row, used or not.

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
        # A plane whose direction is rounding only is equally far from all rows.
        flat = length <= FLAT * np.abs(b)
        w, length = np.where(flat, 0.0, w), np.where(flat, 1.0, length)
        return found._replace(vectors=np.concatenate([w, b], axis=1) / length)


def twin_problem(
    F: Array,
    codes: NDArray[np.intp],
    n_classes: int,
    weight: Array | None,
    regularization: float,
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
        pair = tuple(
            factor_plane(
                F[near],
                F[far],
                delta=regularization,
                near_weight=None if weight is None else weight[near],
                away_sign=sign,
            )
            for near, far, sign in ((own, rest, -1.0), (rest, own, 1.0))
        )
        factors.append((pair[0], pair[1]))
        away.append((rest, own))
    return TwinProblem(factors, away, rotation)


def distances(F: NDArray[np.floating], vectors: Array) -> NDArray[np.floating]:
    """Distances of rows to planes.

    Parameters
    ----------
    F : ndarray of shape (n_rows, d)
    vectors : ndarray of shape (n_planes, d + 1)
        Of unit length, the intercept last.

    Returns
    -------
    ndarray of shape (n_rows, n_planes)
    """
    V = vectors.astype(F.dtype, copy=False)
    return np.abs(F @ V[:, :-1].T + V[:, -1])
