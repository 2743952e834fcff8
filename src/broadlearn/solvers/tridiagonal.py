"""All penalties of a ridge problem from one tridiagonal form of its matrix.

With ``A = Q T Qᵗ`` and T tridiagonal, ``(A + I/C) w = b`` is ``(T + I/C) z = Qᵗ b`` with
``w = Q z``: every further C costs a few operations per row. The form takes as long as some five
Cholesky factors, but serves one size only: the leading block of T is not that of a smaller problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dormqr, dpttrf, dpttrs, dsytrd, dsytrd_lwork

from broadlearn.utils import Array


class TridiagonalForm(NamedTuple):
    """``A = Q T Qᵗ``.

    Attributes
    ----------
    diagonal, off_diagonal : ndarray of shape (n,) and (n - 1,)
        T.
    reflectors : ndarray of shape (n - 1, n - 1)
        Householder vectors of Q, whose first row and column are those of the identity.
    factors : ndarray of shape (n - 1,)
    """

    diagonal: Array
    off_diagonal: Array
    reflectors: Array
    factors: Array

    @classmethod
    def of(cls, A: Array) -> TridiagonalForm:
        """The form of a symmetric matrix."""
        n = len(A)
        size = int(dsytrd_lwork(n, lower=1)[0])
        copy = np.array(A.T, order="F")
        reduced, diagonal, off_diagonal, factors, _ = dsytrd(
            copy, lower=1, lwork=size, overwrite_a=1
        )
        reflectors = np.asfortranarray(reduced[1:, : n - 1])
        return cls(diagonal, off_diagonal, reflectors, factors)

    def solve(self, right: Array, Cs: Sequence[float]) -> Array:
        """Solutions of ``(A + I/C) w = right`` for all penalties.

        Parameters
        ----------
        right : ndarray of shape (n, n_targets)
        Cs : sequence of float

        Returns
        -------
        ndarray of shape (n_Cs, n_targets, n)
            NaN for a C at which the matrix is not positive definite in floating point.

        Examples
        --------
        >>> import numpy as np
        >>> form = TridiagonalForm.of(np.diag([1.0, 3.0]))
        >>> form.solve(np.array([[4.0], [8.0]]), [1.0])[0, 0]
        array([2., 2.])
        """
        n, k = right.shape
        if n == 1:
            shifted = self.diagonal[0] + 1.0 / np.asarray(Cs)
            return right.T / shifted[:, None, None]
        turned = self._turn(right, transpose=True)
        z = np.empty((len(Cs), k, n))
        lost = np.zeros(len(Cs), dtype=bool)
        for c, C in enumerate(Cs):
            d, e, failed = dpttrf(self.diagonal + 1.0 / C, self.off_diagonal)
            lost[c] = failed != 0
            z[c] = 0.0 if failed else dpttrs(d, e, turned)[0].T
        solution = self._turn(z.reshape(-1, n).T, transpose=False).T.reshape(z.shape)
        solution[lost] = np.nan
        return solution

    def _turn(self, right: Array, *, transpose: bool) -> Array:
        """``Q right``, or ``Qᵗ right``."""
        result = np.array(right, order="F")
        below = np.array(right[1:], order="F")
        # As many numbers of work space as blocks of 64 reflectors need.
        options = (self.reflectors, self.factors, below, 64 * max(below.shape))
        result[1:] = dormqr("L", "T" if transpose else "N", *options, overwrite_c=1)[0]
        return result
