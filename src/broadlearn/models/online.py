"""Models that learn, forget and grow: what `partial_fit`, `warm_up`, `forget` and `grow` do.

All of it works on a `StreamState`, which a model has once one of these methods was called; the
model only reads batches, and stores what follows from a solution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial, wraps
from threading import Lock, RLock
from types import MethodType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import check_is_fitted, validate_data

from broadlearn.models.base import in_one_step
from broadlearn.models.stream import Batch, StreamState
from broadlearn.random_features import INFINITE, BroadMap, MappedSamples, draw_map, grow_map
from broadlearn.sample_scores import UniformScorer, add_classes, learn_geometry
from broadlearn.solvers import Block, design_blocks, rows_residual, solve_sums
from broadlearn.utils import (
    Array,
    Floats,
    Standardization,
    check_weights,
    draw_seed,
    learn_standardization,
)

NO_SUMS = (
    "This model was made by fit, which keeps no sums over its rows. A model that is to learn or "
    "forget rows later starts with partial_fit; after warm_up(X, y), partial_fit(X, y) gives the "
    "model of fit."
)

NEEDS_ALL_SAMPLES = (
    f"n_enhancement_nodes={INFINITE!r} keeps all samples of one fit; to learn samples in parts or "
    "to grow, a model needs a number of nodes."
)

BALANCED = (
    'class_weight="balanced" needs the labels of all samples at once; to learn samples in parts, '
    "pass a dict with the weight of each class."
)

# Methods that go on from sums over samples.
GO_ON = ("partial_fit", "forget")
# A gradient beyond this share of its parts is that of other rows.
OTHER_ROWS = 1e-5

# Of models that learn; no attributes of theirs, which are copied and pickled, as locks cannot be.
_LOCKS: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
_GUARD = Lock()

# ``GᵗS²(T - GW)`` of all rows, for the mean of real targets (None for classes) and W.
Residual = Callable[[Array | None, Array], Array]


class NoSums(ValueError, AttributeError):
    """A model that cannot learn in parts; of both kinds, as scikit-learn's `NotFittedError` is."""


class OnlineMethod:
    """A method that a model has only where it can be called, so that `hasattr` is right."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method, self.__doc__ = method, method.__doc__

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        if model is None:
            return self.method
        if model.n_enhancement_nodes == INFINITE:
            raise AttributeError(NEEDS_ALL_SAMPLES)
        # Bad parameters are named by the method.
        with suppress(KeyError, ValueError):
            scorer = model.scorer()
            if not scorer.streams:
                raise AttributeError(scorer.why_not())
        if getattr(model, "class_weight", None) == "balanced" and self.method.__name__ != "grow":
            raise NoSums(BALANCED)
        fitted = model._stream is None and hasattr(model, "output_weights_")
        if fitted and self.method.__name__ in GO_ON:
            raise NoSums(NO_SUMS)
        return MethodType(self.method, model)


def in_turn(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let threads that call such a method of one model wait for each other: no batch is lost."""

    @wraps(method)
    def one_by_one(model: Any, *args: Any, **kwargs: Any) -> Any:
        with _GUARD:
            lock = _LOCKS.setdefault(model, RLock())
        with lock:
            return method(model, *args, **kwargs)

    return one_by_one


def read_batch(model: Any, X: Any, y: Any, sample_weight: Any, shift: Array) -> Batch:
    """Validate and encode a batch of samples for a model that knows its columns and classes.

    `shift` is taken from real targets.
    """
    rows, targets = model._read(X, y, None, first=False)
    return model._encode(rows, targets, _weights(model, sample_weight, rows, targets), shift)


def _weights(model: Any, sample_weight: Any, rows: Floats, targets: NDArray[Any]) -> Array:
    """Weights of a batch, those of the classes included."""
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
    """The state of a stream before any sample, where all count alike."""
    several = model._constant_labels is not None
    n_classes = model.classes_.size if hasattr(model, "classes_") else 1
    weight = np.zeros((2, n_classes) if several else n_classes)
    fixed = (seed, dtype, standardization, broad_map, None, shift, weight)
    return StreamState(*fixed, ones=several or n_classes == 2)


def start_anew(model: Any, head: Any, y_dimensions: int) -> None:
    """Make a model unfitted, but for the columns of X, of which `head` has any rows."""
    model.__dict__ = {k: v for k, v in vars(model).items() if not k.endswith("_")}
    for name in ("_stream", "_map", "_direct_weights", "_constant_labels"):
        model.__dict__.pop(name, None)
    validate_data(model, head, skip_check_array=True)
    if not is_classifier(model):
        model._one_target = y_dimensions == 1


