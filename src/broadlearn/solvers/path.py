"""Ridge solutions for a whole grid of sizes and penalties from a few factorisations.

The columns of a smaller model are the first columns of a larger one. The Cholesky factor of a
leading block is the leading block of the factor, so one factorisation per penalty serves every
size: with ``L y = GᵗS²T`` solved once, the weights of the first k columns solve ``Lᵗ w = y`` with y
set to zero beyond k. Where rows are few, the dual grows instead: ``K = G Gᵗ`` of a larger size is
that of the smaller one plus the product of the added columns, and one K serves all scores and
penalties.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dtrtrs

from broadlearn.solvers.inverses import inverse_diagonal
from broadlearn.solvers.small_penalties import solve_small_penalties
from broadlearn.solvers.tridiagonal import TridiagonalForm
from broadlearn.utils import Array

# Positions of penalties, and residuals of their weights.
Doubts = tuple[NDArray[np.intp], Array]
# Solves a problem of all columns for C and right sides, the columns of a matrix.
Inverse = Callable[[float, Array], Array]
# Cholesky factors that take as long as one tridiagonal form.
FORM_COST = 5.0
# Fewer columns are factorised as soon as a few products are done.
MIN_COLUMNS = 90
# Numbers of the factors of a problem that are kept for refinement.
MAX_KEPT = 1 << 20


def primal_path(
    sums: Array,
    sizes: Sequence[int],
    Cs: Sequence[float],
    n_targets: int,
    tolerance: float | None = None,
    doubts: Callable[[int, Array, Inverse], Doubts | None] | None = None,
) -> Array:
    """Weights of the leading columns for all sizes and penalties, each by the cheapest way.

    Small penalties take a few products with the matrix, if that pays; the others one factorisation
    each for all sizes, or, where they are many, one tridiagonal form per size for all penalties.

    Parameters
    ----------
    sums : ndarray of shape (n_problems, n + n_targets, n + n_targets)
        ``[G, T]ᵗ S² [G, T]`` of one or several problems.
    sizes : sequence of int
        Numbers of leading columns of G, each at most n.
    Cs : sequence of float
    n_targets : int
    tolerance : float, default=None
        Relative error of predictions that products may leave; None where all are factorised.
    doubts : callable, default=None
        Is given the number of a problem, its weights, of shape (n_Cs, n_sizes, n_targets, n), and
        its inverse, which solves the largest size for C and right sides. Returns positions of
        penalties that are to be refined by one step, and their residuals ``GᵗS²(T - G W) - W/C``,
        or None.

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
    within = (np.arange(n) < np.asarray(sizes)[:, None]).astype(np.float64)[:, None]
    W = np.zeros((sums.shape[0], len(Cs), len(sizes), n_targets, n + n_targets))
    left = np.ones(W.shape[:2], dtype=bool)
    form_cost = FORM_COST * float(np.sum((np.asarray(sizes) / n) ** 3))
    if tolerance is not None and n >= MIN_COLUMNS:
        left = ~solve_small_penalties(sums, sizes, Cs, W[..., :n], tolerance, form_cost)
    # Few problems are in doubt: factors are kept once one was.
    keep = False
    for i, problem in enumerate(sums):
        some = np.flatnonzero(left[i])
        penalties = [Cs[int(c)] for c in some]
        solver: _Forms | _Factors
        if some.size > form_cost:
            solver = _Forms(problem, sizes, n)
        else:
            solver = _Factors(problem, within, n, keep)
        solver.solve(penalties, W[i], some)
        found = None if doubts is None else doubts(i, W[i, ..., :n], solver.inverse)
        if found is not None:
            keep = True
            again, residual = found
            step = solver.correct([Cs[int(c)] for c in again], residual * within)
            W[i, again, ..., :n] += step
    return W[..., :n]


