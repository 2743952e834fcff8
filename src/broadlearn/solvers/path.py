"""Ridge solutions for a whole grid of sizes and penalties from a few factorisations.

The columns of a smaller model are the first columns of a larger one. The Cholesky factor of a
leading block is the leading block of the factor, so one factorisation per penalty serves every
size: with ``L y = GᵗS²T`` solved once, the weights of the first k columns solve ``Lᵗ w = y`` with y
set to zero beyond k. Many penalties of few sizes take less time from a tridiagonal form of each
size (`tridiagonal`), small penalties of a single size from a few products (`krylov`).

For few rows the dual grows instead: ``K = G Gᵗ`` of a larger size is that of the smaller one plus
the product of the added columns, and one K serves all scores and penalties.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dtrtrs

from broadlearn.solvers.inverses import inverse_diagonal
from broadlearn.solvers.krylov import krylov_path, worthwhile_steps
from broadlearn.solvers.rounding import largest_error
from broadlearn.solvers.tridiagonal import TridiagonalForm
from broadlearn.utils import Array

# Share of the allowed error that Lanczos steps may leave, as their estimate is not a bound.
SAFETY = 0.01
# Given the position of a problem and of a penalty, its weights of shape (n_sizes, n_targets, n) and
# a function that solves the largest size for right sides in columns: the residual
# ``GᵗS²(T - G W) - W/C`` if the weights need a step of refinement, or None.
Refine = Callable[[int, int, Array, Callable[[Array], Array]], Array | None]
# The same for one problem.
OwnRefine = Callable[[int, Array, Callable[[Array], Array]], Array | None]
# Factorisations that take as long as a tridiagonal form (measured: 6 to 9 for n from 200 to 1,000).
FORM_COST = 8.0


def primal_path(
    sums: Array,
    sizes: Sequence[int],
    Cs: Sequence[float],
    n_targets: int,
    refine: Refine | None = None,
    tolerance: float = 0.0,
) -> Array:
    """Return the weights of the leading columns for all sizes and penalties.

    Parameters
    ----------
    sums : ndarray of shape (n_problems, n + n_targets, n + n_targets)
        ``[G, T]ᵗ S² [G, T]`` of one or several problems.
    sizes : sequence of int
        Numbers of leading columns of G, each at most n.
    Cs : sequence of float
    n_targets : int
    refine : callable, default=None
        Returns the residual of weights that need a refinement, see `Refine`.
    tolerance : float, default=0.0
        Allowed relative error of predictions; 0 solves no penalty by `krylov`.

    Returns
    -------
    W : ndarray of shape (n_problems, n_Cs, n_sizes, n_targets, n)
        Zero beyond the leading columns; NaN for a C at which the factorisation fails.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 4.0]])
    >>> primal_path((rows.T @ rows)[None], [1, 2], [1.0], 1)[0, 0, :, 0]
    array([[1., 0.],
           [1., 2.]])
    """
    n = sums.shape[1] - n_targets
    W = np.zeros((len(sums), len(Cs), len(sizes), n_targets, n + n_targets))
    solved = np.zeros(W.shape[:2], dtype=bool)
    if tolerance > 0.0 and len(sizes) == 1:
        W[:, :, 0, :, :n], solved = _easy_primal(sums[:, :n, :n], sums[:, n:, :n], Cs, tolerance)
    form_cost = FORM_COST * float(np.sum((np.asarray(sizes) / n) ** 3))
    for i, problem in enumerate(sums):
        remaining = np.flatnonzero(~solved[i]).tolist()
        of_problem = None if refine is None else partial(refine, i)
        if len(remaining) > form_cost and min(sizes) > 1:
            _solve_by_forms(problem, sizes, Cs, remaining, W[i, ..., :n], of_problem)
        else:
            _solve_by_factors(problem, sizes, Cs, remaining, W[i], of_problem)
    return W[..., :n]


def _easy_primal(
    grams: Array, right: Array, Cs: Sequence[float], tolerance: float
) -> tuple[Array, NDArray[np.bool_]]:
    """Solve the penalties of one size that need few products with the matrix."""
    patience = worthwhile_steps(len(grams), right.shape[1], grams.shape[1])
    W, solved = krylov_path(grams, right, Cs, SAFETY * tolerance, patience)
    spreads = np.einsum("inn->i", grams)
    return W, solved & (largest_error(spreads[:, None], np.asarray(Cs)) <= tolerance)


def _solve_by_factors(
    sums: Array,
    sizes: Sequence[int],
    Cs: Sequence[float],
    chosen: Sequence[int],
    W: Array,
    refine: OwnRefine | None,
) -> None:
    """Put solutions of the chosen penalties into W, from one factorisation each."""
    n = len(sums) - W.shape[2]
    within = (np.arange(n) < np.asarray(sizes)[:, None]).astype(np.float64)[:, None]
    factors = _augmented_factors(sums, n, (Cs[c] for c in chosen))
    for c, L in zip(chosen, factors, strict=True):
        np.multiply(within, L[n:, :n].copy(), out=W[c, ..., :n])
        _solve_transposed(L, W[c])
        if refine is None:
            continue
        residual = refine(c, W[c, ..., :n], partial(_solve, L[:n, :n]))
        if residual is not None:
            step = np.zeros_like(W[c])
            step[..., :n] = residual * within
            dtrtrs(L, step.reshape(-1, len(sums)).T, lower=1, overwrite_b=1)
            step[..., n:] = 0.0
            step[..., :n] *= within
            _solve_transposed(L, step)
            W[c] += step


def _solve_by_forms(
    sums: Array,
    sizes: Sequence[int],
    Cs: Sequence[float],
    chosen: Sequence[int],
    W: Array,
    refine: OwnRefine | None,
) -> None:
    """Put solutions of the chosen penalties into W, from one tridiagonal form of each size."""
    n = W.shape[3]
    forms = [TridiagonalForm.of(sums[:size, :size]) for size in sizes]
    for j, (size, form) in enumerate(zip(sizes, forms, strict=True)):
        W[chosen, j, :, :size] = form.solve(sums[:size, n:], [Cs[c] for c in chosen])
    largest = int(np.argmax(sizes))
    if refine is None:
        return
    for c in chosen:
        residual = refine(c, W[c], partial(forms[largest].solve_columns, C=Cs[c]))
        if residual is not None:
            for j, (size, form) in enumerate(zip(sizes, forms, strict=True)):
                W[c, j, :, :size] += form.solve(residual[j, :, :size].T, [Cs[c]])[0]


def _augmented_factors(sums: Array, n: int, Cs: Iterable[float]) -> Iterator[Array]:
    """Yield lower factors of ``[[GᵗS²G + I/C, GᵗS²T], [·, large]]`` for each penalty.

    The rows below n are the forward solution of ``L y = GᵗS²T``; the corner only has to be large
    enough.
    """
    diagonal = sums.diagonal().copy()
    diagonal[n:] += 1.0 + diagonal[n:].sum()
    return _factors(sums, diagonal, Cs)


def _factors(matrix: Array, diagonal: Array, Cs: Iterable[float]) -> Iterator[Array]:
    """Yield the lower factor of ``matrix + I/C``, with another diagonal, for each penalty.

    It is NaN where the factorisation fails, and valid until the next one. Anything may stand above
    its diagonal.
    """
    memory = np.empty_like(matrix, order="C")
    for C in Cs:
        memory[:] = matrix
        np.add(diagonal, 1.0 / C, out=memory.reshape(-1)[:: len(memory) + 1])
        if dpotrf(memory.T, 1, 0, 1)[1]:
            memory[:] = np.nan
        yield memory.T


def _solve_transposed(L: Array, right: Array) -> None:
    """Solve ``Lᵗ x = right`` in place for right sides along the last axis."""
    columns = right.reshape(-1, right.shape[-1]).T
    dtrtrs(L, columns, lower=1, trans=1, overwrite_b=1)


def _solve(L: Array, right: Array) -> Array:
    half = dtrtrs(L, right, lower=1)[0]
    return np.asarray(dtrtrs(L, half, lower=1, trans=1)[0], dtype=np.float64)


def primal_leverages(
    sums: Array, sizes: Sequence[int], Cs: Sequence[float], n_targets: int, G: Array
) -> Array:
    """Return the leverages ``g (GᵗS²G + I/C)⁻¹ gᵗ`` of rows G, of shape (n_Cs, n_sizes, n_rows).

    With ``V = L⁻¹ Gᵗ`` the leverage of the first k columns is the sum of the squares of the first k
    rows of V. Parameters are those of `primal_path`, for one problem.
    """
    n = len(sums) - n_targets
    result = np.empty((len(Cs), len(sizes), len(G)))
    for c, L in enumerate(_augmented_factors(sums, n, Cs)):
        V = dtrtrs(L[:n, :n], G.T, lower=1)[0]
        result[c] = np.cumsum(V * V, axis=0)[np.asarray(sizes) - 1]
    return result


def dual_path(
    K: Array,
    G: Array,
    S: Array,
    T: Array,
    Cs: Sequence[float],
    tolerance: float = 0.0,
) -> Array:
    """Return the dual coefficients ``(S K S + I/C)⁻¹ S T`` of one size for all S and penalties.

    Parameters
    ----------
    K : ndarray of shape (n_rows, n_rows)
        ``G Gᵗ``.
    G : ndarray of shape (n_rows, n_columns)
        Design matrix, for the residuals of solutions that may be inexact.
    S : ndarray of shape (n_problems, n_rows)
        Diagonal of each S.
    T : ndarray of shape (n_rows, n_targets)
    Cs : sequence of float
    tolerance : float, default=0.0
        Estimated relative error of predictions above which they are refined.

    Returns
    -------
    ndarray of shape (n_problems, n_Cs, n_rows, n_targets)
        ``Gᵗ S alpha`` is W; NaN for a C at which the factorisation fails.
    """
    result = np.zeros((len(S), len(Cs), *T.shape))
    # Coefficients of rows of score 0 are 0.
    for i in np.flatnonzero(S.any(axis=1)).tolist():
        rows = np.flatnonzero(S[i])
        s, H = S[i, rows, None], None
        K_s = K if rows.size == len(K) else K[np.ix_(rows, rows)]
        K_s, T_s = K_s * s * s.T, s * T[rows]
        for c, L in enumerate(_factors(K_s, K_s.diagonal(), Cs)):
            alpha = _solve(L, T_s)
            if not _dual_error(np.trace(K_s), alpha, T_s, Cs[c]) <= tolerance:
                H = s * G[rows] if H is None else H
                for _ in range(2):
                    alpha = alpha + _solve(L, T_s - H @ (H.T @ alpha) - alpha / Cs[c])
            result[i, c, rows] = alpha
    return result


def _dual_error(spread: float, alpha: Array, T: Array, C: float) -> float:
    """Estimate the relative error of predictions that rounding of K brings.

    A rounding error dK of K moves fitted values K alpha by K (K + I/C)⁻¹ dK alpha.
    """
    error = np.finfo(np.float64).eps * spread * np.linalg.norm(alpha)
    return float(error / np.linalg.norm(T - alpha / C))


def dual_inverse_diagonals(K: Array, s: Array | None, Cs: Sequence[float]) -> Array:
    """Return the diagonals of ``(S K S + I/C)⁻¹`` for all penalties, of shape (n_Cs, n_rows)."""
    if s is not None:
        K = K * s[:, None] * s[None, :]
    return np.stack([inverse_diagonal(L) for L in _factors(K, K.diagonal(), Cs)])
