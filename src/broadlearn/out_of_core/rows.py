"""Rows that are visited in passes.

A pass computes a statistic of each block of rows and merges the statistics of all blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

import numpy as np

T = TypeVar("T")

# A block of rows: X, y, weights (None: all one).
RowBlock = tuple[Any, Any, Any]
# A function that returns a fresh iterator over blocks, for each pass.
RowSource = Callable[[], Iterator[RowBlock]]
# The statistic of a block, from its rows and the number of rows with a weight before it.
Part = Callable[[RowBlock, int], T]
Merge = Callable[[T, T], T]


class Rows(Protocol):
    """Rows that can be visited several times."""

    def head(self) -> tuple[Any, int]:
        """Return X with its columns and any number of rows, and the dimensions of y."""

    def reduce(self, stage: str, part: Part[T], merge: Merge[T]) -> T:
        """Merge the statistics of all blocks, in the order of the rows."""


def row_source(
    source: Any, y: Any = None, *, sample_weight: Any = None, block_rows: int = 8192
) -> RowSource:
    """Return blocks of rows of a source of :func:`fit_blocks`.

    Examples
    --------
    >>> import numpy as np
    >>> source = row_source(np.zeros((5, 2)), np.arange(5), block_rows=2)
    >>> [y.tolist() for X, y, weight in source()]
    [[0, 1], [2, 3], [4]]
    """
    if block_rows < 1:
        raise ValueError(f"block_rows must be at least 1, got {block_rows!r}.")
    if y is not None:
        return lambda: array_blocks(source, y, sample_weight, block_rows)
    if sample_weight is not None or isinstance(source, np.ndarray):
        raise ValueError("y must be given if source is an array.")
    if not callable(source) and iter(source) is source:
        raise ValueError(
            "source can be iterated only once, but several passes are needed; pass a function that "
            "returns a new iterator."
        )
    return lambda: map(_whole_block, source() if callable(source) else source)


def _whole_block(block: Any) -> RowBlock:
    if not isinstance(block, tuple | list) or len(block) not in (2, 3):
        raise ValueError(
            f"Every block must be (X, y) or (X, y, sample_weight), got {type(block).__name__}; to "
            "read files, pass a function that yields blocks."
        )
    return block[0], block[1], block[2] if len(block) == 3 else None


def array_blocks(X: Any, y: Any, weight: Any, block_rows: int) -> Iterator[RowBlock]:
    """Yield blocks of arrays, dataframes or series."""
    n = len(X)
    for name, other in (("y", y), ("sample_weight", weight)):
        if other is not None and len(other) != n:
            raise ValueError(f"{name} has {len(other)} rows, but X has {n}.")
    X, y, weight = (getattr(values, "iloc", values) for values in (X, y, weight))
    for start in range(0, n, block_rows):
        part = slice(start, start + block_rows)
        yield X[part], y[part], None if weight is None else weight[part]


def fold(part: Part[T], merge: Merge[T], blocks: Iterable[RowBlock], first: int = 0) -> T | None:
    """Merge the statistics of blocks in their order.

    Parameters
    ----------
    part, merge : callable
    blocks : iterable of (X, y, sample_weight)
        Blocks without a row of positive weight are skipped.
    first : int, default=0
        Number of rows with a weight before these.

    Examples
    --------
    >>> import numpy as np
    >>> blocks = [(np.ones((2, 1)), [1, 1], None), (np.ones((2, 1)), [1, 1], [0, 1])]
    >>> fold(lambda block, first: [first], lambda a, b: a + b, blocks)
    [0, 2]
    """
    total = None
    for block in blocks:
        n_rows = count_rows(*block[1:])
        if n_rows:
            statistic = part(block, first)
            total = statistic if total is None else merge(total, statistic)
        first += n_rows
    return total


def count_rows(y: Any, sample_weight: Any) -> int:
    """Return the number of rows with a weight."""
    return len(y) if sample_weight is None else int(np.count_nonzero(np.asarray(sample_weight)))
