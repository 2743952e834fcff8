"""A row of units below the names of columns: it is no row."""

from __future__ import annotations

import re
import warnings
from typing import Any

from broadlearn.io.column_levels import spelling_key
from broadlearn.io.column_words import NO_NUMBER
from broadlearn.io.csv_files import FileTable, import_pandas
from broadlearn.io.headers import FieldKinds
from broadlearn.io.sources import Source
from broadlearn.io.table_totals import rows_of_table

# Rows that are looked at for numbers below, and letters that a unit has at most.
ROWS_TO_JUDGE, MAX_UNIT = 200, 15
# Rows that a table has at least besides.
MIN_ROWS = 2
_BRACKETED = re.compile(r"\[.*\]|\(.*\)")
_LINE = re.compile(r":?-{2,}:?")


def without_units(table: FileTable, source: Source) -> FileTable:
    """A table without a first row of units, or of dashes as in tables of Markdown.

    Units stand above numbers alone; above words there is nothing, a dash, or brackets. A warning
    tells of units that are left out.

    Parameters
    ----------
    table : FileTable
    source : Source
        Where it comes from, for the warning.
    """
    frame = table.frame
    if len(frame) <= MIN_ROWS or not any(isinstance(cell, str) for cell in frame.iloc[0]):
        return table
    first = [" ".join(cell.split()) if isinstance(cell, str) else cell for cell in frame.iloc[0]]
    if all(isinstance(cell, str) and _LINE.fullmatch(cell) for cell in first):
        return rows_of_table(table, slice(1, None))
    absent, units = import_pandas().isna, []
    for cell, name in zip(first, frame, strict=True):
        if absent(cell) or (_is_void(cell) and not _is_unit(cell)):
            continue
        if not _is_unit(cell) or not _has_numbers(frame[name].iloc[1 : 1 + ROWS_TO_JUDGE]):
            if _is_void(cell):
                continue
            return table
        units.append(cell)
    if not units:
        return table
    warnings.warn(
        f"The first row of {source} was left out, as it holds units: {', '.join(units[:3])[:60]}.",
        UserWarning,
        stacklevel=3,
    )
    return rows_of_table(table, slice(1, None))


def _is_void(cell: Any) -> bool:
    return isinstance(cell, str) and bool(cell in ("-", "--", "") or _BRACKETED.fullmatch(cell))


def _is_unit(cell: Any) -> bool:
    """Whether a cell is a short text that is neither a number nor stands for none."""
    if not isinstance(cell, str) or len(cell) > MAX_UNIT or FieldKinds.is_number(cell):
        return False
    return spelling_key(cell) not in NO_NUMBER


def _has_numbers(column: Any) -> bool:
    """Whether cells are numbers as far as there are any."""
    texts = [str(cell).strip() for cell in column.dropna()]
    known = [text for text in texts if spelling_key(text) not in NO_NUMBER]
    return bool(known) and all(map(FieldKinds.is_number, known))
