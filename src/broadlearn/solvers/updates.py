"""Ridge problems that change: add and remove rows, append columns.

A ridge problem needs only ``[G, T]ᵗ S² [G, T]`` of its rows, a sum to which rows are added and from
which they are subtracted. New columns add a border to the sum and to its Cholesky factor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrs

from broadlearn.solvers.ridge import (
    REFINE_TWICE,
    Block,
    PrimalSolution,
    factorize,
    normal_equations,
    refine_once,
)
from broadlearn.solvers.rounding import prediction_error, propagated_error
from broadlearn.utils import Array

# Negative squares beyond this share of the largest are not due to rounding.
ROUNDING = 1e-10
# Products of features and targets that differ by more than this share of their lengths belong to
# other rows.
OTHER_ROWS = 1e-5
# Estimated relative error of predictions above which available rows are visited again.
REFINE_SUMS = 1e-9


def add_rows(sums: Array, blocks: Iterable[Block]) -> Array:
    """Return sums ``[G, T]ᵗ S² [G, T]`` with more rows; the given sums are not changed.

    Examples
    --------
    >>> import numpy as np
    >>> add_rows(np.zeros((2, 2)), [(np.array([[1.0, 2.0]]), None)])
    array([[1., 2.],
           [2., 4.]])
    """
    more = normal_equations(blocks, sums.shape[0])
    more += sums
    return more


def remove_rows(sums: Array, blocks: Iterable[Block]) -> Array:
    """Return sums without some of their rows; the given sums are not changed."""
    rest = sums - normal_equations(blocks, sums.shape[0])
    squares = np.diagonal(rest)
    if (squares < -ROUNDING * np.diagonal(sums).max()).any():
        raise ValueError("The rows to forget are not among those that were learnt.")
    return rest


def append_sums(
    sums: Array, blocks: Iterable[Block], n_old: int, n_new: int, n_targets: int
) -> Array:
    """Return sums with more columns of G, after the old ones, over the same rows.

    Products of old columns and targets are computed again, to check that the rows are the same.
    """
    n = n_old + n_new
    n_border = n_new + n_targets
    border, corner = np.zeros((n_old, n_border)), np.zeros((n_border, n_border))
    for rows, s in blocks:
        if s is not None:
            rows *= s[:, None]
        border += rows[:, :n_old].T @ rows[:, n_old:]
        corner += rows[:, n_old:].T @ rows[:, n_old:]
    lengths = np.sqrt(np.maximum(np.diagonal(sums), 0.0))
    scale = np.outer(lengths[:n_old], lengths[n_old:])
    if (np.abs(border[:, n_new:] - sums[:n_old, n_old:]) > OTHER_ROWS * scale).any():
        raise ValueError("The rows given, or their order, are not those that were learnt.")
    larger = np.empty((n + n_targets, n + n_targets))
    larger[n_old:, n_old:] = corner
    larger[:n_old, n_old:], larger[n_old:, :n_old] = border, border.T
    old = np.r_[:n_old, n : n + n_targets]
    larger[np.ix_(old, old)] = sums
    return larger


def append_to_factor(factor: Array, gram: Array, C: float) -> Array:
    """Return the lower Cholesky factor of ``gram + I/C`` from that of its leading block."""
    k = factor.shape[0]
    larger = np.zeros_like(gram)
    larger[:k, :k] = factor
    border = solve_triangular(factor, gram[:k, k:], lower=True, check_finite=False).T
    larger[k:, :k] = border
    larger[k:, k:] = factorize(gram[k:, k:] - border @ border.T, C)
    return larger


def solve_sums(
    sums: Array,
    n_columns: int,
    C: float,
    leading_factor: Array | None = None,
    residual: Callable[[Array], Array] | None = None,
) -> PrimalSolution:
    """Solve for ridge weights from sums.

    Without the rows, rounding of the sums cannot be refined away as in `solve_ridge`: for nearly
    dependent features, predictions differ by up to 1e-8 at C = 1e4 and 1e-6 at C = 1e6. `residual`
    returns ``GᵗS²(T - GW)`` for weights W by visiting the rows again, unless they are gone;
    `leading_factor` is the Cholesky factor of the leading block of ``GᵗS²G + I/C``, if known.
    """
    gram, right = sums[:n_columns, :n_columns], sums[:n_columns, n_columns:]
    if leading_factor is None:
        factor = factorize(gram.copy(), C)
    else:
        factor = append_to_factor(leading_factor, gram, C)
    W = dpotrs(factor, right, lower=1)[0]
    W += dpotrs(factor, right - gram @ W - W / C, lower=1)[0]
    if residual is not None:
        error = prediction_error(float(np.trace(gram)), C, W, right)
        if error >= REFINE_SUMS:
            sent = propagated_error(gram, lambda b: dpotrs(factor, b, lower=1)[0], W, right)
            error = 0.0 if sent < REFINE_SUMS else error
        for _ in range((error >= REFINE_SUMS) + (error >= REFINE_TWICE)):
            W = refine_once(W, factor, residual(W), C)
    return PrimalSolution(W, factor, sums)
