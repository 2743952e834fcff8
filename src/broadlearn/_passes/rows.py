"""Rows that are visited in passes.

What a pass learns is a statistic of each block of rows, and the statistics of two blocks merge into
that of both. Where the blocks are and who merges them is up to whoever has the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from broadlearn._row_blocks import RowBlock
from broadlearn.classifiers._incremental import IncrementalModel
from broadlearn.classifiers._scored_classifier import standardized_rows
from broadlearn.classifiers._stream import Batch
from broadlearn.random_features._standardize import Standardization
from broadlearn.sample_scores._inputs import check_weights

Array = NDArray[np.float64]
T = TypeVar("T")

# The statistic of a block, from X, y, weights and the number of rows with a weight before it.
Part = Callable[[Any, Any, Any, int], T]
Merge = Callable[[T, T], T]


class Rows(Protocol):
    """Rows that can be visited several times."""

    def head(self) -> tuple[Any, int]:
        """X with its columns but any number of rows, and the dimensions of y."""

    def reduce(self, stage: str, part: Part[T], merge: Merge[T]) -> T:
        """Merge the statistics of all blocks, in the order of the rows."""


class Reader(NamedTuple):
    """What every block is read with, wherever it is.

    Attributes
    ----------
    model : IncrementalModel
        Without solution; it knows columns and classes.
    standardization : Standardization
    shift : ndarray of shape (n_targets,)
        Taken from real targets; empty for classes.
    """

    model: IncrementalModel
    standardization: Standardization
    shift: Array

    def __call__(self, X: Any, y: Any, sample_weight: Any) -> Batch:
        """Validate a block and encode its targets."""
        block, targets = self.model._validate(X, y, None, first=False)
        weight = check_weights(sample_weight, block)
        return self.model._batch(block, targets, weight, self.shift)

    def standardized(self, batch: Batch) -> NDArray[np.floating]:
        """Standardised rows of a batch."""
        return standardized_rows(batch.X, self.standardization)


def fold(part: Part[T], merge: Merge[T], blocks: Iterable[RowBlock], first: int = 0) -> T | None:
    """Merge the statistics of blocks, one after the other.

    Parameters
    ----------
    part, merge : callable
    blocks : iterable of (X, y, sample_weight)
        Those in which no row has a weight are passed over.
    first : int, default=0
        Rows with a weight before these.

    Returns
    -------
    statistic, or None if no row has a weight

    Examples
    --------
    >>> import numpy as np
    >>> blocks = [(np.ones((2, 1)), [1, 1], None), (np.ones((2, 1)), [1, 1], [0, 1])]
    >>> fold(lambda X, y, weight, first: [first], lambda a, b: a + b, blocks)
    [0, 2]
    """
    total = None
    for X, y, weight in blocks:
        n_rows = count_rows(y, weight)
        if n_rows:
            found = part(X, y, weight, first)
            total = found if total is None else merge(total, found)
        first += n_rows
    return total


def count_rows(y: Any, sample_weight: Any) -> int:
    """Rows that have a weight."""
    return len(y) if sample_weight is None else int(np.count_nonzero(np.asarray(sample_weight)))
