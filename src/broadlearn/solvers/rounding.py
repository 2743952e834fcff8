"""How far rounding of sums over rows moves the predictions of a ridge problem.

A norm bound (`prediction_error`) costs nothing and is 10 to 1,000 times too large. Where it calls
for a refinement, which visits all rows again, errors of the size of rounding are first sent through
the solution itself (`propagated_error`): a few products with a matrix that is there already.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrs

from broadlearn.utils import Array

# Random signs of the errors that are sent through; what the largest is multiplied by, as sums over
# many blocks round several times.
DRAWS, SAFETY = 4, 5.0


def solve_factored(factor: Array, right: Array) -> Array:
    """``(L Lᵗ)⁻¹ right``; L is not copied, be its rows or its columns contiguous.

    Examples
    --------
    >>> import numpy as np
    >>> L = np.array([[2.0, 0.0], [1.0, 1.0]])
    >>> solve_factored(L, L @ L.T @ np.array([[3.0], [4.0]])).ravel()
    array([3., 4.])
    """
    if factor.flags.f_contiguous:
        return np.asarray(dpotrs(factor, right, lower=1)[0])
    return np.asarray(dpotrs(factor.T, right, lower=0)[0])


def prediction_error(spread: float, C: float, W: Array, right: Array) -> float:
    """Estimate the relative error of predictions that rounding of the Gram matrix M brings.

    With M = gram + I/C, a perturbation of relative size eps moves predictions by
    ``G M⁻¹ (dM) W``, at most ``sqrt(C) eps ‖M‖ ‖W‖`` in norm; predictions themselves have norm
    ``sqrt(Wᵗ right)`` or less.
    """
    eps = np.finfo(np.float64).eps
    return float(eps * (spread + 1.0 / C) * np.sqrt(C) * np.linalg.norm(W) / _size(W, right) / 10.0)


def propagated_error(gram: Array, factor: Array, W: Array, right: Array) -> float:
    """The same from errors that are drawn and sent through: ``G M⁻¹ (dM) W`` for random dM.

    Entry i, j of the Gram matrix rounds by about ``eps ‖g_i‖ ‖g_j‖``, so that entry i of (dM) W is
    of the size ``eps ‖g_i‖ sqrt(sum_j ‖g_j‖² w_j²)``, with a random sign.

    Parameters
    ----------
    gram : ndarray of shape (n_columns, n_columns)
        ``GᵗS²G``.
    factor : ndarray of shape (n_columns, n_columns)
        Lower Cholesky factor of ``GᵗS²G + I/C``.
    W, right : ndarray of shape (n_columns, n_targets)
        The weights, and what they were solved for, ``GᵗS²T``.
    """
    lengths = np.sqrt(np.maximum(gram.diagonal(), 0.0))[:, None]
    sizes = np.finfo(np.float64).eps * lengths * np.linalg.norm(lengths * W, axis=0)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(DRAWS, *W.shape))
    largest = 0.0
    for drawn in signs:
        moved = solve_factored(factor, drawn * sizes)
        largest = max(largest, float(np.vdot(moved, gram @ moved)))
    return float(SAFETY * np.sqrt(largest) / _size(W, right))


def _size(W: Array, right: Array) -> float:
    """Norm of the predictions."""
    return float(np.sqrt(max(np.vdot(W, right), np.finfo(np.float64).tiny)))
