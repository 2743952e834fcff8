"""Planes of twin support vector machines: near the samples of one class, away from the other's.

With near samples ``H = [A, 1]`` of weights u, away samples ``G = [B, 1]`` of bounds c and a sign t,
the plane ``z = [w; b]`` minimises

    ½ zᵗ(HᵗUH + δI)z + Σ c_i ξ_i   where   t g_iᵗz + ξ_i ≥ 1,  ξ_i ≥ 0.

Its dual is ``max Σ α_i − ½ αᵗ G (HᵗUH + δI)⁻¹ Gᵗ α``, 0 ≤ α ≤ c, with
``z = t (HᵗUH + δI)⁻¹ Gᵗα``. The first plane has t = −1 and is near the first class, the second has
t = 1 and is near the second. With ``HᵗUH + δI = TᵗT`` and ``R = t G T⁻¹`` the dual is that of
`box_qp`. T and R do not depend on the bounds, so one factor serves all C and all scores. With
several classes, each class has a pair of planes against the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from sklearn.metrics.pairwise import rbf_kernel

from broadlearn.baselines.box_qp import box_qp
from broadlearn.models import TrainingData
from broadlearn.random_features import Standardization
from broadlearn.utils import Array, Floats, distinct_rows

# A normal shorter than this, relative to the intercept, is rounding of a zero vector.
MIN_NORMAL = 1e-10


class PlaneFactor(NamedTuple):
    """``R = t G T⁻¹``, one row per away sample, and the upper triangular T."""

    rows: Array
    triangle: Array


class TwinPlanes(NamedTuple):
    """Planes for a batch of bounds, one in each row."""

    vectors: Array  # ``z = [w; b]``
    alpha: Array  # dual coefficients of the away samples, exactly zero where the bound is
    gap: Array  # duality gap relative to the objective


def factor_plane(
    near: Array, away: Array, *, delta: float, weight: Array | None = None, sign: float = -1.0
) -> PlaneFactor:
    """Factor the part of a plane's problem that does not depend on the bounds.

    T comes from a QR factorisation of ``[√U H; √δ I]``: the product ``HᵗUH`` would lose a small δ
    in rounding. `near` and `away` have no column of ones; `weight` is that of the near samples, and
    `sign` is t.
    """
    d = near.shape[1] + 1
    H = np.ones((near.shape[0] + d, d))
    H[:-d, :-1] = near
    H[-d:] = np.sqrt(delta) * np.eye(d)
    if weight is not None:
        H[:-d] *= np.sqrt(weight)[:, None]
    T = np.asarray(np.linalg.qr(H, mode="r"), dtype=np.float64)
    G = np.column_stack([away, np.ones(away.shape[0])])
    rows = solve_triangular(T, sign * G.T, trans="T", check_finite=False).T
    return PlaneFactor(np.ascontiguousarray(rows, dtype=np.float64), T)


def solve_planes(factor: PlaneFactor, bounds: Array) -> TwinPlanes:
    """Return the planes of one side for many bounds of the away samples at once.

    Examples
    --------
    The plane x = 0.5 through the near samples, -1 at the away one:

    >>> import numpy as np
    >>> factor = factor_plane(np.array([[0.5], [0.5]]), np.array([[1.5]]), delta=1e-9)
    >>> solve_planes(factor, np.array([[10.0]])).vectors.round(6)
    array([[-1. ,  0.5]])
    """
    solution = box_qp(factor.rows, bounds)
    vectors = solve_triangular(factor.triangle, solution.w.T, check_finite=False).T
    return TwinPlanes(vectors, solution.alpha, solution.gap)


@dataclass(frozen=True)
class PlaneSpace:
    """The columns in which planes live.

    `basis` are the standardised samples b of the columns ``K(x, b)``; None for linear planes.
    """

    standardization: Standardization
    basis: Floats | None

    def columns(self, X: Floats, kernel_width: float, rows: slice = slice(None)) -> Floats:
        """Return the columns of some samples."""
        Z = self.standardization.affine(X, rows)[:, :-1]
        if self.basis is None:
            return Z
        basis = self.basis.astype(Z.dtype, copy=False)
        return rbf_kernel(Z, basis, gamma=1.0 / kernel_width**2)

    def problem(
        self, data: TrainingData, kernel_width: float, regularization: float
    ) -> TwinProblem:
        """Return the problem, which all C1, C2 and scores share."""
        F = self.columns(data.X, kernel_width).astype(np.float64, copy=False)
        return twin_problem(F, data.codes, data.classes.size, data.weight, regularization)


def plane_space(data: TrainingData, kernel: str, n_basis: int, seed: int) -> PlaneSpace:
    """Return the space of planes of a kernel; its basis are distinct samples, drawn by weight."""
    absent = np.setdiff1d(np.arange(data.classes.size), data.codes)
    if absent.size:
        raise ValueError(
            f"All samples of class {data.classes[absent].tolist()[0]!r} have a weight of 0 "
            "(sample_weight times class_weight), so no plane can be fitted; remove this class or "
            "give it a positive weight."
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
    """The planes of some training samples, for any C1, C2 and scores.

    For each task, `factors` are of the plane of its class and of that of the rest, and `away` are
    the positions of the samples that each plane keeps away from. Two classes are one task. If there
    are fewer samples than columns, `rotation` has orthonormal columns that span the samples.
    """

    factors: list[tuple[PlaneFactor, PlaneFactor]]
    away: list[tuple[NDArray[np.intp], NDArray[np.intp]]]
    rotation: Array | None

    def solve(self, task: int, side: int, bounds: Array) -> TwinPlanes:
        """Return the planes of a task's class (side 0) or of the rest (side 1).

        `bounds`, of shape (n_problems, n_samples), are the upper bounds of the dual coefficients of
        all samples. Normals have unit length, so ``|w·x + b|`` is the distance to the plane.
        """
        planes = solve_planes(self.factors[task][side], bounds[:, self.away[task][side]])
        w, b = planes.vectors[:, :-1], planes.vectors[:, -1:]
        if self.rotation is not None:
            w = w @ self.rotation.T
        length = np.linalg.norm(w, axis=1, keepdims=True)
        # A plane whose direction is rounding only is equally far from all samples, and very far.
        flat = length <= MIN_NORMAL * np.abs(b)
        length = np.where(flat, 1.0, length)
        w, b = (
            np.where(flat, 0.0, w / length),
            np.where(flat, np.copysign(1.0 / MIN_NORMAL, b), b / length),
        )
        return planes._replace(vectors=np.concatenate([w, b], axis=1))


def twin_problem(
    F: Array, codes: NDArray[np.intp], n_classes: int, weight: Array | None, regularization: float
) -> TwinProblem:
    """Factor the planes of all tasks in the columns F of the samples."""
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
                weight=None if weight is None else weight[near],
                sign=sign,
            )
            for near, far, sign in ((own, rest, -1.0), (rest, own, 1.0))
        )
        factors.append((first, second))
        away.append((rest, own))
    return TwinProblem(factors, away, rotation)


def distances(F: Floats, vectors: Floats) -> Floats:
    """Return the distances of samples to planes whose normals have unit length."""
    V = vectors.astype(F.dtype, copy=False)
    return np.abs(F @ V[:, :-1].T + V[:, -1])
