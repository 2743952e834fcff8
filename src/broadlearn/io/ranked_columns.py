"""The columns of a table as ranks: what columns are compared by, and which say nothing new."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.io.column_dates import DAY
from broadlearn.io.column_moments import dates_as_seconds
from broadlearn.io.column_reading import DURATIONS, MOMENTS, NUMBERS
from broadlearn.io.csv_files import import_pandas
from broadlearn.utils import Array, spread_rows

if TYPE_CHECKING:
    import pandas as pd

# From this many rows on, values that never repeat may be identifiers.
MIN_IDENTIFIER_ROWS = 20
# Whole numbers that never repeat are identifiers if this is the chance that none would.
IDENTIFIER_CHANCE = 1e-3
# Numbers say the same from this correlation of their ranks on, over so many rows at most.
COPY_CORRELATION = 0.9999
MAX_ROWS = 20_000
# Directions in which columns are compared first, and columns that are at a time.
N_DIRECTIONS, BLOCK = 64, 512

_IDENTIFIER_NAME = re.compile(
    r"(^|[^A-Za-z])(id|uuid|guid|key|index|idx|nr|no|num|number|serial|account|acct|rownum|row|pk|"
    r"record|case)$|^(id|nr|no)[ _.-]|[a-z]{3}(nr|nummer|number)$",
    re.IGNORECASE,
)
_IDENTIFIER_ENDING = re.compile(r"[a-z]I[dD]$|[a-z](Key|Nr|No)$")


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
        is_plain = isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf"
        content = "floating" if is_plain else infer(column, skipna=True)
        if content in (*MOMENTS, *DURATIONS):
            days = dates_as_seconds(column) / DAY
            # Days since the first are numbers like others.
            first = 0.0 if content in DURATIONS else np.nanmin(days, initial=np.inf)
            column, content = import_pandas().Series(days - first), "floating"
        is_number[j] = content in NUMBERS
        if is_number[j]:
            gap = {} if is_plain else {"na_value": np.nan}
            content = column.to_numpy(dtype=np.float64, **gap)
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


def find_identifiers(columns: RankedColumns) -> NDArray[np.bool_]:
    """Columns whose values name rows: 20 or more that are present in every row and never repeat.

    Text that never repeats is an identifier. Whole numbers are, if they ascend or descend row by
    row, if so many drawn from their range would have repeated with a probability of
    99.9 %, or if their column is called "id", "customer_id", "rowID", "key", "uuid" or "index".
    """
    n_rows = columns.n_rows
    unique = (columns.n_levels == n_rows) & (n_rows >= MIN_IDENTIFIER_ROWS)
    for j in np.flatnonzero(unique & columns.is_number).tolist():
        numbers = columns.values[j][columns.ranks[j]]
        unique[j] = identifier_evidence(numbers, columns.names[j]) != ""
    return unique


def identifier_evidence(numbers: Array, name: str) -> str:
    """Why numbers, in the order of the rows, name rows: "dense", "named" or "in order"; or "".

    Examples
    --------
    >>> identifier_evidence(np.arange(100.0), "nr"), identifier_evidence(np.arange(9.0), "nr")
    ('dense', '')
    """
    values = np.sort(numbers)
    n = values.size
    if (
        n < MIN_IDENTIFIER_ROWS
        or not (values == np.round(values)).all()
        or not np.diff(values).all()
    ):
        return ""
    span = values[-1] - values[0] + 1.0
    if n * (n - 1.0) / (2.0 * span) > -np.log(IDENTIFIER_CHANCE):
        return "dense"
    if _IDENTIFIER_NAME.search(name) or _IDENTIFIER_ENDING.search(name):
        return "named"
    steps = np.diff(numbers)
    return "in order" if (steps > 0).all() or (steps < 0).all() else ""


def find_copies(columns: RankedColumns) -> NDArray[np.intp]:
    """For each column, the first that says the same (see `renamings`); -1 for none before it.

    Numbers say the same as well if their ranks correlate by more than 0.9999 or less than -0.9999,
    as those of a length in centimetres and in inches, rounded, do.
    """
    found = renamings(columns)
    numbers = np.flatnonzero(columns.is_number & (columns.n_levels > 1) & (found < 0))
    if numbers.size < 2:
        return found
    ranks = columns.ranks[np.ix_(numbers, spread_rows(columns.n_rows, MAX_ROWS))]
    present = ranks >= 0
    mean = (ranks * present).sum(axis=1) / np.maximum(present.sum(axis=1), 1)
    centred = np.where(present, ranks - mean[:, None], 0.0)
    length = np.sqrt((centred**2).sum(axis=1))
    centred /= np.where(length > 0.0, length, 1.0)[:, None]
    first = first_alike(centred, COPY_CORRELATION)
    found[numbers[first >= 0]] = numbers[first[first >= 0]]
    return found


def first_alike(vectors: Array, limit: float) -> NDArray[np.intp]:
    """For each vector, the first before it with a product above `limit` in size; -1 for none.

    Vectors have length 1 or 0. Two with such a product are no further apart than
    sqrt(2 - 2 limit), nor are they in any few directions: those that are near each other in 64
    random ones are candidates, so that long vectors are compared for few pairs only.

    Examples
    --------
    >>> first_alike(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), 0.9999).tolist()
    [-1, -1, 0]
    """
    n, length = vectors.shape
    short = vectors
    if length > N_DIRECTIONS:
        draws = np.random.default_rng(0).normal(size=(length, N_DIRECTIONS))
        short = vectors @ np.linalg.qr(draws)[0]
    small = short.astype(np.float32)
    squares = (small**2).sum(axis=1)
    # Rounding of single precision is far below 1e-5.
    slack = np.float32(2.0 - 2.0 * limit + 1e-5)
    found = np.full(n, -1, dtype=np.intp)
    for start in range(0, n, BLOCK):
        rows = slice(start, min(start + BLOCK, n))
        near = np.abs(small[rows] @ small[: rows.stop].T)
        near *= -2.0
        near += squares[rows, None]
        near += squares[: rows.stop]
        candidates = np.tril(near <= slack, start - 1)
        while candidates.any():
            one = np.flatnonzero(candidates.any(axis=1))
            other = candidates[one].argmax(axis=1)
            products = np.einsum("ij,ij->i", vectors[start + one], vectors[other])
            alike = np.abs(products) > limit
            found[start + one[alike]] = other[alike]
            candidates[one[alike]] = False
            candidates[one, other] = False
    return found


def mid_ranks(values: NDArray[Any]) -> Array:
    """Ranks from 1 of values along an array, equal ones sharing the mean of theirs.

    Examples
    --------
    >>> mid_ranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - 0.5 * (counts - 1.0))[inverse.ravel()])
