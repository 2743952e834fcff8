"""A user's table as numbers on one scale, with its target."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from broadlearn.random_features import learn_standardization
from broadlearn.tables import TablePreparation, infer_task
from broadlearn.utils import Array

TASKS = ("auto", "classification", "regression")


class Rows(NamedTuple):
    """The audited table.

    Attributes
    ----------
    frame : pandas.DataFrame
        The table with its index; columns of an array are called "column 0" and so on.
    numbers : ndarray of shape (n_samples, n_numbers)
        All columns as numbers, missing values imputed; several for a column of text.
    Z : ndarray of shape (n_samples, n_numbers)
        The same on one scale, standardised robustly and cut at 10 deviations.
    starts : ndarray of shape (n_columns,)
        Where the numbers of each column begin.
    columns : list of str
        Names of the columns that became numbers.
    labels : ndarray of shape (n_samples,)
        The target as given.
    codes : ndarray of shape (n_samples,)
        Class of each row, 0, 1, ...; all 0 for a regression target.
    classes : ndarray of shape (n_classes,)
        Labels of the classes; empty for a regression target.
    preparation : TablePreparation
        How columns became numbers.
    """

    frame: pd.DataFrame
    numbers: Array
    Z: Array
    starts: NDArray[np.intp]
    columns: list[str]
    labels: NDArray[Any]
    codes: NDArray[np.intp]
    classes: NDArray[Any]
    preparation: TablePreparation

    @property
    def is_regression(self) -> bool:
        """Whether the target is a quantity."""
        return not self.classes.size

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.labels)

    def read(self, X: Any) -> pd.DataFrame:
        """Return other rows of the same table, read as these were."""
        frame = as_frame(X)
        missing = [name for name in self.frame if name not in frame]
        if missing:
            raise ValueError(f"reference lacks the column {missing[0]!r} of X.")
        return _read(frame[list(self.frame)], self.preparation)


# Values are clipped at this many deviations, so that one cell does not decide which rows are near.
MAX_DEVIATIONS = 10.0


def prepare_rows(
    X: Any, y: ArrayLike, task: str = "auto", preparation: TablePreparation | None = None
) -> Rows:
    """Check the table and its target, and turn all columns into numbers on one scale.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [61, 70, 52, 47], "town": ["Ulm", "Bonn", "Ulm", "Bonn"]})
    >>> rows = prepare_rows(X, ["ill", "well", "ill", "ill"])
    >>> rows.Z.shape, rows.starts.tolist(), rows.columns, rows.codes.tolist()
    ((4, 2), [0, 1], ['age', 'town'], [0, 1, 0, 0])
    """
    if task not in TASKS:
        raise ValueError(f"task must be one of {', '.join(map(repr, TASKS))}, got {task!r}.")
    frame = as_frame(X)
    labels, classes, codes = _target(y, task)
    check_consistent_length(frame, labels)
    preparation = clone(preparation or TablePreparation())
    with warnings.catch_warnings():
        # The findings of the audit say the same.
        warnings.filterwarnings("ignore", "Column '")
        numbers = np.asarray(preparation.fit_transform(frame), dtype=np.float64)
    names = np.array(preparation.origins(), dtype=object)
    starts = np.flatnonzero(np.r_[True, names[1:] != names[:-1]])
    return Rows(
        frame=_read(frame, preparation),
        numbers=numbers,
        Z=_on_one_scale(numbers, starts),
        starts=starts,
        columns=[str(name) for name in names[starts]],
        labels=labels,
        codes=codes,
        classes=classes,
        preparation=preparation,
    )


def _read(frame: pd.DataFrame, preparation: TablePreparation) -> pd.DataFrame:
    """Return the table with columns of text that stands for numbers or dates as such."""
    kinds = preparation.describe().set_index("column")["kind"]
    read = preparation.read(frame)
    return frame.assign(**{name: read[name] for name in read if kinds[name] in ("number", "date")})


def as_frame(X: Any) -> pd.DataFrame:
    """Return a table as a pandas frame whose columns have distinct names that are text."""
    if hasattr(X, "to_pandas"):
        X = X.to_pandas()
    if not isinstance(X, pd.DataFrame):
        numbers = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan", input_name="X")
        names = [f"column {j}" for j in range(numbers.shape[1])]
        return pd.DataFrame(numbers, pd.RangeIndex(len(numbers), name="row"), names)
    if not X.shape[0] or not X.shape[1]:
        raise ValueError(f"X must have rows and columns, got {X.shape[0]} by {X.shape[1]}.")
    frame = X.set_axis([str(name) for name in X.columns], axis=1)
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise ValueError(f"Duplicate column name in X: {repeated[0]!r}.")
    if isinstance(frame.index, pd.MultiIndex):
        frame = frame.set_axis([", ".join(map(str, key)) for key in frame.index])
    return frame


def is_quantity(column: pd.Series) -> bool:
    """Return whether a column holds numbers that are no booleans."""
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def _on_one_scale(numbers: Array, starts: NDArray[np.intp]) -> Array:
    """Standardise robustly; two values of a column are as far apart as two rows usually are.

    Otherwise a rare level of a category would make a row an outlier.
    """
    found = learn_standardization(numbers, standardize="robust")
    low, high = numbers.min(axis=0), numbers.max(axis=0)
    two = (high > low) & ((numbers == low) | (numbers == high)).all(axis=0)
    widths = np.diff(np.r_[starts, numbers.shape[1]])
    apart = (high - low) / np.sqrt(np.where(np.repeat(widths, widths) == 1, 2.0, 1.0))
    found = found._replace(scale=np.where(two, apart, found.scale))
    return np.clip(found.affine(numbers)[:, :-1], -MAX_DEVIATIONS, MAX_DEVIATIONS)


def _target(y: ArrayLike, task: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.intp]]:
    """Return the target, its classes (none for a quantity), and the class of each row."""
    labels = column_or_1d(y, warn=True)
    missing = np.flatnonzero(pd.isna(labels))
    if missing.size:
        raise ValueError(
            f"y must have a label for every row; {missing.size} of {labels.size} are missing, "
            f"the first in row {missing[0]}."
        )
    if labels.dtype == object:
        if len({isinstance(label, str) for label in labels}) > 1:
            raise ValueError("y must hold labels of one kind, got text and numbers.")
        labels = np.array(labels.tolist())
    if task == "auto":
        task = infer_task(labels)
    if task == "regression":
        if labels.dtype.kind not in "iuf" or not np.isfinite(labels).all():
            raise ValueError("y must hold finite numbers for task='regression'.")
        values = labels.astype(np.float64)
        if np.ptp(values) == 0.0:
            raise ValueError(f"y must vary, as an audit compares rows; every value is {values[0]}.")
        return values, np.empty(0), np.zeros(labels.size, dtype=np.intp)
    classes, codes = np.unique(labels, return_inverse=True)
    if classes.size < 2:
        raise ValueError(
            "y must hold at least two classes, as an audit compares them; "
            f"every label is {classes.tolist()[0]!r}."
        )
    return labels, classes, codes.ravel()
