"""A fit in passes: columns, scaling of nodes, geometry of classes, sums of rows, refinement."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from broadlearn._passes.classes import learn_geometry
from broadlearn._passes.columns import learn_columns
from broadlearn._passes.rows import Reader, Rows
from broadlearn.classifiers._incremental import (
    IncrementalModel,
    centred_blocks,
    unchanged_on_error,
)
from broadlearn.classifiers._stream import Batch, StreamState, merge_samples
from broadlearn.random_features._activations import ACTIVATIONS
from broadlearn.random_features._broad_map import BroadMap, MapSettings, assemble_map, reduce_map
from broadlearn.random_features._draws import draw_feature_weights, draw_seed
from broadlearn.random_features._scaling import node_extremes, to_interval
from broadlearn.random_features._standardize import affine_block
from broadlearn.solvers._ridge import rows_residual

Array = NDArray[np.float64]
Model = TypeVar("Model", bound=IncrementalModel)

# What a model learns of its input before anything is drawn, and what it keeps of single rows.
KNOWN = ("n_features_in_", "feature_names_in_", "classes_", "_one_target")
OF_ROWS = ("sample_scores_", "membership_", "nonmembership_")
# What cannot be learnt block by block.
WHOLE_TABLE = (
    ("feature_weights", "sparse"),
    ("feature_scaling", "robust"),
    ("standardize", "robust"),
)


class RowSums(NamedTuple):
    """What a model keeps of rows.

    Attributes
    ----------
    sums, weight, sample, priority
        As of `StreamState`.
    n_rows : int
    best : ndarray of shape (n_classes,)
        Largest score of each class.
    """

    sums: Array
    weight: Array
    n_rows: int
    sample: Batch | None
    priority: NDArray[np.uint64] | None
    best: Array


def fit_in_passes(model: Model, rows: Rows, classes: ArrayLike | None = None) -> Model:
    """Fit a model to rows in passes; if that fails, the model is as it was.

    Parameters
    ----------
    model : IncrementalModel
    rows : Rows
    classes : array-like of shape (n_classes,), default=None
        None finds them.

    Returns
    -------
    model
        The same object, fitted.
    """
    if not isinstance(model, IncrementalModel):
        raise ValueError(
            f"model must be a broad learning system that has partial_fit, not a "
            f"{type(model).__name__}."
        )
    with unchanged_on_error(model):
        model._validate_params()
        settings = MapSettings.of(model)
        for name, value in WHOLE_TABLE:
            if getattr(model, name) == value:
                raise ValueError(
                    f"{name}={value!r} needs all rows at once; call warm_up on a sample and then "
                    "partial_fit on each block."
                )
        reader, dtype = learn_columns(model, rows, classes)
        model._stream = None
        for name in (*KNOWN, *OF_ROWS):
            model.__dict__.pop(name, None)
        model.__dict__.update(
            {name: value for name, value in vars(reader.model).items() if name in KNOWN}
        )
        seed = draw_seed(model.random_state)
        broad_map = _draw_map(settings, seed, reader, rows)
        geometry = learn_geometry(model, reader, rows, seed)
        empty = StreamState(
            seed,
            dtype,
            reader.standardization,
            reduce_map(broad_map),
            geometry,
            reader.shift,
            None,
            np.zeros(model._n_classes()),
        )
        found = rows.reduce("sums", partial(row_sums, reader, empty), merge_row_sums)
        if geometry is not None:
            model._refuse_untrusted(np.arange(found.best.size), found.best)
        state = replace(
            empty,
            sums=found.sums,
            weight=found.weight,
            n_seen=found.n_rows,
            sample=found.sample,
            priority=found.priority,
        )
        model._settle(
            state,
            lambda mean, W: rows.reduce(
                "refinement", partial(residual, reader, state, mean, W), np.add
            ),
        )
    return model


def _draw_map(settings: MapSettings, seed: int, reader: Reader, rows: Rows) -> BroadMap:
    A = draw_feature_weights(
        seed,
        settings.n_feature_groups,
        settings.n_feature_nodes,
        reader.model.n_features_in_,
        orthonormal=settings.feature_weights == "orthonormal",
    )
    W = settings.draw_enhancements(seed, settings.n_features, reader.model.n_features_in_)
    if settings.feature_scaling != "node":
        return assemble_map(settings, A, None, None, W)
    part = partial(extremes, reader, A, settings.feature_activation)
    low, negative_high = rows.reduce("nodes", part, np.minimum)
    return assemble_map(settings, A, *to_interval(low, -negative_high), W)


def extremes(
    reader: Reader, A: Array, activation: str, X: Any, y: Any, sample_weight: Any, first: int
) -> Array:
    """Minimum and negative maximum of every node over a block."""
    rows = reader(X, y, sample_weight).X
    affine = affine_block(rows, slice(0, rows.shape[0]), reader.standardization)
    nodes = ACTIVATIONS[activation](affine @ A.astype(rows.dtype, copy=False))
    low, high = node_extremes([nodes], A.shape[1])
    return np.stack([low, -high])


def _scored(reader: Reader, state: StreamState, X: Any, y: Any, sample_weight: Any) -> Batch:
    batch = reader(X, y, sample_weight)
    if state.geometry is None:
        return batch
    trust = state.geometry.trust(reader.standardized(batch), batch.codes)
    return batch._replace(score=trust.score)


def row_sums(
    reader: Reader, empty: StreamState, X: Any, y: Any, sample_weight: Any, first: int
) -> RowSums:
    """What is kept of a block, for the map and geometry of a state without rows."""
    batch = _scored(reader, empty, X, y, sample_weight)
    best = np.zeros_like(empty.weight)
    np.maximum.at(best, batch.codes, 1.0 if batch.score is None else batch.score)
    state = replace(empty, n_seen=first).learn(batch)
    if state.sums is None:
        raise ValueError("There are no rows to learn from.")
    return RowSums(state.sums, state.weight, batch.codes.size, state.sample, state.priority, best)


def merge_row_sums(a: RowSums, b: RowSums) -> RowSums:
    """What is kept of the rows of both."""
    sample, priority, more, of_more = a.sample, a.priority, b.sample, b.priority
    if not (sample is None or priority is None or more is None or of_more is None):
        sample, priority = merge_samples((sample, priority), (more, of_more))
    return RowSums(
        a.sums + b.sums,
        a.weight + b.weight,
        a.n_rows + b.n_rows,
        sample,
        priority,
        np.maximum(a.best, b.best),
    )


def residual(
    reader: Reader,
    state: StreamState,
    mean: Array | None,
    W: Array,
    X: Any,
    y: Any,
    sample_weight: Any,
    first: int,
) -> Array:
    """``GᵗS²(T - GW)`` of a block; real targets are less their mean, without the column of ones."""
    blocks = state.blocks(_scored(reader, state, X, y, sample_weight))
    return rows_residual(W, centred_blocks(blocks, W, mean))
