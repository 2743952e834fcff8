"""The columns of a table next to each other: constants, identifiers, copies, leaks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.io.column_codes import identifier_doubt
from broadlearn.io.column_deciding import MAX_TEXTS, decide_reading
from broadlearn.io.column_leaks import find_leaks
from broadlearn.io.column_numbers import has_decimal_comma
from broadlearn.io.column_plain import plain_numbers
from broadlearn.io.column_reading import (
    KINDS,
    LEFT_OUT,
    Reading,
    cell_texts,
)
from broadlearn.io.ranked_columns import RankedColumns, find_copies, identifier_evidence
from broadlearn.utils import Array

if TYPE_CHECKING:
    import pandas as pd

# Words that users may say instead of the names of kinds.
_OTHER_WORDS = {
    "ordered": "ordered category",
    "ordinal": "ordered category",
    "categorical": "category",
    "nominal": "category",
    "numeric": "number",
    "numbers": "number",
    "bool": "boolean",
    "time": "date",
    "datetime": "date",
    "text": "free text",
    "id": "identifier",
}
# A target of numbers with more distinct values than this is a quantity.
MAX_CLASSES = 20
# Linear copies of a column correlate by more than this.
COPY_CORRELATION = 0.9999
# In fewer rows only columns with the same values are copies.
MIN_COPY_ROWS = 20
# What is read of numbers of which nothing is peculiar.
PLAIN = Reading("number", "number")
_TIME_WORDS = ("year", "jahr", "date", "time", "month", "week", "day", "age")


class DecidedColumn(NamedTuple):
    """What was decided on a column.

    Attributes
    ----------
    reading : Reading
    values : ndarray of shape (n_rows,) or (n_rows, n_parts)
        What its cells are read as; empty where it is left out.
    kind : str
        That of the reading, or "constant", "copy", "leak", "identifier".
    reason : str
        Why it is left out, or else what is remarkable, or "".
    doubt : str
        Why the kind may be wrong, or "".
    """

    reading: Reading
    values: Array
    kind: str
    reason: str = ""
    doubt: str = ""

    @property
    def is_used(self) -> bool:
        """Whether something is learnt from the column."""
        return self.kind not in LEFT_OUT


class Target(NamedTuple):
    """Codes of classes and their number, or a quantity and 0; no values where none is given."""

    values: NDArray[Any]
    n_classes: int


def kind_named(word: str) -> str:
    """The kind that a user means.

    Examples
    --------
    >>> kind_named("ordered")
    'ordered category'
    """
    kind = _OTHER_WORDS.get(word.strip().lower(), word.strip().lower())
    allowed = [*KINDS, "identifier", "free text"]
    if kind not in allowed:
        raise ValueError(f"A kind of column must be one of {', '.join(allowed)}, got {word!r}.")
    return kind


def as_target(y: Any) -> Target:
    """Classes as codes, or a quantity as floats.

    Examples
    --------
    >>> as_target(["b", "a", "b"])
    Target(values=array([1, 0, 1]), n_classes=2)
    """
    if y is None:
        return Target(np.empty(0), 0)
    values = np.asarray(y).ravel()
    if values.dtype.kind in "iuf":
        distinct = np.unique(values)
        if distinct.size > MAX_CLASSES or (distinct != np.round(distinct)).any():
            return Target(values.astype(np.float64), 0)
    if values.dtype == object:
        values = values.astype(str)
    classes, codes = np.unique(values, return_inverse=True)
    return Target(codes.ravel(), classes.size)


def decide_columns(
    frame: pd.DataFrame, target: Target, kinds: Mapping[str, str]
) -> dict[str, DecidedColumn]:
    """Decide on all columns of a table.

    Parameters
    ----------
    frame : pandas.DataFrame
    target : Target
        It tells leaks only.
    kinds : mapping of str to str
        Kinds that a user says columns have.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"nr": range(30), "paid": ["1,200.50", "3.20", "-"] * 10, "unit": "m"})
    >>> found = decide_columns(frame, as_target(None), {})
    >>> [column.kind for column in found.values()]
    ['identifier', 'number as text', 'constant']
    """
    given = {name: kind_named(word) for name, word in kinds.items()}
    for name in given:
        if name not in frame.columns:
            raise ValueError(f"kinds names a column {name!r}, which the table does not have.")
    plain = plain_numbers(frame, {*given, frame.columns[0]})
    constant = DecidedColumn(replace(PLAIN, how=""), np.empty(0), "constant", _why("constant"))
    known = {name: DecidedColumn(PLAIN, values, "number") for name, values in plain.values.items()}
    known |= dict.fromkeys(plain.constants, constant)
    readings = {
        name: PLAIN if name in known else decide_reading(frame[name], given.get(name, ""))
        for name in frame
    }
    _settle_decimals(frame, readings, given)
    found = {
        name: known[name]
        if name in known
        else _alone(frame[name], reading, given.get(name, ""), name == frame.columns[0])
        for name, reading in readings.items()
    }
    if not any(column.is_used for column in found.values()):
        _keep_numbers(frame, readings, found)
    columns = _ranked(found)
    if len(columns.names) > 1:
        _mark_copies(found, columns, given)
    if target.values.size and columns.names:
        kept = columns.select(np.array([found[name].is_used for name in columns.names]))
        _mark_leaks(found, kept, target)
    return found


def _keep_numbers(
    frame: pd.DataFrame, readings: dict[str, Reading], found: dict[str, DecidedColumn]
) -> None:
    """Keep numbers that say nothing, or seem to, where there is no other column."""
    for name, reading in readings.items():
        if reading.how == "number":
            doubt = f"{found[name].reason}, but there is no other column"
            values = reading.read(frame[name])
            found[name] = DecidedColumn(reading, values, reading.kind, "", doubt)


def _settle_decimals(
    frame: pd.DataFrame, readings: dict[str, Reading], given: Mapping[str, str]
) -> None:
    """Read numbers that have two readings as other columns of the table are written."""
    texts = {
        name: cell_texts(frame[name])[0][:MAX_TEXTS]
        for name, reading in readings.items()
        if reading.kind == "number as text" and reading.how == "number"
    }
    votes = [vote for found in texts.values() if (vote := has_decimal_comma(found)) is not None]
    if not votes:
        return
    mark = "," if 2 * sum(votes) > len(votes) else "."
    for name, found in texts.items():
        if has_decimal_comma(found) is None:
            readings[name] = decide_reading(frame[name], given.get(name, ""), mark)


def _alone(column: pd.Series, reading: Reading, given: str, is_first: bool) -> DecidedColumn:
    """Decide on a column as if there were no other; identifiers tend to be the first."""
    nothing = np.empty(0)
    if not reading.how:
        return DecidedColumn(reading, nothing, reading.kind, _why(reading.kind), reading.doubt)
    values = reading.read(column)
    first = values.reshape(len(values), -1)[:, 0]
    present = first[~np.isnan(first)]
    if not present.size:
        return DecidedColumn(replace(reading, how=""), nothing, "empty", _why("empty"))
    if present.size == first.size and (values == values[0]).all():
        return DecidedColumn(replace(reading, how=""), nothing, "constant", _why("constant"))
    if reading.kind == "category" and not given and len(reading.levels) == 1:
        reading = replace(reading, doubt="one value and gaps: may be yes and no")
    if reading.how == "number" and not given:
        name = str(column.name)
        evidence = identifier_evidence(present, name)
        timely = any(word in name.lower() for word in _TIME_WORDS)
        if evidence in ("dense", "named") and not timely and reading.kind == "number":
            why = _why("identifier")
            return DecidedColumn(replace(reading, how=""), nothing, "identifier", why)
        doubt = reading.doubt or identifier_doubt(present, evidence, is_first)
        return DecidedColumn(reading, values, reading.kind, reading.remark, doubt)
    return DecidedColumn(reading, values, reading.kind, reading.remark, reading.doubt)


def _why(kind: str) -> str:
    return {
        "identifier": "names the rows",
        "free text": "text that hardly repeats",
        "constant": "the same value in every row",
        "empty": "no value in any row",
    }.get(kind, "")


def _ranked(found: Mapping[str, DecidedColumn]) -> RankedColumns:
    """Columns of one number or word per cell as ranks; new words count as missing."""
    used = {n: c for n, c in found.items() if c.is_used and c.values.ndim == 1}
    ranks = [np.full(column.values.size, -1, dtype=np.int32) for column in used.values()]
    values = []
    for column, row in zip(used.values(), ranks, strict=True):
        present = ~np.isnan(column.values)
        if column.reading.how == "words":
            present &= column.values >= 0
        distinct, row[present] = np.unique(column.values[present], return_inverse=True)
        values.append(distinct)
    is_number = np.array([column.kind != "category" for column in used.values()], dtype=bool)
    return RankedColumns(list(used), np.array(ranks), values, is_number)


def _mark_copies(
    found: dict[str, DecidedColumn], columns: RankedColumns, given: Mapping[str, str]
) -> None:
    """Leave out columns that say the same as one before them, in proportion or word for word."""
    names, before = columns.names, dict(found)
    for j, original in enumerate(find_copies(columns).tolist()):
        if original < 0 or names[j] in given:
            continue
        pair = before[names[original]], before[names[j]]
        if columns.n_rows < MIN_COPY_ROWS:
            same = pair[0].reading.levels == pair[1].reading.levels
            same = same and np.array_equal(pair[0].values, pair[1].values, equal_nan=True)
        else:
            same = "category" in (pair[0].kind, pair[1].kind) or _is_proportional(*pair)
        if same:
            why = f"says the same as {names[original]!r}"
            if found[names[original]].kind == "copy":
                why = found[names[original]].reason
            reading = replace(pair[1].reading, how="")
            found[names[j]] = DecidedColumn(reading, np.empty(0), "copy", why)


def _is_proportional(a: DecidedColumn, b: DecidedColumn) -> bool:
    """Whether one column is nearly a multiple of the other, plus a constant."""
    both = np.column_stack([a.values, b.values])
    both = both[~np.isnan(both).any(axis=1)]
    if a.kind == b.kind == "date":
        # Times of a day matter, however many days there are.
        return bool(len(both) and np.ptp(both[:, 1] - both[:, 0]) < 1.0)
    scaled = both - both.mean(axis=0)
    lengths = np.sqrt((scaled**2).sum(axis=0)).prod()
    return bool(lengths and abs((scaled[:, 0] * scaled[:, 1]).sum()) >= COPY_CORRELATION * lengths)


def _mark_leaks(found: dict[str, DecidedColumn], columns: RankedColumns, target: Target) -> None:
    """Name columns that tell the target by themselves; they stay."""

    def numbers_of(names: list[str]) -> Array:
        columns = [found[name].values for name in names]
        Z = np.column_stack([np.where(np.isnan(v), np.nanmin(v) - 1.0, v) for v in columns])
        return np.asarray(Z)

    leaks = find_leaks(columns, target.values, target.n_classes, numbers_of)
    what = "labels" if target.n_classes else "variance of the target"
    for j, (skill, rest) in leaks.items():
        name = columns.names[j]
        others = "" if np.isnan(rest) else f", all others together {max(rest, 0.0):.0%}"
        reason = f"alone tells {skill:.0%} of the {what}{others}"
        found[name] = found[name]._replace(
            kind="leak",
            reason=reason,
            doubt="leave it out unless it is known before the target is",
        )
