"""Checks of what users pass in; each raises one sentence that names the argument at fault."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import get_tags
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from broadlearn.utils.arrays import FLOAT_TYPES, Array, Floats
from broadlearn.utils.sklearn_compat import Options, StrOptions, check_sample_weight

# Squared distances of larger numbers overflow.
MAX_VALUE = 1e140

# Sums of larger targets overflow in predictions, or their squares do, by the type of X.
MAX_TARGET = {np.float32: 1e30, np.float64: 1e150}

# Sums, products and ratios of weights within these stay numbers.
MIN_WEIGHT, MAX_WEIGHT = 1e-60, 1e60

# How X is read: missing values are NaN, and infinity is refused. Where sparse matrices are too,
# `read_sparse` says so.
READ: dict[str, Any] = {"dtype": FLOAT_TYPES, "ensure_all_finite": "allow-nan"}
READ_SPARSE: dict[str, Any] = {**READ, "accept_sparse": "csr"}

# What an estimator's parameter `standardize` may be.
STANDARDIZE: list[Any] = ["boolean", StrOptions({"bounded", "robust"})]
# What a classifier's parameter `class_weight` may be.
CLASS_WEIGHT: list[Any] = [dict, StrOptions({"balanced"}), None]
# What is said of models that score samples within their class, and the like.
ONE_CLASS = (
    "{} needs one class per sample, but y has a column for each of {} labels; "
    "sklearn.multioutput.MultiOutputClassifier fits one model to each."
)


class PositiveNumbers(Options):
    """One or more finite positive numbers in a list or tuple.

    Examples
    --------
    >>> PositiveNumbers().is_satisfied_by([0.5, 2]), PositiveNumbers().is_satisfied_by([1, "a"])
    (True, False)
    """

    def __init__(self) -> None:
        # scikit-learn takes constraints of its own kinds only; this one has no fixed options.
        super().__init__(tuple, set())

    def is_satisfied_by(self, val: Any) -> bool:
        """Whether `val` is one."""
        return (
            isinstance(val, list | tuple)
            and len(val) > 0
            and all(isinstance(x, Real) and 0.0 < float(x) < np.inf for x in val)
        )

    def __str__(self) -> str:
        return "a list or tuple of one or more positive numbers"


def check_range(X: Floats) -> Floats:
    """Refuse values whose squared distances overflow."""
    if float(np.abs(X).max()) > MAX_VALUE:
        raise ValueError(
            f"X holds values beyond {MAX_VALUE:g}, whose squared distances overflow; scale its "
            "features first (the estimators do so with standardize=True)."
        )
    return X


def check_targets(
    y: NDArray[Any], dtype: np.dtype[Any], largest: Mapping[Any, float] = MAX_TARGET
) -> None:
    """Refuse real targets that are too large for samples of a type.

    Examples
    --------
    >>> check_targets(np.array([1e200]), np.dtype(np.float64))
    Traceback (most recent call last):
        ...
    ValueError: y holds values beyond 1e+150, too large for X in float64; scale y first.
    """
    most = largest[dtype.type]
    if y.size and float(np.abs(y).max()) > most:
        raise ValueError(
            f"y holds values beyond {most:g}, too large for X in {dtype}; scale y first."
        )


def check_labels(y: Any, one_class: str | None = None) -> NDArray[Any]:
    """Validate class labels, or the labels of several yes-or-no questions.

    Parameters
    ----------
    y : ndarray of shape (n_samples,) or (n_samples, n_labels), or sparse matrix
        Classes, or an indicator matrix of 0 and 1. A single column holds classes.
    one_class : str or None
        The name of a model that refuses several labels.

    Returns
    -------
    ndarray of shape (n_samples,) or (n_samples, n_labels)
        Classes as they are; an indicator matrix as whole numbers.

    Examples
    --------
    >>> import numpy as np
    >>> check_labels(np.array([[True, False], [True, True]]))
    array([[1, 0],
           [1, 1]])
    """
    y = y.toarray() if issparse(y) else y
    if y.ndim == 2 and y.shape[1] == 1:
        y = column_or_1d(y, warn=True)
    if y.ndim == 1:
        check_classification_targets(y)
        return np.asarray(y)
    kind = type_of_target(y, input_name="y")
    if kind != "multilabel-indicator" or not np.isin(y, (0, 1)).all():
        check_classification_targets(y)
        raise ValueError(
            f"y has {y.shape[1]} columns, which must be labels of 0 and 1; for several columns of "
            "classes, sklearn.multioutput.MultiOutputClassifier fits one model to each."
        )
    if one_class is not None:
        raise ValueError(ONE_CLASS.format(one_class, y.shape[1]))
    return np.asarray(y, dtype=np.int64)


def check_sparse(model: Any, X: Any) -> None:
    """Refuse a sparse matrix that a model cannot take, or one with missing values."""
    if not get_tags(model).input_tags.sparse:
        raise TypeError(
            f"Sparse data was passed, but dense data is required by {type(model).__name__} with "
            "these parameters; use X.toarray()."
        )
    if np.isnan(X.data).any():
        raise ValueError(
            "X contains NaN in a sparse matrix, where missing values are not supported; use "
            "X.toarray(), or sklearn.impute.SimpleImputer(add_indicator=True) first."
        )


def check_weights(
    sample_weight: ArrayLike | None,
    X: NDArray[Any],
    class_weight: Mapping[Any, float] | str | None = None,
    y: NDArray[Any] | None = None,
    classes: NDArray[Any] | None = None,
) -> Array:
    """Validate sample weights (finite, not negative, not all zero) and multiply class weights.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,) or None
        None for all one.
    X : array of shape (n_samples, n_features)
    class_weight : dict, "balanced" or None
    y : ndarray of shape (n_samples,)
        Labels, needed for class weights.
    classes : ndarray or None
        All classes that there are, where y may not have them all.

    Examples
    --------
    >>> import numpy as np
    >>> check_weights([1.0, 1.0, 2.0], np.ones((3, 1)), "balanced", np.array(["a", "a", "b"]))
    array([1., 1., 2.])
    >>> check_weights(None, np.ones((3, 1)), {"b": 5.0}, np.array(["a", "a", "b"]))
    array([1., 1., 5.])
    """
    if sample_weight is not None and not np.asarray(sample_weight).any():
        raise ValueError(
            "sample_weight is zero for every row; at least one row must have a positive weight."
        )
    weight = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if class_weight is not None and y is not None:
        with np.errstate(over="ignore"):
            weight = weight * _class_weights(class_weight, y, weight, classes)
    if sample_weight is None and class_weight is None:
        return weight
    positive = weight[weight > 0.0]
    if positive.size and not MIN_WEIGHT <= positive.min() <= positive.max() <= MAX_WEIGHT:
        raise ValueError(
            f"sample_weight (times class_weight) must be 0 or lie between {MIN_WEIGHT:g} and "
            f"{MAX_WEIGHT:g}, got {positive.min():g} to {positive.max():g}; divide all weights by "
            "the largest one, and give rows that are not to count the weight 0."
        )
    return weight


def _class_weights(
    class_weight: Mapping[Any, float] | str, y: NDArray[Any], weight: Array, classes: Any
) -> Array:
    """The weight of each sample's class."""
    if y.ndim != 1:
        raise ValueError(
            "class_weight must be None where y has several columns; weight the rows by "
            "sample_weight instead."
        )
    present, codes = np.unique(y, return_inverse=True)
    if isinstance(class_weight, str):
        # A sample of weight 0 is absent, and so is a class that has no others.
        counts = np.bincount(codes, weight)
        known = present[counts > 0.0]
        kept = weight > 0.0
        of_class = np.ones(present.size)
        of_class[counts > 0.0] = compute_class_weight(
            class_weight, classes=known, y=y[kept], sample_weight=weight[kept]
        )
        return of_class[codes]
    expected = present if classes is None else classes
    unnamed = [c for c in expected.tolist() if c not in class_weight]
    # Of a dict that names every class, others are no error: a fold may lack samples of a class.
    if unnamed and expected.size - len(unnamed) != len(class_weight):
        unknown = [c for c in class_weight if c not in expected.tolist()]
        raise ValueError(
            f"class_weight names {unknown}, which are not among the classes {expected.tolist()}."
        )
    of_class = np.array([class_weight.get(c, 1.0) for c in present.tolist()], dtype=np.float64)
    if not (np.isfinite(of_class) & (of_class >= 0.0)).all():
        raise ValueError(
            f"class_weight must hold finite numbers that are not negative, got {class_weight}."
        )
    return of_class[codes]


def text_column(error: ValueError, X: object = None) -> str:
    """A sentence on the first column of a frame that holds text, if that was the error.

    Parameters
    ----------
    error : ValueError
        What NumPy or pandas said.
    X : object, default=None

    Returns
    -------
    str
        Empty if the error is another one, or `X` is no frame.

    Examples
    --------
    >>> import pandas as pd
    >>> error = ValueError("could not convert string to float: 'red'")
    >>> text_column(error, pd.DataFrame({"size": [1, 2], "colour": ["red", "blue"]}))
    "Column 'colour' holds 'red', which is no number: put broadlearn.io.TablePreparation() before \
the model, in a pipeline."
    """
    columns = getattr(X, "columns", None)
    if columns is None or not str(error).startswith("could not convert string"):
        return ""
    for name, values in zip(columns, np.asarray(X, dtype=object).T, strict=True):
        found = next((v for v in values if isinstance(v, str) and not _is_number(v)), None)
        if found is not None:
            return (
                f"Column {name!r} holds {found[:50]!r}, which is no number: put "
                "broadlearn.io.TablePreparation() before the model, in a pipeline."
            )
    return ""


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
