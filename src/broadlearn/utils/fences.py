"""How far out a value of a column may lie before it counts as a gross outlier.

A fence is so wide that the values of an ordinary column are all within it, long tails included: its
only purpose is that no single cell can drag a model, however large the number in it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from broadlearn.utils.arrays import (
    BLOCK_NUMBERS,
    LENGTHS,
    TAIL,
    Array,
    column_fences,
    row_priorities,
)

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

    Of a sparse matrix, 0 is within every fence.

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
