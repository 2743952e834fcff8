"""Small penalties of nested ridge problems by a few products with their matrix.

Where C A is small, or its eigenvalues fall fast, Lanczos' recurrence solves ``(A + I/C) w = b`` for
all penalties in a few steps (see `krylov`). All sizes and targets of a problem take each step
together: a size is the mask of its leading columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.utils import Array

# Steps that a problem takes: so many, and so many times a power of C λ.
STEPS, POWER, SPARE_STEPS = (3.0, 9.0), 0.35, 3
# A factorisation of n columns takes as long as n / (STEP_COST v) steps with v vectors each.
STEP_COST, LEAST_STEP_COST = 3.5, 12.0


def solve_small_penalties(
    sums: Array,
    sizes: Sequence[int],
    Cs: Sequence[float],
    W: Array,
    tolerance: float,
    most: float = np.inf,
) -> NDArray[np.bool_]:
    """Solve the penalties of `primal_path` for which products with the matrix are cheaper.

    Parameters
    ----------
    sums : ndarray of shape (n_problems, n + n_targets, n + n_targets)
        ``[G, T]ᵗ S² [G, T]``.
    sizes : sequence of int
    Cs : sequence of float
    W : ndarray of shape (n_problems, n_Cs, n_sizes, n_targets, n)
        Takes the weights of what is solved.
    tolerance : float
        Relative error of predictions.
    most : float, default=inf
        Factorisations that take as long as solving all penalties in another way.

    Returns
    -------
    ndarray of shape (n_problems, n_Cs)
        What is solved, for all sizes and targets.
    """
    n_sizes, k, n = W.shape[2:]
    solved = np.zeros(W.shape[:2], dtype=bool)
    order = np.argsort(Cs)
    numbers, steps = _worthwhile(sums, np.asarray(Cs)[order], k, n_sizes * k, most)
    # The problems that take most steps first, so that those that go on are the first ones.
    some = np.argsort(-steps, kind="stable")[: np.count_nonzero(numbers)]
    if not some.size:
        return solved
    within = (np.arange(n) < np.repeat(sizes, k)[:, None]).astype(np.float64)
    right = sums[some, None, n:, :n].repeat(n_sizes, axis=1).reshape(some.size, -1, n) * within
    hardest = 1.0 / np.asarray(Cs)[order[numbers[some] - 1]]
    matrices = [sums[i, :n, :n] for i in some]
    spaces = _lanczos(matrices, right, within, hardest, tolerance, int(steps.max()))
    norms, penalties = np.linalg.norm(right, axis=2), order[: numbers.max()]
    shifts = 1.0 / np.asarray(Cs)[penalties]
    z = _tridiagonal_solutions(spaces.alphas, spaces.betas, norms, shifts)
    residual = spaces.beyond[:, :, None] * np.abs(z[spaces.last, np.arange(some.size)])
    goal = _goal(spaces.alphas[0], norms, shifts, tolerance)
    done: NDArray[np.bool_] = np.all(residual <= goal, axis=1)
    found = z.transpose(1, 2, 3, 0) @ spaces.basis.transpose(1, 2, 0, 3)
    found = found.reshape(some.size, n_sizes, k, -1, n).transpose(0, 3, 1, 2, 4)
    for i, of_one, weights in zip(some, done, found, strict=True):
        W[i, penalties[of_one]] = weights[of_one]
        solved[i, penalties[of_one]] = True
    return solved


class _Spaces(NamedTuple):
    """Krylov spaces of all vectors of all problems.

    Attributes
    ----------
    basis : ndarray of shape (n_steps, n_problems, n_vectors, n)
        Zeros beyond the last step of a problem.
    alphas, betas : ndarray of shape (n_steps, n_problems, n_vectors)
        In the basis, a matrix has the diagonal `alphas` and beside it `betas`.
    last : ndarray of shape (n_problems,)
        Last step of each problem.
    beyond : ndarray of shape (n_problems, n_vectors)
        The next of the betas, that of the step which was not taken.
    """

    basis: Array
    alphas: Array
    betas: Array
    last: NDArray[np.intp]
    beyond: Array


def _lanczos(
    matrices: Sequence[Array],
    right: Array,
    within: Array,
    hardest: Array,
    tolerance: float,
    max_steps: int,
) -> _Spaces:
    """Krylov spaces that have solutions for 1/C of `hardest` and above.

    Problems end in the reverse of their order, so that those that go on are the first ones.
    """
    n_problems, n_vectors, n = right.shape
    basis = np.zeros((max_steps, *right.shape))
    alphas, betas = np.ones((max_steps, *right.shape[:2])), np.zeros((max_steps, *right.shape[:2]))
    norms = np.linalg.norm(right, axis=2)
    np.divide(right, np.where(norms > 0.0, norms, 1.0)[:, :, None], out=basis[0])
    # The smaller sizes do without the columns beyond them.
    half, counts = n_vectors // 2, np.count_nonzero(within, axis=1)
    parts = [(slice(0, half), max(counts[:half], default=0)), (slice(half, n_vectors), n)]
    products, scratch = np.zeros_like(right), np.empty_like(right)
    active, last, beyond = n_problems, np.zeros(n_problems, dtype=np.intp), np.zeros_like(norms)
    for step in range(max_steps):
        q, v, spare = basis[step, :active], products[:active], scratch[:active]
        for i in range(active):
            for rows, h in parts:
                if h:
                    np.matmul(q[i, rows, :h], matrices[i][:h, :h], out=v[i, rows, :h])
        v *= within
        alpha = alphas[step, :active] = np.einsum("pvn,pvn->pv", q, v)
        np.multiply(q, alpha[:, :, None], out=spare)
        v -= spare
        if step == 0:
            pivot, side = alpha + hardest[:, None], norms
            goal = _goal(alpha, norms, hardest[:, None, None], tolerance)[:, :, 0]
        else:
            former = betas[step - 1, :active]
            np.multiply(basis[step - 1, :active], former[:, :, None], out=spare)
            v -= spare
            factor = former / pivot[:active]
            side = -factor * side[:active]
            pivot = alpha + hardest[:active, None] - former * factor
        beta = betas[step, :active] = np.sqrt(np.einsum("pvn,pvn->pv", v, v))
        solved = (beta * np.abs(side / pivot) <= goal[:active]).all(axis=1)
        going = 0 if step + 1 == max_steps else active - int(np.argmin(solved[::-1]))
        if solved.all():
            going = 0
        last[going:active], beyond[going:active] = step, beta[going:]
        betas[step, going:] = 0.0
        active = going
        if not active:
            break
        beta = betas[step, :active]
        # A space that is exhausted goes on with vectors of zeros.
        safe = np.where(beta > 0.0, beta, 1.0)[:, :, None]
        np.divide(v[:active], safe, out=basis[step + 1, :active])
    return _Spaces(basis[: step + 1], alphas[: step + 1], betas[: step + 1], last, beyond)


def _goal(alpha: Array, norms: Array, shifts: Array, tolerance: float) -> Array:
    """Residuals at which problems are solved, of shape (n_problems, n_vectors, n_shifts).

    A residual r moves fitted values by at most ``√C ‖r‖ / 2``; these are estimated from the first
    step.
    """
    alpha = np.maximum(alpha, np.finfo(np.float64).tiny)[:, :, None]
    return np.asarray(
        2.0 * tolerance * norms[:, :, None] * np.sqrt(alpha * shifts) / (alpha + shifts)
    )


def _tridiagonal_solutions(alphas: Array, betas: Array, norms: Array, shifts: Array) -> Array:
    """Solutions in the bases, of shape (n_steps, n_problems, n_vectors, n_shifts)."""
    pivots = alphas[..., None] + shifts
    z = np.zeros_like(pivots)
    z[0] = norms[:, :, None]
    for step in range(1, len(alphas)):
        former = betas[step - 1, :, :, None]
        factor = former / pivots[step - 1]
        pivots[step] -= former * factor
        z[step] = -factor * z[step - 1]
    z[-1] /= pivots[-1]
    for step in range(len(alphas) - 2, -1, -1):
        z[step] = (z[step] - betas[step, :, :, None] * z[step + 1]) / pivots[step]
    return z


def _worthwhile(
    sums: Array, Cs: Array, k: int, n_vectors: int, most: float
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """How many of the smallest penalties of each problem products solve sooner, in how many steps.

    `Cs` are sorted.
    """
    n = sums.shape[1] - k
    B = sums[:, n:, :n]
    squares = np.einsum("pkn,pkn->pk", B, B)
    products = np.einsum("pkn,pkn->pk", B @ sums[:, :n, :n], B)
    largest = (products / np.where(squares > 0.0, squares, 1.0)).max(axis=1)
    # As seen on the published data sets: a small C λ takes three or four steps, 100 some 50.
    steps = STEPS[0] + STEPS[1] * np.outer(largest, Cs) ** POWER
    steps = np.concatenate([np.zeros((len(sums), 1)), steps], axis=1)
    per_factor = min(n / (STEP_COST * n_vectors), n / LEAST_STEP_COST)
    rest = np.minimum(len(Cs) - np.arange(len(Cs) + 1), most)
    numbers = (rest + steps / per_factor).argmin(axis=1)
    taken = np.ceil(steps[np.arange(len(sums)), numbers]).astype(np.intp)
    return numbers, np.where(numbers > 0, taken + SPARE_STEPS, 0)
