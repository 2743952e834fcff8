"""A user's table as standardised numbers, and which of them belong to which column."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from broadlearn.random_features._standardize import learn_standardization
from broadlearn.tables import column_preparation


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

    Z: NDArray[np.float64]
    starts: NDArray[np.intp]
    columns: list[str]
    codes: NDArray[np.intp]
    classes: NDArray[Any]


def prepare_rows(X: Any, y: ArrayLike) -> Rows:
    """Check rows and labels and turn all columns into numbers on one scale.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or pandas.DataFrame
    y : array-like of shape (n_samples,)

    Returns
    -------
    Rows

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
            f"every label is {_shown(classes[0])}."
        )
    Z = np.empty(numbers.shape)
    learn_standardization(numbers)(numbers, out=Z)
    starts = np.flatnonzero(np.r_[True, names[1:] != names[:-1]])
    return Rows(Z, starts, [str(name) for name in names[starts]], codes.ravel(), classes)


def _numbers(X: Any) -> tuple[NDArray[np.float64], NDArray[np.object_]]:
    """All columns as numbers, and the column that each number comes from."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(X, pandas.DataFrame):
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
    missing = np.flatnonzero([_is_missing(label) for label in labels])
    if missing.size:
        raise ValueError(
            f"y must have a label for every row; {missing.size} of {labels.size} are missing, "
            f"the first in row {missing[0]}."
        )
    if labels.dtype == object:
        kinds = {isinstance(label, str) for label in labels}
        if len(kinds) > 1:
            raise ValueError("y must hold labels of one kind, got text and numbers.")
        labels = np.array(labels.tolist())
    check_classification_targets(labels)
    return labels


def _is_missing(label: Any) -> bool:
    """Whether a label is None, or differs from itself, or cannot even be compared with itself."""
    try:
        return label is None or bool(label != label)
    except TypeError:
        return True


def _shown(label: Any) -> str:
    return repr(label.item() if isinstance(label, np.generic) else label)
