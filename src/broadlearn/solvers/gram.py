"""Kernel ridge: weighted ridge from products of rows alone.

With a Gram matrix K in place of ``G Gᵗ``, the dual is ``(S K S + I/C) alpha = S T``. Predictions
are ``k S alpha`` for the products k of new rows with the training rows. The solution is a
`DualSolution`, with held-out predictions in closed form.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from broadlearn.solvers.ridge import DualSolution, LostPenaltyError
from broadlearn.utils import Array


def solve_gram(
    gram: Array, s: Array | None, T: Array, C: float, *, overwrite_gram: bool = False
) -> DualSolution:
    """Solve the dual for a Gram matrix.

    Parameters
    ----------
    gram : ndarray of shape (n_rows, n_rows)
        K, symmetric and positive semi-definite.
    s : ndarray of shape (n_rows,) or None
        Diagonal of S: each row's score times the root of its weight, possibly 0; None for all ones.
    T : ndarray of shape (n_rows, n_targets)
    C : float
        Weight of the errors against the size of the model.
    overwrite_gram : bool, default=False
        Whether `gram` may be overwritten.

    Returns
    -------
    DualSolution
        With ``weights = S alpha``: predictions for the rows are ``gram @ weights``, held-out
        predictions ``held_out(gram[rows], T, s, None, rows)``.

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
    # The transpose, which is the same matrix, has the order of LAPACK.
    factor, failed = dpotrf(M.T, lower=1)
    if failed:
        raise LostPenaltyError(C)
    alpha = dpotrs(factor, T, lower=1)[0]
    alpha += dpotrs(factor, T - M @ alpha, lower=1)[0]
    return DualSolution(alpha if s is None else s[:, None] * alpha, alpha, factor, C)
