"""The diagonal of an inverse from a Cholesky factor, for leave-one-out predictions.

LAPACK inverts a triangle at a third of the rate of matrix products. Products do most of the work in
``[[A, 0], [B, D]]⁻¹ = [[A⁻¹, 0], [-D⁻¹ B A⁻¹, D⁻¹]]``.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dtrmm
from scipy.linalg.lapack import dtrtri

from broadlearn.utils import Array

# Size up to which LAPACK inverts a triangle as fast as products do (measured from 50 to 150).
LEAF = 64


def inverse_diagonal(factor: Array) -> Array:
    """Return the diagonal of ``(L Lᵗ)⁻¹``: sums of squares of the columns of ``L⁻¹``.

    Parameters
    ----------
    factor : ndarray of shape (n, n)
        L; only the lower triangle is read. An array in Fortran order is not copied.

    Examples
    --------
    >>> import numpy as np
    >>> inverse_diagonal(np.array([[2.0, 0.0], [1.0, 1.0]]))
    array([0.5, 1. ])
    """
    L = np.asfortranarray(factor)
    n = len(L)
    if n <= LEAF:
        inverse = _inverse(L)
        return np.asarray(np.einsum("ij,ij->j", inverse, inverse))
    top, bottom, below = _halves(L)
    columns = [np.einsum("ij,ij->j", part, part) for part in (top, bottom, below)]
    return np.concatenate([columns[0] + columns[2], columns[1]])


def _inverse(L: Array) -> Array:
    """Return the inverse of a lower triangle, with zeros above its diagonal."""
    n = len(L)
    if n <= LEAF:
        return np.tril(dtrtri(L, lower=1)[0])
    top, bottom, below = _halves(L)
    h, inverse = len(top), np.zeros((n, n), order="F")
    inverse[:h, :h], inverse[h:, h:], inverse[h:, :h] = top, bottom, below
    return inverse


def _halves(L: Array) -> tuple[Array, Array, Array]:
    """Return the blocks of the inverse: both diagonal ones, and the one below the first."""
    h = len(L) // 2
    top, bottom = _inverse(L[:h, :h]), _inverse(L[h:, h:])
    below = dtrmm(-1.0, bottom, L[h:, :h], lower=1)
    return top, bottom, dtrmm(1.0, top, below, side=1, lower=1, overwrite_b=1)
