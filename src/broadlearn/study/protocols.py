"""How a model is evaluated: as published, honestly, or on splits that come with the data.

paper
    As published, see `Reading`. Columns and rows are brought to mean 0 and deviation 1 before
    splitting; 5 contiguous folds in the order of the file, boundaries at ceil(i N / 5); the figure
    is that of the setting whose mean accuracy on the **test folds** is best. It is optimistic.
paper-inside
    As "paper", but settings are chosen on 3 stratified inner folds of the training rows.
paper-columns
    As "paper" was read before: columns alone are standardised, models are ours, draws nested.
nested
    Honest. Stratified, shuffled 5 folds; on the training rows of each, a setting is chosen on 3
    inner folds, refitted and judged once on the test rows. Everything, imputation and
    standardisation included, is learnt on training rows.
given-splits
    Fitted on the training rows of one split that comes with the data, judged once on its test rows.
    A model with a grid is searched as in "nested"; any other is fitted as it stands.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from broadlearn.io import TablePreparation
from broadlearn.study.datasets import Dataset, Split
from broadlearn.study.metrics import DEFAULT_METRIC, METRICS, judge
from broadlearn.study.noise import Noise, apply_noise, parse_noise
from broadlearn.study.plan import GIVEN_SPLITS, Unit
from broadlearn.study.readings import READINGS, Reading
from broadlearn.study.search_spaces import ModelSpec
from broadlearn.study.unit_result import UnitResult
from broadlearn.utils import Array

N_FOLDS, N_INNER_FOLDS = 5, 3
# What a fold gave, by metric.
Figures = dict[str, float]
# The settings that `sensitivity` reports.
SETTINGS = ("C", "kernel_width", "n_feature_groups", "n_feature_nodes")


class PaperTask(NamedTuple):
    """Rows and splits of the protocol "paper".

    Attributes
    ----------
    X, y : ndarray
        The rows in the order of the file; with noise on training rows only, the noisy training rows
        of every fold follow.
    splits : list of (train, test)
    """

    X: Array
    y: NDArray[Any]
    splits: list[Split]


def contiguous_folds(n_rows: int, n_folds: int = N_FOLDS) -> list[Split]:
    """Folds of neighbouring rows with boundaries ``ceil(i n_rows / n_folds)``.

    Examples
    --------
    >>> from broadlearn.study.protocols import contiguous_folds
    >>> [test.tolist() for _, test in contiguous_folds(7, 3)]
    [[0, 1, 2], [3, 4], [5, 6]]
    """
    if n_rows < n_folds:
        raise ValueError(f"The data set must have at least {n_folds} rows, got {n_rows}.")
    edges = [-(-i * n_rows // n_folds) for i in range(n_folds + 1)]
    rows = np.arange(n_rows)
    return [
        (np.concatenate([rows[:start], rows[stop:]]), rows[start:stop])
        for start, stop in pairwise(edges)
    ]


def run_unit(unit: Unit, data: Dataset, spec: ModelSpec) -> UnitResult:
    """Evaluate a model on a data set under the protocol, noise and seed of a unit.

    Parameters
    ----------
    unit : Unit
    data : Dataset
    spec : ModelSpec

    Returns
    -------
    UnitResult
    """
    start = time.perf_counter()
    judge_protocol = _JUDGES[unit.protocol]
    with warnings.catch_warnings():
        # Settings that cannot be fitted on a fold are left out by the search, and rare classes are
        # spread as far as they go; the figures say so.
        warnings.simplefilter("ignore")
        folds, chosen = judge_protocol(unit, data, spec, parse_noise(unit.noise))
    # A metric that some fold does not have is missing.
    named = [name for name in METRICS if all(name in fold for fold in folds)]
    metrics = {name: [fold[name] for fold in folds] for name in named}
    scores = metrics.pop(DEFAULT_METRIC)
    return UnitResult(scores, chosen, time.perf_counter() - start, metrics)


def paper_task(data: Dataset, reading: Reading, noise: Noise, seed: int) -> PaperTask:
    """Prepare a data set as a reading of the published study says; `seed` is the noise's."""
    (X,), y = _numbers(data, np.arange(len(data.y))), data.y
    X, y = reading.prepare(X, y, noise, seed)
    splits = contiguous_folds(len(X))
    if noise.kind == "none" or noise.where == "all":
        return PaperTask(X, y, splits)
    parts, labels, moved = [X], [y], []
    for fold, (train, test) in enumerate(splits):
        noisy_X, noisy_y = apply_noise(X[train], y[train], noise, (seed + fold) % 2**31)
        first = sum(len(part) for part in parts)
        moved.append((first + np.arange(len(train)), test))
        parts.append(noisy_X)
        labels.append(noisy_y)
    return PaperTask(np.concatenate(parts), np.concatenate(labels), moved)


