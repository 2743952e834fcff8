"""What was decided on each column of a table, for users to read."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from broadlearn.io.column_table import DecidedColumn
from broadlearn.io.csv_files import import_pandas

if TYPE_CHECKING:
    import pandas as pd

MAX_EXAMPLE = 30


@dataclass(frozen=True)
class ColumnRecord:
    """What was decided on a column of a table.

    Attributes
    ----------
    name : str
    kind : str
        "number", "number as text", "boolean", "category", "ordered category", "date",
        "identifier", "free text", "constant", "empty", "copy" (of another column) or "leak" (a
        near-copy of the target).
    missing : float
        Share of the rows without a value that can be read.
    distinct : int
        Different values.
    example : str
        The first value.
    use : str
        What becomes of it.
    doubt : str
        Why the kind may be wrong; "" where there is no doubt.
    """

    name: str
    kind: str
    missing: float
    distinct: int
    example: str
    use: str
    doubt: str = ""

    @property
    def is_used(self) -> bool:
        """Whether something is learnt from the column."""
        return not self.use.startswith("left out")


def make_record(column: pd.Series, decided: DecidedColumn, use: str) -> ColumnRecord:
    """The record of a column, of which becomes what `use` says."""
    present = ~import_pandas().isna(column.array)
    first = int(present.argmax())
    if decided.values.size:
        read = decided.values.reshape(len(column), -1)[:, 0]
        known = ~np.isnan(read)
        missing = 1.0 - float(known.mean())
    else:
        missing = 1.0 - float(present.mean())
    if decided.values.size and decided.reading.how != "parts":
        distinct = int(np.unique(read[known]).size)
    else:
        distinct = int(column.nunique())
    example = str(column.iloc[first])[: MAX_EXAMPLE + 1] if present[first] else ""
    if len(example) > MAX_EXAMPLE:
        example = f"{example[:MAX_EXAMPLE]}…"
    return ColumnRecord(
        str(column.name), decided.kind, missing, distinct, example, use, decided.doubt
    )


def warn_of_columns(records: list[ColumnRecord]) -> None:
    """Warn of columns that name rows or may leak the target."""
    for record in records:
        if record.kind in ("identifier", "free text"):
            sentence = f"Column {record.name!r} is {record.use}."
        elif record.kind == "leak":
            told = record.use.rpartition("; ")[2]
            sentence = f"Column {record.name!r} {told}: {record.doubt}."
        else:
            continue
        warnings.warn(sentence, UserWarning, stacklevel=4)
