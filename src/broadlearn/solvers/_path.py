"""Ridge solutions for a whole grid of sizes and penalties from a few factorisations.

The columns of a smaller model are the first columns of a larger one. The Cholesky factor of a
leading block is the leading block of the factor, so one factorisation a penalty serves every size:
with ``L y = GᵗS²T`` solved once, the weights of the first k columns solve ``Lᵗ w = y`` with y set
to zero beyond k. Where rows are few, the dual grows instead: ``K = G Gᵗ`` of a larger size is that
of the smaller one plus the product of the added columns, and one K serves all scores and penalties.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dtrtrs

Array = NDArray[np.float64]


def primal_path(sums: Array, sizes: Sequence[int], Cs: Sequence[float], n_targets: int) -> Array:
    """Weights of the leading columns for all sizes and penalties.

    Parameters
    ----------
    sums : ndarray of shape (n + n_targets, n + n_targets)
        ``[G, T]ᵗ S² [G, T]``.
    sizes : sequence of int
        Numbers of leading columns of G, each at most n.
    Cs : sequence of float
    n_targets : int

    Returns
    -------
    W : ndarray of shape (n_Cs, n, n_sizes * n_targets)
        Zero beyond the leading columns; NaN for a C at which the factorisation fails.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 4.0]])
    >>> primal_path(rows.T @ rows, [1, 2], [1.0], 1)
    array([[[1., 1.],
            [0., 2.]]])
    """
    n = sums.shape[0] - n_targets
    factors = _augmented_factors(sums, n, Cs)
    within = np.arange(n)[:, None] < np.asarray(sizes)[None, :]
    W = np.empty((len(Cs), n, len(sizes) * n_targets))
    for c, L in enumerate(factors):
        y = L[n:, :n]
        masked = (within[:, :, None] * y.T[:, None, :]).reshape(n, -1)
        # The transpose of a row-major lower factor is the upper one that LAPACK wants, uncopied.
        W[c] = dtrtrs(L[:n, :n].T, masked, lower=0)[0]
    return W


def _augmented_factors(sums: Array, n: int, Cs: Sequence[float]) -> Array:
    """Cholesky factors of ``[[GᵗS²G + I/C, GᵗS²T], [·, large]]``.

    The rows below n are then the forward solution of ``L y = GᵗS²T``; the corner only has to be
    large enough.
    """
    stack = np.repeat(sums[None], len(Cs), axis=0)
    diagonal = np.arange(n)
    stack[:, diagonal, diagonal] += 1.0 / np.asarray(Cs)[:, None]
    corner = np.arange(n, sums.shape[0])
    stack[:, corner, corner] += 1.0 + np.trace(sums[n:, n:])
    try:
        return np.asarray(np.linalg.cholesky(stack), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.stack([_factor_or_nan(matrix) for matrix in stack])


def _factor_or_nan(matrix: Array) -> Array:
    try:
        return np.asarray(np.linalg.cholesky(matrix), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.full_like(matrix, np.nan)


def primal_refine(
    W: Array, sums: Array, residual: Array, sizes: Sequence[int], Cs: Sequence[float]
) -> Array:
    """One step of iterative refinement for all settings of `primal_path`.

    Parameters
    ----------
    W : ndarray of shape (n_Cs, n, n_sizes * n_targets)
    sums : ndarray of shape (n + n_targets, n + n_targets)
    residual : ndarray of shape (n_Cs, n, n_sizes * n_targets)
        ``GᵗS²(T - G W) - W/C`` of every setting, from the rows themselves.
    sizes, Cs
        As for `primal_path`.

    Returns
    -------
    ndarray of the shape of W
    """
    n = W.shape[1]
    n_targets = W.shape[2] // len(sizes)
    factors = _augmented_factors(sums, n, Cs)
    within = np.repeat(np.arange(n)[:, None] < np.asarray(sizes)[None, :], n_targets, axis=1)
    refined = np.empty_like(W)
    for c, factor in enumerate(factors):
        L = factor[:n, :n]
        half = dtrtrs(L.T, residual[c] * within, lower=0, trans=1)[0]
        refined[c] = W[c] + dtrtrs(L.T, half * within, lower=0)[0]
    return refined


def primal_leverages(
    sums: Array, sizes: Sequence[int], Cs: Sequence[float], n_targets: int, G: Array
) -> Array:
    """Leverages ``g (GᵗS²G + I/C)⁻¹ gᵗ`` of some rows for all sizes and penalties.

    With ``V = L⁻¹ Gᵗ`` the leverage of the first k columns is the sum of the squares of the first k
    rows of V.

    Parameters
    ----------
    sums, sizes, Cs, n_targets
        As for `primal_path`.
    G : ndarray of shape (n_rows, n)

    Returns
    -------
    ndarray of shape (n_Cs, n_sizes, n_rows)
    """
    n = sums.shape[0] - n_targets
    result = np.empty((len(Cs), len(sizes), G.shape[0]))
    for c, factor in enumerate(_augmented_factors(sums, n, Cs)):
        V = dtrtrs(factor[:n, :n].T, G.T, lower=0, trans=1)[0]
        result[c] = np.cumsum(V * V, axis=0)[np.asarray(sizes) - 1]
    return result


def dual_path(K: Array, s: Array | None, T: Array, Cs: Sequence[float]) -> Array:
    """Dual coefficients ``S (S K S + I/C)⁻¹ S T`` for all penalties of one size.

    Parameters
    ----------
    K : ndarray of shape (n_rows, n_rows)
        ``G Gᵗ``.
    s : ndarray of shape (n_rows,) or None
        Scores; None for all one.
    T : ndarray of shape (n_rows, n_targets)
    Cs : sequence of float

    Returns
    -------
    coefficients : ndarray of shape (n_Cs, n_rows, n_targets)
        Times the rows of G they give W; times ``G_new Gᵗ`` the predictions. NaN for a C at which
        the factorisation fails.
    """
    if s is not None:
        K = K * s[:, None] * s[None, :]
        T = T * s[:, None]
    result = np.empty((len(Cs), *T.shape))
    for c, (L, C) in enumerate(zip(_dual_factors(K, Cs), Cs, strict=True)):
        alpha = _solve(L, T)
        result[c] = alpha + _solve(L, T - K @ alpha - alpha / C)
    return result if s is None else result * s[None, :, None]


def dual_inverse_diagonals(K: Array, s: Array | None, Cs: Sequence[float]) -> Array:
    """Diagonals of ``(S K S + I/C)⁻¹`` for all penalties, of shape (n_Cs, n_rows)."""
    if s is not None:
        K = K * s[:, None] * s[None, :]
    identity = np.eye(K.shape[0])
    halves = (dtrtrs(L.T, identity, lower=0, trans=1)[0] for L in _dual_factors(K, Cs))
    return np.stack([np.einsum("ij,ij->j", half, half) for half in halves])


def _dual_factors(K: Array, Cs: Sequence[float]) -> Iterator[Array]:
    """Cholesky factors of ``K + I/C``, NaN where one fails."""
    for C in Cs:
        matrix = K.copy()
        matrix[np.diag_indices_from(matrix)] += 1.0 / C
        yield _factor_or_nan(matrix)


def _solve(L: Array, right: Array) -> Array:
    half = dtrtrs(L.T, right, lower=0, trans=1)[0]
    return np.asarray(dtrtrs(L.T, half, lower=0)[0], dtype=np.float64)
