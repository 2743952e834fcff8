"""The C1, C2 and kernel width path of the twin SVM: planes of all bounds from shared factors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from joblib import delayed
from numpy.typing import NDArray
from sklearn.base import clone

from broadlearn._search.cells import Axes
from broadlearn._search.folds import Fold, prepare_fold
from broadlearn._search.grid import SubGrid
from broadlearn._search.progress import Progress
from broadlearn._search.run import GridScores, Split, limited, parallel
from broadlearn._search.scoring import Predictions
from broadlearn.classifiers._twin_planes import distances
from broadlearn.classifiers._twin_svc import IntuitionisticFuzzyTwinSVC, row_bounds

Array = NDArray[np.float64]

PATH = ("C1", "C2", "kernel_width")


def run_twin_grid(
    estimator: IntuitionisticFuzzyTwinSVC,
    grid: SubGrid,
    X: NDArray[np.floating],
    y: NDArray[Any],
    weight: Array | None,
    splits: Sequence[Split],
    make_axes: Callable[[Sequence[int], Sequence[float]], Axes],
    n_jobs: int | None,
    progress: Progress,
) -> GridScores:
    """Score every setting of a grid on every split; the same as `run_grid` for ridge models."""
    axes = make_axes([], [])
    if axes.slopes:
        raise ValueError(
            "scoring needs predict_proba, which IntuitionisticFuzzyTwinSVC does not have; use a "
            "score of labels or decisions, such as 'accuracy' or 'roc_auc'."
        )
    own = estimator.get_params()
    paths = [
        grid.values[grid.names.index(name)] if name in grid.names else (own[name],) for name in PATH
    ]
    shape = (len(axes.scorers), 1 + axes.train, *grid.shape, len(splits))
    scores = np.full(shape, np.nan)
    errors = np.full((*grid.shape, len(splits)), "", dtype=object)
    absent = tuple(k for k, name in enumerate(PATH) if name not in grid.names)
    for position, outer in grid.outer(PATH):
        template = clone(estimator).set_params(**outer)
        calls = (
            delayed(limited)(_score_split, clone(template), X, y, weight, split, paths, axes)
            for split in splits
        )
        outside = iter(position)
        index = tuple(slice(None) if name in PATH else next(outside) for name in grid.names)
        for f, (part, reasons) in enumerate(parallel(calls, n_jobs)):
            progress.add(int(np.prod(part.shape[2:])))
            scores[(slice(None), slice(None), *index, f)] = part.squeeze(
                axis=tuple(2 + k for k in absent)
            )
            errors[(*index, f)] = reasons.squeeze(axis=absent)
    flat = scores.reshape(*scores.shape[:2], grid.size, len(splits))
    rows = errors.reshape(grid.size, len(splits))
    first = np.array([next(filter(None, row), "") for row in rows], dtype=object)
    return GridScores(flat, first)


def _score_split(
    model: IntuitionisticFuzzyTwinSVC,
    X: NDArray[np.floating],
    y: NDArray[Any],
    weight: Array | None,
    split: Split,
    paths: Sequence[Sequence[Any]],
    axes: Axes,
) -> tuple[Array, NDArray[Any]]:
    """Scores and reasons of failure for all (C1, C2, width) of one split."""
    C1s, C2s, widths = paths
    fold = prepare_fold(model, X, y, weight, *split, widths)
    shape = (len(C1s), len(C2s), len(widths))
    scores = np.full((len(axes.scorers), 1 + axes.train, *shape), np.nan)
    reasons = np.empty(shape, dtype=object)
    reasons[...] = np.array(fold.errors, dtype=object)
    if fold.task is not None and fold.valid:
        model._place(fold.task)
        # The width of a linear machine is that of its scores only, so its factors serve all.
        batches = [fold.valid] if model.kernel == "linear" else [[w] for w in fold.valid]
        for batch in batches:
            _score_batch(model, fold, batch, np.asarray(C1s), np.asarray(C2s), axes, scores)
    return scores, reasons


def _score_batch(
    model: IntuitionisticFuzzyTwinSVC,
    fold: Fold,
    batch: Sequence[int],
    C1s: Array,
    C2s: Array,
    axes: Axes,
    scores: Array,
) -> None:
    """Score all C1, C2 for widths that share their factors, and file the scores."""
    task, width = fold.task, fold.widths[batch[0]]
    assert task is not None
    assert fold.classes is not None
    problem = model._twin_problem(task, width)
    bounds = row_bounds(np.array([fold.scores[w] for w in batch]), task.weight)
    scaled = [(Cs[:, None, None] * bounds).reshape(-1, bounds.shape[1]) for Cs in (C1s, C2s)]
    n_tasks = len(problem.factors)
    vectors = [
        [problem.solve(t, side, scaled[side]).vectors for side in (0, 1)] for t in range(n_tasks)
    ]
    sets = [(fold.X_test, fold.y_test, fold.test_weight)]
    if axes.train:
        sets.append((task.X, fold.classes[task.codes], task.weight))
    for part, (X, y, weight) in enumerate(sets):
        F = model._columns(X, slice(0, X.shape[0]), width)
        far = [
            [
                distances(F, v).reshape(len(F), -1, len(batch)).astype(np.float64, copy=False)
                for v in pair
            ]
            for pair in vectors
        ]
        for i in range(C1s.size):
            decision = np.stack([rest - own[:, i : i + 1] for own, rest in far], axis=-1)
            if n_tasks == 1:
                decision = -decision
            predictions = Predictions(
                decision.reshape(len(F), -1, n_tasks), y, fold.classes, X, None, weight
            )
            for s, scorer in enumerate(axes.scorers):
                scores[s, part, i][:, batch] = scorer(predictions).reshape(C2s.size, -1)
