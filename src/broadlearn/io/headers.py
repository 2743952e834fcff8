"""Whether the first row of a table names its columns or is a row like the others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

MISSING = {"", "?", "-", ".", "na", "n/a", "nan", "null", "none", "#n/a"}
_NUMBER = re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)(e[-+]?\d+)?|[-+]?inf", re.IGNORECASE)
_WHOLE = re.compile(r"\d{1,9}")
YEARS = range(1900, 2101)


class FieldKinds(NamedTuple):
    """What a column holds below the first row."""

    numbers: int
    texts: int
    values: frozenset[str]

    @classmethod
    def of(cls, fields: Sequence[str]) -> FieldKinds:
        """Count the numbers and texts among fields that are not missing."""
        known = [field for field in fields if field.lower() not in MISSING]
        numbers = sum(map(cls.is_number, known))
        return cls(numbers, len(known) - numbers, frozenset(known))

    @staticmethod
    def is_number(field: str) -> bool:
        """Whether a field is a number, or digits and marks as in a date or a price."""
        if _NUMBER.fullmatch(field):
            return True
        return any(map(str.isdigit, field)) and not any(map(str.isalpha, field))


def judge_header(
    first: Sequence[str], others: Sequence[Sequence[str]], extension: str = ".csv"
) -> bool | None:
    """Whether the first row names the columns: yes, no, or None where it could be either.

    A row whose fields are of another kind than those below (text over numbers, numbers over text)
    names the columns. One with numbers where all others have numbers does not, unless these numbers
    count on (years, wavelengths) as those below do not. Where all columns are text, a row is one
    like the others if its fields stand below in the same columns too. Files in ``.data`` have no
    header unless it is seen.

    Parameters
    ----------
    first : sequence of str
    others : sequence of sequence of str
        The rows that follow; those of another length are passed over.
    extension : str, default=".csv"

    Returns
    -------
    bool or None

    Examples
    --------
    >>> judge_header(["age", "town"], [["61", "Ulm"], ["70", "Bonn"]])
    True
    >>> judge_header(["61", "Ulm"], [["70", "Bonn"], ["52", "Kiel"]])
    False
    >>> judge_header(["town", "2021"], [["Ulm", "1.5"], ["Bonn", "1.7"]]) is None
    True
    """
    rows = [row for row in others if len(row) == len(first)]
    if not rows:
        return not all(map(FieldKinds.is_number, first))
    columns = [FieldKinds.of(fields) for fields in zip(*rows, strict=True)]
    if not first[0] and _counts_on([row[0] for row in rows]):
        # Row numbers, which have no name.
        return True
    known = [j for j, field in enumerate(first) if field.lower() not in MISSING]
    if not any(first):
        return True
    for j in known:
        number, column = FieldKinds.is_number(first[j]), columns[j]
        if (column.numbers and not column.texts and not number) or (
            column.texts and not column.numbers and number
        ):
            return True
    numeric = [j for j, column in enumerate(columns) if column.numbers and not column.texts]
    if numeric:
        return _judge_numbers(first, rows, columns, numeric)
    below = sum(first[j] in columns[j].values for j in known)
    repeated = len({first[j] for j in known}) < len(known)
    if known and (below == len(known) or (repeated and 2 * below >= len(known))):
        return False
    if extension == ".data":
        return False
    return None if known and 2 * below >= len(known) else True


def _judge_numbers(
    first: Sequence[str],
    rows: Sequence[Sequence[str]],
    columns: Sequence[FieldKinds],
    numeric: Sequence[int],
) -> bool | None:
    """Judge a row with numbers in all columns that hold numbers."""
    fields = [first[j] for j in numeric if first[j]]
    texts = [j for j, field in enumerate(first) if field and j not in numeric]
    below = sum(first[j] in columns[j].values for j in texts)
    years = all(_WHOLE.fullmatch(field) and int(field) in YEARS for field in fields)
    if len(fields) < 3:
        of_years = all(
            _WHOLE.fullmatch(value) and int(value) in YEARS
            for j in numeric
            for value in columns[j].values
        )
        return None if years and texts and not of_years and 2 * below < len(texts) else False
    if not _counts_on(fields) or all(_counts_on([row[j] for j in numeric]) for row in rows):
        return False
    return True if texts and not below else None


def _counts_on(fields: Sequence[str]) -> bool:
    """Whether fields are whole numbers at one distance from each other."""
    if not all(_WHOLE.fullmatch(field) for field in fields):
        return False
    numbers = [int(field) for field in fields]
    steps = {b - a for a, b in pairwise(numbers)}
    return len(steps) == 1 and steps != {0} if len(numbers) > 1 else numbers in ([0], [1])


def names_numbers(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a field that is no number stands above numbers alone.

    Examples
    --------
    >>> names_numbers(["age", "town"], [["61", "Ulm"]]), names_numbers(["a", "b"], [["c", "d"]])
    (True, False)
    """
    for j, field in enumerate(first):
        kinds = FieldKinds.of([row[j] for row in rows])
        named = field.lower() not in MISSING and not FieldKinds.is_number(field)
        if named and kinds.numbers and not kinds.texts:
            return True
    return False


def merged_header(
    first: Sequence[str], second: Sequence[str], others: Sequence[Sequence[str]]
) -> list[str] | None:
    """Names of columns that are written in two rows, of which the first has gaps or repeats.

    Columns are called by the second row, or by the first where that has none; where this would
    call several the same, by both, a heading being that of the columns on its right too.

    Parameters
    ----------
    first, second : sequence of str
    others : sequence of sequence of str
        The rows that follow; those of another length are passed over.

    Returns
    -------
    list of str or None
        None where the second row is one like the others, or the first names all columns.

    Examples
    --------
    >>> rows = [["1", "61", "80", "yes"], ["2", "70", "66", "no"]]
    >>> merged_header(["nr", "body", "", "ill"], ["", "age", "kg", ""], rows)
    ['nr', 'age', 'kg', 'ill']
    """
    rows = [row for row in others if len(row) == len(first)]
    if not rows or len(second) != len(first):
        return None
    used = [any(fields) for fields in zip(*rows, strict=True)]
    gaps = any(needed and not name for name, needed in zip(first[1:], used[1:], strict=True))
    repeats = len({*filter(None, first)}) < sum(map(bool, first))
    if not (gaps or repeats) or any(map(FieldKinds.is_number, filter(None, second))):
        return None
    if not names_numbers(second, rows):
        return None
    names = [below or above for above, below in zip(first, second, strict=True)]
    if len({*filter(None, names)}) < sum(map(bool, names)):
        names, heading = [], ""
        for above, below in zip(first, second, strict=True):
            heading = above or heading
            names.append(f"{heading} {below}".strip())
    named = all(name for name, needed in zip(names, used, strict=True) if needed)
    return names if named and len({*names}) == len(names) else None
