"""Learning in batches: what `partial_fit`, `warm_up`, `forget` and `grow` do.

All work on a `StreamState`, which a model has once `warm_up` or `partial_fit` was called. The model
itself reads batches and stores what follows from a solution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from broadlearn.models.base import in_one_step
from broadlearn.models.stream import Batch, StreamState
from broadlearn.random_features import (
    INFINITE,
    BroadMap,
    Standardization,
    draw_map,
    grow_map,
    learn_standardization,
)
from broadlearn.sample_scores import UniformScorer, learn_geometry
from broadlearn.solvers import Block, rows_residual, solve_sums
from broadlearn.utils import Array, Floats, check_weights, draw_seed

NO_SUMS = (
    "This model was made by fit, which keeps no sums over its samples. Start with partial_fit to "
    "learn or forget samples later; warm_up(X, y) and partial_fit(X, y) give the model of fit."
)
NEEDS_ALL_SAMPLES = (
    f"n_enhancement_nodes={INFINITE!r} keeps all samples of one fit; to learn in batches or to "
    "grow, set a number of nodes."
)
BALANCED = (
    'class_weight="balanced" needs all labels at once; to learn in batches, pass a dict with the '
    "weight of each class."
)

# ``GᵗS²(T - GW)`` of all samples, for the mean of real targets (None for classes) and W.
Residual = Callable[[Array | None, Array], Array]


def refuse_batches(model: Any) -> None:
    """Raise if the parameters of a model do not allow learning in batches."""
    if model.n_enhancement_nodes == INFINITE:
        raise ValueError(NEEDS_ALL_SAMPLES)
    scorer = model.scorer()
    if not scorer.streams:
        raise ValueError(scorer.why_not())


def _has_batches(model: Any) -> bool:
    # Invalid parameters are reported by the method.
    with suppress(KeyError):
        refuse_batches(model)
    return True


def _has_sums(model: Any) -> bool:
    if model._stream is None and hasattr(model, "output_weights_"):
        raise ValueError(NO_SUMS)
    return _has_batches(model)


# Methods exist only where they can be called, so that `hasattr` is right.
online_method = available_if(_has_batches)
continuing_method = available_if(_has_sums)


def read_batch(model: Any, X: Any, y: Any, sample_weight: Any, shift: Array) -> Batch:
    """Validate and encode a batch for a model that knows its columns and classes.

    `shift` is subtracted from real targets.
    """
    rows, targets = model._read(X, y, None, first=False)
    return model._encode(rows, targets, _weights(model, sample_weight, rows, targets), shift)


def _weights(model: Any, sample_weight: Any, rows: Floats, targets: NDArray[Any]) -> Array:
    """Return sample weights times class weights."""
    class_weight = getattr(model, "class_weight", None)
    if class_weight == "balanced":
        raise ValueError(BALANCED)
    known = getattr(model, "classes_", None)
    return check_weights(sample_weight, rows, class_weight, targets, known)


def empty_state(
    model: Any,
    seed: int,
    dtype: np.dtype[Any],
    standardization: Standardization,
    broad_map: BroadMap,
    shift: Array,
) -> StreamState:
    """Return the state of a stream before the first sample, without scores."""
    n_classes = model.classes_.size if is_classifier(model) else 1
    return StreamState(
        seed, dtype, standardization, broad_map, None, shift, weight=np.zeros(n_classes)
    )


def start_anew(model: Any, head: Any, y_dimensions: int) -> None:
    """Make a model unfitted; it learns the columns of `head`, which may have no rows."""
    model.__dict__ = {k: v for k, v in vars(model).items() if not k.endswith("_")}
    for name in ("_stream", "_map", "_direct_weights"):
        model.__dict__.pop(name, None)
    validate_data(model, head, skip_check_array=True)
    if not is_classifier(model):
        model._one_target = y_dimensions == 1


def open_stream(
    model: Any, X: Any, y: Any, classes: ArrayLike | None, sample_weight: Any
) -> StreamState:
    """Learn standardisation, map and class geometry from the first samples."""
    rows, targets = model._read(X, y, classes, first=True)
    weight = _weights(model, sample_weight, rows, targets)
    shift = model._shift(targets, weight)
    batch = model._encode(rows, targets, weight, shift)
    seed = draw_seed(model.random_state)
    plain = sample_weight is None and getattr(model, "class_weight", None) is None
    given = None if plain else batch.weight
    standardization = learn_standardization(batch.X, given, model.standardize)
    broad_map = draw_map(model.feature_map(), batch.X, standardization, seed, given)
    state = empty_state(model, seed, rows.dtype, standardization, broad_map, shift)
    scorer = model.scorer()
    if isinstance(scorer, UniformScorer):
        return state
    return replace(state, geometry=learn_geometry(scorer, lambda: [state.samples(batch)]))


def learn(model: Any, X: Any, y: Any, classes: ArrayLike | None, sample_weight: Any) -> None:
    """Learn a batch, on top of those learnt before."""
    state, first = model._stream, False
    if state is None:
        state, first = open_stream(model, X, y, classes, sample_weight), True
    elif classes is not None:
        model._check_classes(classes)
    batch, trust = state.scored(read_batch(model, X, y, sample_weight, state.shift))
    settle(model, state.learn(batch), fitted=model._trusted(batch, trust, first=first))


def warm_up(model: Any, X: Any, y: Any, classes: ArrayLike | None, sample_weight: Any) -> None:
    """Begin a stream without learning a sample."""
    model._stream = open_stream(model, X, y, classes, sample_weight)
    model.__dict__.pop("output_weights_", None)


def centred_blocks(blocks: Iterable[Block], W: Array, mean: Array | None) -> Iterator[Block]:
    """Yield blocks with the mean subtracted from real targets, without their column of ones."""
    for rows, s in blocks:
        targets = rows[:, W.shape[0] : sum(W.shape)]
        if mean is not None:
            targets -= mean
        yield rows[:, : sum(W.shape)], s


def settle(
    model: Any,
    state: StreamState,
    residual: Residual | None = None,
    *,
    fitted: Mapping[str, Any] | None = None,
) -> None:
    """Solve for the sums of a state and store the solution in the model.

    `residual` revisits the samples, if they are at hand, to refine the solution. `fitted` holds
    attributes about the latest samples; None keeps the present ones.
    """
    n, sums, mean = state.map.n_columns, state.sums, None
    if sums is None:
        raise ValueError("There are no rows to learn from.")
    if state.shift.size:
        # The last column of T is 1: it gives the mean, which is taken out of the targets.
        mean = sums[-1, n:-1] / sums[-1, -1]
        centred = sums[:-1, :-1].copy()
        centred[:n, n:] -= sums[:n, -1:] * mean
        sums = centred
    known = state.factor is not None and state.factor_C == model.C
    visit = None if residual is None else partial(residual, mean)
    solution = solve_sums(sums, n, model.C, state.factor if known else None, visit)
    if fitted is None:
        fitted = {k: v for k, v in vars(model).items() if k.endswith("_")}
    fitted = {
        **fitted,
        **model._finish(state, solution, mean),
        "solver_": "primal",
        "_stream": replace(state, factor=solution.factor, factor_C=float(model.C)),
    }
    kept = (state.map, solution.weights, state.standardization, state.dtype)
    model._keep(*kept, _seed=state.seed, **fitted)


@continuing_method
@in_one_step
def forget(self: Any, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
    """Remove samples that were learnt.

    The model is then that of the remaining samples, with the same map and the same scores.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples that were learnt.
    y : array-like of shape (n_samples,)
        Their targets.
    sample_weight : array-like of shape (n_samples,), default=None
        Number of copies of each sample to remove.

    Returns
    -------
    self
    """
    check_is_fitted(self)
    state = self._stream
    batch, _ = state.scored(read_batch(self, X, y, sample_weight, state.shift))
    settle(self, state.forget(batch))
    return self


@online_method
@in_one_step
def grow(
    self: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_enhancement_nodes: int | None = None,
    n_enhancement_groups: int | None = None,
    n_feature_groups: int | None = None,
    sample_weight: ArrayLike | None = None,
) -> Any:
    """Enlarge the model; its decisions are then those of a fit of the larger size.

    After `partial_fit`, standardisation, scores, sums and the Cholesky factor of old nodes are
    reused: only sums of new enhancement nodes are computed. A new feature group feeds all
    enhancement nodes, so all sums are computed again. After `fit`, the model is fitted again with
    the same draws.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        All samples that the model has learnt.
    y : array-like of shape (n_samples,)
        Their targets.
    n_enhancement_nodes, n_enhancement_groups, n_feature_groups : int, default=None
        The new, larger numbers, which become the model's parameters; None keeps a number.
    sample_weight : array-like of shape (n_samples,), default=None
        The weights that the samples were learnt with.

    Returns
    -------
    self
    """
    check_is_fitted(self)
    present = self._map.settings
    wanted = {
        "n_enhancement_nodes": n_enhancement_nodes,
        "n_enhancement_groups": n_enhancement_groups,
        "n_feature_groups": n_feature_groups,
    }
    sizes: dict[str, Any] = {name: size for name, size in wanted.items() if size is not None}
    refuse_batches(clone(self).set_params(**sizes))
    clone(self).set_params(**sizes)._validate_params()
    for name, size in sizes.items():
        if size < getattr(present, name):
            raise ValueError(
                f"{name}={size} is smaller than the current {getattr(present, name)}; a model "
                "can only grow."
            )
    self.set_params(**sizes)
    state = self._stream
    if state is None:
        return self._fit(X, y, sample_weight, self._seed)
    batch, _ = state.scored(read_batch(self, X, y, sample_weight, state.shift))
    weight = None if (batch.weight == 1.0).all() else batch.weight
    samples = (batch.X, self._standardization, weight)
    larger = grow_map(self._map, replace(present, **sizes), self._seed, *samples)
    grown = state.grow(larger, batch)

    def visit(mean: Array | None, W: Array) -> Array:
        return rows_residual(W, centred_blocks(grown.blocks(batch), W, mean))

    settle(self, grown, visit)
    return self
