"""Checks of user input; each raises one sentence that names the argument at fault."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import get_tags
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from broadlearn.utils.arrays import FLOAT_TYPES, Array, Floats
from broadlearn.utils.sklearn_compat import check_sample_weight

# Squared distances of larger numbers overflow.
MAX_VALUE = 1e140

# Sums of larger targets overflow in predictions, or their squares do, by the type of X.
MAX_TARGET = {np.float32: 1e30, np.float64: 1e150}

# Sums, products and ratios of weights within these stay numbers.
MIN_WEIGHT, MAX_WEIGHT = 1e-60, 1e60

# Options of scikit-learn's validation: X may hold NaN for missing values, but not infinity.
READ: dict[str, Any] = {"dtype": FLOAT_TYPES, "ensure_all_finite": "allow-nan"}
READ_SPARSE: dict[str, Any] = {**READ, "accept_sparse": "csr"}


def check_range(X: Floats) -> Floats:
    """Refuse values whose squared distances overflow."""
    if float(np.abs(X).max()) > MAX_VALUE:
        raise ValueError(
            f"X holds values beyond {MAX_VALUE:g}, whose squared distances overflow; scale its "
            "features first (the estimators do so with standardize=True)."
        )
    return X


def check_targets(y: NDArray[Any], dtype: np.dtype[Any]) -> None:
    """Refuse real targets that are too large for samples of a type.

    Examples
    --------
    >>> check_targets(np.array([1e200]), np.dtype(np.float64))
    Traceback (most recent call last):
        ...
    ValueError: y holds values beyond 1e+150, too large for X in float64; scale y first.
    """
    most, y = MAX_TARGET[dtype.type], as_numbers("y", y)
    if y.size and float(np.abs(y).max()) > most:
        raise ValueError(
            f"y holds values beyond {most:g}, too large for X in {dtype}; scale y first."
        )


def check_labels(y: Any) -> NDArray[Any]:
    """Validate class labels, one per sample; a single column is flattened.

    Examples
    --------
    >>> import numpy as np
    >>> check_labels(np.array([[1, 0], [1, 1]]))
    Traceback (most recent call last):
        ...
    ValueError: y has 2 columns, expected one label per sample; fit one model per column with \
sklearn.multioutput.MultiOutputClassifier.
    """
    if y.ndim == 2 and y.shape[1] > 1:
        raise ValueError(
            f"y has {y.shape[1]} columns, expected one label per sample; fit one model per column "
            "with sklearn.multioutput.MultiOutputClassifier."
        )
    labels = column_or_1d(y.toarray() if issparse(y) else y, warn=True)
    check_classes(labels)
    return labels


def check_classes(y: NDArray[Any]) -> None:
    """Refuse labels that are not classes.

    Examples
    --------
    >>> check_classes(np.array(["a", "b", None], dtype=object))
    Traceback (most recent call last):
        ...
    ValueError: y has no label at position 2; leave out samples without a label.
    """
    if y.dtype == object and y.ndim == 1:
        from pandas import isna

        missing = np.flatnonzero(isna(y))
        if missing.size:
            raise ValueError(
                f"y has no label at position {missing[0]}; leave out samples without a label."
            )
        kinds = sorted({type(label).__name__ for label in y})
        # Numbers of several types can be sorted, texts and numbers cannot.
        if len(kinds) > 1 and any(isinstance(label, str) for label in y):
            raise ValueError(
                f"y must hold labels of one type, but mixes {' and '.join(kinds)}; make them text, "
                "by y.astype(str)."
            )
    check_classification_targets(y)


def as_numbers(name: str, values: Any) -> NDArray[Any]:
    """Return values as an array of real numbers; `name` them if one is not a number.

    Examples
    --------
    >>> as_numbers("sample_weight", [1.0, "much"])
    Traceback (most recent call last):
        ...
    ValueError: sample_weight must hold numbers, got 'much'.
    """
    array = np.asarray(values)
    if array.dtype.kind in "biuf":
        return array
    if array.dtype.kind in "OSU":
        try:
            return array.astype(np.float64)
        except (TypeError, ValueError):
            pass
    found = next((v for v in array.ravel().tolist() if not is_number(v)), values)
    raise ValueError(f"{name} must hold numbers, got {str(found)[:50]!r}.")


def check_sparse(model: Any, X: Any) -> None:
    """Refuse a sparse matrix that a model cannot take, or one with missing values."""
    if not issparse(X):
        return
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

    `classes` are all classes, if the labels y may lack some of them.

    Examples
    --------
    >>> import numpy as np
    >>> check_weights([1.0, 1.0, 2.0], np.ones((3, 1)), "balanced", np.array(["a", "a", "b"]))
    array([1., 1., 2.])
    >>> check_weights(None, np.ones((3, 1)), {"b": 5.0}, np.array(["a", "a", "b"]))
    array([1., 1., 5.])
    """
    given = None
    if sample_weight is not None:
        given = as_numbers("sample_weight", sample_weight)
        if given.shape != (X.shape[0],):
            raise ValueError(
                f"sample_weight must have one number for each of {X.shape[0]} rows, got an array "
                f"of shape {given.shape}."
            )
        if not given.any():
            raise ValueError(
                "sample_weight is zero for every row; at least one row must have a positive weight."
            )
    weight = check_sample_weight(given, X, dtype=np.float64, ensure_non_negative=True)
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
            "the largest one, and give rows to ignore a weight of 0."
        )
    return weight


