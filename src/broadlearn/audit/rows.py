"""A user's table as standardised numbers, and which of them belong to which column."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from broadlearn.io import column_preparation, import_pandas
from broadlearn.utils import Array, learn_standardization


class Rows(NamedTuple):
    """What is audited.

    Attributes
    ----------
    Z : ndarray of shape (n_samples, n_numbers)
        Standardised numbers; several for a column of text.
    starts : ndarray of shape (n_columns,)
        Where the numbers of each column begin.
    columns : list of str
        Names of the columns.
    codes : ndarray of shape (n_samples,)
        Class of each row, 0, 1, ...
    classes : ndarray of shape (n_classes,)
        Their labels.
    """

    Z: Array
    starts: NDArray[np.intp]
    columns: list[str]
    codes: NDArray[np.intp]
    classes: NDArray[Any]


def prepare_rows(X: Any, y: ArrayLike) -> Rows:
    """Check rows and labels and turn all columns into numbers on one scale.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [61, 70, 52], "town": ["Ulm", "Bonn", "Kiel"]})
    >>> rows = prepare_rows(X, ["ill", "well", "ill"])
    >>> rows.Z.shape, rows.starts.tolist(), rows.columns, rows.codes.tolist()
    ((3, 4), [0, 1], ['age', 'town'], [0, 1, 0])
    """
    numbers, names = _numbers(X)
    labels = _labels(y)
    check_consistent_length(numbers, labels)
    classes, codes = np.unique(labels, return_inverse=True)
    if classes.size < 2:
        raise ValueError(
            f"y must hold at least two classes, as an audit compares them; "
            f"every label is {classes.tolist()[0]!r}."
        )
    Z = np.array(learn_standardization(numbers).affine(numbers)[:, :-1], dtype=np.float64)
    starts = np.flatnonzero(np.r_[True, names[1:] != names[:-1]])
    return Rows(Z, starts, [str(name) for name in names[starts]], codes.ravel(), classes)


def _numbers(X: Any) -> tuple[Array, NDArray[np.object_]]:
    """All columns as numbers, and the column that each number comes from."""
    if not isinstance(X, import_pandas().DataFrame):
        numbers = check_array(X, dtype=np.float64, input_name="X")
        return numbers, np.array([f"column {j}" for j in range(numbers.shape[1])], dtype=object)
    if not X.shape[0] or not X.shape[1]:
        raise ValueError(f"X must have rows and columns, got {X.shape[0]} by {X.shape[1]}.")
    frame = X.set_axis([str(name) for name in X.columns], axis=1)
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise ValueError(
            f"X must have a name of its own for every column, got {repeated[0]!r} twice."
        )
    prepare = column_preparation(frame)
    numbers = prepare.fit_transform(frame)
    names: list[str] = []
    for _, steps, columns in prepare.transformers_:
        if isinstance(steps, str):  # "drop"
            continue
        if isinstance(steps[-1], OneHotEncoder):
            encoder = steps[-1].set_params(feature_name_combiner=lambda column, level: column)
            columns = encoder.get_feature_names_out(columns)
        names += list(columns)
    return np.asarray(numbers, dtype=np.float64), np.array(names, dtype=object)


def _labels(y: ArrayLike) -> NDArray[Any]:
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
    check_classification_targets(labels)
    return labels
