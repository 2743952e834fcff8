"""A fit in passes: columns, scaling of nodes, geometry of classes, sums of rows, refinement."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from broadlearn.models import (
    Batch,
    StreamState,
    empty_state,
    in_one_step,
    merge_samples,
    read_batch,
    refuse_batches,
    settle,
)
from broadlearn.out_of_core.columns import learn_columns
from broadlearn.out_of_core.rows import RowBlock, Rows
from broadlearn.random_features import (
    ACTIVATIONS,
    FEATURE_DRAWS,
    BroadMap,
    NestedMaps,
    Standardization,
    draw_feature_weights,
    to_interval,
)
from broadlearn.sample_scores import SampleScorer, Trust, UniformScorer, learn_geometry, untrusted
from broadlearn.solvers import normal_equations
from broadlearn.utils import Array, draw_seed

Model = TypeVar("Model", bound=BaseEstimator)

# Settings that cannot be learnt block by block.
WHOLE_TABLE = (
    ("feature_weights", "sparse"),
    ("feature_scaling", "robust"),
    ("standardize", "robust"),
)


class RowSums(NamedTuple):
    """What a model keeps of rows, as in `StreamState`, and the largest score of each class."""

    sums: Array
    weight: Array
    n_seen: int
    sample: Batch | None
    best: Array


def fit_in_passes(model: Model, source: Rows, classes: ArrayLike | None = None) -> Model:
    """Fit a model to rows in passes and return it; on failure the model is unchanged.

    If `classes` is None, they are found in the first pass.
    """
    if not hasattr(type(model), "warm_up"):
        raise ValueError(
            f"model must be a broad learning system with partial_fit, got {type(model).__name__}."
        )
    model._validate_params()
    refuse_batches(model)
    for name, value in WHOLE_TABLE:
        if getattr(model, name) == value:
            raise ValueError(
                f"{name}={value!r} needs all rows at once; call warm_up on a sample and then "
                "partial_fit on each block."
            )
    return _fit(model, model.scorer(), source, classes)


@in_one_step
def _fit(model: Any, scorer: SampleScorer, rows: Rows, classes: ArrayLike | None) -> Any:
    """Fit a model whose parameters allow it."""
    standardization, shift, dtype = learn_columns(model, rows, classes)
    seed = draw_seed(model.random_state)
    broad_map = _draw_map(model, seed, standardization, rows)
    state = empty_state(model, seed, dtype, standardization, broad_map, shift)
    if not isinstance(scorer, UniformScorer):

        def visit_classes(part: Any, merge: Any) -> Any:
            return rows.reduce("classes", partial(scored_part, model, state, part), merge)

        geometry = learn_geometry(scorer, visit_classes)
        state = replace(state, geometry=geometry)
        model.__dict__.update(geometry.attributes)
    sums = rows.reduce("sums", partial(row_sums, model, state), merge_row_sums)._asdict()
    best = sums.pop("best")
    if state.geometry is not None and not best.all():
        remedy = scorer.remedy(Trust(None, state.geometry.attributes))
        warnings.warn(untrusted(model.classes_, best, remedy), stacklevel=2)

    def visit(mean: Array | None, W: Array) -> Array:
        return rows.reduce("refinement", partial(residual, model, state, mean, W), np.add)

    settle(model, replace(state, **sums), visit)
    return model


def _draw_map(model: Any, seed: int, standardization: Standardization, rows: Rows) -> BroadMap:
    settings, n_inputs = model.feature_map(), standardization.mean.size + standardization.share.size
    m, p, kind = settings.n_feature_groups, settings.n_feature_nodes, settings.feature_weights
    A = draw_feature_weights(seed, m, p, n_inputs, **FEATURE_DRAWS[kind])
    W = settings.draw_layer(seed, settings.n_features, n_inputs)
    scaling: tuple[Array | None, Array | None] = (None, None)
    if settings.feature_scaling == "node":
        part = partial(extremes, model, standardization, A)
        low, negative_high = rows.reduce("nodes", part, np.minimum)
        scaling = to_interval(low, -negative_high)
    return NestedMaps(settings, A, *scaling).cut(m, p, W)


def extremes(
    model: Any, standardization: Standardization, A: Array, block: RowBlock, first: int
) -> Array:
    """Return the minimum and negative maximum of every node over a block."""
    rows, _, _ = read_batch(model, *block)
    activate = ACTIVATIONS[model.feature_activation]
    nodes = activate(standardization.affine(rows) @ A.astype(rows.dtype, copy=False))
    return np.stack([nodes.min(axis=0), -nodes.max(axis=0)]).astype(np.float64, copy=False)


def scored_part(model: Any, state: StreamState, part: Any, block: RowBlock, first: int) -> Any:
    """Return a statistic of the samples of a block, in the form that scorers take."""
    return part(state.samples(state.encode(*read_batch(model, *block))), first)


def row_sums(model: Any, state: StreamState, block: RowBlock, first: int) -> RowSums:
    """Return the sums of a block, for the map and geometry of an empty state."""
    batch, _ = state.scored(state.encode(*read_batch(model, *block)))
    best = np.zeros_like(state.weight)
    np.maximum.at(best, batch.codes, 1.0 if batch.score is None else batch.score)
    size = state.map.n_columns + batch.T.shape[1]
    sums = normal_equations(state.blocks(batch), size)
    kept = replace(state, n_seen=first).counted(batch)
    return RowSums(sums, kept.weight, kept.n_seen, kept.sample, best)


def merge_row_sums(a: RowSums, b: RowSums) -> RowSums:
    """Return the sums of the rows of both."""
    n_seen, best = max(a.n_seen, b.n_seen), np.maximum(a.best, b.best)
    sample = merge_samples(a.sample, b.sample)
    return RowSums(a.sums + b.sums, a.weight + b.weight, n_seen, sample, best)


def residual(
    model: Any, state: StreamState, mean: Array | None, W: Array, block: RowBlock, first: int
) -> Array:
    """Return ``GᵗS²(T - GW)`` of a block; the mean is subtracted from real targets."""
    batch, _ = state.scored(state.encode(*read_batch(model, *block)))
    return state.residual(batch, mean, W)
