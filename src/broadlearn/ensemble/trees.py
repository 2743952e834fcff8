"""Boosted trees beside the kernels of an ensemble, for steps and rules that kernels smooth away.

The trees are scikit-learn's histogram gradient boosting, one model per fold. Each model stops when
the loss on its fold no longer falls, and predicts the fold for the comparison with the kernels. New
samples get the mean of all models.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.model_selection import KFold, StratifiedKFold

from broadlearn.ensemble.boosted_trees import BoostedTrees
from broadlearn.utils import Array, Floats

# Smallest number of samples for trees, and their folds.
MIN_SAMPLES_OF_TREES, N_FOLDS = 1000, 5
# Rounds of boosting, and the penalty of leaf values: without one, a class of few samples may get
# log-odds without bound.
MAX_ROUNDS, L2 = 300, 1.0
# Largest number of trees of a fold, which bounds the time of predictions: each class has one in
# every round.
MAX_TREES = 6000


def boost_classes(
    X: Floats,
    codes: NDArray[np.intp],
    weight: Array | None,
    seed: int,
    step: Callable[[], object],
) -> tuple[BoostedTrees, Array] | None:
    """Return trees for the log-odds of classes, and their held-out predictions.

    None if there are too few samples, or a class is too rare for the folds.
    """
    if len(X) < MIN_SAMPLES_OF_TREES:
        return None
    if np.bincount(codes).min() < N_FOLDS:
        for _ in range(N_FOLDS):
            step()
        return None
    rounds = min(MAX_ROUNDS, MAX_TREES // int(codes.max() + 1))
    model = HistGradientBoostingClassifier(
        max_iter=rounds, l2_regularization=L2, early_stopping=True, random_state=seed
    )
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed).split(X, codes)
    return boost(model, X, [codes], weight, list(folds), step)


def boost_targets(
    X: Floats, T: Array, weight: Array | None, seed: int, step: Callable[[], object]
) -> tuple[BoostedTrees, Array] | None:
    """Return trees for each target, and their held-out predictions; None if samples are few."""
    if len(X) < MIN_SAMPLES_OF_TREES:
        return None
    model = HistGradientBoostingRegressor(
        max_iter=MAX_ROUNDS, l2_regularization=L2, early_stopping=True, random_state=seed
    )
    folds = KFold(N_FOLDS, shuffle=True, random_state=seed).split(X)
    # Boosting computes gradients in float32.
    size = largest_size(T)
    trees, held_out = boost(model, X, list((T / size).T), weight, list(folds), step)
    of_node = np.repeat(trees.outputs, np.diff(trees.starts))
    values, baseline = trees.values * size[of_node], trees.baseline * size
    return replace(trees, values=values, baseline=baseline), held_out * size


def boost(
    model: Any,
    X: Floats,
    targets: Sequence[NDArray[Any]],
    weight: Array | None,
    folds: list[tuple[NDArray[np.intp], NDArray[np.intp]]],
    step: Callable[[], object],
) -> tuple[BoostedTrees, Array]:
    """Fit a model for each fold and target; return the mean over folds and held-out predictions.

    Where a sample of weight w stands for w copies, all of them are held out together. `step` is
    called after each fold.
    """
    fitted, held_out = [], []
    for train, test in folds:
        samples = X[train]
        # Histograms need a value in every column.
        samples[:, np.isnan(samples).all(axis=0)] = 0.0
        known = None if weight is None else weight[train]
        unknown = None if weight is None else weight[test]
        models = [
            clone(model).fit(
                samples,
                target[train],
                known,
                X_val=X[test],
                y_val=target[test],
                sample_weight_val=unknown,
            )
            for target in targets
        ]
        fitted.append(models)
        held_out.append(np.column_stack([raw_predictions(one, X[test]) for one in models]))
        step()
    order = np.argsort(np.concatenate([test for _, test in folds]))
    return gather(fitted), np.concatenate(held_out)[order]


def raw_predictions(model: Any, X: Floats) -> Array:
    """Return log-odds of classes, or predicted targets."""
    predict = getattr(model, "decision_function", model.predict)
    return np.asarray(predict(X), dtype=np.float64)


def gather(fitted: list[list[Any]]) -> BoostedTrees:
    """Return the mean over folds of the models of all targets, as plain arrays."""
    trees: list[Any] = []
    outputs: list[int] = []
    for models in fitted:
        first = 0
        for model in models:
            for trees_of_round in model._predictors:
                trees += [tree.nodes for tree in trees_of_round]
                outputs += range(first, first + len(trees_of_round))
            first += model._baseline_prediction.size
    baselines = [
        np.concatenate([m._baseline_prediction.ravel() for m in models]) for models in fitted
    ]
    nodes = np.concatenate(trees)
    return BoostedTrees(
        features=nodes["feature_idx"].astype(np.int32),
        thresholds=nodes["num_threshold"].astype(np.float64),
        missing_first=nodes["missing_go_to_left"].astype(np.bool_),
        children=np.stack([nodes["left"], nodes["right"]], axis=1).astype(np.int32),
        values=nodes["value"] / len(fitted),
        starts=np.cumsum([0, *(len(tree) for tree in trees)]),
        outputs=np.array(outputs, dtype=np.intp),
        baseline=np.mean(baselines, axis=0).ravel(),
    )


def least_squares_shares(predictions: Sequence[Array], T: Array, weight: Array | None) -> Array:
    """Return the non-negative factors of predictions whose sum is nearest to the targets.

    Each target is scaled by its deviation.
    """
    size = largest_size(T)
    deviation = np.sqrt(np.average((T / size) ** 2, axis=0, weights=weight))
    factor = 1.0 / np.where(deviation > 0.0, deviation, 1.0)
    if weight is not None:
        factor = factor * np.sqrt(weight)[:, None]
    columns = np.stack([(one / size * factor).ravel() for one in predictions], axis=1)
    return nnls(columns, (T / size * factor).ravel())[0]


def largest_size(T: Array) -> Array:
    """Return the largest absolute value of each target, 1 if it is 0."""
    size: Array = np.abs(T).max(axis=0)
    return np.where(size > 0.0, size, 1.0)
