"""Learning in batches: what `partial_fit`, `warm_up` and `forget` do.

All work on a `StreamState`, which a model has once `warm_up` or `partial_fit` was called. The model
itself only validates batches (`_read`).
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from broadlearn.models.base import forget_fit, in_one_step
from broadlearn.models.stream import Residual, StreamState
from broadlearn.models.training_data import best_scores
from broadlearn.random_features import BroadMap, Standardization, draw_map, learn_standardization
from broadlearn.sample_scores import UniformScorer, learn_geometry, untrusted
from broadlearn.utils import Array, Floats, check_weights, draw_seed
from broadlearn.utils.sklearn_compat import fit_context


def refuse_batches(model: Any) -> None:
    """Raise if the parameters of a model do not allow learning in batches."""
    if getattr(model, "class_weight", None) == "balanced":
        raise ValueError(
            'class_weight="balanced" needs all labels at once; to learn in batches, pass a dict '
            "with the weight of each class."
        )
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
        raise ValueError(
            "A model fitted with fit cannot learn or forget samples, because fit keeps no sums "
            "over them. Call warm_up(X, y) and partial_fit(X, y) instead of fit; they give the "
            "same model."
        )
    return _has_batches(model)


# Methods exist only where they can be called, so that `hasattr` is right.
online_method = available_if(_has_batches)
continuing_method = available_if(_has_sums)


def read_batch(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    classes: ArrayLike | None = None,
    *,
    first: bool = False,
) -> tuple[Floats, NDArray[Any], Array]:
    """Validate a batch; return samples of positive weight, their targets and weights."""
    rows, targets = model._read(X, y, classes, first=first)
    class_weight, known = getattr(model, "class_weight", None), getattr(model, "classes_", None)
    weight = check_weights(sample_weight, rows, class_weight, targets, known)
    if weight.all():
        return rows, targets, weight
    kept = weight > 0.0
    return rows[kept], targets[kept], weight[kept]


def empty_state(
    model: Any,
    seed: int,
    dtype: np.dtype[Any],
    standardization: Standardization,
    broad_map: BroadMap,
    shift: Array | None,
) -> StreamState:
    """Return the state of a stream before the first sample, without scores."""
    classes = getattr(model, "classes_", None)
    weight = np.zeros(1 if classes is None else classes.size)
    copies = getattr(model, "class_weight", None) is None
    return StreamState(seed, dtype, standardization, broad_map, classes, shift, weight, copies)


def open_stream(
    model: Any, X: Any, y: Any, classes: ArrayLike | None, sample_weight: Any
) -> StreamState:
    """Learn standardisation, map and class geometry from the first samples."""
    forget_fit(model)
    rows, targets, weight = read_batch(model, X, y, sample_weight, classes, first=True)
    shift = np.average(targets, axis=0, weights=weight) if targets.ndim == 2 else None
    seed = draw_seed(model.random_state)
    plain = sample_weight is None and getattr(model, "class_weight", None) is None
    given = None if plain else weight
    standardization = learn_standardization(rows, given, model.standardize)
    broad_map = draw_map(model.feature_map(), rows, standardization, seed, given)
    state = empty_state(model, seed, rows.dtype, standardization, broad_map, shift)
    scorer = model.scorer()
    if isinstance(scorer, UniformScorer):
        return state
    samples = state.samples(state.encode(rows, targets, weight))
    return replace(state, geometry=learn_geometry(scorer, lambda part, merge: part(samples, 0)))


def learn(model: Any, X: Any, y: Any, classes: ArrayLike | None, sample_weight: Any) -> None:
    """Learn a batch, on top of those learnt before."""
    state = model._stream
    first = state is None
    if state is None:
        state = open_stream(model, X, y, classes, sample_weight)
    elif sample_weight is not None and not np.any(sample_weight):
        model._read(X, y, classes, first=False)
        return
    batch, trust = state.scored(state.encode(*read_batch(model, X, y, sample_weight, classes)))
    if state.classes is not None:
        score = np.ones(batch.weight.size) if trust.score is None else trust.score
        best = best_scores(batch.codes, score, state.classes.size)
        if first and not best.all():
            remedy = model.scorer().remedy(trust)
            warnings.warn(untrusted(state.classes, best, remedy), stacklevel=2)
        vars(model).update(trust.attributes, sample_scores_=score)
    settle(model, state.learn(batch))


def settle(model: Any, state: StreamState, residual: Residual | None = None) -> None:
    """Solve for the sums of a state and store the solution in the model.

    `residual` revisits the samples, if they are at hand, to refine the solution.
    """
    solution, follows = state.solve(model.C, residual)
    fitted = {**follows, "solver_": "primal", "_stream": state}
    model._keep(state.map, solution.weights, state.standardization, state.dtype, **fitted)


@online_method
@in_one_step
@fit_context(prefer_skip_nested_validation=True)
def warm_up(
    self: Any,
    X: ArrayLike,
    y: ArrayLike,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> Any:
    """Begin a stream: learn standardisation, map and class geometry, but no sample.

    `partial_fit` then learns samples. After a warm-up on all samples, `partial_fit` on these
    samples in any batches gives the model of one `fit` (with intuitionistic scores against 2,000
    reference samples per class, or `landmarks`).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Typical samples.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Class labels, or targets of a regressor.
    classes : array-like of shape (n_classes,), default=None
        All classes that may occur; None for those of y. A regressor ignores them.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.

    Returns
    -------
    self
        Not fitted before the first `partial_fit`.
    """
    self._stream = open_stream(self, X, y, y if classes is None else classes, sample_weight)
    return self


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
    batch, _ = state.scored(state.encode(*read_batch(self, X, y, sample_weight)))
    settle(self, state.forget(batch))
    return self
