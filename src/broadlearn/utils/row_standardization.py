"""Every row to mean 0 and deviation 1: its shape, without its level and size."""

from __future__ import annotations

import numpy as np

from broadlearn.utils.arrays import Floats, row_slices


def standardize_rows(X: Floats) -> Floats:
    """Subtract from every row its mean and divide it by its standard deviation.

    Deviations are those of samples, with one degree of freedom less than there are columns. Rows
    are looked at one by one: nothing is learnt from the others.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Without missing values, of any magnitude.

    Returns
    -------
    Z : ndarray of shape (n_samples, n_features)
        A new array, float32 where X is. Constant rows, and so those of a single column, are zero.

    Examples
    --------
    >>> import numpy as np
    >>> standardize_rows(np.array([[1.0, 2.0, 3.0], [1e300, 3e300, 5e300], [7.0, 7.0, 7.0]]))
    array([[-1.,  0.,  1.],
           [-1.,  0.,  1.],
           [ 0.,  0.,  0.]])
    """
    Z = np.empty(X.shape, dtype=np.result_type(X.dtype, np.float32))
    for rows in row_slices(*X.shape):
        block = np.array(X[rows], dtype=np.float64, order="C")
        # Powers of two change no digit, and keep differences and squares from overflowing.
        largest = np.maximum(block.max(axis=1), -block.min(axis=1))
        block = np.ldexp(block, -np.frexp(largest)[1][:, None])
        # A row of small deviation around a large level keeps its digits, a constant one is exactly
        # zero: differences of numbers that are close are exact.
        block -= block[:, :1].copy()
        block -= block.mean(axis=1, keepdims=True)
        squares = np.einsum("ij,ij->i", block, block)
        deviation = np.sqrt(squares / max(1, X.shape[1] - 1))
        deviation[deviation == 0.0] = 1.0
        Z[rows] = block / deviation[:, None]
    return Z
