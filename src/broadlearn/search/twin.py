"""The C1, C2 and kernel width path of the twin SVM: planes of all bounds from shared factors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from broadlearn.baselines import IntuitionisticFuzzyTwinSVC, PlaneSpace, distances, plane_space
from broadlearn.search.cells import Judge
from broadlearn.search.engine import score_by_split
from broadlearn.search.folds import Fold, GridScores, SplitSamples, Task, prepare_fold
from broadlearn.search.grid import SubGrid
from broadlearn.search.scoring import Predictions
from broadlearn.utils import Array, draw_seed

TWIN_ROLES = {"C1": "C1", "C2": "C2", "kernel_width": "width"}


def score_twin_grid(
    estimator: IntuitionisticFuzzyTwinSVC, grid: SubGrid, task: Task, judge: Judge
) -> GridScores:
    """Score every candidate of a grid on every split, as `score_grid` does for ridge models."""
    return score_by_split(estimator, grid, task, judge, TWIN_ROLES, _score_split)


def _score_split(
    model: IntuitionisticFuzzyTwinSVC,
    samples: SplitSamples,
    values: Mapping[str, tuple[Any, ...]],
    judge: Judge,
) -> tuple[Array, list[str]]:
    """Return scores of all (C1, C2, width) on one split, and the reasons of failures by width."""
    fold = prepare_fold(model, samples, values["width"])
    shape = tuple(map(len, values.values()))
    scores = np.full((len(judge.scorers), len(judge.parts), *shape), np.nan)
    valid = [w for w, error in enumerate(fold.errors) if not error]
    if fold.data is not None and valid:
        seed = draw_seed(model.random_state)
        space = plane_space(fold.data, model.kernel, model.n_basis_rows, seed)
        # In a linear machine only the scores depend on the width, so its factors serve all widths.
        batches = [valid] if model.kernel == "linear" else [[w] for w in valid]
        penalties = np.asarray(values["C1"], dtype=float), np.asarray(values["C2"], dtype=float)
        for batch in batches:
            _score_batch(space, model.regularization, fold, batch, penalties, judge, scores)
    return scores, fold.errors


def _score_batch(
    space: PlaneSpace,
    regularization: float,
    fold: Fold,
    batch: Sequence[int],
    penalties: tuple[Array, Array],
    judge: Judge,
    scores: Array,
) -> None:
    """Score all C1 and C2 for widths that share their factors, and file the scores."""
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
    for part, name in enumerate(judge.parts):
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
            for s, scorer in enumerate(judge.scorers):
                scores[s, part, i][:, batch] = scorer(predictions).reshape(penalties[1].size, -1)
