"""Ridge problems of small C by a few products with their matrix.

A ridge problem is ``(A + I/C) x = b``, with ``A = GᵗS²G`` and ``b = GᵗS²t``. The Krylov space of
b, Ab, A²b, ... is the same for every C.
Lanczos' recurrence makes an orthonormal basis Q of it, in which A is tridiagonal:

    A Q_j = Q_j T_j + β_j q_{j+1} e_jᵗ

The solution within the space is ``x = Q_j z`` with ``(T_j + I/C) z = ‖b‖ e_1``, and its residual
has the norm ``β_j |z_j|``. If C A is small or its eigenvalues fall fast, a few steps are enough. A
step costs one product with A, a factorisation as much as many of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from broadlearn.utils import Array

# Times measured on one core for n from 60 to 400, in units of 1e-4 n² microseconds, a product of a
# vector with the matrix: reading the matrix, a factorisation (divided by n), the calls of a step
# (times n²). Only speed depends on them.
READING, FACTORISATION, CALLS = 4.0, 1 / 5.5, 450_000.0


def worthwhile_steps(n_problems: int, n_vectors: int, n: int) -> int:
    """Return the number of steps without a gain after which to factorise; 0 for no step at all.

    It is one more than half the steps that a factorisation costs. One step alone solves no penalty.

    Examples
    --------
    >>> worthwhile_steps(10, 1, 300), worthwhile_steps(1, 1, 50)
    (5, 0)
    """
    step = n_vectors + READING + CALLS / (n_problems * n * n)
    ratio = n * FACTORISATION / step
    return 1 + int(ratio / 2) if ratio >= 2.0 else 0


def krylov_path(
    matrices: Array, right: Array, Cs: Sequence[float], tolerance: float, patience: int
) -> tuple[Array, NDArray[np.bool_]]:
    """Solve ``(A + I/C) x = b`` for several A, b and C, where that takes few steps.

    Parameters
    ----------
    matrices : ndarray of shape (n_problems, n, n)
        A of each problem.
    right : ndarray of shape (n_problems, n_vectors, n)
        Vectors b of each problem.
    Cs : sequence of float
    tolerance : float
        Relative error of fitted values at which a penalty is solved.
    patience : int
        Number of steps after which a problem is given up if no further penalty was solved.

    Returns
    -------
    x : ndarray of shape (n_problems, n_Cs, n_vectors, n)
    solved : ndarray of bool of shape (n_problems, n_Cs)
        Whether x is exact to the tolerance for all vectors.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.diag([1.0, 2.0])[None]
    >>> x, solved = krylov_path(A, np.ones((1, 1, 2)), [1.0], 1e-9, patience=2)
    >>> x[0, 0, 0].round(6), solved.all()
    (array([0.5     , 0.333333]), np.True_)
    """
    if patience < 1:
        x = np.zeros((len(right), len(Cs), *right.shape[1:]))
        return x, np.zeros(x.shape[:2], dtype=bool)
    shifts = 1.0 / np.asarray(Cs)
    norms = np.linalg.norm(right, axis=2)
    unit = right / np.where(norms > 0.0, norms, 1.0)[..., None]
    # The hardest problems come first, so that unfinished ones are always a leading block.
    first = np.stack([v @ A for v, A in zip(unit, matrices, strict=True)])
    order = np.argsort(-np.einsum("pvn,pvn->pv", unit, first).max(axis=1))
    q, v, norms = unit[order], first[order], norms[order][..., None]
    solved, gains = np.zeros((len(right), shifts.size), dtype=bool), np.zeros(len(right))
    # Columns of Q and, for all penalties, one step of the elimination of T + I/C for each.
    steps: list[tuple[Array, Array, Array, Array]] = []
    beta, side, goal, active = norms, norms + 0.0 * shifts, norms, len(right)
    while active:
        alpha = np.einsum("pvn,pvn->pv", q, v)[..., None]
        pivot = alpha + shifts
        v -= alpha * q
        if steps:
            former, _, old_pivot, old_side = (a[:active] for a in steps[-1])
            v -= beta * former
            factor = beta / old_pivot
            pivot -= beta * factor
            side = -factor * old_side
        else:
            goal = tolerance * _smallest_residual(norms, alpha, shifts)
        steps.append((q, beta, pivot, side))
        beta = np.sqrt(np.einsum("pvn,pvn->pv", v, v))[..., None]
        known = solved[:active].sum(axis=1)
        solved[:active] = (beta * np.abs(side / pivot) <= goal[:active]).all(axis=1)
        number = solved[:active].sum(axis=1)
        gains[:active][number > known] = len(steps)
        going = (number < shifts.size) & (len(steps) - gains[:active] < patience)
        active = int(going.nonzero()[0].max(initial=-1)) + 1
        # An exhausted space continues with vectors of zeros.
        beta = beta[:active]
        q = v[:active] / np.where(beta > 0.0, beta, 1.0)
        if active:
            v = np.stack([own @ matrices[i] for own, i in zip(q, order[:active], strict=True)])
    # Back substitution gives z; steps that a problem did not take are zero.
    z = np.zeros((*right.shape[:2], shifts.size, len(steps)))
    basis = np.zeros((*right.shape[:2], len(steps), right.shape[2]))
    for j in range(len(steps) - 1, -1, -1):
        q, _, pivot, side = steps[j]
        n = len(q)
        basis[:n, :, j] = q
        z[:n, ..., j] = side
        if j + 1 < len(steps):
            beta = steps[j + 1][1]
            z[: len(beta), ..., j] -= beta * z[: len(beta), ..., j + 1]
        z[:n, ..., j] /= pivot
    x, back = (z @ basis).swapaxes(1, 2), np.argsort(order)
    return x[back], solved[back]


def _smallest_residual(norm: Array, alpha: Array, shifts: Array) -> Array:
    """Return a bound of residuals that change fitted values by less than themselves.

    A residual r changes them by at most ``√C ‖r‖ / 2``. Their own norm is estimated by the first
    step, ``√α ‖x‖`` with ``x = b / (α + 1/C)``.
    """
    root = np.sqrt(np.maximum(alpha, np.finfo(np.float64).tiny))
    return np.asarray(2.0 * np.sqrt(shifts) * norm * root / (alpha + shifts))
