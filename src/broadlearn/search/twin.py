"""The C1, C2 and kernel width path of the twin SVM: planes of all bounds from shared factors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from joblib import delayed
from numpy.typing import NDArray
from sklearn.base import clone

from broadlearn.baselines import IntuitionisticFuzzyTwinSVC, PlaneSpace, distances, plane_space
from broadlearn.search.cells import Axes
from broadlearn.search.engine import (
    Fold,
    GridScores,
    Plan,
    Split,
    Task,
    limited,
    prepare_fold,
)
from broadlearn.search.grid import SubGrid
from broadlearn.search.scoring import Predictions
from broadlearn.utils import Array, Floats, draw_seed, parallel

TWIN_ROLES = {"C1": "C1", "C2": "C2", "kernel_width": "width"}


def run_twin_grid(
    estimator: IntuitionisticFuzzyTwinSVC, grid: SubGrid, task: Task, axes: Axes
) -> GridScores:
    """Score every candidate of a grid on every split; the same as `run_grid` for ridge models."""
    if axes.slopes:
        raise ValueError(
            "scoring needs predict_proba, which IntuitionisticFuzzyTwinSVC does not have; use a "
            "score of labels or decisions, such as 'accuracy' or 'roc_auc'."
        )
    plan = Plan(estimator, grid, TWIN_ROLES)
    scores, errors = plan.empty(axes, len(task.splits))
    for position, outer in plan.outer:
        template = clone(estimator).set_params(**outer)
        calls = (
            delayed(limited)(_score_split, template, *split, plan.path, axes)
            for split in task.splits
        )
        for f, (part, reasons) in enumerate(parallel(calls, task.n_jobs)):
            scores[(slice(None), slice(None), *position, ..., f)] = part
            errors[(*position, ..., f)] = reasons
            task.report(int(np.prod(part.shape[2:])))
    return plan.results(scores, errors)


def _score_split(
    model: IntuitionisticFuzzyTwinSVC,
    X: Floats,
    y: NDArray[Any],
    weight: Array | None,
    split: Split,
    path: Mapping[str, tuple[Any, ...]],
    axes: Axes,
) -> tuple[Array, list[str]]:
    """Scores for all (C1, C2, width) of one split, and why a width cannot be fitted."""
    fold = prepare_fold(model, X, y, weight, split, path["width"])
    shape = tuple(map(len, path.values()))
    scores = np.full((len(axes.scorers), 1 + axes.train, *shape), np.nan)
    valid = [w for w, error in enumerate(fold.errors) if not error]
    if fold.data is not None and valid:
        seed = draw_seed(model.random_state)
        space = plane_space(fold.data, model.kernel, model.n_basis_rows, seed)
        # The width of a linear machine is that of its scores only, so its factors serve all.
        batches = [valid] if model.kernel == "linear" else [[w] for w in valid]
        penalties = np.asarray(path["C1"], dtype=float), np.asarray(path["C2"], dtype=float)
        for batch in batches:
            _score_batch(space, model.regularization, fold, batch, penalties, axes, scores)
    return scores, fold.errors


def _score_batch(
    space: PlaneSpace,
    regularization: float,
    fold: Fold,
    batch: Sequence[int],
    penalties: tuple[Array, Array],
    axes: Axes,
    scores: Array,
) -> None:
    """Score all C1, C2 for widths that share their factors, and file the scores."""
    data, width = fold.data, fold.widths[batch[0]]
    assert data is not None
    problem = space.problem(data, width, regularization)
    bounds = np.array([fold.scores[w] for w in batch])
    bounds = bounds if data.weight is None else bounds * data.weight
    scaled = [(Cs[:, None, None] * bounds).reshape(-1, bounds.shape[1]) for Cs in penalties]
    n_tasks = len(problem.factors)
    vectors = [
        [problem.solve(t, side, scaled[side]).vectors for side in (0, 1)] for t in range(n_tasks)
    ]
    for part, name in enumerate(("test", "train")[: 1 + axes.train]):
        X, y, weight = fold.part(name)
        F = space.columns(X, width)
        far = [
            [distances(F, v).astype(np.float64).reshape(len(F), -1, len(batch)) for v in pair]
            for pair in vectors
        ]
        for i in range(penalties[0].size):
            decision = np.stack([rest - own[:, i : i + 1] for own, rest in far], axis=-1)
            decision = (-decision if n_tasks == 1 else decision).reshape(len(F), -1, n_tasks)
            predictions = Predictions(decision, y, data.classes, X, None, weight)
            for s, scorer in enumerate(axes.scorers):
                scores[s, part, i][:, batch] = scorer(predictions).reshape(penalties[1].size, -1)
