"""Rows that are visited in passes.

A pass computes a statistic of each block of rows and merges the statistics of all blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeVar

import numpy as np

from broadlearn.out_of_core.row_blocks import RowBlock

T = TypeVar("T")

# The statistic of a block, from its rows and the number of rows with a weight before it.
Part = Callable[[RowBlock, int], T]
Merge = Callable[[T, T], T]


class Rows(Protocol):
    """Rows that can be visited several times."""

    def head(self) -> tuple[Any, int]:
        """Return X with its columns and any number of rows, and the dimensions of y."""

    def reduce(self, stage: str, part: Part[T], merge: Merge[T]) -> T:
        """Merge the statistics of all blocks, in the order of the rows."""


def fold(part: Part[T], merge: Merge[T], blocks: Iterable[RowBlock], first: int = 0) -> T | None:
    """Merge the statistics of blocks, one after the other.

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
