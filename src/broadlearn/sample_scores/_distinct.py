"""Rows that occur more than once, merged into one row of summed weight.

A row of weight w counts as w copies of itself, so a table with duplicated rows has an exact,
smaller equivalent. Pair sums cost the square of the rows: merging pays as soon as there is one
duplicate, and makes them independent of how copies are written down.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class DistinctRows(NamedTuple):
    """Distinct (row, class) pairs, ordered by class.

    Attributes
    ----------
    first : ndarray of shape (n_distinct,)
        For each distinct row, the first row of the table that holds it.
    inverse : ndarray of shape (n_samples,)
        For each row of the table, its distinct row.
    weight : ndarray of shape (n_distinct,)
        Sum of the weights of all copies.
    """

    first: NDArray[np.intp]
    inverse: NDArray[np.intp]
    weight: NDArray[np.float64]


def distinct_rows(
    X: NDArray[np.floating], codes: NDArray[np.intp], weight: NDArray[np.float64]
) -> DistinctRows:
    """Merge equal rows of the same class.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Finite numbers.
    codes : ndarray of shape (n_samples,)
        Class of each row, 0, 1, ...
    weight : ndarray of shape (n_samples,)
        Non-negative weights.

    Returns
    -------
    DistinctRows

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0], [2.0], [1.0]])
    >>> found = distinct_rows(X, np.array([0, 0, 0]), np.ones(3))
    >>> found.weight[found.inverse]
    array([2., 1., 2.])
    """
    # The class leads, and adding 0.0 turns -0.0 into 0.0, so that equal rows have equal bytes.
    key = np.empty((X.shape[0], X.shape[1] + 1))
    key[:, 0] = codes
    np.add(X, 0.0, out=key[:, 1:], casting="same_kind")
    as_bytes = key.view(np.dtype((np.void, key.dtype.itemsize * key.shape[1]))).ravel()
    _, first, inverse = np.unique(as_bytes, return_index=True, return_inverse=True)
    # Bytes do not sort as numbers do; classes must come in ascending order.
    order = np.argsort(codes[first], kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    inverse = rank[inverse.ravel()]
    merged = np.bincount(inverse, weights=weight, minlength=first.size).astype(np.float64)
    return DistinctRows(first[order], inverse, merged)