def paper_search(
    task: PaperTask, spec: ModelSpec, reading: Reading, grid: str, random_state: int
) -> Any:
    """Score all settings on the test folds."""
    released, fresh = reading.released_models, reading.fresh_draws
    search = spec.search(
        grid, task.splits, random_state, refit=False, released=released, fresh_draws=fresh
    )
    return as_prepared(search).fit(task.X, task.y)


def as_prepared(model: Any) -> Any:
    """A model or search that takes its rows as they are."""
    inner = getattr(model, "estimator", model)
    if "standardize" in inner.get_params():
        inner.set_params(standardize=False)
    return model


def sensitivity(
    data: Dataset,
    spec: ModelSpec,
    *,
    reading: str = "paper",
    grid: str = "paper",
    random_state: int = 0,
) -> pd.DataFrame:
    """Mean accuracy of every setting on the contiguous test folds.

    Parameters
    ----------
    data : Dataset
    spec : ModelSpec
    reading : {"paper", "paper-columns"}, default="paper"
        How the published protocol is read.
    grid : {"paper", "reduced"}, default="paper"
    random_state : int, default=0

    Returns
    -------
    DataFrame
        dataset, model, C, kernel_width, n_feature_groups, n_feature_nodes (NaN where the model has
        no such setting), mean and sd over folds (fractions, ddof=1). Of settings that differ in
        others, such as the number of enhancement nodes, the best is kept.

    Examples
    --------
    >>> from broadlearn.study import find_model, load_dataset, sensitivity
    >>> frame = sensitivity(load_dataset("iris"), find_model("BLS"), grid="reduced")
    >>> len(frame), sorted(frame["n_feature_groups"].unique().tolist())
    (30, [1, 5, 11])
    """
    if reading not in READINGS or READINGS[reading].chosen_inside:
        known = ", ".join(name for name, r in READINGS.items() if not r.chosen_inside)
        raise ValueError(f"protocol must be one of {known}, got {reading!r}.")
    read = READINGS[reading]
    task = paper_task(data, read, Noise(), 0)
    results = paper_search(task, spec, read, grid, random_state).cv_results_
    folds = np.array([results[f"split{i}_test_score"] for i in range(len(task.splits))])
    columns = {
        name: np.asarray(results.get(f"param_{name}", np.full(folds.shape[1], np.nan)))
        for name in SETTINGS
    }
    frame = pd.DataFrame(
        {
            "dataset": data.name,
            "model": spec.name,
            **columns,
            "mean": folds.mean(axis=0),
            "sd": folds.std(axis=0, ddof=1),
        }
    )
    best = frame.dropna(subset=["mean"]).sort_values("mean", ascending=False, kind="stable")
    return best.drop_duplicates(list(SETTINGS)).sort_values(list(SETTINGS)).reset_index(drop=True)


def _judge_paper(
    unit: Unit, data: Dataset, spec: ModelSpec, noise: Noise
) -> tuple[list[Figures], dict[str, Any]]:
    reading = READINGS[unit.protocol]
    task = paper_task(data, reading, noise, unit.data_seed)
    search = paper_search(task, spec, reading, unit.grid, unit.model_seed)
    best = search.best_index_
    # The search keeps scores, not predictions, of the thousands of settings.
    scores = [
        {DEFAULT_METRIC: float(search.cv_results_[f"split{i}_test_score"][best])}
        for i in range(len(task.splits))
    ]
    return scores, dict(search.best_params_)


