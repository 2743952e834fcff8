"""Closed-form leave-one-out predictions of a weighted ridge solution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from broadlearn.solvers._ridge import DualSolution, PrimalSolution

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

    With leverage ``h = share s² g (GᵗS²G + I/C)⁻¹ gᵗ``, leaving a row out changes its prediction f
    to ``(f - h t) / (1 - h)``.

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
    return without(G @ solution.weights, h, 1.0 - h, T)


def dual_leave_one_out(
    solution: DualSolution, fitted: Array, T: Array, C: float, share: Array | None
) -> Array:
    """Predictions for all rows of a dual fit, each by the model fitted without it.

    The leverage is ``h = 1 - [(S G Gᵗ S + I/C)⁻¹]_ii / C``; the remainder ``1 - h`` is taken from
    the inverse, where it keeps its digits.
    """
    remainder = solution.inverse_diagonal() / C
    if share is not None:
        remainder = 1.0 - share * (1.0 - remainder)
    return without(fitted, 1.0 - remainder, remainder, T)


def without(fitted: Array, h: Array, remainder: Array, T: Array) -> Array:
    """Predictions of rows by the model without them, from leverages h and ``1 - h``."""
    return (fitted - h[:, None] * T) / np.maximum(remainder, LEAST_REMAINDER)[:, None]
