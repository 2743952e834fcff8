"""Kernel ridge on landmarks: functions spanned by the kernel at a few samples, fitted to all.

With K the kernel between n samples and m landmarks, and J that between landmarks, ``C/2 ‖S(K a -
T)‖² + 1/2 aᵗ J a`` is least at ``a = (KᵗS²K + J/C)⁻¹ KᵗS²T``. Samples are visited block by block.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf, dpotrs

from broadlearn.solvers.ridge import leave_one_out
from broadlearn.utils import Array, Floats


class LandmarkSums(NamedTuple):
    """Sums over all samples.

    Attributes
    ----------
    gram : ndarray of shape (m, m)
        ``KᵗS²K``.
    right : ndarray of shape (m, n_targets)
        ``KᵗS²T``.
    inner : ndarray of shape (m, m)
        J.
    """

    gram: Array
    right: Array
    inner: Array


class LandmarkSolution(NamedTuple):
    """Coefficients of the landmarks, and the lower Cholesky factor of ``KᵗS²K + J/C``."""

    weights: Array
    factor: Array

    def held_out(self, K: Floats, T: Array, influence: Array | float = 1.0) -> Array:
        """Predict samples by the model fitted without each of them.

        The `influence` of a sample is the part of its s² that is left out, a factor on its
        leverage. The precision is that of the kernel K between samples and landmarks.
        """
        factor = self.factor.astype(K.dtype, copy=False)
        half = solve_triangular(factor, K.T, lower=True, check_finite=False)
        leverage = np.einsum("ij,ij->j", half, half).astype(np.float64)
        residual = T - K @ self.weights.astype(K.dtype, copy=False)
        # Leverages may be rounded to float32.
        return leave_one_out(T, residual, 1.0 - influence * leverage, min_remainder=1e-4)


def sum_landmarks(
    blocks: Iterable[tuple[Array, Array, Array | None]], inner: Array, n_targets: int
) -> LandmarkSums:
    """Sum over blocks ``(K, T, s)`` of samples; K is overwritten."""
    m = inner.shape[0]
    gram, right = np.zeros((m, m)), np.zeros((m, n_targets))
    for K, T, s in blocks:
        if s is not None:
            K *= s[:, None]
            T = T * s[:, None]
        gram += K.T @ K
        right += K.T @ T
    return LandmarkSums(gram, right, inner)


def solve_landmarks(sums: LandmarkSums, C: float) -> LandmarkSolution:
    """Return the coefficients for one penalty.

    Examples
    --------
    >>> import numpy as np
    >>> K, T = np.array([[1.0], [2.0]]), np.array([[1.0], [2.0]])
    >>> sums = sum_landmarks([(K, T, None)], np.ones((1, 1)), 1)
    >>> solve_landmarks(sums, C=1e9).weights.round(4)
    array([[1.]])
    """
    matrix = np.array(sums.inner, order="F")
    matrix /= C
    matrix += sums.gram
    # Landmarks may nearly coincide: a share of the mean diagonal is added, above the rounding of a
    # factor of thousands of columns.
    jitter = 1e-11 * float(np.trace(matrix)) / len(matrix)
    while True:
        matrix[np.diag_indices_from(matrix)] += jitter
        factor, failed = dpotrf(matrix, lower=1)
        if not failed:
            return LandmarkSolution(dpotrs(factor, sums.right, lower=1)[0], factor)
        jitter *= 10.0
