"""The first passes: classes or the mean of real targets, means and deviations of columns."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.preprocessing import StandardScaler
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from broadlearn.models import know_classes, start_anew
from broadlearn.out_of_core.row_blocks import RowBlock
from broadlearn.out_of_core.rows import Rows
from broadlearn.utils import FLOAT_TYPES, SAFE_EXPONENT, Array, Standardization, check_weights
from broadlearn.utils.sklearn_compat import handle_zeros_in_scale, is_constant_feature


class ColumnStatistics(NamedTuple):
    """What is learnt of columns and targets."""

    weight: float
    mean: Array
    variance: Array
    #: Largest absolute value of each column.
    largest: Array
    #: Holds all blocks.
    dtype: np.dtype[Any]
    #: Classes found; None for real targets.
    labels: NDArray[Any] | None
    #: Weighted sum of real targets; empty for classes.
    target_sum: Array

    @property
    def scale(self) -> Array:
        """Deviations, 1 in place of that of a constant."""
        constant = is_constant_feature(self.variance, self.mean, self.weight)
        deviation = np.sqrt(self.variance)
        return handle_zeros_in_scale(deviation, copy=False, constant_mask=constant)

    @property
    def exponent(self) -> NDArray[np.int32] | None:
        """Powers of two that bring columns of extreme size near 1, as in a fit."""
        exponents = np.frexp(self.largest)[1]
        exponents[np.abs(exponents) < SAFE_EXPONENT[self.dtype]] = 0
        return exponents if exponents.any() else None


def learn_columns(
    model: Any, rows: Rows, classes: ArrayLike | None
) -> tuple[Standardization, Array, np.dtype[Any]]:
    """Let a model know its columns and classes; learn how columns are standardised.

    Parameters
    ----------
    model : BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier or BLSRegressor
    rows : Rows
    classes : array-like of shape (n_classes,) or None
        None finds them.

    Returns
    -------
    Standardization
    shift : ndarray of shape (n_targets,)
        The mean of real targets; empty for classes.
    dtype : dtype
        That holds all blocks.
    """
    start_anew(model, *rows.head())
    found = rows.reduce("columns", partial(column_statistics, model, None), merge_columns)
    if found.labels is not None:
        know_classes(model, found.labels if classes is None else np.unique(np.asarray(classes)))
    shift = found.target_sum / found.weight
    if not model.standardize:
        return Standardization.identity(model.n_features_in_), shift, found.dtype
    exponent, scaled = found.exponent, found
    if exponent is not None:
        part = partial(column_statistics, model, exponent)
        scaled = rows.reduce("extreme columns", part, merge_columns)
    return Standardization(scaled.mean, scaled.scale, exponent), shift, found.dtype


def column_statistics(
    model: Any, exponent: NDArray[np.int32] | None, rows: RowBlock, first: int
) -> ColumnStatistics:
    """Statistics of a block, whose columns are divided by 2**exponent."""
    X, y, sample_weight = rows
    real = not is_classifier(model)
    block, targets = validate_data(
        model, X, y, dtype=FLOAT_TYPES, multi_output=real, y_numeric=real, reset=False
    )
    weight = check_weights(sample_weight, block)
    labels, target_sum = None, np.empty(0)
    if real:
        target_sum = weight @ np.asarray(targets, dtype=np.float64).reshape(len(block), -1)
    else:
        check_classification_targets(targets)
        labels = np.unique(targets)
    scaled = block if exponent is None else np.ldexp(block, -exponent)
    # What overflows here is learnt again, with columns scaled.
    with np.errstate(over="ignore", invalid="ignore"):
        scaler = StandardScaler().fit(
            scaled.astype(np.float64, copy=False),
            sample_weight=None if sample_weight is None else weight,
        )
    largest = np.abs(block).max(axis=0).astype(np.float64)
    statistics = (float(weight.sum()), scaler.mean_, scaler.var_, largest)
    return ColumnStatistics(*statistics, block.dtype, labels, target_sum)


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
        within = (1.0 - share) * a.variance + share * b.variance
        variance = within + (1.0 - share) * share * between**2
    labels = None
    if a.labels is not None and b.labels is not None:
        labels = np.union1d(a.labels, b.labels)
    largest, dtype = np.maximum(a.largest, b.largest), np.promote_types(a.dtype, b.dtype)
    targets = a.target_sum + b.target_sum
    return ColumnStatistics(weight, mean, variance, largest, dtype, labels, targets)
