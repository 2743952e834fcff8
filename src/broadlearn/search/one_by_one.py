"""Candidates fitted one by one, for callables that look at more than predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from joblib import delayed
from sklearn.base import BaseEstimator, clone

from broadlearn.search.engine import limited
from broadlearn.search.folds import GridScores, SplitSamples, Task
from broadlearn.search.grid import SubGrid
from broadlearn.utils import Array, parallel
from broadlearn.utils.sklearn_compat import safe_indexing


def score_one_by_one(
    estimator: BaseEstimator,
    grids: Sequence[SubGrid],
    task: Task,
    scorers: Mapping[str, Any],
    *,
    score_train: bool,
    weight_names: Sequence[str],
    raise_errors: bool,
) -> tuple[list[str], GridScores]:
    """Fit every candidate of the grids on every split.

    Parameters
    ----------
    estimator : estimator
    grids : sequence of SubGrid
    task : Task
    scorers : mapping of str to callable
        Called with a fitted estimator, X and y. A single one may return a dict of scores.
    score_train : bool
        Whether training samples are scored too.
    weight_names : sequence of str
        Names of the sample weights in the estimator's ``fit``.
    raise_errors : bool
        Whether errors of scorers are raised; otherwise they count as failed fits.

    Returns
    -------
    names : list of str
        Names of the scores: those of the scorers, or the keys of the returned dicts.
    scores : GridScores
        Scores of the candidates of all grids.
    """
    candidates = [grid.candidate(i) for grid in grids for i in range(grid.size)]
    shape = (1 + score_train, len(candidates), len(task.splits))
    errors = np.full(len(candidates), "", dtype=object)
    by_name: dict[str, Array] = {}
    places = list(product(range(len(candidates)), range(len(task.splits))))
    calls = (
        delayed(limited)(
            _fit_and_score,
            clone(estimator).set_params(**clone(candidates[i], safe=False)),
            task.splits[f],
            scorers,
            score_train,
            weight_names,
            raise_errors,
        )
        for i, f in places
    )
    for (i, f), (parts, error) in zip(places, parallel(calls, task.n_jobs), strict=True):
        errors[i] = errors[i] or error
        for t, scores in enumerate(parts):
            for name, score in scores.items():
                by_name.setdefault(name, np.full(shape, np.nan))[t, i, f] = score
        task.report(1)
    names = list(scorers if by_name.keys() <= scorers.keys() else by_name)
    table = np.stack([by_name.get(name, np.full(shape, np.nan)) for name in names])
    return names, GridScores(table, errors)


def _fit_and_score(
    model: Any,
    samples: SplitSamples,
    scorers: Mapping[str, Any],
    score_train: bool,
    weight_names: Sequence[str],
    raise_errors: bool,
) -> tuple[list[dict[str, float]], str]:
    """Return scores of test and training samples by name, and the reason of a failure or ""."""
    X, y, weight, (train, test), _ = samples
    weights = {} if weight is None else dict.fromkeys(weight_names, weight[train])
    try:
        model.fit(safe_indexing(X, train), y[train], **weights)
    except Exception as error:
        return [], str(error) or repr(error)
    parts: list[dict[str, float]] = [{} for _ in range(1 + score_train)]
    failure = ""
    for scores, rows in zip(parts, (test, train), strict=False):
        for name, scorer in scorers.items():
            try:
                returned = scorer(model, safe_indexing(X, rows), y[rows])
            except Exception as error:
                if raise_errors:
                    raise
                failure = failure or f"scoring failed: {error}"
                continue
            if not (isinstance(returned, dict) and len(scorers) == 1):
                returned = {name: returned}
            scores.update({key: _as_number(score, key) for key, score in returned.items()})
    return parts, failure


def _as_number(score: Any, name: str) -> float:
    try:
        if np.ndim(score) == 0:
            return float(score)
    except (TypeError, ValueError):
        pass
    raise ValueError(
        f"scoring must return a number, or a dict of numbers, got {score!r} for {name!r}."
    )
