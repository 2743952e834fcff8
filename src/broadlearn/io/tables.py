"""A user's file as a table of features and labels, and its columns as numbers."""

from __future__ import annotations

import difflib
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from broadlearn.io.table_files import import_pandas, read_frame
from broadlearn.utils import Array

if TYPE_CHECKING:
    import pandas as pd

# Levels of a text column that get a column of their own; rarer ones share one.
MAX_LEVELS = 50
# A numeric target with more distinct values than this may be a quantity instead of a class.
MAX_NUMERIC_LABELS = 50
TASKS = ("classification", "regression", "auto")
# From this many rows on, text that never repeats is taken for an identifier.
MIN_IDENTIFIER_ROWS = 20

# Kinds of columns by the names that pandas gives to their content.
_DATES = ("datetime64", "datetime", "date", "time", "timedelta64", "timedelta", "period")
_KINDS = {
    **dict.fromkeys(("integer", "floating", "mixed-integer-float", "decimal", "empty"), "number"),
    **dict.fromkeys(("string", "categorical"), "text"),
    **dict.fromkeys(_DATES, "date"),
    "boolean": "boolean",
}
_MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE = re.compile(
    r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{4}|\d{1,2}/\d{1,2}/\d{2}"
    rf"|\d{{1,2}}[-. ]+{_MONTH}[-., ]+\d{{2,4}}|{_MONTH}[. ]+\d{{1,2}},? +\d{{4}})"
    r"(,?[ T]+\d{1,2}:\d{2}.*)?",
    re.IGNORECASE,
)


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
    """

    name: str
    X: pd.DataFrame
    y: NDArray[Any] | None
    target: str | None


def read_table(
    path: str | PathLike[str],
    target: str | None = None,
    *,
    drop: Iterable[str] = (),
    task: str = "classification",
) -> Table:
    r"""Read a CSV, TSV, Parquet or ARFF file.

    The format follows from the extension: ``.csv`` and ``.tsv`` (fields separated by commas,
    semicolons or tabs, whichever the first line has most of), ``.parquet`` or ``.pq``, ``.arff``;
    all but Parquet also with ``.gz``. Empty fields, ``NA`` and the like, and ``?`` are missing
    values. A first column of a CSV file that has no name is taken for row numbers and left out.

    Parameters
    ----------
    path : str or path-like
    target : str, default=None
        Column of the labels. Numbers, text and booleans are fine, missing labels are not.
    drop : iterable of str, default=()
        Columns to leave out.
    task : {"classification", "regression", "auto"}, default="classification"
        What the target holds. "classification" refuses a target of numbers that looks like a
        quantity, "regression" one that is not made of finite numbers; "auto" takes both, and gives
        floats for a quantity and only then.

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
    path = Path(path)
    frame = read_frame(path)
    for name in [*drop, *([] if target is None else [target])]:
        if name not in frame.columns:
            raise ValueError(f"{path} has no column {name!r}; {_suggestion(name, frame.columns)}")
    frame = frame.drop(columns=list(drop)).reset_index(drop=True)
    y = None if target is None else _labels(frame.pop(target), path, task)
    if not frame.shape[1]:
        raise ValueError(f"{path} has no columns besides the target {target!r}.")
    _column_kinds(frame)
    name = path.name.removesuffix(".gz")
    return Table(name.removesuffix(Path(name).suffix), frame, y, target)


def column_preparation(X: pd.DataFrame) -> ColumnTransformer:
    """Make the transformer that turns the columns of a table into numbers.

    What it learns, it learns in ``fit``: put it into a pipeline with a classifier, and missing
    values are filled in from training rows only.

    - Numbers: a missing one becomes the column's median (0 if all are missing).
    - Booleans: 0 and 1, a missing one becomes the more frequent.
    - Text and categories: one column of 0 and 1 for each level, missing being a level too; a single
      one for text of two levels. At most 50 levels of a column are told apart. A level that was not
      there in ``fit`` counts as a rare one, or as none.
    - Text that differs in each of 20 or more rows is taken for an identifier and left out, with a
      warning.

    Parameters
    ----------
    X : pandas.DataFrame
        The table, or one with the same columns. Dates are refused.

    Returns
    -------
    sklearn.compose.ColumnTransformer
        Not fitted. It gives a dense float array, or a frame after ``set_output``.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.io import column_preparation
    >>> X = pd.DataFrame({"age": [61, None, 70], "colour": ["red", "blue", None]})
    >>> prepare = column_preparation(X)
    >>> prepare.fit_transform(X)
    array([[61. ,  0. ,  1. ,  0. ],
           [65.5,  1. ,  0. ,  0. ],
           [70. ,  0. ,  0. ,  1. ]])
    >>> prepare.get_feature_names_out().tolist()
    ['age', 'colour_blue', 'colour_red', 'colour_nan']
    """
    kinds = _column_kinds(X)
    columns: dict[str, list[str]] = {part: [] for part in ("number", "boolean", "pair", "levels")}
    identifiers = []
    for name, kind in kinds.items():
        texts = X[name].dropna()
        if kind != "text":
            columns[kind].append(name)
        elif len(texts) >= MIN_IDENTIFIER_ROWS and texts.is_unique:
            identifiers.append(name)
        else:
            columns["pair" if X[name].nunique(dropna=False) == 2 else "levels"].append(name)
    if identifiers:
        left_out = (
            f"{_listed(identifiers)} left out: text that is different in every row "
            "identifies rows and cannot be learnt from"
        )
        if len(identifiers) == len(kinds):
            raise ValueError(f"{left_out}, and there is no other column.")
        warnings.warn(f"{left_out}.", UserWarning, stacklevel=2)
    apply = partial(FunctionTransformer, feature_names_out="one-to-one")
    impute = partial(SimpleImputer, keep_empty_features=True)
    encode = partial(OneHotEncoder, sparse_output=False)
    rare = {"handle_unknown": "infrequent_if_exist", "max_categories": MAX_LEVELS}
    steps = {
        "number": make_pipeline(apply(to_numbers), impute(strategy="median")),
        "boolean": make_pipeline(apply(to_numbers), impute(strategy="most_frequent")),
        # Encoders that drop a level warn of each level that is new to them: only pairs drop one.
        "pair": make_pipeline(apply(to_texts), encode(drop="if_binary", handle_unknown="ignore")),
        "levels": make_pipeline(apply(to_texts), encode(**rare)),
    }
    transformers = [(part, steps[part], names) for part, names in columns.items() if names]
    return ColumnTransformer(transformers, sparse_threshold=0, verbose_feature_names_out=False)


