"""The first passes: classes or the mean of real targets, means and deviations of columns."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import validate_data

from broadlearn.models import check_several, forget_fit, read_batch
from broadlearn.out_of_core.rows import RowBlock, Rows
from broadlearn.random_features import (
    ColumnStatistics,
    Standardization,
    column_statistics,
    standardization_of,
)
from broadlearn.utils import READ, Array, check_labels, check_targets, check_weights, read_rows


class TableStatistics(NamedTuple):
    """Statistics of columns and targets."""

    columns: ColumnStatistics
    #: Common type of all blocks.
    dtype: np.dtype[Any]
    #: Classes found; empty for real targets.
    labels: NDArray[Any]
    #: Weighted sum of real targets; empty for classes.
    target_sum: Array


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
    head, y_dimensions = rows.head()
    forget_fit(model)
    validate_data(model, head, skip_check_array=True)
    columns, dtype, labels, target_sum = rows.reduce(
        "columns", partial(table_statistics, model), merge_tables
    )
    shift = None
    if is_classifier(model):
        labels = labels if classes is None else np.unique(np.asarray(classes))
        model.classes_ = check_several(labels, type(model).__name__)
    else:
        model._one_target, shift = y_dimensions == 1, target_sum / columns.weight

    def visit(part: Any, merge: Any) -> Any:
        return rows.reduce("columns", partial(visit_samples, model, part), merge)

    return standardization_of(columns, visit, model.standardize), shift, dtype


def visit_samples(model: Any, part: Any, block: RowBlock, first: int) -> Any:
    """Return a statistic of the samples of positive weight of a block."""
    X, _, weight = read_batch(model, *block)
    return part(X, weight, first)


def table_statistics(model: Any, rows: RowBlock, first: int) -> TableStatistics:
    """Return the statistics of a block."""
    X, y, sample_weight = rows
    block, targets = read_rows(model, X, y, multi_output=True, **READ)
    labels, target_sum, class_weight = (
        np.empty(0),
        np.empty(0),
        getattr(model, "class_weight", None),
    )
    if is_classifier(model):
        targets = check_labels(targets)
        labels = np.unique(targets)
    else:
        targets = check_targets(targets, block.dtype)
    if class_weight is not None:
        # Names of unknown classes are refused once all classes are known.
        class_weight = {c: w for c, w in class_weight.items() if c in labels.tolist()}
    weight = check_weights(sample_weight, block, class_weight, targets)
    if not is_classifier(model):
        target_sum = weight @ targets.reshape(len(block), -1)
    counted = weight > 0.0
    fences = model.standardize == "bounded"
    columns = column_statistics(block[counted], weight[counted], first, fences=fences)
    return TableStatistics(columns, block.dtype, labels, target_sum)


def merge_tables(a: TableStatistics, b: TableStatistics) -> TableStatistics:
    """Return the statistics of the rows of both."""
    if a.target_sum.size != b.target_sum.size:
        raise ValueError(
            f"y has {a.target_sum.size} targets in some rows and {b.target_sum.size} in others."
        )
    return TableStatistics(
        a.columns.merge(b.columns),
        np.promote_types(a.dtype, b.dtype),
        np.union1d(a.labels, b.labels),
        a.target_sum + b.target_sum,
    )
