"""Column means and deviations, learnt block by block, safe for columns of any size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

Array = NDArray[np.float64]

BLOCK_NUMBERS = 1 << 19
# Squares of numbers whose binary exponents lie beyond these overflow or vanish.
SAFE_EXPONENT = {np.dtype(np.float64): 400, np.dtype(np.float32): 50}


class Standardization(NamedTuple):
    """``Z = (X / 2**exponent - mean) / scale``, column by column.

    Attributes
    ----------
    mean, scale : ndarray of shape (n_features,)
    exponent : ndarray of shape (n_features,) or None
        Powers of two that bring columns of extreme size near 1 first; None where none is needed.
    """

    mean: Array
    scale: Array
    exponent: NDArray[np.int32] | None

    def __call__(self, X: NDArray[np.floating], out: NDArray[np.floating]) -> None:
        """Write standardised rows of X into `out`."""
        if self.exponent is not None:
            X = np.ldexp(X, -self.exponent)
        np.subtract(X, self.mean, out=out, casting="same_kind")
        out /= self.scale


def row_slices(n_rows: int, n_columns: int, numbers: int = BLOCK_NUMBERS) -> Iterator[slice]:
    """Slices of rows that hold about `numbers` numbers each."""
    step = max(1, numbers // max(1, n_columns))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def learn_standardization(
    X: NDArray[np.floating], weight: NDArray[np.float64] | None = None
) -> Standardization:
    """Mean and standard deviation of every column; 1 in place of the deviation of a constant.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    weight : ndarray of shape (n_samples,) or None
        Row weights; a row of weight w counts as w copies.

    Examples
    --------
    >>> import numpy as np
    >>> learn_standardization(np.array([[1e300, 5.0], [3e300, 5.0]])).scale[1]
    np.float64(1.0)
    """
    exponents = np.frexp(np.maximum(X.max(axis=0), -X.min(axis=0)))[1]
    exponents[np.abs(exponents) < SAFE_EXPONENT[X.dtype]] = 0
    exponent = exponents if exponents.any() else None
    scaler = StandardScaler()
    for rows in row_slices(*X.shape):
        block = X[rows] if exponent is None else np.ldexp(X[rows], -exponent)
        scaler.partial_fit(
            block.astype(np.float64, copy=False),
            sample_weight=None if weight is None else weight[rows],
        )
    return Standardization(scaler.mean_, scaler.scale_, exponent)


def identity_standardization(n_features: int) -> Standardization:
    """Leaves columns as they are."""
    return Standardization(np.zeros(n_features), np.ones(n_features), None)


def affine_block(
    X: NDArray[np.floating], rows: slice, standardization: Standardization
) -> NDArray[np.floating]:
    """``[Z, 1]`` for a slice of rows: standardised columns and a column of ones."""
    block = np.empty((rows.stop - rows.start, X.shape[1] + 1), dtype=X.dtype)
    standardization(X[rows], out=block[:, :-1])
    block[:, -1] = 1.0
    return block
