"""Closed-form leave-one-out predictions of a weighted ridge solution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from broadlearn.solvers._ridge import PrimalSolution

Array = NDArray[np.float64]

# Where a row determines its own prediction, this much of its influence is left in.
LEAST_REMAINDER = 1e-10


def primal_leave_one_out(
    solution: PrimalSolution,
    G: NDArray[np.floating],
    s: Array | None,
    T: Array,
    share: Array | None,
) -> Array:
    """Predictions for rows of G by the model fitted without them.

    With leverage ``h = share s² g (GᵗS²G + I/C)⁻¹ gᵗ``, leaving a row out turns its residual
    ``t - f`` into ``(t - f) / (1 - h)``.

    Parameters
    ----------
    solution : PrimalSolution
    G : ndarray of shape (n_rows, n_columns)
        Rows of the design matrix, all or some.
    s : ndarray of shape (n_rows,) or None
        Their scores.
    T : ndarray of shape (n_rows, n_targets)
    share : ndarray of shape (n_rows,) or None
        Part of the row that is left out; ``1 / w`` leaves out one of w copies.

    Returns
    -------
    ndarray of shape (n_rows, n_targets)
    """
    G = G.astype(np.float64, copy=False)
    h = solution.leverage(G)
    if s is not None:
        h = h * s * s
    if share is not None:
        h = h * share
    return without(T - G @ solution.weights, 1.0 - h, T)


def dual_leave_one_out(
    inverse_diagonal: Array, residual: Array, T: Array, C: float, share: Array | None
) -> Array:
    """Predictions for all rows of a dual fit, each by the model fitted without it.

    The remainder ``1 - h`` is ``[(S G Gᵗ S + I/C)⁻¹]_ii / C``, which keeps its digits where a row
    determines its own prediction.

    Parameters
    ----------
    inverse_diagonal : ndarray of shape (n_rows,)
    residual : ndarray of shape (n_rows, n_targets)
        ``T - G W``, best from `dual_residual`.
    T : ndarray of shape (n_rows, n_targets)
    C : float
    share : ndarray of shape (n_rows,) or None
        As for `primal_leave_one_out`.
    """
    remainder = inverse_diagonal / C
    if share is not None:
        remainder = 1.0 - share * (1.0 - remainder)
    return without(residual, remainder, T)


def dual_residual(alpha: Array, s: Array | None, T: Array, fitted: Array, C: float) -> Array:
    """``T - G W``, from the dual coefficients: ``alpha / (C s)`` where the score is not 0.

    The difference of targets and predictions would lose all its digits where they are alike.
    """
    if s is None:
        return alpha / C
    scored = s[:, None] > 0.0
    return np.where(scored, alpha / (C * np.where(scored, s[:, None], 1.0)), T - fitted)


def without(residual: Array, remainder: Array, T: Array) -> Array:
    """Predictions of rows by the model without them, from residuals and ``1 - h``."""
    return T - residual / np.maximum(remainder, LEAST_REMAINDER)[:, None]
