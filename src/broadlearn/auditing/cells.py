"""Values that lie far out in their column, and what to say of a value.

What is far out depends on the column's own tail. Above the median, two quantiles of the distance
from it tell scale and shape of a Weibull tail, ``P(d > x) = exp(-(x / scale)^(1 / shape))``; below
it, two others. A value is outlying at twice the distance that the tail would reach once in the
table: about ten deviations of a normal column, and more where a tail is long.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from broadlearn.auditing.rows import Rows
from broadlearn.io import import_pandas
from broadlearn.utils import Array

# Values on one side of the median that tell how it is there, and those that tell of its tail.
MIN_VALUES, TAIL_VALUES = 8, 500
USUAL_QUANTILES, TAIL_QUANTILES = (0.5, 0.9), (0.75, 0.95)
# Shape of the shortest tail that is reckoned with, that of a normal column.
MIN_SHAPE = 0.5
# Times the distance that is reached once in the table.
FAR = 2.0
# Between these quantiles values are usual.
USUAL = (0.05, 0.95)
MAX_DEGREE = 1e300


def outlying_cells(rows: Rows) -> Array:
    """How far out each value of a table is, in units of what is far out in its column.

    Parameters
    ----------
    rows : Rows

    Returns
    -------
    ndarray of shape (n_samples, n_columns)
        A value is outlying above 1. 0 for columns that are not numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from broadlearn.auditing.rows import prepare_rows
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> X[3, 1] *= 1000
    >>> np.argwhere(outlying_cells(prepare_rows(X, np.arange(100) % 2)) > 1).tolist()
    [[3, 1]]
    """
    widths = np.diff(np.r_[rows.starts, rows.numbers.shape[1]])
    degree = np.zeros((len(rows.numbers), len(widths)))
    for j in np.flatnonzero(widths == 1):
        # Halves, as differences of the largest numbers overflow.
        x = rows.numbers[:, rows.starts[j]] / 2.0
        from_median = x - np.median(x)
        for side in (from_median, -from_median):
            above = np.flatnonzero(side > 0.0)
            degree[above, j] = _in_fences(side[above])
    return degree


def _in_fences(distance: Array) -> Array:
    """Distances from the median on one side, in units of what is far out there."""
    n = distance.size
    if n < MIN_VALUES:
        return np.zeros(n)
    shares = np.array(TAIL_QUANTILES if n >= TAIL_VALUES else USUAL_QUANTILES)
    logarithms = np.log(distance)
    low, high = np.quantile(logarithms, shares)
    heights = np.log(-np.log(1.0 - shares))
    shape = max((high - low) / (heights[1] - heights[0]), MIN_SHAPE)
    once = high + shape * max(np.log(np.log(n)) - heights[1], 0.0)
    return np.exp(np.minimum(logarithms - once - np.log(FAR), np.log(MAX_DEGREE)))


class _Numbers(NamedTuple):
    """A column of numbers in ascending order, without missing ones."""

    ascending: Array

    def describe(self, value: float) -> str:
        n = self.ascending.size
        below = int(np.searchsorted(self.ascending, value))
        above = n - int(np.searchsorted(self.ascending, value, side="right"))
        ends = [self.ascending[round(share * (n - 1))] for share in USUAL]
        usual = f"usual is {_number(ends[0])} to {_number(ends[1])}"
        if ends[0] <= value <= ends[1]:
            return usual
        rank, part = ("larger", below) if value > ends[1] else ("smaller", above)
        return f"{rank} than {_part(part, n)}; {usual}"


class _Levels(NamedTuple):
    """Rows of each value of a column."""

    counts: dict[Any, int]
    n_rows: int

    def describe(self, value: Any) -> str:
        return f"as in {self.counts[value]:,} of {self.n_rows:,} rows"


class CellTexts:
    """What to say of the values of a table; columns are looked at once.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.auditing.rows import prepare_rows
    >>> X = pd.DataFrame({"age": [*range(20, 59), 610], "town": ["Ulm"] * 39 + ["Bonn"]})
    >>> texts = CellTexts(prepare_rows(X, [0, 1] * 20))
    >>> texts.describe(39, "age")
    'age is 610, larger than all others; usual is 22 to 57'
    >>> texts.describe(39, "town")
    "town is 'Bonn', as in 1 of 40 rows"
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._columns: dict[str, _Numbers | _Levels] = {}

    def describe(self, position: int, column: str) -> str:
        """What one value is, and how usual that is in its column."""
        value = self._rows.frame[column].iloc[position]
        if import_pandas().isna(value):
            missing = int(self._rows.frame[column].isna().sum())
            return f"{column} is missing, as in {missing:,} of {len(self._rows.frame):,} rows"
        if column not in self._columns:
            self._columns[column] = self._look_at(column)
        found = self._columns[column]
        shown = _number(float(value)) if isinstance(found, _Numbers) else repr(str(value))
        return f"{column} is {shown}, {found.describe(value)}"

    def _look_at(self, column: str) -> _Numbers | _Levels:
        series = self._rows.frame[column]
        kinds = import_pandas().api.types
        if kinds.is_numeric_dtype(series.dtype) and not kinds.is_bool_dtype(series.dtype):
            return _Numbers(np.sort(series.dropna().to_numpy(dtype=np.float64)))
        return _Levels(series.value_counts().to_dict(), len(series))


def _part(count: int, n: int) -> str:
    if count == n - 1:
        return "all others"
    return f"{100.0 * count / n:.4g} % of all"


def _number(value: float) -> str:
    if value == np.round(value) and abs(value) < 1e7:
        return f"{value:.0f}"
    return f"{value:.4g}"
