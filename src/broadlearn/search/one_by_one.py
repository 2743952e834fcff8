"""Candidates fitted one by one, for callables that look at more than predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from joblib import delayed
from sklearn.base import BaseEstimator, clone

from broadlearn.search.engine import GridScores, SplitSamples, Task, limited
from broadlearn.search.grid import SubGrid
from broadlearn.utils import Array, parallel
from broadlearn.utils.sklearn_compat import safe_indexing


def score_one_by_one(
    estimator: BaseEstimator,
    grids: Sequence[SubGrid],
    task: Task,
    scorers: Mapping[str, Any],
    train_too: bool = False,
    weight_name: str = "sample_weight",
    raise_errors: bool = False,
) -> tuple[list[str], GridScores]:
    """Fit every candidate of some grids on every split.

    Parameters
    ----------
    estimator : estimator
    grids : sequence of SubGrid
    task : Task
    scorers : mapping of str to callable
        Called with a fitted estimator, X and y. A lone one may return a dict of several scores.
    train_too : bool, default=False
        Whether training samples are scored too.
    weight_name : str, default="sample_weight"
        What the weights are called in a call of fit.
    raise_errors : bool, default=False
        Whether an error of a scorer is raised; otherwise it is told as one of a fit is.

    Returns
    -------
    names : list of str
        Of the scores: those of the scorers, or the keys of what they return.
    found : GridScores
        Of the candidates of all grids.
    """
    candidates = [grid.candidate(i) for grid in grids for i in range(grid.size)]
    shape = (1 + train_too, len(candidates), len(task.splits))
    errors = np.full(len(candidates), "", dtype=object)
    found: dict[str, Array] = {}
    places = list(product(range(len(candidates)), range(len(task.splits))))
    calls = (
        delayed(limited)(
            _fit_and_score,
            clone(estimator).set_params(**clone(candidates[i], safe=False)),
            task.splits[f],
            scorers,
            train_too,
            weight_name,
            raise_errors,
        )
        for i, f in places
    )
    for (i, f), (parts, error) in zip(places, parallel(calls, task.n_jobs), strict=True):
        errors[i] = errors[i] or error
        for t, scores in enumerate(parts):
            for name, score in scores.items():
                found.setdefault(name, np.full(shape, np.nan))[t, i, f] = score
        task.report(1)
    names = list(scorers if found.keys() <= scorers.keys() else found)
    return names, GridScores(
        np.stack([found.get(name, np.full(shape, np.nan)) for name in names]), errors
    )


def _fit_and_score(
    model: Any,
    samples: SplitSamples,
    scorers: Mapping[str, Any],
    train_too: bool,
    weight_name: str,
    raise_errors: bool,
) -> tuple[list[dict[str, float]], str]:
    """Scores of test and training samples by name, and why there are none, or ""."""
    X, y, weight, (train, test) = samples
    weights = {} if weight is None else {weight_name: weight[train]}
    try:
        model.fit(safe_indexing(X, train), y[train], **weights)
    except Exception as error:
        return [], str(error) or repr(error)
    parts: list[dict[str, float]] = [{} for _ in range(1 + train_too)]
    failure = ""
    for scores, rows in zip(parts, (test, train), strict=False):
        for name, scorer in scorers.items():
            try:
                given = scorer(model, safe_indexing(X, rows), y[rows])
            except Exception as error:
                if raise_errors:
                    raise
                failure = failure or f"scoring failed: {error}"
                continue
            several = isinstance(given, dict) and len(scorers) == 1
            for key, score in (given if several else {name: given}).items():
                scores[key] = _number(score, key)
    return parts, failure


def _number(score: Any, name: str) -> float:
    try:
        if np.ndim(score) == 0:
            return float(score)
    except (TypeError, ValueError):
        pass
    raise ValueError(
        f"scoring must return a number, or a dict of numbers, got {score!r} for {name!r}."
    )
