"""Fits of tables that do not fit into memory, in passes over blocks of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.preprocessing import StandardScaler
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from broadlearn._row_blocks import RowSource, row_source
from broadlearn.classifiers._incremental import IncrementalModel, unchanged_on_error
from broadlearn.classifiers._rows import FLOAT_TYPES
from broadlearn.classifiers._stream import Batch, StreamState
from broadlearn.random_features._activations import ACTIVATIONS
from broadlearn.random_features._broad_map import MapSettings, assemble_map
from broadlearn.random_features._draws import (
    draw_enhancement_weights,
    draw_feature_weights,
    draw_seed,
)
from broadlearn.random_features._scaling import node_extremes, to_interval
from broadlearn.random_features._standardize import (
    SAFE_EXPONENT,
    Standardization,
    affine_block,
    identity_standardization,
)
from broadlearn.sample_scores._geometry import ClassBlock
from broadlearn.sample_scores._inputs import check_weights

Array = NDArray[np.float64]
Progress = Callable[[str, int], None]
Model = TypeVar("Model", bound=IncrementalModel)

# Validated rows with encoded targets, block by block.
Passes = Callable[[str], Iterator[Batch]]


def fit_blocks(
    model: Model,
    source: Any,
    y: Any = None,
    *,
    target: str | None = None,
    sample_weight: Any = None,
    classes: ArrayLike | None = None,
    block_rows: int = 8192,
    progress: Progress | None = None,
) -> Model:
    """Fit a model to rows that are read block by block, in several passes.

    Decisions are those of `fit` on all rows; the slope of probabilities is learnt from 512 of them.
    One pass finds classes (or the mean of real targets), column means and deviations, one the
    scaling of nodes, one sums the normal equations, and where C is so large that rounding of these
    would be seen, one or two refine the solution. Fuzzy scores take two passes more, for the exact
    centres and radii of the classes; so do intuitionistic ones, which are taken against `landmarks`
    rows of each class (2,000 if None), drawn in the first of them, where `fit` compares all rows.
    Memory does not depend on the number of rows.

    Scores of single rows are not kept. Afterwards the model can learn more rows with `partial_fit`.

    Parameters
    ----------
    model : BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier or BLSRegressor
        ``feature_weights="sparse"`` and ``feature_scaling="robust"`` need all rows at once and are
        refused: use `warm_up` on a sample and `partial_fit` with these.
    source : array of shape (n_samples, n_features), path, sequence of paths, iterable or callable
        An array, such as a memory map, with `y`; Parquet or CSV files with `target`, all other
        columns being numbers; or blocks ``(X, y)`` or ``(X, y, sample_weight)``, as an iterable
        that can be iterated again or a function that gives a fresh iterator.
    y : array of shape (n_samples,), default=None
        Targets, if `source` is an array.
    target : str, default=None
        Name of the target column, if `source` is a file.
    sample_weight : array of shape (n_samples,), default=None
        Row weights, if `source` is an array.
    classes : array-like of shape (n_classes,), default=None
        The classes, if they are known; None finds them.
    block_rows : int, default=8192
        Rows of a block of an array or file.
    progress : callable, default=None
        Called as ``progress(stage, n_rows)`` after each block, with the name of the pass and the
        rows visited in it.

    Returns
    -------
    model
        The same object, fitted.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from broadlearn import BLSClassifier
    >>> from broadlearn.streaming import fit_blocks
    >>> X, y = load_digits(return_X_y=True)
    >>> fit_blocks(BLSClassifier(random_state=0), X, y, block_rows=500).score(X, y) > 0.95
    True
    """
    if not isinstance(model, IncrementalModel):
        raise ValueError(
            f"model must be a broad learning system that has partial_fit, not a "
            f"{type(model).__name__}."
        )
    rows = row_source(source, y, target=target, sample_weight=sample_weight, block_rows=block_rows)
    with unchanged_on_error(model):
        model._validate_params()
        settings = MapSettings.of(model)
        for name, value in (("feature_weights", "sparse"), ("feature_scaling", "robust")):
            if getattr(settings, name) == value:
                raise ValueError(
                    f"{name}={value!r} needs all rows at once; call warm_up on a sample and then "
                    "partial_fit on each block."
                )
        model._stream = None
        model.__dict__.pop("feature_names_in_", None)
        standardization, shift, dtype = _learn_columns(model, rows, classes, progress)
        visit = _passes(model, rows, shift, progress)
        state = _first_state(model, settings, standardization, shift, dtype, visit)
        geometry, best = state.geometry, np.zeros(state.weight.size)

        def scored(stage: str) -> Iterator[Batch]:
            for batch in visit(stage):
                if geometry is None:
                    yield batch
                else:
                    Z = model._standardized(batch.X, standardization)
                    yield batch._replace(score=geometry.trust(Z, batch.codes).score)

        for batch in scored("sums"):
            state = state.learn(batch)
            np.maximum.at(best, batch.codes, 1.0 if batch.score is None else batch.score)
        model._refuse_untrusted(np.arange(best.size), best)
        model._settle(
            state,
            lambda: (block for batch in scored("refinement") for block in state.blocks(batch)),
        )
        for name in ("sample_scores_", "membership_", "nonmembership_"):
            model.__dict__.pop(name, None)
        if rows.columns is not None:
            model.feature_names_in_ = np.asarray(rows.columns, dtype=object)
    return model


def _visit(rows: RowSource, stage: str, progress: Progress | None) -> Iterator[Any]:
    """Blocks of a pass whose rows have some weight."""
    n_rows = 0
    for X, y, weight in rows.blocks():
        if weight is None or np.asarray(weight).any():
            yield X, y, weight
        n_rows += len(y)
        if progress is not None:
            progress(stage, n_rows)
    if not n_rows:
        raise ValueError("source has no rows.")


def _learn_columns(
    model: IncrementalModel,
    rows: RowSource,
    classes: ArrayLike | None,
    progress: Progress | None,
) -> tuple[Standardization, Array, np.dtype[Any]]:
    """First pass: classes, the mean of real targets, means and deviations of columns."""
    classifier, first = is_classifier(model), True
    labels = None if classes is None else np.unique(np.asarray(classes))
    columns, target_sum, total = _Columns(), np.zeros(1), 0.0
    for X, y, sample_weight in _visit(rows, "columns", progress):
        if classifier:
            block, targets = validate_data(model, X, y, dtype=FLOAT_TYPES, reset=first)
            check_classification_targets(targets)
            if classes is None:
                found = np.unique(targets)
                labels = found if labels is None else np.union1d(labels, found)
        else:
            block, targets = model._validate(X, y, None, first=first)
        weight = check_weights(sample_weight, block)
        if not classifier:
            target_sum = target_sum + weight @ targets
            total += float(weight.sum())
        columns.add(block, None if sample_weight is None else weight)
        first = False
    if classifier:
        model.classes_ = model._check_classes(labels)
    if not model.standardize:
        standardization = identity_standardization(model.n_features_in_)
    elif columns.exponent is None:
        standardization = Standardization(columns.scaler.mean_, columns.scaler.scale_, None)
    else:
        again = _Columns(columns.exponent)
        for X, _, sample_weight in _visit(rows, "extreme columns", progress):
            block = model._validate_rows(X)
            again.add(block, None if sample_weight is None else check_weights(sample_weight, block))
        standardization = Standardization(again.scaler.mean_, again.scaler.scale_, columns.exponent)
    return standardization, np.empty(0) if classifier else target_sum / total, columns.dtype


class _Columns:
    """Means, deviations and sizes of columns, block by block."""

    def __init__(self, scaled_by: NDArray[np.int32] | None = None) -> None:
        self.scaler, self.scaled_by = StandardScaler(), scaled_by
        self.largest: Array = np.zeros(1)
        self.dtype: np.dtype[Any] = np.dtype(np.float32)

    def add(self, X: NDArray[np.floating], weight: Array | None) -> None:
        self.largest = np.maximum(self.largest, np.abs(X).max(axis=0).astype(np.float64))
        self.dtype = np.promote_types(self.dtype, X.dtype)
        block = X if self.scaled_by is None else np.ldexp(X, -self.scaled_by)
        # What overflows here is learnt again, with columns scaled.
        with np.errstate(over="ignore", invalid="ignore"):
            self.scaler.partial_fit(block.astype(np.float64, copy=False), sample_weight=weight)

    @property
    def exponent(self) -> NDArray[np.int32] | None:
        """Powers of two that bring columns of extreme size near 1, as in a fit."""
        exponents = np.frexp(self.largest)[1]
        exponents[np.abs(exponents) < SAFE_EXPONENT[self.dtype]] = 0
        return exponents if exponents.any() else None


def _passes(
    model: IncrementalModel, rows: RowSource, shift: Array, progress: Progress | None
) -> Passes:
    """Give the function that starts a pass over validated batches."""

    def visit(stage: str) -> Iterator[Batch]:
        for X, y, sample_weight in _visit(rows, stage, progress):
            block, targets = model._validate(X, y, None, first=False)
            yield model._batch(block, targets, check_weights(sample_weight, block), shift)

    return visit


def _first_state(
    model: IncrementalModel,
    settings: MapSettings,
    standardization: Standardization,
    shift: Array,
    dtype: np.dtype[Any],
    visit: Passes,
) -> StreamState:
    """Draw the map, learn its scaling and the geometry of the classes."""
    seed = draw_seed(model.random_state)
    A = draw_feature_weights(
        seed,
        settings.n_feature_groups,
        settings.n_feature_nodes,
        model.n_features_in_,
        orthonormal=settings.feature_weights == "orthonormal",
    )
    scale = offset = None
    if settings.feature_scaling == "node":
        scale, offset = to_interval(
            *node_extremes(
                (
                    _nodes(batch.X, standardization, A, settings.feature_activation)
                    for batch in visit("nodes")
                ),
                A.shape[1],
            )
        )
    W = draw_enhancement_weights(
        seed,
        settings.n_enhancement_groups,
        settings.n_enhancement_nodes,
        settings.n_features,
    )

    def class_blocks() -> Iterator[ClassBlock]:
        for batch in visit("classes"):
            yield model._standardized(batch.X, standardization), batch.codes, batch.weight

    broad_map = assemble_map(settings, A, scale, offset, W)
    return model._first_state(seed, standardization, broad_map, class_blocks, shift, dtype)


def _nodes(
    X: NDArray[np.floating], standardization: Standardization, A: Array, activation: str
) -> NDArray[np.floating]:
    block = affine_block(X, slice(0, X.shape[0]), standardization)
    return ACTIVATIONS[activation](block @ A.astype(X.dtype, copy=False))