def _judge_inside(
    unit: Unit, data: Dataset, spec: ModelSpec, noise: Noise
) -> tuple[list[Figures], list[dict[str, Any]]]:
    reading = READINGS[unit.protocol]
    task, scores, chosen = paper_task(data, reading, noise, unit.data_seed), [], []
    for train, test in task.splits:
        # The choice is among the same settings; with nested draws it takes a fraction of the time.
        search = spec.search(
            unit.grid,
            _inner_folds(unit),
            unit.model_seed,
            refit=True,
            released=reading.released_models,
        )
        as_prepared(search).fit(task.X[train], task.y[train])
        scores.append(judge(search, task.X[test], task.y[test]))
        chosen.append(dict(getattr(search, "best_params_", {})))
    return scores, chosen


def _judge_nested(
    unit: Unit, data: Dataset, spec: ModelSpec, noise: Noise
) -> tuple[list[Figures], list[dict[str, Any]]]:
    scores, chosen = [], []
    outer = StratifiedKFold(N_FOLDS, shuffle=True, random_state=unit.split_seed)
    for fold, (train, test) in enumerate(outer.split(np.zeros(len(data.y)), data.y)):
        X, X_test = _numbers(data, train, test)
        y, y_test = data.y[train], data.y[test]
        seed = (unit.data_seed + fold) % 2**31
        if noise.kind != "none":
            X, y = apply_noise(X, y, noise, seed)
            if noise.where == "all":
                X_test, y_test = apply_noise(X_test, y_test, noise, (seed + N_FOLDS) % 2**31)
        search = spec.search(
            unit.grid, _inner_folds(unit), unit.model_seed, refit=True, scoring=unit.scoring
        ).fit(X, y)
        if not np.isfinite(getattr(search, "best_score_", 0.0)):
            raise ValueError(
                f"{unit.scoring} is not defined on the inner folds for any setting of {unit.model}"
            )
        scores.append(judge(search, X_test, y_test))
        chosen.append(dict(getattr(search, "best_params_", {})))
    return scores, chosen


def _judge_given(
    unit: Unit, data: Dataset, spec: ModelSpec, noise: Noise
) -> tuple[list[Figures], dict[str, Any]]:
    if noise.kind != "none":
        raise ValueError(f"noise must be none under the protocol {GIVEN_SPLITS}, got {noise}.")
    train, test = data.splits[unit.seed]
    X, X_test = _numbers(data, train, test)
    searched = bool(spec.grids.get(unit.grid))
    if searched:
        model = spec.search(unit.grid, _inner_folds(unit), unit.model_seed, refit=True)
    else:
        model = spec.seeded(unit.model_seed)
    model.fit(X, data.y[train])
    return [judge(model, X_test, data.y[test])], dict(model.best_params_) if searched else {}


_JUDGES: dict[str, Callable[..., tuple[list[Figures], Any]]] = {
    **{name: _judge_inside if r.chosen_inside else _judge_paper for name, r in READINGS.items()},
    "nested": _judge_nested,
    GIVEN_SPLITS: _judge_given,
}


def _inner_folds(unit: Unit) -> StratifiedKFold:
    return StratifiedKFold(N_INNER_FOLDS, shuffle=True, random_state=unit.split_seed)


def _numbers(data: Dataset, *parts: NDArray[np.intp]) -> list[Array]:
    """Parts of a data set as numbers, with all preparation learnt on the first part."""
    if isinstance(data.X, np.ndarray):
        return [data.X[rows] for rows in parts]
    preparation, train = TablePreparation(), parts[0]
    learnt = preparation.fit_transform(data.X.iloc[train], data.y[train])
    others = (preparation.transform(data.X.iloc[rows]) for rows in parts[1:])
    return [np.asarray(numbers) for numbers in (learnt, *others)]
