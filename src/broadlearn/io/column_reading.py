"""What kind of values a column holds, and how its cells become numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from broadlearn.io.column_compound import read_compound
from broadlearn.io.column_dates import DAY, read_dates
from broadlearn.io.column_levels import spelling_key
from broadlearn.io.column_moments import dates_as_seconds
from broadlearn.io.column_numbers import NumberFormat, read_numbers
from broadlearn.io.column_parts import read_parts
from broadlearn.io.column_words import FALSE, NO_NUMBER, NO_VALUE, TRUE
from broadlearn.io.csv_files import import_pandas
from broadlearn.utils import Array

if TYPE_CHECKING:
    import pandas as pd

KINDS = ("number", "number as text", "boolean", "category", "ordered category", "date")
# Kinds of which nothing is learnt.
LEFT_OUT = ("identifier", "free text", "constant", "empty", "copy")

NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal")
MOMENTS = ("datetime64", "datetime", "date", "period")
DURATIONS = ("timedelta64", "timedelta")
_PLAIN = ("string", "categorical", "boolean", "time", "empty", "mixed", "mixed-integer")
# Contents of NumPy's own types, which need no look at the values.
_BY_LETTER = {"i": "integer", "u": "integer", "f": "floating", "b": "boolean"}


@dataclass(frozen=True)
class Reading:
    """How the cells of a column are read.

    Attributes
    ----------
    kind : str
        One of `KINDS` or `LEFT_OUT`.
    how : {"number", "words", "date", "parts", "compound", ""}
        What makes numbers of the cells; "" where the column is left out.
    decimal, factors : str, dict
        As `NumberFormat` has them.
    empty : tuple of float
        Numbers that stand for a missing value, such as -999.
    order, clock : str, bool
        Of dates: "dmy", "mdy" or "ymd", and whether they are times of a day.
    n_parts : int
        Numbers in each cell.
    amount : str
        What amounts of several parts are, from `learn_compound`.
    levels : tuple of str
        Words, in their order where they have one.
    codes : dict of str to int
        Place among the levels of each `spelling_key`.
    doubt : str
        Why the kind may be wrong, or "".
    remark : str
        What else a user should know, or "".
    """

    kind: str
    how: str = ""
    decimal: str = "."
    factors: Mapping[str, float] = field(default_factory=lambda: {"": 1.0})
    empty: tuple[float, ...] = ()
    order: str = "dmy"
    clock: bool = False
    n_parts: int = 1
    amount: str = ""
    levels: tuple[str, ...] = ()
    codes: Mapping[str, int] = field(default_factory=dict)
    doubt: str = ""
    remark: str = ""

    def read(self, column: pd.Series) -> Array:
        """One number per cell, nan for missing ones; for words their place, -1 for new ones.

        Of kind "number as text" with several numbers per cell, a column of the array for each.
        """
        content = content_of(column)
        if self.how == "number" and content in (*NUMBERS, "boolean", "empty"):
            return self._without_empty(as_floats(column))
        if self.how in ("number", "date") and content in DURATIONS:
            return dates_as_seconds(column) / DAY
        if self.how == "date" and content in MOMENTS:
            return dates_as_seconds(column)
        texts, inverse = cell_texts(column)
        found = self._of_texts(texts)
        missing = np.full((1, *found.shape[1:]), np.nan)
        return np.concatenate([found, missing])[inverse]

    def not_understood(self, column: pd.Series) -> tuple[int, int, str]:
        """Number of rows that have a text which cannot be read, the first of them, and its text."""
        typed = content_of(column) in (*NUMBERS, *MOMENTS, *DURATIONS, "empty")
        if typed and self.how != "words":
            return 0, -1, ""
        texts, inverse = cell_texts(column)
        if not len(texts):
            return 0, -1, ""
        found = self._of_texts(texts).reshape(len(texts), -1)[:, 0]
        ignored = NO_VALUE if self.how == "words" else NO_NUMBER
        known = np.array([spelling_key(text) in ignored for text in texts], dtype=bool)
        bad = ~known & (found < 0 if self.how == "words" else np.isnan(found))
        rows = np.append(bad, False)[inverse]
        if not rows.any():
            return 0, -1, ""
        first = int(rows.argmax())
        return int(rows.sum()), first, texts[int(inverse[first])]

    def _of_texts(self, texts: Sequence[str]) -> Array:
        if self.how == "number":
            form = NumberFormat(self.decimal, dict(self.factors))
            return self._without_empty(read_numbers(texts, form))
        if self.how == "date":
            return read_dates(texts, self.order)
        if self.how == "compound":
            return read_compound(texts, self.amount)
        if self.how == "parts":
            return read_parts(texts, self.n_parts)
        codes = self.codes
        if self.kind == "boolean" and all(key in TRUE or key in FALSE for key in codes):
            codes = {**dict.fromkeys(TRUE, 1), **dict.fromkeys(FALSE, 0), **codes}
        keys = [spelling_key(text) for text in texts]
        return np.array(
            [codes.get(key, np.nan if key in NO_VALUE else -1.0) for key in keys], dtype=np.float64
        )

    def _without_empty(self, numbers: Array) -> Array:
        if self.empty:
            numbers = np.where(np.isin(numbers, self.empty), np.nan, numbers)
        return numbers


def content_of(column: pd.Series) -> str:
    """What a column holds, by the names of pandas; refuses what cannot be read."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in _BY_LETTER:
        return _BY_LETTER[column.dtype.kind]
    content: str = import_pandas().api.types.infer_dtype(column, skipna=True)
    if content in ("mixed", "mixed-integer") and not all(
        isinstance(value, str | Real) for value in column.dropna()
    ):
        content = "objects"
    if content not in (*NUMBERS, *MOMENTS, *DURATIONS, *_PLAIN):
        raise ValueError(
            f"Column {column.name!r} is refused: only numbers, booleans, dates, text and "
            f"categories can be used."
        )
    return content


def as_floats(column: pd.Series) -> Array:
    """A column of numbers as floats, with nan for whatever pandas takes as missing."""
    plain = isinstance(column.dtype, np.dtype) and column.dtype.kind in _BY_LETTER
    try:
        if plain:
            numbers = column.to_numpy(dtype=np.float64)
        else:
            numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Column {column.name!r} must hold numbers: {str(error)[:200]}."
        ) from error
    if np.isinf(numbers).any():
        raise ValueError(f"Column {column.name!r} must hold finite numbers.")
    return np.asarray(numbers)


def cell_texts(column: pd.Series) -> tuple[list[str], NDArray[np.intp]]:
    """Distinct cells as text, and which of them each row has; -1 for missing ones."""
    codes, distinct = import_pandas().factorize(column)
    return [str(value) for value in distinct], np.asarray(codes, dtype=np.intp)
