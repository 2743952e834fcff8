"""Checks of user input; each raises one sentence that names the argument at fault."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
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

# Squared distances of larger numbers overflow, summed over up to 1e27 features.
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
            f"X contains values beyond {MAX_VALUE:g}, and their squared distances overflow; scale "
            "X first (estimators do so with standardize=True)."
        )
    return X


def check_magnitudes(largest: Array) -> None:
    """Refuse columns whose largest values are too large, or too small, to square."""
    odd = np.flatnonzero((largest > MAX_VALUE) | ((largest > 0.0) & (largest < 1.0 / MAX_VALUE)))
    if odd.size:
        raise ValueError(
            f"Column {odd[0]} of X has values up to {largest[odd[0]]:g}; scale it to between "
            f"{1.0 / MAX_VALUE:g} and {MAX_VALUE:g} first."
        )


def check_targets(y: NDArray[Any], dtype: np.dtype[Any]) -> Array:
    """Return real targets as float64; refuse those too large for samples of a type."""
    bound, y = MAX_TARGET[dtype.type], as_numbers("y", y)
    if y.size and float(np.abs(y).max()) > bound:
        raise ValueError(
            f"y contains values beyond {bound:g}, too large for X in {dtype}; scale y first."
        )
    return y


def check_labels(y: Any) -> NDArray[Any]:
    """Validate class labels, one per sample; a single column is flattened."""
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
    ValueError: y has a missing label at position 2; remove samples without a label.
    """
    if y.dtype == object and y.ndim == 1:
        from pandas import isna

        missing = np.flatnonzero(isna(y))
        if missing.size:
            raise ValueError(
                f"y has a missing label at position {missing[0]}; remove samples without a label."
            )
        kinds = sorted({type(label).__name__ for label in y})
        # Numbers of several types can be sorted, texts and numbers cannot.
        if len(kinds) > 1 and any(isinstance(label, str) for label in y):
            raise ValueError(
                f"y mixes labels of the types {' and '.join(kinds)}; convert them to text, for "
                "example with y.astype(str)."
            )
    check_classification_targets(y)


def as_numbers(name: str, values: Any) -> Array:
    """Return values as float64; `name` them if one is not a number."""
    array = np.asarray(values)
    if array.dtype.kind in "biufOSU":
        with suppress(TypeError, ValueError):
            return array.astype(np.float64)
    raise ValueError(f"{name} must contain numbers, got {first_text(values)!r}.")


def check_sparse(model: Any, X: Any) -> None:
    """Refuse a sparse matrix that a model cannot take, or one with missing values."""
    if not issparse(X):
        return
    if not get_tags(model).input_tags.sparse:
        raise TypeError(
            f"Sparse data was passed, but dense data is required by {type(model).__name__} with "
            "these parameters; use X.toarray(), or BLSClassifier or BLSRegressor, which accept "
            "sparse data."
        )
    if np.isnan(X.data).any():
        raise ValueError(
            "X is sparse and contains NaN, which is not supported; use X.toarray(), or "
            "sklearn.impute.SimpleImputer(add_indicator=True) first."
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
    given = None if sample_weight is None else as_numbers("sample_weight", sample_weight)
    if given is not None and not given.any():
        raise ValueError(
            "sample_weight is zero for every sample; at least one sample must have a positive "
            "weight."
        )
    weight = check_sample_weight(given, X, dtype=np.float64, ensure_non_negative=True)
    if class_weight is not None and y is not None:
        with np.errstate(over="ignore"):
            weight = weight * _class_weights(class_weight, y, weight, classes)
    counted = weight[weight != 0.0]
    if not counted.size:
        raise ValueError("class_weight is zero for every sample; at least one class must count.")
    if not MIN_WEIGHT <= counted.min() <= counted.max() <= MAX_WEIGHT:
        raise ValueError(
            f"sample_weight (times class_weight) must be 0 or lie between {MIN_WEIGHT:g} and "
            f"{MAX_WEIGHT:g}, got {counted.min():g} to {counted.max():g}; divide all weights by "
            "the largest one, and set the weight of samples to ignore to 0."
        )
    return weight


def _class_weights(
    class_weight: Mapping[Any, float] | str, y: NDArray[Any], weight: Array, classes: Any
) -> Array:
    """Return the weight of each sample's class."""
    if isinstance(class_weight, str):
        # Samples of weight 0 do not count, and their own class weight does not matter.
        counted = weight > 0.0
        present = np.unique(y[counted])
        of_class = compute_class_weight(
            class_weight, classes=present, y=y[counted], sample_weight=weight[counted]
        )
        codes = np.minimum(np.searchsorted(present, y), present.size - 1)
        return np.asarray(of_class[codes])
    # scikit-learn reads the label "1" as the number 1, and 0.5 as 0, in a dict.
    known, named = set(np.unique(y if classes is None else classes).tolist()), set(class_weight)
    # A dict that names every class may name more: a fold may lack samples of a class.
    if not (named <= known or known <= named):
        unknown = [label for label in class_weight if label not in known]
        raise ValueError(
            f"class_weight contains unknown classes {unknown}; the classes are {sorted(known)}."
        )
    return np.array([class_weight.get(label, 1.0) for label in y.tolist()], dtype=np.float64)


@contextmanager
def named_text(X: Any) -> Iterator[None]:
    """Raise an error that names the column of X at fault, if one that occurs here is about text.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"size": [1, 2], "colour": ["red", "blue"]})
    >>> with named_text(X):
    ...     X.to_numpy(dtype=float)
    Traceback (most recent call last):
        ...
    ValueError: Column 'colour' is not numeric (found 'red'). Encode it first, for example with \
make_pipeline(broadlearn.tables.TablePreparation(), model).
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        cells = np.asarray(X, dtype=object)
        about_text = str(error).startswith(("could not convert string", "The DType <class"))
        if not about_text or cells.ndim != 2:
            raise
        for name, values in zip(getattr(X, "columns", range(cells.shape[1])), cells.T, strict=True):
            if text := first_text(values):
                raise ValueError(
                    f"Column {name!r} is not numeric (found {text!r}). Encode it first, for "
                    "example with make_pipeline(broadlearn.tables.TablePreparation(), model)."
                ) from None
        raise


def read_rows(
    model: Any, X: Any, y: Any = "no_validation", *, reset: bool = False, **how: Any
) -> Any:
    """Validate samples, and targets if given, by scikit-learn's `validate_data`.

    `how` is `READ` or `READ_SPARSE`, with other options of `validate_data`.
    """
    with named_text(X):
        read = validate_data(model, X, y, reset=reset, **how)
    check_sparse(model, read[0] if isinstance(read, tuple) else read)
    return read


def first_text(values: Any) -> str:
    """Return the first value that is neither missing nor a number; empty if there is none."""
    cells = np.asarray(values, dtype=object).ravel()
    return next((str(cell)[:50] for cell in cells if not is_number(cell)), "")


def is_number(value: Any) -> bool:
    """Return whether a cell is missing or a number, possibly written as text."""
    from pandas import isna

    try:
        float(value)
    except (TypeError, ValueError):
        return isna(value) is True
    return True
