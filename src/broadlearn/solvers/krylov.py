"""All penalties of many ridge problems from one Krylov space each.

The dual of a ridge problem, ``(A + I/C) x = b`` with ``A = S G Gᵗ S`` and ``b = S t``, has the same
Krylov space for every C. Lanczos' recurrence makes a basis Q of it, in which A is tridiagonal: with
``A Q_k = Q_k T_k + β_k q_{k+1} e_kᵗ`` the solution for a penalty is ``Q_k z``, where
``(T_k + I/C) z = ‖b‖ e_1``, and its residual is exactly ``β_k |z_k|``, however far Q is from
orthogonal. Where C A is small or its eigenvalues fall fast, a few products with A are enough,
whatever its size.

The primal, ``(A + I/C) w = b`` with ``A = GᵗS²G`` and ``b = GᵗS²t``, is solved in the same way. A
residual r of it moves fitted values by ``S G (A + I/C)⁻¹ r``, by at most ``√C ‖r‖ / 2``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from broadlearn.utils import Array


def krylov_path(
    product: Callable[[Array, NDArray[np.intp]], Array],
    right: Array,
    Cs: Sequence[float],
    *,
    tolerance: float,
    max_steps: int,
    primal: bool = False,
) -> tuple[Array, NDArray[np.bool_]]:
    """Solve ``(A + I/C) x = b`` for all penalties of several problems.

    Parameters
    ----------
    product : callable
        Gives A v for one vector of each of some problems, in rows, and their numbers.
    right : ndarray of shape (n_problems, n)
        b of each problem.
    Cs : sequence of float
    tolerance : float
        Error of fitted values at which a penalty is solved, relative to an estimate of them.
    max_steps : int
        Products with A at most.
    primal : bool, default=False
        Whether the problems are primal ones.

    Returns
    -------
    x : ndarray of shape (n_problems, n, n_Cs)
    solved : ndarray of shape (n_problems, n_Cs)
        Where the residual is small enough.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.diag([1.0, 2.0])
    >>> x, solved = krylov_path(
    ...     lambda v, problems: v @ A, np.ones((1, 2)), [1.0], tolerance=1e-9, max_steps=2
    ... )
    >>> x[0, :, 0].round(6), solved.all()
    (array([0.5     , 0.333333]), np.True_)
    """
    shifts, n_problems = 1.0 / np.asarray(Cs), len(right)
    norms = np.linalg.norm(right, axis=1)
    basis = np.zeros((max_steps, *right.shape))
    basis[0] = right / np.where(norms > 0.0, norms, 1.0)[:, None]
    betas = np.zeros((max_steps + 1, n_problems, 1))
    pivots = np.ones((max_steps, n_problems, shifts.size))
    sides = np.zeros_like(pivots)
    solved, goal = np.zeros(pivots.shape[1:], dtype=bool), np.zeros(pivots.shape[1:])
    alive = np.arange(n_problems)
    for step in range(max_steps):
        q = basis[step, alive]
        v = product(q, alive)
        alpha = np.einsum("pn,pn->p", q, v)[:, None]
        v -= alpha * q
        # Elimination goes on with the basis, for all penalties at once.
        if step == 0:
            pivot, side = alpha + shifts, np.repeat(norms[:, None], shifts.size, axis=1)
            goal = tolerance * side * (alpha / pivot)
            if primal:
                goal *= 2.0 * np.sqrt(shifts / np.maximum(alpha, np.finfo(np.float64).tiny))
        else:
            v -= betas[step, alive] * basis[step - 1, alive]
            factor = betas[step, alive] / pivots[step - 1, alive]
            pivot = alpha + shifts - betas[step, alive] * factor
            side = -factor * sides[step - 1, alive]
        beta = np.sqrt(np.einsum("pn,pn->p", v, v))[:, None]
        pivots[step, alive], sides[step, alive] = pivot, side
        solved[alive] = beta * np.abs(side / pivot) <= goal[alive]
        going = ~solved[alive].all(axis=1)
        alive, beta, v = alive[going], beta[going], v[going]
        if alive.size == 0 or step + 1 == max_steps:
            break
        betas[step + 1, alive] = beta
        basis[step + 1, alive] = v / beta
    z = np.zeros_like(pivots)
    z[step] = sides[step] / pivots[step]
    for k in range(step - 1, -1, -1):
        z[k] = (sides[k] - betas[k + 1] * z[k + 1]) / pivots[k]
    x = basis[: step + 1].transpose(1, 2, 0) @ z[: step + 1].transpose(1, 0, 2)
    return x, solved
