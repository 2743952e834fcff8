"""Kernel ridge: weighted ridge where only the products of rows are known, not the rows themselves.

With a Gram matrix K in place of ``G Gᵗ``, the dual ``(S K S + I/C) alpha = S T`` is solved as ever,
and predictions are ``k S alpha`` for the products k of new rows with those that were learnt. The
solution is a `DualSolution`, so that held-out predictions follow in closed form from it.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from broadlearn.solvers.ridge import Design, DualSolution, LostPenaltyError
from broadlearn.utils import Array


class KernelDesign(Design, Protocol):
    """A design matrix ``[F, K]``, whose last columns are products with its own rows.

    The Gram matrix of its rows is then ``F Fᵗ + K``.
    """


def solve_gram(
    gram: Array, s: Array | None, T: Array, C: float, *, overwrite_gram: bool = False
) -> DualSolution:
    """Coefficients of the rows of a Gram matrix, as a solution with held-out predictions.

    Parameters
    ----------
    gram : ndarray of shape (n_rows, n_rows)
        K, symmetric and without negative eigenvalues.
    s : ndarray of shape (n_rows,) or None
        The diagonal of S: each row's score times the root of its weight, which may be 0; None for
        all one.
    T : ndarray of shape (n_rows, n_targets)
    C : float
        Weight of the errors against the size of the model.
    overwrite_gram : bool, default=False
        Whether `gram` may be used as the memory for what is factorised.

    Returns
    -------
    DualSolution
        With ``weights = S alpha``: predictions for the rows are ``gram @ weights``, and those by
        the model without each of them ``held_out(gram[rows], T, score, weight, rows)``.

    Examples
    --------
    >>> import numpy as np
    >>> from broadlearn.solvers import solve_gram
    >>> gram, T = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[3.0], [0.0]])
    >>> solution = solve_gram(gram, None, T, C=1.0)
    >>> (gram @ solution.weights).ravel()
    array([1.875, 0.375])
    >>> solution.held_out(gram, T, None, None, np.arange(2)).ravel().round(6)
    array([0., 1.])
    """
    M = gram if overwrite_gram else gram.copy()
    if s is not None:
        T = T * s[:, None]
        M *= s[:, None]
        M *= s
    M[np.diag_indices_from(M)] += 1.0 / C
    # LAPACK takes rows for columns, which are the same here.
    factor, failed = dpotrf(M.T, lower=1)
    if failed:
        raise LostPenaltyError(C)
    alpha = dpotrs(factor, T, lower=1)[0]
    alpha += dpotrs(factor, T - M @ alpha, lower=1)[0]
    return DualSolution(alpha if s is None else s[:, None] * alpha, alpha, factor, C)


def solve_kernel(
    design: KernelDesign,
    T: Array,
    C: float,
    score: Array | None = None,
    weight: Array | None = None,
) -> DualSolution:
    """Ridge weights of the columns ``[F, K]`` of a kernel design; as `solve_ridge` otherwise."""
    s = score if weight is None else np.sqrt(weight) * (1.0 if score is None else score)
    n_rows = T.shape[0]
    F, K = np.split(design(slice(0, n_rows)), [design.n_columns - n_rows], axis=1)
    gram = F @ F.T
    gram += K
    solution = solve_gram(gram, s, T, C, overwrite_gram=True)
    weights = np.concatenate([F.T @ solution.weights, solution.weights])
    return solution._replace(weights=weights)