class _Forms:
    """Tridiagonal forms of all sizes of a problem."""

    def __init__(self, problem: Array, sizes: Sequence[int], n: int) -> None:
        self.sizes, self.right = sizes, problem[:n, n:]
        self.forms = [TridiagonalForm.of(problem[:size, :size]) for size in sizes]

    def solve(self, Cs: Sequence[float], W: Array, positions: NDArray[np.intp]) -> None:
        """Put solutions for some penalties into their places."""
        for j, (size, form) in enumerate(zip(self.sizes, self.forms, strict=True)):
            W[positions, j, :, :size] = form.solve(self.right[:size], Cs)

    def correct(self, Cs: Sequence[float], residual: Array) -> Array:
        """Solutions for residuals of shape (n_Cs, n_sizes, n_targets, n)."""
        step = np.zeros_like(residual)
        for j, (size, form) in enumerate(zip(self.sizes, self.forms, strict=True)):
            for c, C in enumerate(Cs):
                step[c, j, :, :size] = form.solve(residual[c, j, :, :size].T, [C])[0]
        return step

    def inverse(self, C: float, right: Array) -> Array:
        """Solutions of the largest size for the columns of `right`."""
        return self.forms[int(np.argmax(self.sizes))].solve(right, [C])[0].T


@dataclass
class _Factors:
    """Cholesky factors of a problem, one for each penalty."""

    problem: Array
    within: Array
    n: int
    keep: bool
    kept: dict[float, Array] = field(default_factory=dict)

    def solve(self, Cs: Sequence[float], W: Array, positions: NDArray[np.intp]) -> None:
        """Put solutions for some penalties into their places."""
        n = self.n
        keep = self.keep and len(Cs) * n * n <= MAX_KEPT
        factors = _augmented_factors(self.problem, n, Cs, apart=keep)
        for c, C, L in zip(positions, Cs, factors, strict=True):
            W_C = W[c]
            np.multiply(self.within, L[n:, :n].copy(), out=W_C[:, :, :n])
            _backward(L, W_C)
            if keep:
                self.kept[C] = L

    def correct(self, Cs: Sequence[float], residual: Array) -> Array:
        """Solutions for residuals of shape (n_Cs, n_sizes, n_targets, n)."""
        n, k = self.n, residual.shape[2]
        step = np.zeros((*residual.shape[:3], n + k))
        for c, C in enumerate(Cs):
            L = self._factor(C)
            step[c, ..., :n] = residual[c]
            dtrtrs(L, step[c].reshape(-1, n + k).T, lower=1, overwrite_b=1)
            step[c, ..., n:] = 0.0
            step[c, ..., :n] *= self.within
            _backward(L, step[c])
        return step[..., :n]

    def inverse(self, C: float, right: Array) -> Array:
        """Solutions of the largest size for the columns of `right`."""
        return _solve(self._factor(C)[: self.n, : self.n], right)

    def _factor(self, C: float) -> Array:
        if C in self.kept:
            return self.kept[C]
        (factor,) = _augmented_factors(self.problem, self.n, [C])
        return factor


def _backward(L: Array, right: Array) -> None:
    """Solve ``Lᵗ x = right`` in place for right sides along the last axis."""
    columns = right.reshape(-1, right.shape[-1]).T
    dtrtrs(L, columns, lower=1, trans=1, overwrite_b=1)


def _augmented_factors(
    sums: Array, n: int, Cs: Sequence[float], *, apart: bool = False
) -> Iterator[Array]:
    """Lower Cholesky factors of ``[[GᵗS²G + I/C, GᵗS²T], [·, large]]``, NaN where one fails.

    The rows below n are then the forward solution of ``L y = GᵗS²T``; the corner only has to be
    large enough. A factor is valid until the next one, unless they are kept apart; above its
    diagonal it holds anything.
    """
    diagonal = sums.diagonal().copy()
    diagonal[n:] += 1.0 + diagonal[n:].sum()
    yield from _factors(sums, Cs, diagonal, apart=apart)


