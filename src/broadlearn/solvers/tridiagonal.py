"""Ridge problems of many penalties from a tridiagonal form of their matrix.

With ``A = Q T Qᵗ`` and T tridiagonal, ``(A + I/C) w = b`` is ``(T + I/C) z = Qᵗ b`` with
``w = Q z``: each C costs a few operations per row. The form serves one size only, as the leading
block of T is not the form of the leading block of A.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dormqr, dpttrf, dpttrs, dsytrd, dsytrd_lwork

from broadlearn.utils import Array


class TridiagonalForm(NamedTuple):
    """``A = Q T Qᵗ``.

    `diagonal` and `off_diagonal` are those of T. Q is a product of Householder reflections, given
    by `reflectors` and `factors`; its first row and column are those of the identity.
    """

    diagonal: Array
    off_diagonal: Array
    reflectors: Array
    factors: Array

    @classmethod
    def of(cls, A: Array) -> TridiagonalForm:
        """Return the form of a symmetric matrix of at least two rows."""
        # The transpose, which is the same matrix, has the order of LAPACK.
        room, matrix = int(dsytrd_lwork(len(A), lower=1)[0]), A.copy().T
        reduced, diagonal, off_diagonal, factors, _ = dsytrd(matrix, 1, room, overwrite_a=1)
        return cls(diagonal, off_diagonal, np.asfortranarray(reduced[1:, :-1]), factors)

    def solve(self, right: Array, Cs: Sequence[float]) -> Array:
        """Solve ``(A + I/C) w = right`` for several penalties.

        Parameters
        ----------
        right : ndarray of shape (n, n_targets)
        Cs : sequence of float

        Returns
        -------
        ndarray of shape (n_Cs, n_targets, n)
            NaN for a C at which the factorisation fails.

        Examples
        --------
        >>> form = TridiagonalForm.of(np.diag([1.0, 3.0]))
        >>> form.solve(np.array([[4.0], [8.0]]), [1.0])[0, 0]
        array([2., 2.])
        """
        turned = self._turn(right, "T")
        z = np.full((len(Cs), *right.T.shape), np.nan)
        for solution, C in zip(z, Cs, strict=True):
            diagonal, off_diagonal, failed = dpttrf(self.diagonal + 1.0 / C, self.off_diagonal)
            if not failed:
                solution[:] = dpttrs(diagonal, off_diagonal, turned)[0].T
        return np.asarray(self._turn(z.reshape(-1, len(right)).T, "N").T.reshape(z.shape))

    def solve_columns(self, right: Array, C: float) -> Array:
        """Solve for one penalty, with solutions in columns."""
        return np.asarray(self.solve(right, [C])[0].T)

    def _turn(self, right: Array, trans: str) -> Array:
        """Return ``Q right``, or ``Qᵗ right`` for "T"."""
        turned = np.array(right, order="F")
        below = np.asfortranarray(right[1:])
        # LAPACK works in blocks of at most 64 reflections.
        room = 64 * max(right.shape)
        turned[1:] = dormqr("L", trans, self.reflectors, self.factors, below, room)[0]
        return turned
