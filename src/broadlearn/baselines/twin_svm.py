"""Planes of twin support vector machines: near the samples of one class, away from the other's.

With near samples ``H = [A, 1]`` of weights u, away samples ``G = [B, 1]`` of bounds c and a sign t,
the plane ``z = [w; b]`` minimises

    ½ zᵗ(HᵗUH + δI)z + Σ c_i ξ_i   where   t g_iᵗz + ξ_i ≥ 1,  ξ_i ≥ 0.

Its dual is ``max Σ α_i − ½ αᵗ G (HᵗUH + δI)⁻¹ Gᵗ α``, 0 ≤ α ≤ c, with
``z = t (HᵗUH + δI)⁻¹ Gᵗα``. The first plane has t = −1 and is near the first class, the second has
t = 1 and is near the second. With ``HᵗUH + δI = TᵗT`` and ``R = t G T⁻¹`` the dual is that of
`box_qp`. T and R know nothing of the bounds: one factor serves all C and all scores. For references
see `IntuitionisticFuzzyTwinSVC`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from broadlearn.baselines.box_qp import box_qp
from broadlearn.utils import Array


class TwinFactor(NamedTuple):
    """What the planes of all bounds share; from `factor_plane`.

    Attributes
    ----------
    rows : ndarray of shape (n_away, n_columns + 1)
        ``R = t G T⁻¹``.
    triangle : ndarray of shape (n_columns + 1, n_columns + 1)
        Upper triangular T with ``TᵗT = HᵗUH + δI``.
    """

    rows: Array
    triangle: Array


class TwinPlanes(NamedTuple):
    """Planes for a batch of bounds.

    Attributes
    ----------
    vectors : ndarray of shape (n_problems, n_columns + 1)
        ``z = [w; b]`` of each problem.
    alpha : ndarray of shape (n_problems, n_away)
        Dual coefficients, exactly zero where the bound is.
    gap : ndarray of shape (n_problems,)
        Duality gap relative to the objective.
    """

    vectors: Array
    alpha: Array
    gap: Array


def factor_plane(
    near: Array,
    away: Array,
    *,
    delta: float,
    near_weight: Array | None = None,
    away_sign: float = -1.0,
) -> TwinFactor:
    """Factor the part of one plane's problem that does not depend on the bounds.

    T comes from a QR factorisation of ``[√U H; √δ I]``: the product ``HᵗUH`` would lose a small δ
    in rounding.

    Parameters
    ----------
    near : ndarray of shape (n_near, n_columns)
        Samples A that the plane is to be near, without the column of ones.
    away : ndarray of shape (n_away, n_columns)
        Samples B that it is to be away from.
    delta : float
        The regulariser δ, positive.
    near_weight : ndarray of shape (n_near,), default=None
        Weights u of the near samples; None for all one.
    away_sign : {-1.0, 1.0}, default=-1.0
        Sign t of ``w·x + b`` on the away samples: -1 for the first plane, 1 for the second.
    """
    if not delta > 0.0:
        raise ValueError(f"delta must be positive, got {delta}.")
    d = near.shape[1] + 1
    H = np.ones((near.shape[0] + d, d))
    H[:-d, :-1] = near
    H[-d:] = np.sqrt(delta) * np.eye(d)
    if near_weight is not None:
        H[:-d] *= np.sqrt(near_weight)[:, None]
    T = np.asarray(np.linalg.qr(H, mode="r"), dtype=np.float64)
    G = np.column_stack([away, np.ones(away.shape[0])])
    rows = solve_triangular(T, away_sign * G.T, trans="T", check_finite=False).T
    return TwinFactor(np.ascontiguousarray(rows, dtype=np.float64), T)


def planes(factor: TwinFactor, bounds: Array) -> TwinPlanes:
    """Planes of one side for many bounds at once.

    Parameters
    ----------
    factor : TwinFactor
    bounds : ndarray of shape (n_problems, n_away)
        Upper bounds of the dual coefficients, ``C`` times the score of each away sample.

    Examples
    --------
    The plane x = 0.5 through the near samples, -1 at the away one:

    >>> import numpy as np
    >>> factor = factor_plane(np.array([[0.5], [0.5]]), np.array([[1.5]]), delta=1e-9)
    >>> planes(factor, np.array([[10.0]])).vectors.round(6)
    array([[-1. ,  0.5]])
    """
    solution = box_qp(factor.rows, bounds)
    vectors = solve_triangular(factor.triangle, solution.w.T, check_finite=False).T
    return TwinPlanes(vectors, solution.alpha, solution.gap)
