"""Columns of numbers of which nothing is peculiar, found by one look at all of them together."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.io.column_codes import MAX_CODES, named_as_code
from broadlearn.io.column_gaps import may_be_gap
from broadlearn.utils import Array

if TYPE_CHECKING:
    import pandas as pd

# Columns that are looked at together.
BLOCK = 1024
# Numbers from which on days may be written as 20240131.
FIRST_DAY = 19_000_101.0


class PlainNumbers(NamedTuple):
    """Columns of numbers that need no closer look.

    Attributes
    ----------
    values : dict of str to ndarray
        Numbers to learn from beyond doubt, by the names of their columns.
    constants : set of str
        Columns with the same number in every row.
    """

    values: dict[str, Array]
    constants: set[str]


def plain_numbers(frame: pd.DataFrame, others: Collection[str] = ()) -> PlainNumbers:
    """Find columns of numbers that need no closer look.

    Most of those to learn from have decimals. Whole numbers repeat, are more than a few, and
    neither could be dates nor are called as codes are; the least and the largest do not stand for
    a missing value. All other columns need a closer look.

    Parameters
    ----------
    frame : pandas.DataFrame
    others : collection of str, default=()
        Columns that are passed over.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"nr": range(30), "x": np.linspace(0.5, 9.5, 30), "b": [0, 1] * 15})
    >>> found = plain_numbers(frame.assign(unit=1))
    >>> list(found.values), found.constants
    (['x'], {'unit'})
    """
    numeric = [
        (j, name)
        for j, (name, dtype) in enumerate(zip(frame.columns, frame.dtypes, strict=True))
        if isinstance(dtype, np.dtype)
        and dtype.kind in "iuf"
        and name not in others
        and not named_as_code(str(name))
    ]
    found = PlainNumbers({}, set())
    for start in range(0, len(numeric), BLOCK):
        block = numeric[start : start + BLOCK]
        values = frame.iloc[:, [j for j, _ in block]].to_numpy(dtype=np.float64).T.copy()
        constant = (values == values[:, :1]).all(axis=1) & np.isfinite(values[:, 0])
        found.constants.update(
            name for (_, name), same in zip(block, constant, strict=True) if same
        )
        for row, (_, name), plain in zip(values, block, _are_plain(values), strict=True):
            if plain:
                found.values[name] = row
    return found


def _are_plain(values: Array) -> NDArray[np.bool_]:
    """For each row of an array, whether it is a column of numbers of which nothing is peculiar."""
    ordered = np.sort(values, axis=1)
    missing = np.isnan(ordered)
    n = values.shape[1] - missing.sum(axis=1)
    n_distinct = (np.diff(ordered, axis=1) > 0.0).sum(axis=1) + (n > 0)
    low, high = ordered[:, 0], ordered[np.arange(len(ordered)), np.maximum(n - 1, 0)]
    whole = ((ordered == np.round(ordered)) | missing).all(axis=1)
    usual = (high < FIRST_DAY) & (n_distinct < n) & ((n_distinct > MAX_CODES) | (high < 100.0))
    nines = np.array([may_be_gap(a) or may_be_gap(b) for a, b in zip(low, high, strict=True)])
    return np.asarray((n_distinct > 2) & (~whole | usual) & ~nines & np.isfinite(low + high))
