"""Rows below a table that sum up those above, or hold a remark: they are no rows."""

from __future__ import annotations

import re
import warnings

from broadlearn.io.column_levels import spelling_key
from broadlearn.io.csv_files import FileTable, import_pandas
from broadlearn.io.sources import Source

# Such rows at most; and rows that a table has at least besides.
MAX_TOTALS, MIN_ROWS = 3, 2
# Words that a remark has at least.
MIN_WORDS = 2
_TOTAL = re.compile(
    r"(?:grand |sub|overall )?totals?|totale?s?|totaux|totaal|totalt|gesamt|insgesamt|zusammen|"
    r"sum|summe|somme|soma|somma|suma|summa|razem|celkem|итого|всего|合计|總計|总计|合計|합계|"
    r"average|mean|mittelwert|durchschnitt|moyenne|promedio|média|media|count|anzahl"
)


def without_totals(table: FileTable, source: Source) -> FileTable:
    """A table without last rows that begin with "Total" or the like and have gaps.

    Nor does it have last rows with nothing but a remark of some words. Words that other rows have
    in that column too are neither. A warning tells of rows that are left out.

    Parameters
    ----------
    table : FileTable
    source : Source
        Where it comes from, for the warning.
    """
    n_rows, names, sums = len(table.frame), list[str](), True
    while len(names) < MAX_TOTALS and n_rows > MIN_ROWS:
        row = table.frame.iloc[n_rows - 1]
        present = row[row.notna()]
        if present.size in (0, row.size) or not isinstance(present.iloc[0], str):
            break
        word = _word_of(present.iloc[0])
        remark = present.size == 1 and row.size > 2 and len(word.split()) >= MIN_WORDS
        others = table.frame[present.index[0]].iloc[: n_rows - 1]
        if not (remark or _TOTAL.fullmatch(word)) or any(_word_of(cell) == word for cell in others):
            break
        names.append(present.iloc[0])
        sums = sums and bool(_TOTAL.fullmatch(word))
        n_rows -= 1
    if not names:
        return table
    why = "sum up others" if sums else "are no rows of the table"
    one = "sums up others" if sums else "is a remark and no row"
    warnings.warn(
        f"The last row of {source} was left out, as it {one}: {names[-1][:60]!r}."
        if len(names) == 1
        else f"The last {len(names)} rows of {source} were left out, as they {why}.",
        UserWarning,
        stacklevel=3,
    )
    return rows_of_table(table, slice(0, n_rows))


def rows_of_table(table: FileTable, rows: slice) -> FileTable:
    """Some rows of a table, with columns of numbers as such that other rows had made texts."""
    pandas = import_pandas()
    frame = table.frame.iloc[rows].reset_index(drop=True)
    for name in frame:
        column = frame[name].infer_objects()
        frame[name] = column
        if not pandas.api.types.is_string_dtype(column) or table.lines is None:
            continue
        # Unless they are codes.
        texts = column.dropna().astype(str)
        if texts.size and not texts.str.fullmatch(r"\s*0\d+\s*").any():
            numbers = pandas.to_numeric(column, errors="coerce")
            if numbers.notna().sum() == texts.size:
                frame[name] = numbers
    lines = None if table.lines is None else table.lines[rows]
    return table._replace(frame=frame, lines=lines)


def _word_of(cell: object) -> str:
    return spelling_key(cell).strip(" :=*") if isinstance(cell, str) else ""
