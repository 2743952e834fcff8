"""Weighted ridge by Cholesky on the smaller Gram matrix, refined in residual form.

NumPy's own product and Cholesky do the heavy work: SciPy has a second pool of threads, which the
idle threads of the first one slow down.

All solvers minimise ``C/2 ‖S(GW - T)‖² + 1/2 ‖W‖²``. The primal ``(GᵗS²G + I/C) W = GᵗS²T`` needs
rows only block by block; the dual ``W = GᵗS (S G Gᵗ S + I/C)⁻¹ S T`` needs all of G, and is taken
where rows are fewer than columns. Its form is symmetric, so a score may be zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, solve_triangular

Array = NDArray[np.float64]

# A block of rows: [G, T] in one array, which is overwritten, and scores s (None: all one).
Block = tuple[Array, Array | None]
Blocks = Callable[[], Iterable[Block]]

# Estimated relative errors of predictions from which on one, and two, refinements are made.
REFINE_ONCE, REFINE_TWICE = 3e-11, 1e-6


class PrimalSolution(NamedTuple):
    """Solution of the primal problem.

    Attributes
    ----------
    weights : ndarray of shape (n_columns, n_targets)
    factor : ndarray of shape (n_columns, n_columns)
        Lower Cholesky factor of ``GᵗS²G + I/C``.
    sums : ndarray of shape (n_columns + n_targets, n_columns + n_targets)
        ``[G, T]ᵗ S² [G, T]``, to which rows can be added later.
    """

    weights: Array
    factor: Array
    sums: Array

    def leverage(self, G: NDArray[np.floating]) -> Array:
        """``g (GᵗS²G + I/C)⁻¹ gᵗ`` for every row g."""
        half = solve_triangular(self.factor, G.T, lower=True, check_finite=False)
        return np.einsum("ij,ij->j", half, half)


class DualSolution(NamedTuple):
    """Solution of the dual problem.

    Attributes
    ----------
    weights : ndarray of shape (n_columns, n_targets)
    alpha : ndarray of shape (n_rows, n_targets)
        Dual coefficients, ``(S G Gᵗ S + I/C)⁻¹ S T``.
    factor : ndarray of shape (n_rows, n_rows)
        Lower Cholesky factor of ``S G Gᵗ S + I/C``.
    """

    weights: Array
    alpha: Array
    factor: Array

    def inverse_diagonal(self, rows: NDArray[np.intp] | slice = slice(None)) -> Array:
        """Diagonal of ``(S G Gᵗ S + I/C)⁻¹``, or some entries of it."""
        units = np.eye(self.factor.shape[0])[:, rows]
        half = solve_triangular(self.factor, units, lower=True, check_finite=False)
        return np.einsum("ij,ij->j", half, half)


def _factorize(gram: Array, C: float) -> Array:
    """Lower Cholesky factor of ``gram + I/C``; the diagonal of `gram` is overwritten."""
    gram[np.diag_indices_from(gram)] += 1.0 / C
    try:
        return np.asarray(np.linalg.cholesky(gram), dtype=np.float64)
    except np.linalg.LinAlgError as error:
        raise ValueError(
            f"The ridge problem cannot be solved in float64 with C={C:g}: the penalty 1/C is lost "
            "against the features. Use a smaller C, or standardize=True if the columns of X are "
            "on very different scales."
        ) from error


def normal_equations(blocks: Iterable[Block], n_columns: int, n_targets: int) -> Array:
    """Sum ``[G, T]ᵗ S² [G, T]`` over blocks of rows.

    Its blocks are ``GᵗS²G``, ``GᵗS²T`` and ``TᵗS²T``: one product for all three, which NumPy halves
    as it is that of a matrix with its own transpose.

    Parameters
    ----------
    blocks : iterable of ([G, T], s)
    n_columns, n_targets : int

    Returns
    -------
    ndarray of shape (n_columns + n_targets, n_columns + n_targets)
    """
    sums = np.zeros((n_columns + n_targets, n_columns + n_targets))
    for rows, s in blocks:
        if s is not None:
            rows *= s[:, None]
        sums += rows.T @ rows
    return sums


def solve_primal(blocks: Blocks, n_columns: int, n_targets: int, C: float) -> PrimalSolution:
    """Ridge weights from blocks of rows; no more than a block is held at a time.

    Parameters
    ----------
    blocks : callable
        Gives a fresh iterator over ([G, T], s) each time it is called: once to sum the normal
        equations, and once more for each refinement that C and the features call for.
    n_columns, n_targets : int
    C : float

    Returns
    -------
    PrimalSolution
    """
    sums = normal_equations(blocks(), n_columns, n_targets)
    gram, right = sums[:n_columns, :n_columns].copy(), sums[:n_columns, n_columns:]
    spread = float(np.trace(gram))
    factor = _factorize(gram, C)
    W = cho_solve((factor, True), right, check_finite=False)
    error = prediction_error(spread, C, W, right)
    for _ in range((error >= REFINE_ONCE) + (error >= REFINE_TWICE)):
        W = refine_once(W, factor, rows_residual(W, blocks()), C)
    return PrimalSolution(W, factor, sums)


def rows_residual(W: Array, blocks: Iterable[Block]) -> Array:
    """``GᵗS²(T - GW)``, summed over blocks of rows."""
    n_columns, residual = W.shape[0], np.zeros_like(W)
    for rows, s in blocks:
        G, missing = rows[:, :n_columns], rows[:, n_columns:]
        missing -= G @ W
        if s is not None:
            missing *= (s * s)[:, None]
        residual += G.T @ missing
    return residual


def refine_once(W: Array, factor: Array, residual: Array, C: float) -> Array:
    """Weights W corrected by their residual, which is taken from the rows themselves."""
    return W + cho_solve((factor, True), residual - W / C, check_finite=False)


def prediction_error(spread: float, C: float, W: Array, right: Array) -> float:
    """Estimate the relative error of predictions that rounding of the Gram matrix M brings.

    With M = gram + I/C, a perturbation of relative size eps moves predictions by
    ``G M⁻¹ (dM) W``, at most ``sqrt(C) eps ‖M‖ ‖W‖`` in norm; predictions themselves have norm
    ``sqrt(Wᵗ right)`` or less.
    """
    size = float(np.sqrt(max(np.vdot(W, right), np.finfo(np.float64).tiny)))
    eps = np.finfo(np.float64).eps
    return float(eps * (spread + 1.0 / C) * np.sqrt(C) * np.linalg.norm(W) / size / 10.0)


def solve_dual(
    G: NDArray[np.floating], s: Array | None, T: Array, C: float, gram: Array | None = None
) -> DualSolution:
    """Ridge weights where rows are fewer than columns.

    Parameters
    ----------
    G : ndarray of shape (n_rows, n_columns)
    s : ndarray of shape (n_rows,) or None
        Scores; None for all one.
    T : ndarray of shape (n_rows, n_targets)
    C : float
    gram : ndarray of shape (n_rows, n_rows) or None
        ``G Gᵗ`` where it is known already; left as it is.

    Returns
    -------
    DualSolution
    """
    G = G.astype(np.float64, copy=False)
    K = G @ G.T if gram is None else gram.copy()
    if s is not None:
        G = G * s[:, None]
        T = T * s[:, None]
        K *= s[:, None]
        K *= s
    factor = _factorize(K, C)
    alpha = cho_solve((factor, True), T, check_finite=False)
    for _ in range(2):
        residual = T - G @ (G.T @ alpha) - alpha / C
        alpha = alpha + cho_solve((factor, True), residual, check_finite=False)
    return DualSolution(G.T @ alpha, alpha, factor)


def weighted_ridge(
    G: NDArray[np.floating],
    T: Array,
    C: float,
    *,
    scores: Array | None = None,
    solver: str = "auto",
) -> Array:
    """Ridge weights of a whole design matrix.

    Parameters
    ----------
    G : ndarray of shape (n_rows, n_columns)
    T : ndarray of shape (n_rows, n_targets)
    C : float
        Weight of the errors against the size of the weights.
    scores : ndarray of shape (n_rows,), default=None
        Each row's score, the diagonal of S.
    solver : {"auto", "primal", "dual"}, default="auto"
        "auto" takes the dual where rows are fewer than columns.

    Returns
    -------
    W : ndarray of shape (n_columns, n_targets)

    Examples
    --------
    >>> import numpy as np
    >>> from broadlearn.solvers import weighted_ridge
    >>> weighted_ridge(np.array([[1.0], [1.0]]), np.array([[2.0], [4.0]]), C=1e12).round(6)
    array([[3.]])
    """
    if solver == "dual" or (solver == "auto" and G.shape[0] < G.shape[1]):
        return solve_dual(G, scores, T, C).weights
    return solve_primal(
        lambda: [(np.concatenate([G, T], axis=1), scores)], G.shape[1], T.shape[1], C
    ).weights
