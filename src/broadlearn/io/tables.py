"""A user's file as a table of features and labels."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from broadlearn.io.arrow_columns import plain_types
from broadlearn.io.column_reading import as_floats, content_of
from broadlearn.io.labels import TASKS, read_labels
from broadlearn.io.sources import FileOptions, Source
from broadlearn.io.table_files import column_name, open_table, read_file
from broadlearn.utils import Array

if TYPE_CHECKING:
    import pandas as pd

# Longer texts are no labels: arrays of labels have room for the longest in every row.
MAX_LABEL = 1000
_NUMERIC = ("integer", "floating", "mixed-integer-float", "decimal", "boolean", "empty")


@dataclass(frozen=True)
class Table:
    """Features and labels from a file.

    Attributes
    ----------
    name : str
        Name of the file without its extension.
    X : pandas.DataFrame
        All columns but the target.
    y : ndarray of shape (n_rows,) or None
        Labels, or floats for a regression target; None without a target column.
    target : str or None
        Name of the target column.
    lines : sequence of int or None
        The line of the file (row of a sheet) at which each row begins, counted from 1; None where
        the file has no lines.
    """

    name: str
    X: pd.DataFrame
    y: NDArray[Any] | None
    target: str | None
    lines: Sequence[int] | NDArray[np.int64] | None = None


def read_table(
    path: str | PathLike[str] | Source,
    target: str | None = None,
    *,
    drop: Iterable[str] = (),
    task: str = "classification",
    sep: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    format: str | None = None,
    classes: Sequence[Any] | NDArray[Any] = (),
    max_memory: str | int | None = None,
) -> Table:
    r"""Read a table from a file of any common format.

    The format follows from the extension: text (``.csv``, ``.tsv``, ``.txt``, ``.dat``, ``.data``),
    ``.json``, ``.jsonl`` or ``.ndjson``, ``.arff``, ``.xlsx`` (the first sheet, or the
    first behind a sheet of notes), ``.parquet`` or ``.pq``, ``.feather`` or ``.arrow``; all also
    behind ``.gz``, ``.bz2``, ``.xz`` or ``.zst``.

    Of text it is found out how it is written: encoding (UTF-8, UTF-16 with its mark, Latin-1),
    separator (comma, semicolon, tab, bar or blanks), decimal commas, and whether the first line
    names the columns; if not, they are called ``f1``, ``f2``, ... What may be otherwise is said
    by a warning. Empty fields, ``NA`` and the like, and ``?`` are missing values. A first column
    that has no name is taken for row numbers and left out.

    Parameters
    ----------
    path : str or path-like
        "-" reads standard input, whose format follows from the content.
    target : str, default=None
        Column of the labels. Numbers, text and booleans are fine, missing labels are not. Labels
        that differ in case or spaces only are one, which a warning says. Of a file without a
        header, "5" is the same as "f5".
    drop : iterable of str, default=()
        Columns to leave out.
    task : {"classification", "regression", "auto"}, default="classification"
        What the target holds. "classification" refuses a target of numbers that looks like a
        quantity, "regression" one that is not made of finite numbers; "auto" takes both, and gives
        floats for a quantity and only then.
    sep : str, default=None
        What separates fields of text: one character, "tab", or "space" for any run of blanks.
    header : bool, default=None
        Whether the first line names the columns.
    encoding : str, default=None
        Encoding of text.
    decimal : {".", ","}, default=None
        Mark of decimals in text.
    format : str, default=None
        Format of the content, such as "csv", whatever the file is called.
    classes : sequence, default=()
        Classes of a model that the rows are to be judged by: labels that differ from them in case
        or spaces only are spelt as they are, which a warning says.
    max_memory : str or int, default=None
        Memory that the table may take, in bytes or as a size such as "2GB"; half of what is free if
        None. A file that would need more, by an estimate made before it is read, is refused.

    Returns
    -------
    Table

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from broadlearn.io import read_table
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "patients.csv")
    ...     _ = path.write_text("age;sex;ill\n61;f;yes\n?;m;no\n")
    ...     table = read_table(path, "ill")
    >>> table.name, list(table.X), table.y.tolist()
    ('patients', ['age', 'sex'], ['yes', 'no'])
    """
    if task not in TASKS:
        raise ValueError(f"task must be one of {', '.join(map(repr, TASKS))}, got {task!r}.")
    options = FileOptions(sep, header, encoding, decimal, format, max_memory)
    source = open_table(path, format, max_memory)
    file = read_file(source, options)
    frame = file.frame
    target = None if target is None else column_name(file, target)
    drop = [column_name(file, name) for name in drop]
    for name in [*drop, *([] if target is None else [target])]:
        if name not in frame.columns:
            hint = _suggestion(name, list(frame.columns), file.has_header)
            raise ValueError(f"{source} has no column {name!r}; {hint}")
    if target in drop:
        raise ValueError(f"{target!r} is the target, and cannot be dropped too.")
    frame = frame.drop(columns=drop).reset_index(drop=True)
    y = None
    if target is not None:
        what = f"The target column {target!r} of {source}"
        _refuse_bad_labels(frame[target], what)
        y = read_labels(frame.pop(target), what, task, file.where, classes)
    if not frame.shape[1]:
        raise ValueError(f"{source} has no columns besides the target {target!r}.")
    for name in frame:
        content_of(frame[name])
    return Table(source.name, frame, y, target, file.lines)


def _refuse_bad_labels(column: pd.Series, what: str) -> None:
    """Raise where a label is too long to be one, or would lose characters in an array."""
    if column.dtype.kind in "biufMm":
        return
    # Objects may be lists, of which pandas cannot tell which are the same.
    for label in column if column.dtype == object else column.unique():
        if isinstance(label, str) and (len(label) > MAX_LABEL or "\0" in label):
            fault = "a NUL character in it" if "\0" in label else f"{len(label):,} characters"
            raise ValueError(
                f"{what} has a label with {fault}, where at most {MAX_LABEL:,} characters of text "
                "are expected."
            )


def as_numeric(X: Any) -> Array | None:
    """Give a table that needs no preparation as an array.

    Parameters
    ----------
    X : pandas or polars DataFrame

    Returns
    -------
    ndarray of shape (n_rows, n_columns) or None
        None if a column is not numeric or boolean, or has missing values.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.io import as_numeric
    >>> as_numeric(pd.DataFrame({"age": [61, 70], "ill": [True, False]}))
    array([[61.,  1.],
           [70.,  0.]])
    """
    X = plain_types(X.to_pandas() if hasattr(X, "to_pandas") else X)
    if not all(content_of(X[name]) in _NUMERIC for name in X):
        return None
    numbers = to_numbers(X)
    return None if np.isnan(numbers).any() else numbers


def to_numbers(X: pd.DataFrame) -> Array:
    """Columns as floats, with nan for whatever pandas takes as missing."""
    numbers = np.empty(X.shape)
    for j, name in enumerate(X):
        numbers[:, j] = as_floats(X[name])
    return numbers


def to_texts(X: pd.DataFrame) -> NDArray[np.object_]:
    """Columns as strings, with nan for whatever pandas takes as missing."""
    texts = np.empty(X.shape, dtype=object)
    for j, name in enumerate(X):
        texts[:, j] = X[name].astype(str)
        texts[X[name].isna().to_numpy(), j] = np.nan
    return texts


def _suggestion(name: str, names: Sequence[str], has_header: bool) -> str:
    """Names like the one that was asked for, or else the first ones."""
    if not has_header:
        return (
            f"it has no header, so its columns are 'f1' to 'f{len(names)}'; the class is often "
            f"the first or the last, 'f1' or 'f{len(names)}'."
        )
    by_lower = {other.lower(): other for other in names}
    close = [by_lower[low] for low in difflib.get_close_matches(name.lower(), by_lower, n=3)]
    if close:
        return f"did you mean {' or '.join(map(repr, close))}?"
    more = ", ..." if len(names) > 8 else ""
    # A text of which no separator was found.
    hint = "; --sep says what separates several" if len(names) == 1 and len(names[0]) > 2 else ""
    return f"its columns are {', '.join(map(repr, names[:8]))}{more}{hint}."
