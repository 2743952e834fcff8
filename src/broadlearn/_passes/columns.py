"""The first passes: classes or the mean of real targets, means and deviations of columns."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.preprocessing import StandardScaler
from sklearn.preprocessing._data import _handle_zeros_in_scale, _is_constant_feature
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from broadlearn._passes.rows import Reader, Rows
from broadlearn.classifiers._incremental import IncrementalModel
from broadlearn.classifiers._rows import FLOAT_TYPES
from broadlearn.random_features._standardize import (
    SAFE_EXPONENT,
    Standardization,
    identity_standardization,
)
from broadlearn.sample_scores._inputs import check_weights

Array = NDArray[np.float64]


class ColumnStatistics(NamedTuple):
    """What is learnt of columns and targets.

    Attributes
    ----------
    weight : float
        Of all rows.
    mean, variance : ndarray of shape (n_features,)
    largest : ndarray of shape (n_features,)
        Largest absolute value.
    dtype : dtype
        That holds all blocks.
    labels : ndarray or None
        Classes found; None for real targets.
    target_sum : ndarray of shape (n_targets,)
        Weighted sum of real targets; empty for classes.
    """

    weight: float
    mean: Array
    variance: Array
    largest: Array
    dtype: np.dtype[Any]
    labels: NDArray[Any] | None
    target_sum: Array

    @property
    def scale(self) -> Array:
        """Deviations, 1 in place of that of a constant."""
        constant = _is_constant_feature(self.variance, self.mean, self.weight)
        scale: Array = _handle_zeros_in_scale(
            np.sqrt(self.variance), copy=False, constant_mask=constant
        )
        return scale

    @property
    def exponent(self) -> NDArray[np.int32] | None:
        """Powers of two that bring columns of extreme size near 1, as in a fit."""
        exponents = np.frexp(self.largest)[1]
        exponents[np.abs(exponents) < SAFE_EXPONENT[self.dtype]] = 0
        return exponents if exponents.any() else None


def learn_columns(
    model: IncrementalModel, rows: Rows, classes: ArrayLike | None
) -> tuple[Reader, np.dtype[Any]]:
    """Learn how blocks are to be read, and their type.

    Parameters
    ----------
    model : IncrementalModel
        Left as it is.
    rows : Rows
    classes : array-like of shape (n_classes,) or None
        None finds them.
    """
    known, (head, y_dimensions) = clone(model), rows.head()
    validate_data(known, head, skip_check_array=True)
    classifier = is_classifier(model)
    if not classifier:
        known._one_target = y_dimensions == 1
    found = rows.reduce("columns", partial(column_statistics, known, None), merge_columns)
    if classifier:
        labels = found.labels if classes is None else np.unique(np.asarray(classes))
        known.classes_ = model._check_classes(labels)
    shift = np.empty(0) if classifier else found.target_sum / found.weight
    if not model.standardize:
        return Reader(known, identity_standardization(known.n_features_in_), shift), found.dtype
    exponent = found.exponent
    scaled = found
    if exponent is not None:
        part = partial(column_statistics, known, exponent)
        scaled = rows.reduce("extreme columns", part, merge_columns)
    standardization = Standardization(scaled.mean, scaled.scale, exponent)
    return Reader(known, standardization, shift), found.dtype


def column_statistics(
    model: IncrementalModel,
    exponent: NDArray[np.int32] | None,
    X: Any,
    y: Any,
    sample_weight: Any,
    first: int,
) -> ColumnStatistics:
    """Statistics of a block, whose columns are divided by 2**exponent."""
    labels, target_sum = None, np.empty(0)
    if is_classifier(model):
        block, targets = validate_data(model, X, y, dtype=FLOAT_TYPES, reset=False)
        check_classification_targets(targets)
        labels = np.unique(targets)
        weight = check_weights(sample_weight, block)
    else:
        block, targets = model._validate(X, y, None, first=False)
        weight = check_weights(sample_weight, block)
        target_sum = weight @ targets
    scaled = block if exponent is None else np.ldexp(block, -exponent)
    # What overflows here is learnt again, with columns scaled.
    with np.errstate(over="ignore", invalid="ignore"):
        scaler = StandardScaler().fit(
            scaled.astype(np.float64, copy=False),
            sample_weight=None if sample_weight is None else weight,
        )
    return ColumnStatistics(
        float(weight.sum()),
        scaler.mean_,
        scaler.var_,
        np.abs(block).max(axis=0).astype(np.float64),
        block.dtype,
        labels,
        target_sum,
    )


def merge_columns(a: ColumnStatistics, b: ColumnStatistics) -> ColumnStatistics:
    """Statistics of the rows of both (Chan, Golub and LeVeque 1983)."""
    if a.target_sum.size != b.target_sum.size:
        raise ValueError(
            f"y has {a.target_sum.size} targets in some rows and {b.target_sum.size} in others."
        )
    weight = a.weight + b.weight
    share = b.weight / weight
    with np.errstate(over="ignore", invalid="ignore"):
        between = b.mean - a.mean
        mean = a.mean + share * between
        variance = (
            (1.0 - share) * a.variance + share * b.variance + (1.0 - share) * share * between**2
        )
    labels = None
    if a.labels is not None and b.labels is not None:
        labels = np.union1d(a.labels, b.labels)
    return ColumnStatistics(
        weight,
        mean,
        variance,
        np.maximum(a.largest, b.largest),
        np.promote_types(a.dtype, b.dtype),
        labels,
        a.target_sum + b.target_sum,
    )
