"""A table file written again with rows left out and labels replaced, all else as it was."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.io.csv_files import import_pandas, records, row_lines, settled_layout
from broadlearn.io.csv_layout import BLANK
from broadlearn.io.sources import (
    PACKED,
    STANDARD,
    TEXT_TABLES,
    FileOptions,
    Source,
    extension_of,
    open_source,
    pack,
)
from broadlearn.io.table_files import format_of, read_file, read_frame
from broadlearn.utils import encoded

if TYPE_CHECKING:
    import pandas as pd

SEPARATORS = {**dict.fromkeys(TEXT_TABLES, ","), ".tsv": "\t"}
PARQUET = (".parquet", ".pq")


class RowChanges(NamedTuple):
    """What becomes of the rows of a table.

    Attributes
    ----------
    n_rows : int
        Rows of the table.
    dropped, relabelled : ndarray
        Positions of rows, counted from 0.
    like : ndarray
        For each of `relabelled`, a row that has its new label, or -1 if there is none.
    labels : ndarray
        The new labels themselves.
    """

    n_rows: int
    dropped: NDArray[np.intp]
    relabelled: NDArray[np.intp]
    like: NDArray[np.intp]
    labels: NDArray[Any]

    @property
    def kept(self) -> NDArray[np.intp]:
        """Positions of the rows that stay."""
        return np.setdiff1d(np.arange(self.n_rows), self.dropped)


def row_changes(
    labels: NDArray[Any],
    dropped: Sequence[int] | NDArray[np.intp] = (),
    relabelled: Mapping[int, Any] | None = None,
) -> RowChanges:
    """Changes to a table with these labels; `relabelled` has the new ones by position.

    Examples
    --------
    >>> import numpy as np
    >>> changes = row_changes(np.array(["a", "b", "a"]), [1], {0: "b", 2: "c"})
    >>> changes.kept.tolist(), changes.relabelled.tolist(), changes.like.tolist()
    ([0, 2], [0, 2], [1, -1])
    """
    new = dict(sorted((relabelled or {}).items()))
    first: dict[Any, int] = {}
    if new:
        for i, label in enumerate(labels.tolist()):
            first.setdefault(label, i)
    found = [first.get(label, -1) for label in new.values()]
    texts = np.empty(len(new), dtype=object)
    texts[:] = list(new.values())
    gone, rows, like = (np.array([*part], dtype=np.intp) for part in (sorted(dropped), new, found))
    return RowChanges(len(labels), gone, rows, like, texts)


def chain_changes(labels: NDArray[Any], first: RowChanges, then: RowChanges) -> RowChanges:
    """Two changes as one, the second to the table that the first leaves.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array(["a", "b", "a"])
    >>> first = row_changes(labels, [0], {2: "b"})
    >>> both = chain_changes(labels, first, row_changes(np.array(["b", "b"]), [0]))
    >>> both.kept.tolist(), both.relabelled.tolist()
    ([2], [2])
    """
    dropped = {*first.dropped.tolist(), *first.kept[then.dropped].tolist()}
    new = dict(zip(first.relabelled.tolist(), first.labels.tolist(), strict=True))
    new |= dict(zip(first.kept[then.relabelled].tolist(), then.labels.tolist(), strict=True))
    return row_changes(
        labels, [*dropped], {row: label for row, label in new.items() if row not in dropped}
    )


def check_rewritable(path: Path) -> None:
    """Raise where a table cannot be written in the format of an extension."""
    if path != STANDARD and extension_of(path) not in (*SEPARATORS, *PARQUET):
        raise ValueError(f"{path} must end in {', '.join(SEPARATORS)}, .parquet or .pq.")
    if extension_of(path) in PARQUET and path.suffix.lower() in PACKED:
        raise ValueError(
            f"{path} must not end in {path.suffix}: Parquet files are compressed already."
        )


def rewrite_table(
    source: Path | Source,
    path: Path,
    target: str,
    changes: RowChanges,
    options: FileOptions | None = None,
) -> bytes:
    """Give the content of a file: all columns of the source, in the format of the new extension.

    From text to text, records are copied as they are: numbers keep their digits, and only
    relabelled records are written anew; remarks and blank lines go with the record that follows,
    and the encoding is kept. From Parquet to Parquet the schema is kept. Standard output, "-",
    gets the format of a source of text or Parquet, and CSV of others.
    """
    check_rewritable(path)
    source, options = open_source(source), options or FileOptions()
    before = format_of(source, options)
    after = extension_of(path)
    if path == STANDARD:
        after = before if before in (*SEPARATORS, *PARQUET) else ".csv"
    if before in PARQUET and after in PARQUET:
        return _edited_parquet(source, target, changes)
    if before in SEPARATORS and after in SEPARATORS:
        mark = None if before == after else SEPARATORS[after]
        return pack(_edited_text(source, target, changes, mark, options), path)
    frame = _edited_frame(source, target, changes, options)
    if after in PARQUET:
        buffer = io.BytesIO()
        frame.to_parquet(buffer, index=False)
        return buffer.getvalue()
    text = frame.to_csv(index=False, sep=SEPARATORS[after], lineterminator="\n")
    return pack(encoded(text), path)


def _edited_text(
    source: Source, target: str, changes: RowChanges, mark: str | None, options: FileOptions
) -> bytes:
    """The records that stay, in the encoding that they have; with a new separator if there is one.

    A table without a header stays without.
    """
    layout = settled_layout(source, options)
    if mark == "," and layout.decimal == ",":
        mark = ";"
    mark = layout.separator if mark is None else mark
    lines = row_lines(source, layout)
    if len(lines) != changes.n_rows:
        # Units above the rows and totals below stay as they are.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            as_read = read_file(source, options).lines
        lines = lines if as_read is None else list(as_read)
    _check_count(source, len(lines), changes)
    column, start = layout.names.index(target), -1 if layout.header_line else 0
    wanted = {like for like in changes.like.tolist() if like >= 0}
    found = enumerate(records(source, layout, lines), start) if wanted else ()
    texts = {i: record.fields[column] for i, record in found if i in wanted}
    labels = {
        int(row): texts[like] if like >= 0 else _written(label, layout.decimal)
        for row, like, label in zip(
            changes.relabelled.tolist(), changes.like.tolist(), changes.labels, strict=True
        )
    }
    dropped, parts = {*changes.dropped.tolist()}, []
    for i, (before, text, fields) in enumerate(records(source, layout, lines), start):
        if i in dropped:
            continue
        parts.append(before)
        if i in labels:
            fields[column] = labels[i]
        elif mark == layout.separator or not fields:
            parts.append(text)
            continue
        end = text[len(text.rstrip("\r\n")) :]
        parts.append(mark.join(_quoted(field, mark) for field in fields) + end)
    return "".join(parts).encode(layout.encoding)


def _written(label: Any, decimal: str) -> str:
    """A new label as text; numbers as the file writes them."""
    return (
        repr(label).removesuffix(".0").replace(".", decimal)
        if isinstance(label, float)
        else str(label)
    )


def _quoted(field: str, separator: str) -> str:
    """A field that can be read again, in quotes where it must be."""
    blank = separator == BLANK and (not field or "\t" in field)
    if blank or field != field.strip() or any(m in field for m in (separator, '"', "\r", "\n")):
        return '"' + field.replace('"', '""') + '"'
    return field


def _edited_frame(
    source: Source, target: str, changes: RowChanges, options: FileOptions
) -> pd.DataFrame:
    frame = read_frame(source, options)
    _check_count(source, len(frame), changes)
    frame[target] = replace_labels(frame[target], changes)
    return frame.iloc[changes.kept]


def replace_labels(column: pd.Series, changes: RowChanges) -> pd.Series:
    """A copy of a column of labels with the new ones, of the type that it has.

    Examples
    --------
    >>> import pandas as pd
    >>> column = pd.Series(["a", "b", "a"], dtype="category")
    >>> changes = row_changes(column.to_numpy(), relabelled={0: "b", 1: "c"})
    >>> replace_labels(column, changes).tolist()
    ['b', 'c', 'a']
    """
    copy, old = column.copy(), changes.like >= 0
    copy.iloc[changes.relabelled[old]] = column.iloc[changes.like[old]].to_numpy()
    if not old.all():
        new = changes.labels[~old].tolist()
        if isinstance(copy.dtype, import_pandas().CategoricalDtype):
            copy = copy.cat.add_categories(list(dict.fromkeys(new)))
        elif copy.dtype.kind in "iu":
            whole = all(label == int(label) for label in new)
            copy, new = (copy, [*map(int, new)]) if whole else (copy.astype(np.float64), new)
        copy.iloc[changes.relabelled[~old]] = new
    return copy


def _edited_parquet(source: Source, target: str, changes: RowChanges) -> bytes:
    import pyarrow
    from pyarrow import parquet

    with source.open() as file:
        table = parquet.read_table(file)
    _check_count(source, table.num_rows, changes)
    place = [str(name).strip() for name in table.column_names].index(target)
    field, column = table.schema.field(place), table.column(place)
    values = column.to_pylist() if changes.relabelled.size else []
    for row, like, label in zip(
        changes.relabelled.tolist(), changes.like.tolist(), changes.labels.tolist(), strict=True
    ):
        values[row] = column[like].as_py() if like >= 0 else label
    if values:
        table = table.set_column(place, field, pyarrow.array(values, type=field.type))
    buffer = io.BytesIO()
    parquet.write_table(table.take(changes.kept), buffer)
    return buffer.getvalue()


def _check_count(source: Source, n_rows: int, changes: RowChanges) -> None:
    if n_rows != changes.n_rows:
        raise ValueError(
            f"{source} had {changes.n_rows} rows and has {n_rows} now; was it changed meanwhile?"
        )