def _factors(
    matrix: Array, Cs: Sequence[float], diagonal: Array | None = None, *, apart: bool = False
) -> Iterator[Array]:
    """Lower Cholesky factors of ``matrix + I/C``, NaN where one fails; valid until the next one.

    The matrix may be given another diagonal.
    """
    n, diagonal = len(matrix), matrix.diagonal() if diagonal is None else diagonal
    held = np.empty((n, n))
    for C in Cs:
        if apart:
            held = np.empty((n, n))
        # Rows are taken for columns: both halves of the matrix are there.
        held[:] = matrix
        np.add(diagonal, 1.0 / C, out=held.reshape(-1)[:: n + 1])
        factor = held.T
        if dpotrf(factor, 1, 0, 1)[1]:
            factor[:] = np.nan
        yield factor


def primal_leverages(
    sums: Array, sizes: Sequence[int], Cs: Sequence[float], n_targets: int, G: Array
) -> Array:
    """Leverages ``g (GᵗS²G + I/C)⁻¹ gᵗ`` of rows G, of shape (n_Cs, n_sizes, n_rows).

    With ``V = L⁻¹ Gᵗ`` the leverage of the first k columns is the sum of the squares of the first k
    rows of V. All else is as for `primal_path`, of one problem.
    """
    n = sums.shape[0] - n_targets
    result = np.empty((len(Cs), len(sizes), G.shape[0]))
    padded = np.concatenate([G, np.zeros((G.shape[0], n_targets))], axis=1)
    for c, L in enumerate(_augmented_factors(sums, n, Cs)):
        V = dtrtrs(L, padded.T, lower=1)[0]
        result[c] = np.cumsum(V * V, axis=0)[np.asarray(sizes) - 1]
    return result


def dual_path(
    K: Array,
    design: Callable[[], Array] | None,
    s: Array | None,
    T: Array,
    Cs: Sequence[float],
    tolerance: float = 0.0,
) -> Array:
    """Dual coefficients ``alpha = (S K S + I/C)⁻¹ S T`` for all penalties of one size.

    Parameters
    ----------
    K : ndarray of shape (n_rows, n_rows)
        ``G Gᵗ``, which is factorised.
    design : callable or None
        Gives G, for the residual of solutions whose predictions may be inexact. Without it the
        residual is taken from K.
    s : ndarray of shape (n_rows,) or None
    T : ndarray of shape (n_rows, n_targets)
    Cs : sequence of float
    tolerance : float, default=0.0
        Estimated relative error of predictions from which on they are refined.

    Returns
    -------
    ndarray of shape (n_Cs, n_rows, n_targets)
        ``Gᵗ S alpha`` is W; NaN for a C at which the factorisation fails.
    """
    if not K.size:
        return np.zeros((len(Cs), *T.shape))
    if s is not None:
        K = K * s[:, None]
        K *= s
        T = T * s[:, None]
    # A rounding error dK of K moves fitted values K alpha by K (K + I/C)⁻¹ dK alpha.
    rounding, H = float(np.finfo(np.float64).eps * np.trace(K)), None
    result = np.empty((len(Cs), *T.shape))
    for c, (L, C) in enumerate(zip(_factors(K, Cs), Cs, strict=True)):
        alpha = _solve(L, T)
        if design is None:
            alpha = alpha + _solve(L, T - K @ alpha - alpha / C)
        elif not rounding * np.linalg.norm(alpha) <= tolerance * np.linalg.norm(T - alpha / C):
            if H is None:
                H = design() if s is None else design() * s[:, None]
            for _ in range(2):
                alpha = alpha + _solve(L, T - H @ (H.T @ alpha) - alpha / C)
        result[c] = alpha
    return result


def dual_inverse_diagonals(K: Array, s: Array | None, Cs: Sequence[float]) -> Array:
    """Diagonals of ``(S K S + I/C)⁻¹`` for all penalties, of shape (n_Cs, n_rows)."""
    if s is not None:
        K = K * s[:, None] * s[None, :]
    return np.stack([inverse_diagonal(L) for L in _factors(K, Cs)])


def _solve(L: Array, right: Array) -> Array:
    half = dtrtrs(L, right, lower=1)[0]
    return np.asarray(dtrtrs(L, half, lower=1, trans=1)[0], dtype=np.float64)