def know_classes(model: Any, classes: NDArray[Any]) -> None:
    """Let a model that starts anew know the classes, if they are enough."""
    model.classes_ = model._check_classes(classes)


def open_stream(
    model: Any, X: Any, y: Any, classes: ArrayLike | None, sample_weight: Any
) -> StreamState:
    """Learn all that comes before the ridge from some samples."""
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
    """Learn a batch, on top of those learnt before; if it is refused, the model is as it was."""
    # A copy of the model knows of more classes, as long as the model tells which it knew.
    later = model if model._stream is None or classes is None else model._told(classes)
    state, known = later._stream, np.empty(0, dtype=np.intp)
    if state is None:
        state = open_stream(later, X, y, classes, sample_weight)
    else:
        known = np.arange(state.weight.shape[-1])
    batch = read_batch(later, X, y, sample_weight, state.shift)
    if later is not model:
        known = np.searchsorted(later.classes_, model.classes_)
        if state.geometry is not None:
            scorer, samples = later.scorer(), state.samples(batch)
            geometry = add_classes(scorer, state.geometry, samples, known)
            state = replace(state, geometry=geometry)
    batch, trust = state.scored(batch)
    fitted = later._trusted(batch, trust, known)
    settle(later, state.learn(batch), fitted=fitted)
    model.__dict__ = vars(later)


def warm_up(model: Any, X: Any, y: Any, classes: ArrayLike | None, sample_weight: Any) -> None:
    """Begin a stream without learning a sample."""
    model._stream = open_stream(model, X, y, classes, sample_weight)
    model.__dict__.pop("output_weights_", None)


def centred_blocks(blocks: Iterable[Block], W: Array, mean: Array | None) -> Iterator[Block]:
    """Blocks without a last target, 1, that W does not have; real targets less their mean."""
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
    keep: bool = True,
) -> None:
    """Solve for the sums of a state and store all that follows.

    `residual` visits the samples of the sums, where they are at hand. `fitted` is what samples were
    trusted with; None leaves that as it is. With `keep`, the model goes on as a stream.
    """
    n, sums, mean = state.map.n_columns, state.sums, state.constant_labels
    if sums is None:
        raise ValueError("There are no rows to learn from.")
    if state.shift.size:
        # The last column of T is 1: with it the mean is taken out of the targets.
        mean = sums[-1, n:-1] / sums[-1, -1]
        centred = sums[:-1, :-1].copy()
        centred[:n, n:] -= sums[:n, -1:] * mean
        sums = centred
    elif state.ones:
        sums = sums[:-1, :-1]
        if mean is not None:
            # Targets that are all alike are no part of the ridge problem.
            sums = np.where(np.append(np.zeros(n), mean) == 0.0, sums, 0.0)
    known = state.factor is not None and state.factor_C == model.C
    visit = None if residual is None else partial(residual, mean)
    solution = solve_sums(sums, n, model.C, state.factor if known else None, visit)
    if fitted is None:
        fitted = {k: v for k, v in vars(model).items() if k.endswith("_")}
    fitted = {**fitted, **model._finish(state, solution, mean), "solver_": "primal"}
    if keep:
        fitted["_stream"] = replace(state, factor=solution.factor, factor_C=float(model.C))
    kept = (state.map, solution.weights, state.standardization, state.dtype)
    model._keep(*kept, _seed=state.seed, **fitted)


