"""Fences: how far out a value of a column may lie before it counts as a gross outlier.

Fences are so wide that all values of an ordinary column lie within them, long tails included. Their
only purpose is that no single cell can drag a model.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from broadlearn.utils import BLOCK_NUMBERS, Array, Floats, quantiles, row_priorities

# The middle of a column leaves out a share TAIL at either end, or TAIL_ROWS rows if these are more,
# but at most MAX_TAIL. More rows would be a group, not outliers.
TAIL, MAX_TAIL, TAIL_ROWS = 0.025, 0.25, 2.0
# Distance of a fence from the middle, in lengths of the middle: 60 standard deviations from the
# mean of a normal column. Only three of the 28 data sets of the study have values beyond, and
# clipping them costs accuracy on one (0.4 points).
FENCE_LENGTHS = 15.0
# Fences of more rows are learnt from a random sample of this size, with 100 rows in each tail.
MAX_FENCE_ROWS = 4096


class FenceRows(NamedTuple):
    """Rows that fences are learnt from: a random sample that does not depend on blocks."""

    X: Any
    weight: Array | None
    priority: Any

    def merge(self, other: FenceRows) -> FenceRows:
        """Return the rows drawn from both tables, which have weights."""
        return FenceRows(*(np.concatenate(pair) for pair in zip(self, other, strict=True))).least()

    def least(self) -> FenceRows:
        """Return the rows of least priority."""
        if self.priority.size <= MAX_FENCE_ROWS:
            return self
        chosen = np.sort(np.argpartition(self.priority, MAX_FENCE_ROWS)[:MAX_FENCE_ROWS])
        weight = None if self.weight is None else self.weight[chosen]
        return FenceRows(self.X[chosen], weight, self.priority[chosen])


def draw_fence_rows(X: Any, weight: Array | None, first: int = 0) -> FenceRows:
    """Draw rows that fences are learnt from; `first` rows of the table came before X."""
    return FenceRows(X, weight, row_priorities(first, X.shape[0], 0)).least()


def learn_fences(rows: FenceRows) -> Array:
    """Return the lower and upper fence of every column, as two rows.

    In a sparse matrix, 0 is within every fence.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.r_[np.arange(11.0), 1e12][:, None]
    >>> learn_fences(draw_fence_rows(X, None)).ravel()
    array([-119.,  129.])
    """
    X, weight, _ = rows
    if isinstance(X, np.ndarray):
        return column_fences(X, weight)
    low, high = _sparse_fences(X)
    shares = np.bincount(X.indices, minlength=X.shape[1]) / max(1, X.shape[0])
    full = np.flatnonzero(shares >= TAIL)
    step = max(1, BLOCK_NUMBERS // max(1, X.shape[0]))
    for start in range(0, full.size, step):
        part = full[start : start + step]
        low[part], high[part] = column_fences(X[:, part].toarray(), weight)
    return np.array([np.minimum(low, 0.0), np.maximum(high, 0.0)])


def column_fences(X: Floats, weight: Array | None = None) -> Array:
    """Return the lower and upper fence of every column of a dense table, as two rows.

    The length of the middle is the distance between its quantiles, 2.5 % and 97.5 % from 80 rows
    on. If the values that differ from the median are typically further from it, that distance
    counts instead, as in columns that are mostly zero. It is 1 for a constant column. Missing
    values are ignored; a column without other values has no fences.

    Examples
    --------
    >>> import numpy as np
    >>> column_fences(np.r_[np.arange(11.0), 1e12][:, None]).ravel()
    array([-119.,  129.])
    """
    values = X.astype(np.float64, copy=False)
    counts = ~np.isnan(values) * (1.0 if weight is None else weight[:, None])
    total = counts.sum(axis=0)
    tail = np.clip(TAIL_ROWS / np.maximum(total, TAIL_ROWS), TAIL, MAX_TAIL)
    first, median, last = quantiles(values, counts, [tail, 0.5, 1.0 - tail])
    # An infinite length means no fence.
    with np.errstate(over="ignore", invalid="ignore"):
        distance = np.abs(values - median)
        differs = counts * (distance > 0.0)
        half = quantiles(distance, differs, [0.5])[0]
        typical = np.where(differs.any(axis=0), half, 0.0)
        length = np.maximum(last - first, typical)
        length[length == 0.0] = 1.0
        low, high = first - FENCE_LENGTHS * length, last + FENCE_LENGTHS * length
    return np.array([np.where(total > 0.0, low, -np.inf), np.where(total > 0.0, high, np.inf)])


def _sparse_fences(X: Any) -> tuple[Array, Array]:
    """Return fences of columns that are mostly 0, in median sizes of their entries from 0."""
    entries = np.flatnonzero(X.data)
    columns, sizes = X.indices[entries], np.abs(X.data[entries].astype(np.float64))
    order = np.lexsort((sizes, columns))
    counts = np.bincount(columns, minlength=X.shape[1])
    length = np.ones(X.shape[1])
    present = counts > 0
    n = counts[present]
    length[present] = sizes[order][np.cumsum(counts)[present] - n + (n - 1) // 2]
    with np.errstate(over="ignore"):
        return -FENCE_LENGTHS * length, FENCE_LENGTHS * length