def _class_weights(
    class_weight: Mapping[Any, float] | str, y: NDArray[Any], weight: Array, classes: Any
) -> Array:
    """Return the weight of each sample's class."""
    present, codes = np.unique(y, return_inverse=True)
    if isinstance(class_weight, str):
        # Samples of weight 0, and classes without other samples, do not count.
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
    # A dict that names every class may name more: a fold may lack samples of a class.
    if unnamed and expected.size - len(unnamed) != len(class_weight):
        unknown = [c for c in class_weight if c not in expected.tolist()]
        raise ValueError(
            f"class_weight names {unknown}, which are not among the classes {expected.tolist()}."
        )
    of_class = np.array([class_weight.get(c, 1.0) for c in present.tolist()], dtype=np.float64)
    if not (np.isfinite(of_class) & (of_class >= 0.0)).all():
        raise ValueError(
            f"class_weight must hold finite, non-negative numbers, got {class_weight}."
        )
    return of_class[codes]


def text_column(error: Exception, X: object = None, y: object = None) -> str:
    """Return a sentence on the first column that is not numeric; empty for errors of other kinds.

    Examples
    --------
    >>> import pandas as pd
    >>> error = ValueError("could not convert string to float: 'red'")
    >>> text_column(error, pd.DataFrame({"size": [1, 2], "colour": ["red", "blue"]}))
    "Column 'colour' is not numeric (found 'red'). Encode it first, for example with \
broadlearn.tables.TablePreparation()."
    """
    if not str(error).startswith(("could not convert string", "The DType <class")):
        return ""
    cells = np.asarray(X, dtype=object)
    names = getattr(X, "columns", range(cells.shape[1] if cells.ndim == 2 else 0))
    for name, values in zip(names, cells.T if cells.ndim == 2 else (), strict=True):
        found = next((v for v in values if not is_number(v)), None)
        if found is not None:
            return (
                f"Column {name!r} is not numeric (found {str(found)[:50]!r}). Encode it first, for "
                "example with broadlearn.tables.TablePreparation()."
            )
    found = next((v for v in np.asarray(y, dtype=object).ravel() if not is_number(v)), None)
    return "" if found is None else f"y must hold numbers, got {str(found)[:50]!r}."


def read_rows(model: Any, X: ArrayLike, **how: Any) -> Any:
    """Validate samples for a fitted model; name a column of text.

    `how` is `READ` or `READ_SPARSE`.
    """
    try:
        rows = validate_data(model, X, reset=False, **how)
    except (TypeError, ValueError) as error:
        if sentence := text_column(error, X):
            raise ValueError(sentence) from None
        raise
    check_sparse(model, rows)
    return rows


def is_number(value: Any) -> bool:
    """Return whether a cell is missing or a number, possibly written as text."""
    from pandas import isna

    try:
        float(value)
    except (TypeError, ValueError):
        return isna(value) is True
    return True