@OnlineMethod
@in_turn
@in_one_step
def forget(self: Any, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
    """Take back samples that were learnt.

    The model is then that of the other samples, with the same map and the same scores: what was
    learnt before the ridge stays.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        The targets that the samples were learnt with.
    sample_weight : array-like of shape (n_samples,), default=None
        Copies of each sample that are taken back.
    """
    check_is_fitted(self)
    state = self._stream
    batch, _ = state.scored(read_batch(self, X, y, sample_weight, state.shift))
    settle(self, state.forget(batch))
    return self


@OnlineMethod
@in_turn
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

    Standardisation, the scaling of old feature nodes and the scores are used again; after
    `partial_fit` so are sums over samples and the Cholesky factor, as far as nodes stay: only those
    of new enhancement nodes are computed. A new feature group feeds all enhancement nodes, and then
    all sums are made anew. Probabilities are those of the fit too if there are at most 512 samples;
    else their slope is learnt from so many.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        All samples that the model has learnt; after `fit`, in the order that they had there.
    y : array-like of shape (n_samples,)
    n_enhancement_nodes, n_enhancement_groups, n_feature_groups : int, default=None
        The new, larger numbers, which become the model's parameters; None leaves one as it is.
    sample_weight : array-like of shape (n_samples,), default=None
        The weights that the samples were learnt with.
    """
    check_is_fitted(self)
    if self._map.kernel or str(n_enhancement_nodes) == INFINITE:
        raise ValueError(NEEDS_ALL_SAMPLES)
    present = self._map.settings
    wanted = {
        "n_enhancement_nodes": n_enhancement_nodes,
        "n_enhancement_groups": n_enhancement_groups,
        "n_feature_groups": n_feature_groups,
    }
    sizes: dict[str, Any] = {name: size for name, size in wanted.items() if size is not None}
    clone(self).set_params(**sizes)._validate_params()
    for name, size in sizes.items():
        if size < getattr(present, name):
            raise ValueError(
                f"{name}={size} is less than the model has, {getattr(present, name)}; a model "
                "can only grow."
            )
    stream = self._stream
    if stream is None:
        state, batch = _state_of_fit(self, X, y, sample_weight)
    else:
        state = stream
        batch, _ = state.scored(read_batch(self, X, y, sample_weight, state.shift))
    weight = None if (batch.weight == 1.0).all() else batch.weight
    samples = (batch.X, self._standardization, weight)
    larger = grow_map(self._map, replace(present, **sizes), self._seed, *samples)
    grown = state.grow(larger, batch)

    def visit(mean: Array | None, W: Array) -> Array:
        return rows_residual(W, centred_blocks(grown.blocks(batch), W, mean))

    settle(self, grown, visit, keep=stream is not None)
    self.set_params(**sizes)
    return self


def _state_of_fit(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[StreamState, Batch]:
    """The state of a model that was fitted, without sums, and its samples with their scores."""
    rows, targets = model._read(X, y, None, first=False)
    class_weight = getattr(model, "class_weight", None)
    weight = check_weights(sample_weight, rows, class_weight, targets)
    shift = model._shift(targets, weight)
    batch = model._encode(rows, targets, weight, shift)
    scores = getattr(model, "sample_scores_", None)
    if scores is not None and not (scores == 1.0).all():
        if scores.size != weight.size:
            raise ValueError(
                f"grow needs the rows that fit was given: there were {scores.size}, here are "
                f"{weight.size}."
            )
        batch = batch._replace(score=scores[weight > 0.0])
    _check_same(model, batch, targets, weight)
    fitted = (model.output_weights_.dtype, model._standardization, model._map)
    return empty_state(model, model._seed, *fitted, shift).counted(batch), batch


def _check_same(model: Any, batch: Batch, targets: Any, weight: Array) -> None:
    """Raise unless the model solves the ridge problem of these samples: ``GᵗS²(T - GW) = W/C``.

    C is any: it may have been changed since.
    """
    T, W, rotation = batch.T, model.output_weights_, model._map.rotation
    if hasattr(model, "intercept_"):
        T = targets[weight > 0.0] - model.intercept_
    elif model._constant_labels is not None:
        T = T - model._constant_labels
    if rotation is not None:
        n = rotation.shape[0]
        W = np.concatenate([rotation.T @ W[:n], W[n:]])
    design = MappedSamples(model._map, batch.X, model._standardization)
    gradient, squares, n = np.zeros(W.shape), np.zeros(2), W.shape[0]
    for rows, s in design_blocks(design, T, batch.s):
        if s is not None:
            rows *= s[:, None]
        G, t = rows[:, :n], rows[:, n:]
        gradient += G.T @ (t - G @ W)
        squares += float(np.vdot(G, G)), float(np.vdot(t, t))
    gradient -= float(np.vdot(W, gradient) / max(np.vdot(W, W), np.finfo(W.dtype).tiny)) * W
    rounding = 100.0 * np.finfo(W.dtype).eps * squares[0] * np.linalg.norm(W)
    if np.linalg.norm(gradient) > OTHER_ROWS * np.sqrt(squares.prod()) + rounding:
        raise ValueError(
            "The rows given, their order or their targets are not those that fit was given."
        )
