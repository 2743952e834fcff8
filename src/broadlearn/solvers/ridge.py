"""Weighted ridge by Cholesky on the smaller Gram matrix, refined in residual form.

NumPy's product and Cholesky do the heavy work: SciPy has a second pool of threads, slowed down by
the idle threads of the first. SciPy factorises small matrices in place, where copies would take
longer than the factor.

All solvers minimise ``C/2 ‖S(GW - T)‖² + 1/2 ‖W‖²``. The primal ``(GᵗS²G + I/C) W = GᵗS²T`` needs
rows only block by block; the dual ``W = GᵗS (S G Gᵗ S + I/C)⁻¹ S T`` needs all of G, and is used
for fewer rows than columns. Its form is symmetric, so a score may be zero.

Solutions give held-out predictions in closed form (`leave_one_out`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dpotrs

from broadlearn.solvers.inverses import inverse_diagonal
from broadlearn.solvers.rounding import prediction_error, propagated_error
from broadlearn.utils import BLOCK_NUMBERS, Array, Floats, row_slices

# A block of rows: [G, T] in one array, which is overwritten, and scores s (None for all ones).
Block = tuple[Array, Array | None]
Rows = NDArray[np.intp]

# Estimated relative errors of predictions above which one, and two, refinements are made:
# predictions should keep ten digits, and beyond the second one refinement may not be enough.
REFINE_ONCE, REFINE_TWICE = 3e-11, 1e-6
LOST_PENALTY = (
    "The ridge problem cannot be solved in float64 with C={:g}: the penalty 1/C is below "
    "rounding error. Use a smaller C, or standardize=True if the columns of X are on very "
    "different scales."
)
# Smallest remainder 1 - h that a residual is divided by; smaller ones are rounding of h.
MIN_REMAINDER = 1e-10
# Size of a matrix up to which copies take longer than the factor, and C up to which predictions do
# not show the rounding of the factor, which differs between libraries (SciPy factorises in place).
SMALL, SMALL_C = 1024, 1e4


class LostPenaltyError(ValueError):
    """The penalty is too small against the features to solve the problem in float64."""

    def __init__(self, C: float) -> None:
        super().__init__(LOST_PENALTY.format(C))


class Design(Protocol):
    """Rows of a design matrix G, made on demand."""

    n_rows: int
    n_columns: int

    @property
    def n_nodes(self) -> int:
        """Number of nodes that the columns stand for."""

    def __call__(self, rows: slice | Rows, out: Floats | None = None) -> Floats:
        """Return rows of G, in `out` if given."""


def leave_one_out(
    T: Array, residual: Array, remainder: Array, min_remainder: float = MIN_REMAINDER
) -> Array:
    """Predict rows by the model fitted without each of them.

    Leaving out a row of leverage h turns its residual ``t - f`` into ``(t - f) / (1 - h)``. The
    prediction goes to 0 for a row that alone determines it.

    Parameters
    ----------
    T : ndarray of shape (n_rows, n_targets)
    residual : ndarray of shape (..., n_rows, n_targets)
        ``T - G W`` of one or several models.
    remainder : ndarray of shape (..., n_rows)
        ``1 - h``.
    min_remainder : float
        Smallest share of a row in its own prediction.
    """
    known = np.maximum(remainder, min_remainder)
    prediction: Array = (remainder / known)[..., None] * T - residual / known[..., None]
    return prediction


def left_out_share(weight: Array) -> Array:
    """Return the share of each sample's weight that is left out with the sample.

    Integer weights stand for copies, of which one is left out. If any weight is not an integer, as
    with balanced classes, samples are left out whole: a rest would give the label away.

    Examples
    --------
    >>> import numpy as np
    >>> left_out_share(np.array([1.0, 2.0])), left_out_share(np.array([0.6, 2.0]))
    (array([1. , 0.5]), array([1., 1.]))
    """
    copies = bool((weight == np.round(weight)).all())
    return 1.0 / np.maximum(weight, 1.0) if copies else np.ones_like(weight)


class PrimalSolution(NamedTuple):
    """Solution of the primal problem.

    Attributes
    ----------
    weights : ndarray of shape (n_columns, n_targets)
    factor : ndarray of shape (n_columns, n_columns)
        Lower Cholesky factor of ``GᵗS²G + I/C``.
    sums : ndarray of shape (n_columns + n_targets, n_columns + n_targets)
        ``[G, T]ᵗ S² [G, T]``, for adding rows later.
    form : str
        "primal".
    """

    weights: Array
    factor: Array
    sums: Array
    form: str = "primal"

    def held_out(
        self,
        G: Floats | Design,
        T: Array,
        s: Array | None,
        share: Array | None,
        rows: Rows | slice,
    ) -> Array:
        """Predict some rows by the model fitted without each of them.

        G holds only these `rows` of the design matrix, or makes them; T, `s` and `share` hold all
        rows. s is the diagonal of S and `share` the part of each row that is left out (None: the
        whole), see `left_out_share`. The leverage of a row is ``s² g (GᵗS²G + I/C)⁻¹ gᵗ``.
        """
        G = G if isinstance(G, np.ndarray) else G(rows)
        G, T = G.astype(np.float64, copy=False), T[rows]
        half = solve_triangular(self.factor, G.T, lower=True, check_finite=False)
        h = np.einsum("ij,ij->j", half, half)
        if s is not None:
            h *= s[rows] ** 2
        if share is not None:
            h *= share[rows]
        return leave_one_out(T, T - G @ self.weights, 1.0 - h)


class DualSolution(NamedTuple):
    """Solution of the dual problem.

    Attributes
    ----------
    weights : ndarray of shape (n_columns, n_targets)
    alpha : ndarray of shape (n_rows, n_targets)
        Dual coefficients, ``(S G Gᵗ S + I/C)⁻¹ S T``.
    factor : ndarray of shape (n_rows, n_rows)
        Lower Cholesky factor of ``S G Gᵗ S + I/C``.
    C : float
    form : str
        "dual".
    """

    weights: Array
    alpha: Array
    factor: Array
    C: float
    form: str = "dual"

    def held_out(
        self,
        G: Floats | Design,
        T: Array,
        s: Array | None,
        share: Array | None,
        rows: Rows | slice,
    ) -> Array:
        """Predict as `PrimalSolution.held_out`, for rows that may determine their prediction.

        The remainder ``1 - h`` is ``[(S G Gᵗ S + I/C)⁻¹]_ii / C``, which keeps its digits. Only
        rows of score 0 are made, see `dual_residual`.
        """
        inverse = inverse_diagonal(self.factor)[rows]
        T, s, share = T[rows], s if s is None else s[rows], share if share is None else share[rows]
        fitted = np.zeros_like(T)
        if s is not None and not s.all():
            unscored = np.flatnonzero(s == 0.0)
            positions = np.arange(len(self.alpha))[rows]
            part = G[unscored] if isinstance(G, np.ndarray) else G(positions[unscored])
            fitted[unscored] = part @ self.weights
        residual = dual_residual(self.alpha[rows], s, T, fitted, self.C)
        remainder = dual_remainder(inverse, self.C, share)
        return leave_one_out(T, residual, remainder)


def dual_residual(alpha: Array, s: Array | None, T: Array, fitted: Array, C: float) -> Array:
    """Return ``T - G W`` from the dual coefficients: ``alpha / (C s)`` unless the score is 0.

    The difference of nearly equal targets and predictions would lose its digits.
    """
    if s is None:
        return alpha / C
    scored = s[:, None] > 0.0
    return np.where(scored, alpha / (C * np.where(scored, s[:, None], 1.0)), T - fitted)


def dual_remainder(inverse_diagonal: Array, C: float, share: Array | None) -> Array:
    """Return ``1 - h`` from the diagonal of ``(S G Gᵗ S + I/C)⁻¹``, see `left_out_share`."""
    remainder = inverse_diagonal / C
    if share is not None:
        remainder = np.where(share == 1.0, remainder, 1.0 - (1.0 - remainder) * share)
    return remainder


def factorize(gram: Array, C: float) -> Array:
    """Return the lower Cholesky factor of ``gram + I/C``; `gram` is overwritten."""
    n = gram.shape[0]
    gram.flat[:: n + 1] += 1.0 / C
    if n <= SMALL and C <= SMALL_C:
        # The transpose, which is the same matrix, has the order of LAPACK.
        factor, failed = dpotrf(gram.T, lower=1, overwrite_a=1)
        if failed:
            raise LostPenaltyError(C)
        return np.asarray(factor)
    try:
        return np.asarray(np.linalg.cholesky(gram), dtype=np.float64)
    except np.linalg.LinAlgError as error:
        raise LostPenaltyError(C) from error


def design_blocks(design: Design, T: Array, s: Array | None) -> Iterator[Block]:
    """Yield rows ``[G, T]`` with their scores, block by block, in one buffer."""
    n = design.n_columns
    parts = list(row_slices(T.shape[0], n, BLOCK_NUMBERS))
    buffer = np.empty((parts[0].stop, n + T.shape[1]))
    for part in parts:
        rows = buffer[: part.stop - part.start]
        design(part, out=rows[:, :n])
        rows[:, n:] = T[part]
        yield rows, None if s is None else s[part]


def normal_equations(blocks: Iterable[Block], size: int) -> Array:
    """Sum ``[G, T]ᵗ S² [G, T]`` over blocks of rows with `size` columns of G and T together.

    One symmetric product serves ``GᵗS²G``, ``GᵗS²T`` and ``TᵗS²T``.
    """
    sums = np.zeros((size, size), order="F")
    for rows, s in blocks:
        if s is not None:
            rows *= s[:, None]
        if len(rows):
            dsyrk(1.0, rows.T, beta=1.0, c=sums, lower=1, overwrite_c=1)
    np.copyto(sums.T, sums, where=np.tri(size, k=-1, dtype=bool))
    return sums.T


def solve_ridge(
    design: Design,
    T: Array,
    C: float,
    s: Array | None = None,
    solver: str = "auto",
) -> PrimalSolution | DualSolution:
    """Solve for ridge weights.

    The primal holds a block of rows at a time. It visits rows once to sum the normal equations, and
    once more for each refinement that C and the features call for.

    Parameters
    ----------
    design : Design
    T : ndarray of shape (n_rows, n_targets)
    C : float
        Weight of the errors against the size of the weights.
    s : ndarray of shape (n_rows,) or None
        Diagonal of S: each row's score times the root of its weight; None for all ones.
    solver : {"auto", "primal", "dual"}, default="auto"
        "auto" factorises the smaller matrix.
    """
    n_rows, n = T.shape[0], design.n_columns
    if solver == "dual" and n_rows >= design.n_nodes:
        warnings.warn(
            f"solver='dual' is used only if there are fewer samples than nodes; with {n_rows} "
            f"samples and {design.n_nodes} nodes, the primal is solved instead (the solution is "
            "the same).",
            stacklevel=4,
        )
    elif solver == "dual" or (solver == "auto" and n_rows < n):
        return solve_dual(design(slice(0, n_rows)), s, T, C)
    sums = normal_equations(design_blocks(design, T, s), n + T.shape[1])
    gram, right = sums[:n, :n], sums[:n, n:]
    factor = factorize(gram.copy(), C)
    W = dpotrs(factor, right, lower=1)[0]

    def residual(W: Array) -> Array:
        return rows_residual(W, design_blocks(design, T, s))

    W = refine(W, factor, gram, right, C, residual, REFINE_ONCE)
    return PrimalSolution(W, factor, sums)


def rows_residual(W: Array, blocks: Iterable[Block]) -> Array:
    """Return ``GᵗS²(T - GW)``, summed over blocks of rows."""
    n_columns, residual = W.shape[0], np.zeros_like(W)
    for rows, s in blocks:
        G, missing = rows[:, :n_columns], rows[:, n_columns:]
        missing -= G @ W
        if s is not None:
            missing *= (s * s)[:, None]
        residual += G.T @ missing
    return residual


def refine(
    W: Array,
    factor: Array,
    gram: Array,
    right: Array,
    C: float,
    residual: Callable[[Array], Array],
    tolerance: float,
) -> Array:
    """Refine weights once or twice if rounding may move predictions by more than the tolerance.

    `residual` returns ``GᵗS²(T - GW)`` for weights W from the rows; `right` is ``GᵗS²T``.
    """
    error = prediction_error(float(np.trace(gram)), C, W, right)
    if error >= tolerance:
        closer = propagated_error(gram, lambda b: dpotrs(factor, b, lower=1)[0], W, right)
        error = 0.0 if closer < tolerance else error
    for _ in range((error >= tolerance) + (error >= REFINE_TWICE)):
        W = W + dpotrs(factor, residual(W) - W / C, lower=1)[0]
    return W


def solve_dual(G: Floats, s: Array | None, T: Array, C: float) -> DualSolution:
    """Solve for ridge weights of fewer rows than columns; s is the diagonal of S."""
    G = G.astype(np.float64, copy=False)
    K = G @ G.T
    if s is not None:
        G = G * s[:, None]
        T = T * s[:, None]
        K *= s[:, None]
        K *= s
    # A rounding error dK of K moves fitted values by K (K + I/C)⁻¹ dK alpha at most.
    spread = float(np.trace(K))
    factor = factorize(K, C)
    alpha = dpotrs(factor, T, lower=1)[0]
    error = np.finfo(np.float64).eps * spread * np.linalg.norm(alpha)
    twice = error >= REFINE_TWICE * np.linalg.norm(T - alpha / C)
    for _ in range(1 + twice):
        residual = T - G @ (G.T @ alpha) - alpha / C
        alpha = alpha + dpotrs(factor, residual, lower=1)[0]
    return DualSolution(G.T @ alpha, alpha, factor, C)
