"""The first passes: classes or the mean of real targets, means and deviations of columns."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import validate_data

from broadlearn.models import check_several, forget_fit
from broadlearn.out_of_core.row_blocks import RowBlock
from broadlearn.out_of_core.rows import Rows
from broadlearn.random_features import (
    FenceRows,
    Standardization,
    draw_fence_rows,
    last_within,
    learn_fences,
    safe_exponents,
    scaled_bounds,
    with_missing,
)
from broadlearn.utils import READ, Array, check_labels, check_targets, check_weights, read_rows
from broadlearn.utils.sklearn_compat import handle_zeros_in_scale, is_constant_feature


class ColumnStatistics(NamedTuple):
    """Statistics of columns and targets."""

    weight: float
    #: Weight of the rows with a missing value in each column.
    absent: Array
    #: Of the present values; 0 in columns without any.
    mean: Array
    variance: Array
    #: Least and largest value of each column; NaN in columns without any.
    extremes: Array
    #: Common type of all blocks.
    dtype: np.dtype[Any]
    #: Classes found; None for real targets.
    labels: NDArray[Any] | None
    #: Weighted sum of real targets; empty for classes.
    target_sum: Array
    #: Rows that fences are learnt from, or None.
    rows: FenceRows | None

    @property
    def scale(self) -> Array:
        """Return deviations; 1 for constant columns."""
        constant = is_constant_feature(self.variance, self.mean, self.weight - self.absent)
        deviation = np.sqrt(self.variance)
        return handle_zeros_in_scale(deviation, copy=False, constant_mask=constant)


def learn_columns(
    model: Any, rows: Rows, classes: ArrayLike | None
) -> tuple[Standardization, Array | None, np.dtype[Any]]:
    """Set the columns and classes of a model; learn the standardisation.

    Parameters
    ----------
    model : BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier or BLSRegressor
    rows : Rows
    classes : array-like of shape (n_classes,) or None
        None finds them.

    Returns
    -------
    Standardization
    shift : ndarray of shape (n_targets,) or None
        The mean of real targets; None for classes.
    dtype : dtype
        Common type of all blocks.
    """
    _start_anew(model, *rows.head())
    part = partial(column_statistics, model, None, None)
    statistics = rows.reduce("columns", part, merge_columns)
    if statistics.labels is not None:
        labels = statistics.labels if classes is None else np.unique(np.asarray(classes))
        model.classes_ = check_several(labels, type(model).__name__)
    shift = statistics.target_sum / statistics.weight if statistics.labels is None else None
    scaled, bounds, extremes = statistics, None, statistics.extremes
    if statistics.rows is not None:
        bounds = learn_fences(statistics.rows)
        beyond = np.array([extremes[0] < bounds[0], extremes[1] > bounds[1]])
        if beyond.any():
            inner = rows.reduce("fences", partial(extremes_within, model, bounds), merge_extremes)
            bounds = np.where(beyond, inner, bounds)
            extremes = np.clip(extremes, *bounds)
    exponent = safe_exponents(np.nan_to_num(np.abs(extremes).max(axis=0)), statistics.dtype)
    if exponent is not None or extremes is not statistics.extremes:
        part = partial(column_statistics, model, exponent, bounds)
        scaled = rows.reduce("extreme columns", part, merge_columns)
    missing = np.flatnonzero(statistics.absent)
    mean = np.where(statistics.absent < statistics.weight, scaled.mean, np.nan)
    learnt = Standardization(mean, scaled.scale, exponent)
    if bounds is not None:
        learnt = learnt._replace(bounds=scaled_bounds(bounds, exponent))
    if missing.size or not model.standardize:
        share = statistics.absent[missing] / statistics.weight
        learnt = with_missing(learnt, missing, share, model.standardize)
    return learnt, shift, statistics.dtype


def _start_anew(model: Any, head: Any, y_dimensions: int) -> None:
    """Make a model unfitted; it learns the columns of `head`, which may have no rows."""
    forget_fit(model)
    validate_data(model, head, skip_check_array=True)
    if not is_classifier(model):
        model._one_target = y_dimensions == 1


def column_statistics(
    model: Any,
    exponent: NDArray[np.int32] | None,
    bounds: Array | None,
    rows: RowBlock,
    first: int,
) -> ColumnStatistics:
    """Return the statistics of a block, clipped at bounds and divided by 2**exponent."""
    X, y, sample_weight = rows
    real = not is_classifier(model)
    block, targets = read_rows(model, X, y, multi_output=True, **READ)
    targets = check_targets(targets, block.dtype) if real else check_labels(targets)
    labels, target_sum, class_weight = None, np.empty(0), getattr(model, "class_weight", None)
    if class_weight is not None:
        # Names of unknown classes are refused once all classes are known.
        present = np.unique(targets).tolist()
        class_weight = {c: w for c, w in class_weight.items() if c in present}
    weight = check_weights(sample_weight, block, class_weight, targets)
    if real:
        target_sum = weight @ targets.reshape(len(block), -1)
    else:
        labels = np.unique(targets)
    drawn = None
    if bounds is not None:
        block = np.clip(block, *bounds)
    elif model.standardize == "bounded":
        counted = weight > 0.0
        drawn = draw_fence_rows(block[counted], weight[counted], first)
    scaled = block if exponent is None else np.ldexp(block, -exponent)
    # Columns that overflow here are scaled and learnt again.
    with np.errstate(over="ignore", invalid="ignore"):
        scaler = StandardScaler().fit(
            scaled.astype(np.float64, copy=False),
            sample_weight=None if (weight == 1.0).all() else weight,
        )
    extremes = np.array([np.fmin.reduce(block), np.fmax.reduce(block)], dtype=np.float64)
    absent = weight @ np.isnan(block)
    empty = absent >= weight.sum()
    mean, variance = (np.where(empty, 0.0, part) for part in (scaler.mean_, scaler.var_))
    statistics = (float(weight.sum()), absent, mean, variance, extremes)
    return ColumnStatistics(*statistics, block.dtype, labels, target_sum, drawn)


def merge_columns(a: ColumnStatistics, b: ColumnStatistics) -> ColumnStatistics:
    """Return the statistics of the rows of both (Chan, Golub and LeVeque 1983)."""
    if a.target_sum.size != b.target_sum.size:
        raise ValueError(
            f"y has {a.target_sum.size} targets in some rows and {b.target_sum.size} in others."
        )
    weight, absent = a.weight + b.weight, a.absent + b.absent
    there = weight - absent
    share = np.divide(b.weight - b.absent, there, out=np.zeros_like(there), where=there > 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        between = b.mean - a.mean
        mean = a.mean + share * between
        within = (1.0 - share) * a.variance + share * b.variance
        variance = within + (1.0 - share) * share * between**2
    labels = None
    if a.labels is not None and b.labels is not None:
        labels = np.union1d(a.labels, b.labels)
    extremes = merge_extremes(a.extremes, b.extremes)
    dtype, targets = np.promote_types(a.dtype, b.dtype), a.target_sum + b.target_sum
    rows = a.rows.merge(b.rows) if a.rows is not None and b.rows is not None else None
    statistics = (weight, absent, mean, variance, extremes)
    return ColumnStatistics(*statistics, dtype, labels, targets, rows)


def extremes_within(model: Any, fences: Array, rows: RowBlock, first: int) -> Array:
    """Return the least and largest value within fences of each column of a block."""
    return last_within(validate_data(model, rows[0], reset=False, **READ), fences)


def merge_extremes(a: Array, b: Array) -> Array:
    """Return the least and largest values of two blocks, ignoring NaN."""
    return np.array([np.fmin(a[0], b[0]), np.fmax(a[1], b[1])])
