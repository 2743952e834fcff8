"""A user's file as features and target."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from broadlearn.tables.labels import read_labels
from broadlearn.tables.reading import read_frame
from broadlearn.tables.sources import FileOptions, TableError
from broadlearn.utils import listed


@dataclass(frozen=True)
class Table:
    """Features and target of a file.

    Attributes
    ----------
    name : str
        Name of the file without its extensions.
    X : pandas.DataFrame
        All columns but the target.
    y : ndarray of shape (n_rows,) or None
        Labels, or floats of a quantity; None without a target.
    target : str or None
        Name of the target column.
    task : {"classification", "regression"} or None
        None without a target.
    """

    name: str
    X: pd.DataFrame
    y: NDArray[Any] | None
    target: str | None
    task: str | None


def read_table(
    source: str | PathLike[str],
    target: str | None = None,
    *,
    task: str | None = None,
    drop: Iterable[str] = (),
    options: FileOptions | None = None,
    as_text: bool = False,
) -> Table:
    r"""Read a table with a target column.

    Parameters
    ----------
    source : str or path-like
        "-" reads standard input.
    target : str, default=None
        Column of the labels or of the quantity. Missing labels are refused.
    task : {"classification", "regression"}, default=None
        What the target holds; decided by `infer_task` if None.
    drop : iterable of str, default=()
        Columns to leave out.
    options : FileOptions, default=None
        How the file is written.
    as_text : bool, default=False
        Keep cells of features as they are written, for a fitted `TablePreparation` to read.

    Returns
    -------
    Table

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from broadlearn.tables import read_table
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "patients.csv")
    ...     _ = path.write_text("age;sex;ill\n61;f;yes\n?;m;no\n")
    ...     table = read_table(path, "ill")
    >>> table.name, list(table.X), table.y.tolist(), table.task
    ('patients', ['age', 'sex'], ['yes', 'no'], 'classification')
    """
    frame = read_frame(source, options, as_text=as_text)
    where = "Standard input" if str(source) == "-" else str(source)
    dropped = list(drop)
    for name in [*dropped, *([] if target is None else [target])]:
        if name not in frame.columns:
            raise TableError(f"{where} has no column {name!r}; {_suggestion(name, frame)}")
    if target in dropped:
        raise TableError(f"{target!r} is the target and cannot be dropped.")
    frame = frame.drop(columns=dropped)
    stem = "stdin" if where == "Standard input" else Path(source).name.split(".")[0]
    if target is None:
        return Table(stem, frame, None, None, None)
    column = frame.pop(target)
    if as_text:
        column = column.replace("", None).infer_objects()
        numbers = pd.to_numeric(column, errors="coerce")
        column = numbers if numbers.notna().all() else column
    y, found = read_labels(column, f"The target column {target!r} of {where}", task)
    if not frame.shape[1]:
        raise TableError(f"{where} has no columns besides the target {target!r}.")
    return Table(stem, frame, y, target, found)


def _suggestion(name: str, frame: pd.DataFrame) -> str:
    by_key = {str(other).lower(): str(other) for other in frame.columns}
    close = difflib.get_close_matches(name.lower(), by_key, n=1)
    if close:
        return f"did you mean {by_key[close[0]]!r}?"
    return f"its columns are {listed(list(frame.columns), most=8)}."
