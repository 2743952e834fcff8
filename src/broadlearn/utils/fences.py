"""How far out a value of a column may lie before it counts as a gross outlier.

A fence is so wide that the values of an ordinary column are all within it, long tails included: its
only purpose is that no single cell can drag a model, however large the number in it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from broadlearn.utils.arrays import BLOCK_NUMBERS, Array, Floats, quantiles, row_priorities

# The middle of a column is all but this share at either end, of few rows all but the outermost one
# or two. Values that more rows have are a group, however far out. A fence is so many lengths of the
# middle away from it, 60 deviations from the mean of a normal column: so many that of the 28 data
# sets of the study only three have values beyond, and only one of them loses by it, within noise.
TAIL, MAX_TAIL, FEW, LENGTHS = 0.025, 0.25, 2.0, 15.0
# Of more rows than these, a draw is enough to say where the middle is.
MAX_FENCE_ROWS = 4096


class FenceRows(NamedTuple):
    """Rows that fences are learnt from: the same ones in whatever blocks a table comes.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_features)
    weight : ndarray of shape (n_rows,) or None
    priority : ndarray of shape (n_rows,)
        Rows of least priority are drawn.
    """

    X: Any
    weight: Array | None
    priority: Any

    def merge(self, other: FenceRows) -> FenceRows:
        """Rows drawn from those of both; both have weights."""
        return FenceRows(*(np.concatenate(pair) for pair in zip(self, other, strict=True))).least()

    def least(self) -> FenceRows:
        """The rows of least priority."""
        if self.priority.size <= MAX_FENCE_ROWS:
            return self
        chosen = np.sort(np.argpartition(self.priority, MAX_FENCE_ROWS)[:MAX_FENCE_ROWS])
        weight = None if self.weight is None else self.weight[chosen]
        return FenceRows(self.X[chosen], weight, self.priority[chosen])


def draw_fence_rows(X: Any, weight: Array | None, first: int = 0) -> FenceRows:
    """Draw rows that fences are learnt from; `first` rows of the table came before these."""
    return FenceRows(X, weight, row_priorities(first, X.shape[0], 0)).least()


def learn_fences(rows: FenceRows) -> Array:
    """Lower and upper fence of every column, as two rows.

    The length of the middle is that between two quantiles, those of 2.5 % and 97.5 % from 80 rows
    on, or, if that is larger, the median distance of the values that differ from the median: of
    columns that are mostly zero, the rest counts. It is 1 for a constant column. In a sparse
    matrix, 0 is within every fence.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.r_[np.arange(11.0), 1e12][:, None]
    >>> learn_fences(draw_fence_rows(X, None)).ravel()
    array([-119.,  129.])
    """
    X, weight, _ = rows
    if isinstance(X, np.ndarray):
        return np.array(_dense_fences(X, weight))
    low, high = _sparse_fences(X)
    shares = np.bincount(X.indices, minlength=X.shape[1]) / max(1, X.shape[0])
    full = np.flatnonzero(shares >= TAIL)
    step = max(1, BLOCK_NUMBERS // max(1, X.shape[0]))
    for start in range(0, full.size, step):
        part = full[start : start + step]
        low[part], high[part] = _dense_fences(X[:, part].toarray(), weight)
    return np.array([np.minimum(low, 0.0), np.maximum(high, 0.0)])


def _dense_fences(X: Floats, weight: Array | None) -> tuple[Array, Array]:
    """Fences of columns, of which missing values are no part."""
    values = X.astype(np.float64, copy=False)
    low, high = np.full((2, values.shape[1]), [[-np.inf], [np.inf]])
    absent = np.isnan(values)
    lacking = absent.any(axis=0)
    for j in np.flatnonzero(lacking):
        there = ~absent[:, j]
        if there.any():
            some = None if weight is None else weight[there]
            low[[j]], high[[j]] = _whole_fences(values[there][:, [j]], some)
    low[~lacking], high[~lacking] = _whole_fences(values[:, ~lacking], weight)
    return low, high


def _whole_fences(values: Array, weight: Array | None) -> tuple[Array, Array]:
    """Fences of columns without missing values."""
    total = len(values) if weight is None else float(weight.sum())
    tail = min(max(TAIL, FEW / max(total, FEW)), MAX_TAIL)
    first, median, last = quantiles(values, weight, [tail, 0.5, 1.0 - tail])
    # A length beyond all numbers is no fence.
    with np.errstate(over="ignore"):
        length = np.maximum(last - first, _typical_distances(np.abs(values - median), weight))
        length[length == 0.0] = 1.0
        return first - LENGTHS * length, last + LENGTHS * length


def _typical_distances(distance: Array, weight: Array | None) -> Array:
    """Median of the distances that are not 0, by column; 0 where all are."""
    order = np.argsort(distance, axis=0)
    ordered = np.take_along_axis(distance, order, axis=0)
    counts = (ordered > 0.0) * (1.0 if weight is None else weight[order])
    share = np.cumsum(counts, axis=0)
    half = np.argmax(share >= 0.5 * (1.0 - 1e-12) * share[-1], axis=0)
    # Where no distance is positive, that of the last row is 0 as well.
    half[share[-1] == 0.0] = -1
    return np.asarray(ordered[half, np.arange(distance.shape[1])])


def _sparse_fences(X: Any) -> tuple[Array, Array]:
    """Fences of columns that are mostly 0: so many median sizes of their entries from 0."""
    entries = np.flatnonzero(X.data)
    columns, sizes = X.indices[entries], np.abs(X.data[entries].astype(np.float64))
    order = np.lexsort((sizes, columns))
    counts = np.bincount(columns, minlength=X.shape[1])
    length = np.ones(X.shape[1])
    some = counts > 0
    ends = np.cumsum(counts)[some]
    length[some] = sizes[order][ends - counts[some] + (counts[some] - 1) // 2]
    with np.errstate(over="ignore"):
        return -LENGTHS * length, LENGTHS * length
