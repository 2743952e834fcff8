"""Column means and deviations, learnt block by block, safe for columns of any size.

Means and deviations that outlying rows cannot drag are those of the rows that do not lie far from
the others: first judged with the means and deviations of all rows, then with their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from broadlearn.random_features._scaling import quantiles

Array = NDArray[np.float64]

BLOCK_NUMBERS = 1 << 19
# Squares of numbers whose binary exponents lie beyond these overflow or vanish.
SAFE_EXPONENT = {np.dtype(np.float64): 400, np.dtype(np.float32): 50}
# Rows further from the mean than this many times the median are outlying, where a single column
# counts for this many deviations at most; passes over the rows in which that is found out.
OUTLYING, FARTHEST, PASSES = 3.0, 10.0, 3
# Deviations are not taken below this part of those of all rows: a column that is constant but for
# a few rows, which then are outlying, must not be blown up.
LEAST_PART = 0.25


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
    scaler = _moments(X, weight, exponent, np.ones(X.shape[0], dtype=np.bool_))
    return Standardization(scaler.mean_, scaler.scale_, exponent)


def learn_robust_standardization(
    X: NDArray[np.floating], weight: NDArray[np.float64] | None = None
) -> Standardization:
    """Mean and standard deviation of every column, of the rows that are not outlying.

    Parameters
    ----------
    X, weight
        As for `learn_standardization`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.r_[np.tile([-1.0, 1.0], 20), 100.0][:, None]
    >>> learn_standardization(X).scale.round(), learn_robust_standardization(X).mean.round()
    (array([15.]), array([0.]))
    """
    whole = current = learn_standardization(X, weight)
    for _ in range(PASSES):
        distance = _distances(X, current)
        limit = OUTLYING * quantiles(distance[:, None], weight, [0.5])[0, 0]
        scaler = _moments(X, weight, whole.exponent, distance <= limit)
        scale = np.maximum(np.sqrt(scaler.var_), LEAST_PART * whole.scale)
        scale[(scaler.var_ == 0.0) & (whole.scale == 1.0)] = 1.0
        current = Standardization(scaler.mean_, scale, whole.exponent)
    return current


def _moments(
    X: NDArray[np.floating],
    weight: NDArray[np.float64] | None,
    exponent: NDArray[np.int32] | None,
    counted: NDArray[np.bool_],
) -> StandardScaler:
    """Means and variances of the counted rows, with columns brought near 1 first."""
    scaler = StandardScaler()
    for rows in row_slices(*X.shape):
        chosen = counted[rows]
        if not chosen.any():
            continue
        block = X[rows] if chosen.all() else X[rows][chosen]
        if exponent is not None:
            block = np.ldexp(block, -exponent)
        scaler.partial_fit(
            block.astype(np.float64, copy=False),
            sample_weight=None if weight is None else weight[rows][chosen],
        )
    return scaler


def _distances(X: NDArray[np.floating], standardization: Standardization) -> Array:
    """Root mean square of the standardised columns of every row."""
    distances = np.empty(X.shape[0])
    for rows in row_slices(*X.shape):
        Z = np.empty(X[rows].shape, dtype=X.dtype)
        standardization(X[rows], out=Z)
        np.clip(Z, -FARTHEST, FARTHEST, out=Z)
        distances[rows] = np.sqrt(np.mean(Z.astype(np.float64, copy=False) ** 2, axis=1))
    return distances


def standardization_for(
    standardize: bool | str, X: NDArray[np.floating], weight: NDArray[np.float64] | None = None
) -> Standardization:
    """The standardisation that a parameter `standardize` asks for.

    Parameters
    ----------
    standardize : bool or "robust"
    X, weight
        As for `learn_standardization`.
    """
    if standardize == "robust":
        return learn_robust_standardization(X, weight)
    return learn_standardization(X, weight) if standardize else identity_standardization(X.shape[1])


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