def as_numeric(X: pd.DataFrame) -> Array | None:
    """Give a table that needs no preparation as an array.

    Parameters
    ----------
    X : pandas.DataFrame

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
    if "text" in _column_kinds(X).values():
        return None
    numbers = to_numbers(X)
    return None if np.isnan(numbers).any() else numbers


def _labels(column: pd.Series, path: Path, task: str) -> NDArray[Any]:
    """Labels of a target column, or the numbers of a regression target."""
    what = f"The target column {column.name!r} of {path}"
    missing = np.flatnonzero(column.isna())
    if missing.size:
        raise ValueError(
            f"{what} has no label in {missing.size} of {len(column)} rows, "
            f"the first of them row {missing[0] + 1}."
        )
    kind = _kind(column)
    if task == "regression" and kind != "number":
        raise ValueError(f"{what} holds {kind}s, where numbers are expected.")
    if kind == "text":
        return np.array(column.astype(str).tolist())
    if kind == "boolean":
        return column.to_numpy(dtype=bool)
    if kind != "number":
        raise ValueError(f"{what} holds {kind}s, where classes are expected.")
    numbers = column.to_numpy(dtype=np.float64)
    distinct = np.unique(numbers).size
    whole = bool(np.all(np.isfinite(numbers)) and np.all(numbers == np.round(numbers)))
    quantity = distinct > MAX_NUMERIC_LABELS and (not whole or distinct > len(numbers) / 2)
    if task == "regression" or (quantity and task == "auto"):
        if not np.isfinite(numbers).all():
            raise ValueError(f"{what} must hold finite numbers.")
        return numbers
    if quantity:
        raise ValueError(
            f"{what} looks like a regression target: "
            f"{distinct} different numbers in {len(numbers)} rows, where classes are expected."
        )
    # scikit-learn's classifiers refuse labels that are fractions.
    return numbers.astype(np.int64) if whole else np.array([f"{number:g}" for number in numbers])


def _column_kinds(X: pd.DataFrame) -> dict[str, str]:
    """Kind of each column, if all are of use."""
    kinds = {name: _kind(X[name]) for name in X}
    reasons = {
        "date": "dates must be turned into numbers, such as days since a first date, or left out",
        "other object": "only numbers, booleans, text and categories can be used",
    }
    for bad, why in reasons.items():
        names = [name for name, kind in kinds.items() if kind == bad]
        if names:
            raise ValueError(f"{_listed(names)} refused: {why}.")
    return kinds


def _kind(column: pd.Series) -> str:
    content = import_pandas().api.types.infer_dtype(column, skipna=True)
    if content in ("mixed", "mixed-integer"):
        plain = all(isinstance(value, str | Real) for value in column.dropna())
        return "text" if plain else "other object"
    texts = column.dropna().unique() if content == "string" else ()
    if len(texts) and all(map(_DATE.fullmatch, texts)):
        return "date"
    return _KINDS.get(content, "other object")


def to_numbers(X: pd.DataFrame) -> Array:
    """Columns as floats, with nan for whatever pandas takes as missing."""
    numbers = np.empty(X.shape)
    for j, name in enumerate(X):
        try:
            numbers[:, j] = X[name].to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError) as error:
            raise ValueError(f"Column {name!r} must hold numbers: {str(error)[:200]}.") from error
        if np.isinf(numbers[:, j]).any():
            raise ValueError(f"Column {name!r} must hold finite numbers.")
    return numbers


def to_texts(X: pd.DataFrame) -> NDArray[np.object_]:
    """Columns as strings, with nan for whatever pandas takes as missing."""
    texts = np.empty(X.shape, dtype=object)
    for j, name in enumerate(X):
        texts[:, j] = X[name].astype(str)
        texts[X[name].isna().to_numpy(), j] = np.nan
    return texts


def _suggestion(name: str, names: Sequence[str]) -> str:
    """Names like the one that was asked for, or else the first ones."""
    by_lower = {other.lower(): other for other in names}
    close = [by_lower[low] for low in difflib.get_close_matches(name.lower(), by_lower, n=3)]
    if close:
        return f"did you mean {' or '.join(map(repr, close))}?"
    more = ", ..." if len(names) > 8 else ""
    return f"its columns are {', '.join(map(repr, names[:8]))}{more}."


def _listed(names: Sequence[str]) -> str:
    """Say "Column 'a' is" or "Columns 'a', 'b' are"."""
    noun, verb = ("Columns", "are") if len(names) > 1 else ("Column", "is")
    return f"{noun} {', '.join(map(repr, names))} {verb}"
