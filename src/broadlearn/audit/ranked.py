"""The columns of a table as ranks: what all checks of a whole table count and compare."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.io import import_pandas
from broadlearn.utils import Array

if TYPE_CHECKING:
    import pandas as pd

NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal")


class RankedColumns(NamedTuple):
    """Columns as ranks of their values.

    Equal values have equal ranks, so that ranks serve to compare rows, to count levels and to
    sort, whatever a column holds.

    Attributes
    ----------
    names : list of str
    ranks : ndarray of shape (n_columns, n_samples)
        0 for the least value of a column, 1 for the next one, and so on; -1 where it is missing.
        Text is ordered by the alphabet.
    values : list of ndarray
        The distinct values of each column, in the order of their ranks.
    is_number : ndarray of shape (n_columns,)
        Whether the column holds numbers, of which differences mean something.
    """

    names: Sequence[str]
    ranks: NDArray[np.int32]
    values: Sequence[NDArray[Any]]
    is_number: NDArray[np.bool_]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.ranks.shape[1]

    @property
    def n_levels(self) -> NDArray[np.intp]:
        """Distinct values of each column, missing ones not counted."""
        return np.array([len(values) for values in self.values], dtype=np.intp)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which values are missing, of the shape of the ranks."""
        return self.ranks < 0

    def select(self, keep: NDArray[np.bool_]) -> RankedColumns:
        """Some of the columns."""
        which = np.flatnonzero(keep).tolist()
        return RankedColumns(
            [self.names[j] for j in which],
            self.ranks[which],
            [self.values[j] for j in which],
            self.is_number[which],
        )


def rank_columns(frame: pd.DataFrame) -> RankedColumns:
    """Ranks of the values of each column of a table.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [61.5, 70, None, 61.5], "town": ["Ulm", "Bonn", "Ulm", None]})
    >>> columns = rank_columns(frame)
    >>> columns.ranks.tolist(), columns.n_levels.tolist(), columns.is_number.tolist()
    ([[0, 1, -1, 0], [1, 0, 1, -1]], [2, 2], [True, False])
    """
    infer = import_pandas().api.types.infer_dtype
    ranks = np.full(frame.shape[::-1], -1, dtype=np.int32)
    values: list[NDArray[Any]] = []
    is_number = np.zeros(frame.shape[1], dtype=bool)
    for j, name in enumerate(frame):
        column = frame[name]
        is_number[j] = infer(column, skipna=True) in NUMBERS
        if is_number[j]:
            content = column.to_numpy(dtype=np.float64, na_value=np.nan)
            present = ~np.isnan(content)
            distinct, inverse = np.unique(content[present], return_inverse=True)
        else:
            present = column.notna().to_numpy()
            inverse, found = import_pandas().factorize(column[present].astype(str), sort=True)
            distinct = np.asarray(found, dtype=object)
        ranks[j, present] = inverse
        values.append(distinct)
    return RankedColumns([str(name) for name in frame], ranks, values, is_number)


def renamings(columns: RankedColumns) -> NDArray[np.intp]:
    """For each column, the first one that it says the same as; -1 where there is none before it.

    Columns say the same if their values stand for each other one to one. Where most values of a
    column are different, so that any two columns would, they must come in the same or in the
    opposite order as well.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"sex": ["f", "m", "f", "m"], "b": [1, 1, 0, 1], "code": [2, 1, 2, 1]})
    >>> renamings(rank_columns(frame)).tolist()
    [-1, -1, 0]
    """
    seen: dict[bytes, int] = {}
    found = np.full(len(columns.names), -1, dtype=np.intp)
    for j, n_levels in enumerate(columns.n_levels):
        ranks = columns.ranks[j]
        if 2 * n_levels <= columns.n_rows:
            ranks = _by_appearance(ranks, n_levels)
        elif columns.is_number[j]:
            ranks = _as_if_ascending(ranks, n_levels)
        first = seen.setdefault(blake2b(ranks.tobytes()).digest(), j)
        found[j] = first if first < j else -1
    return found


def _by_appearance(ranks: NDArray[np.int32], n_levels: int) -> NDArray[np.int32]:
    """Levels by the order in which they, or a missing value, are seen first."""
    first = np.full(n_levels + 1, ranks.size)
    first[ranks[::-1]] = np.arange(ranks.size - 1, -1, -1)
    renamed = np.empty(n_levels + 1, dtype=np.int32)
    renamed[np.argsort(first)] = np.arange(n_levels + 1, dtype=np.int32)
    return np.asarray(renamed[ranks])


def _as_if_ascending(ranks: NDArray[np.int32], n_levels: int) -> NDArray[np.int32]:
    """Ranks from that end on which gives the lower rank to the first value off the middle."""
    from_middle = np.where(ranks < 0, 0, 2 * ranks - (n_levels - 1))
    first = np.flatnonzero(from_middle)[:1]
    descends = first.size and from_middle[first[0]] > 0
    return np.where(ranks < 0, ranks, np.int32(n_levels - 1) - ranks) if descends else ranks


def mid_ranks(values: NDArray[Any]) -> Array:
    """Ranks from 1 of values along an array, equal ones sharing the mean of theirs.

    Examples
    --------
    >>> mid_ranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - 0.5 * (counts - 1.0))[inverse.ravel()])


def holm(p_values: Array) -> Array:
    """p-values corrected by Holm's method for their number.

    Examples
    --------
    >>> holm(np.array([0.01, 0.5, 0.02])).tolist()
    [0.03, 0.5, 0.04]
    """
    order = np.argsort(p_values)
    corrected = np.empty(p_values.size)
    steps = p_values[order] * np.arange(p_values.size, 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected
