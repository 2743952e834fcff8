"""A user's table as numbers on one scale, and which of them belong to which column."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from broadlearn.io import TablePreparation, import_pandas
from broadlearn.utils import Array, Standardization, learn_standardization

if TYPE_CHECKING:
    import pandas as pd

TASKS = ("auto", "classification", "regression")


class Rows(NamedTuple):
    """What is audited.

    Attributes
    ----------
    frame : pandas.DataFrame
        The table with its index, text that stands for numbers or dates as such; an array gets
        columns "column 0" and so on.
    numbers : ndarray of shape (n_samples, n_numbers)
        All columns as numbers, missing ones filled in; several for a column of text.
    Z : ndarray of shape (n_samples, n_numbers)
        The same, standardised by the rows that are not outlying.
    starts : ndarray of shape (n_columns,)
        Where the numbers of each column begin.
    columns : list of str
        Names of the columns that there are numbers of.
    labels : ndarray of shape (n_samples,)
        The target as it was given.
    codes : ndarray of shape (n_samples,)
        Class of each row, 0, 1, ...; all 0 for a regression target.
    classes : ndarray of shape (n_classes,)
        Labels of the classes; empty for a regression target.
    preparation : TablePreparation
        What made the numbers of a frame.
    standardization : Standardization
        What made Z of the numbers.
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
    standardization: Standardization

    @property
    def is_regression(self) -> bool:
        """Whether the target is a quantity."""
        return not self.classes.size

    def place(self, position: int) -> str:
        """What a sentence calls a row: its line of a file if the index has these, or position."""
        index = self.frame.index
        if index.name == "line":
            return f"line {index[position]:,}"
        return f"row {position:,}"

    def first(self, count: int) -> Rows:
        """The first rows."""
        return self._part(slice(count))

    def after(self, count: int) -> Rows:
        """All but the first rows."""
        return self._part(slice(count, None))

    def _part(self, part: slice) -> Rows:
        return self._replace(
            frame=self.frame.iloc[part],
            numbers=self.numbers[part],
            Z=self.Z[part],
            labels=self.labels[part],
            codes=self.codes[part],
        )


def prepare_rows(X: Any, y: ArrayLike, task: str = "auto") -> Rows:
    """Check rows and labels and turn all columns into numbers on one scale.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [61, 70, 52], "town": ["Ulm", "Bonn", "Kiel"]})
    >>> rows = prepare_rows(X, ["ill", "well", "ill"])
    >>> rows.Z.shape, rows.starts.tolist(), rows.columns, rows.codes.tolist()
    ((3, 4), [0, 1], ['age', 'town'], [0, 1, 0])
    """
    if task not in TASKS:
        raise ValueError(f"task must be one of {', '.join(map(repr, TASKS))}, got {task!r}.")
    frame = as_frame(X)
    preparation = TablePreparation()
    with warnings.catch_warnings():
        # Of columns, the findings of an audit say more.
        warnings.filterwarnings("ignore", "Column '")
        numbers = np.asarray(preparation.fit_transform(frame), dtype=np.float64)
    names = np.array(preparation.origins(), dtype=object)
    labels, classes, codes = _target(y, task)
    check_consistent_length(numbers, labels)
    starts = np.flatnonzero(np.r_[True, names[1:] != names[:-1]])
    standardization = _scale(numbers, starts)
    Z: Array = np.array(standardization.affine(numbers)[:, :-1], dtype=np.float64)
    columns = [str(name) for name in names[starts]]
    read = preparation.read(frame)
    return Rows(
        read, numbers, Z, starts, columns, labels, codes, classes, preparation, standardization
    )


def join_rows(reference: Rows, X: Any, y: ArrayLike) -> Rows:
    """Rows that were audited and new ones below them, on the scale of the former.

    Examples
    --------
    >>> import pandas as pd
    >>> known = prepare_rows(pd.DataFrame({"age": [61, 70, 52]}), ["ill", "well", "ill"])
    >>> join_rows(known, pd.DataFrame({"age": [58]}), ["well"]).codes.tolist()
    [0, 1, 0, 1]
    """
    frame = as_frame(X)
    missing = [name for name in reference.frame.columns if name not in frame.columns]
    if missing:
        raise ValueError(
            f"X must have the columns of the reference, got none named {missing[0]!r}."
        )
    frame = frame[list(reference.frame.columns)]
    labels = np.asarray(column_or_1d(y, warn=True))
    check_consistent_length(frame, labels)
    if reference.is_regression:
        labels, _, codes = _target(labels, "regression", vary=False)
    else:
        codes = np.searchsorted(reference.classes, labels).clip(0, reference.classes.size - 1)
        unknown = np.flatnonzero(reference.classes[codes] != labels)
        if unknown.size:
            raise ValueError(
                f"y must hold labels of the reference, got {labels.tolist()[unknown[0]]!r} in "
                f"row {unknown[0]}."
            )
    numbers = np.asarray(reference.preparation.transform(frame), dtype=np.float64)
    Z = np.array(reference.standardization.affine(numbers)[:, :-1])
    return reference._replace(
        frame=import_pandas().concat([reference.frame, reference.preparation.read(frame)]),
        numbers=np.vstack([reference.numbers, numbers]),
        Z=np.vstack([reference.Z, Z]),
        labels=np.concatenate([reference.labels, labels]),
        codes=np.concatenate([reference.codes, codes]),
    )


def as_frame(X: Any) -> pd.DataFrame:
    """A table as a pandas frame whose columns have distinct names that are text."""
    pandas = import_pandas()
    if hasattr(X, "to_pandas"):
        X = X.to_pandas()
    if not isinstance(X, pandas.DataFrame):
        numbers = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan", input_name="X")
        names = [f"column {j}" for j in range(numbers.shape[1])]
        index = pandas.RangeIndex(len(numbers), name="row")
        return pandas.DataFrame(numbers, index, names)
    if not X.shape[0] or not X.shape[1]:
        raise ValueError(f"X must have rows and columns, got {X.shape[0]} by {X.shape[1]}.")
    frame = X.set_axis([str(name) for name in X.columns], axis=1)
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise ValueError(
            f"X must have a name of its own for every column, got {repeated[0]!r} twice."
        )
    return frame


def _scale(numbers: Array, starts: NDArray[np.intp]) -> Standardization:
    """Robust standardisation, but for numbers of two values, such as levels of a category.

    Rows with different values of such a column are as far apart as two rows usually are in any
    other column, however rare one of the values is.
    """
    found = learn_standardization(numbers, standardize="robust")
    low, high = numbers.min(axis=0), numbers.max(axis=0)
    two = (high > low) & ((numbers == low) | (numbers == high)).all(axis=0)
    if found.exponent is not None:
        low, high = np.ldexp(low, -found.exponent), np.ldexp(high, -found.exponent)
    n_numbers = np.diff(np.r_[starts, numbers.shape[1]])
    apart = (high - low) / np.sqrt(np.where(np.repeat(n_numbers, n_numbers) == 1, 2.0, 1.0))
    scale = np.where(two, apart, found.scale)
    return found._replace(scale=scale)


def _target(
    y: ArrayLike, task: str, vary: bool = True
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.intp]]:
    """The target, its classes (none for a quantity), and the class of each row."""
    labels = column_or_1d(y, warn=True)
    missing = np.flatnonzero(import_pandas().isna(labels))
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
        quantity = type_of_target(labels).startswith("continuous")
        task = "regression" if quantity else "classification"
    if task == "regression":
        if labels.dtype.kind not in "iuf" or not np.isfinite(labels).all():
            raise ValueError("y must hold finite numbers for task='regression'.")
        numbers = labels.astype(np.float64)
        if vary and np.ptp(numbers) == 0.0:
            raise ValueError(
                f"y must vary, as an audit compares rows; every value is {numbers[0]}."
            )
        return numbers, np.empty(0), np.zeros(labels.size, dtype=np.intp)
    check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    if classes.size < 2:
        raise ValueError(
            f"y must hold at least two classes, as an audit compares them; "
            f"every label is {classes.tolist()[0]!r}."
        )
    return labels, classes, codes.ravel()
