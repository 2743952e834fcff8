"""Protocols: how a model is evaluated on a data set.

paper
    As published, see `Reading`. Columns and rows are standardised before splitting; 5 contiguous
    folds in file order, boundaries at ceil(i N / 5); the setting with the best mean accuracy on the
    **test folds** is reported, which is optimistic.
paper-inside
    As "paper", but settings are chosen on 3 stratified inner folds of the training rows.
paper-columns
    As "paper", but columns alone are standardised, models are ours, draws nested.
nested
    Honest. Stratified, shuffled outer folds (5, or as many as the study says); on the training rows
    of each, a setting is chosen on 3 inner folds, refitted and scored once on the test rows.
    Everything, imputation and standardisation included, is learnt on training rows.
given-splits
    Fitted on the training rows of one split that comes with the data, judged once on its test rows.
    A model with a grid is searched as in "nested"; any other is fitted as it stands.
paper-redraws, paper-columns-redraws
    Fits at the printed settings, with a new draw for every fold of 30 draws.
paper-sensitivity, paper-columns-sensitivity
    Mean accuracy of every setting of the grid on the contiguous test folds.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from broadlearn.study.datasets import Dataset, Split
from broadlearn.study.metrics import DEFAULT_METRIC, METRICS, judge
from broadlearn.study.models import ModelSpec
from broadlearn.study.noise import Noise, apply_noise, parse_noise
from broadlearn.study.plan import GIVEN_SPLITS, REDRAWS, SENSITIVITY, Unit, UnitResult
from broadlearn.study.published_results import published_settings
from broadlearn.study.readings import READINGS, Reading
from broadlearn.study.released import PRINTED_COLUMNS
from broadlearn.tables import TablePreparation
from broadlearn.utils import Array

# Training rows and labels, test rows and labels.
Fold = tuple[Array, NDArray[Any], Array, NDArray[Any]]
N_FOLDS, N_INNER_FOLDS = 5, 3
N_DRAWS = 30
# Settings that a "-sensitivity" protocol reports.
SETTINGS = ("C", "kernel_width", "n_feature_groups", "n_feature_nodes")


class Judged(NamedTuple):
    """Metrics of each fold, the settings chosen, and a table for "-sensitivity" protocols."""

    folds: list[dict[str, float]]
    chosen: Any
    details: dict[str, list[Any]] = {}


class PaperTask(NamedTuple):
    """Rows and splits of the protocol "paper"."""

    X: Array
    y: NDArray[Any]
    splits: list[Split]


def contiguous_folds(n_rows: int, n_folds: int = N_FOLDS) -> list[Split]:
    """Folds of neighbouring rows with boundaries ``ceil(i n_rows / n_folds)``."""
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
        The data set of the unit.
    spec : ModelSpec
        The model of the unit, from `find_model`.

    Returns
    -------
    UnitResult

    Examples
    --------
    >>> from broadlearn.study import Unit, find_model, load_dataset, run_unit
    >>> unit = Unit("iris", "none", "majority", "nested", 0, "paper", "5ac1")
    >>> round(run_unit(unit, load_dataset("iris"), find_model("majority")).mean, 4)
    0.3333
    """
    start = time.perf_counter()
    with warnings.catch_warnings():
        # Settings that cannot be fitted on a fold are left out by the search, and rare classes are
        # spread as far as they go.
        warnings.simplefilter("ignore")
        judged = _JUDGES[unit.protocol](unit, data, spec, parse_noise(unit.noise))
    # A metric that some fold does not have is missing.
    common = [name for name in METRICS if all(name in fold for fold in judged.folds)]
    metrics = {name: [fold[name] for fold in judged.folds] for name in common}
    scores, seconds = metrics.pop(DEFAULT_METRIC), time.perf_counter() - start
    return UnitResult(scores, judged.chosen, seconds, metrics, judged.details)


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


def _paper_search(
    task: PaperTask, spec: ModelSpec, reading: Reading, grid: str, random_state: int
) -> Any:
    """Score all settings on the test folds."""
    search = spec.search(
        grid,
        task.splits,
        random_state,
        refit=False,
        released=reading.released_models,
        fresh_draws=reading.fresh_draws,
    )
    return _as_prepared(search).fit(task.X, task.y)


def _as_prepared(model: Any) -> Any:
    """A model or search that does not standardise its rows again."""
    inner = getattr(model, "estimator", model)
    if "standardize" in inner.get_params():
        inner.set_params(standardize=False)
    return model


def _judge_paper(unit: Unit, data: Dataset, spec: ModelSpec, noise: Noise) -> Judged:
    reading = READINGS[unit.protocol]
    task = paper_task(data, reading, noise, unit.data_seed)
    search = _paper_search(task, spec, reading, unit.grid, unit.model_seed)
    return Judged(_fold_scores(search, len(task.splits)), dict(search.best_params_))


def _fold_scores(search: Any, n_folds: int) -> list[dict[str, float]]:
    """Accuracy of the best setting; the search keeps no predictions of the thousands of others."""
    scores = [search.cv_results_[f"split{i}_test_score"] for i in range(n_folds)]
    return [{DEFAULT_METRIC: float(fold[search.best_index_])} for fold in scores]


def _judge_inside(unit: Unit, data: Dataset, spec: ModelSpec, noise: Noise) -> Judged:
    task = paper_task(data, READINGS[unit.protocol], noise, unit.data_seed)
    X, y = task.X, task.y
    # The choice is among the same settings; with nested draws it takes a fraction of the time.
    return _judge_folds(
        unit, spec, ((X[train], y[train], X[test], y[test]) for train, test in task.splits)
    )


def _judge_nested(unit: Unit, data: Dataset, spec: ModelSpec, noise: Noise) -> Judged:
    return _judge_folds(unit, spec, _nested_folds(unit, data, noise))


def _nested_folds(unit: Unit, data: Dataset, noise: Noise) -> Iterator[Fold]:
    outer = StratifiedKFold(unit.folds, shuffle=True, random_state=unit.split_seed)
    for fold, (train, test) in enumerate(outer.split(np.zeros(len(data.y)), data.y)):
        X, X_test = _numbers(data, train, test)
        y, y_test = data.y[train], data.y[test]
        seed = (unit.data_seed + fold) % 2**31
        if noise.kind != "none":
            X, y = apply_noise(X, y, noise, seed)
            if noise.where == "all":
                X_test, y_test = apply_noise(X_test, y_test, noise, (seed + N_FOLDS) % 2**31)
        yield X, y, X_test, y_test


def _judge_given(unit: Unit, data: Dataset, spec: ModelSpec, noise: Noise) -> Judged:
    if noise.kind != "none":
        raise ValueError(f"noise must be none under the protocol {GIVEN_SPLITS}, got {noise}.")
    train, test = data.splits[unit.seed]
    X, X_test = _numbers(data, train, test)
    judged = _judge_folds(unit, spec, [(X, data.y[train], X_test, data.y[test])])
    return judged._replace(chosen=judged.chosen[0])


def _judge_folds(unit: Unit, spec: ModelSpec, folds: Iterable[Fold]) -> Judged:
    """Choose settings on inner folds of the training rows, and score once on the test rows."""
    scores, chosen = [], []
    reading = READINGS.get(unit.protocol)
    inner = StratifiedKFold(N_INNER_FOLDS, shuffle=True, random_state=unit.split_seed)
    for X, y, X_test, y_test in folds:
        search = spec.search(
            unit.grid,
            inner,
            unit.model_seed,
            refit=True,
            released=reading is not None and reading.released_models,
            scoring=unit.scoring,
        )
        if reading is not None:
            _as_prepared(search)
        search.fit(X, y)
        if not np.isfinite(getattr(search, "best_score_", 0.0)):
            raise ValueError(
                f"{unit.scoring} is not defined on the inner folds for any setting of {unit.model}"
            )
        scores.append(judge(search, X_test, y_test))
        chosen.append(dict(getattr(search, "best_params_", {})))
    return Judged(scores, chosen)


def _judge_redraws(unit: Unit, data: Dataset, spec: ModelSpec, noise: Noise) -> Judged:
    reading = READINGS[REDRAWS[unit.protocol]]
    printed, column = published_settings(), PRINTED_COLUMNS.get(unit.model, unit.model)
    if unit.dataset not in printed.index or column not in printed.columns:
        raise ValueError(f"no settings are printed for {unit.model} on {unit.dataset}")
    known = spec.estimator.get_params()
    settings = {n: v for n, v in printed.loc[unit.dataset, column].items() if n in known}
    scores = redraw(data, spec, reading, settings, N_DRAWS, unit.model_seed)
    return Judged([{DEFAULT_METRIC: float(score)} for score in scores.ravel()], settings)


def redraw(
    data: Dataset,
    spec: ModelSpec,
    reading: Reading,
    settings: dict[str, Any],
    n_draws: int,
    random_state: int,
) -> Array:
    """Return accuracies at given settings, draws by folds, each with a seed of its own."""
    task = paper_task(data, reading, Noise(), 0)
    released = reading.released_models
    seeds = np.random.SeedSequence(random_state).generate_state(n_draws * len(task.splits))
    scores = np.empty((n_draws, len(task.splits)))
    for (draw, fold), seed in zip(np.ndindex(*scores.shape), seeds, strict=True):
        train, test = task.splits[fold]
        model = _as_prepared(spec.seeded(int(seed), released=released)).set_params(**settings)
        model.fit(task.X[train], task.y[train])
        scores[draw, fold] = np.mean(model.predict(task.X[test]) == task.y[test])
    return scores


def _judge_sensitivity(unit: Unit, data: Dataset, spec: ModelSpec, noise: Noise) -> Judged:
    reading = READINGS[SENSITIVITY[unit.protocol]]
    task = paper_task(data, reading, noise, unit.data_seed)
    search = _paper_search(task, spec, reading, unit.grid, 0)
    results, n_folds = search.cv_results_, len(task.splits)
    folds = np.array([results[f"split{i}_test_score"] for i in range(n_folds)])
    missing = np.full(folds.shape[1], np.nan)
    settings = {name: np.asarray(results.get(f"param_{name}", missing)) for name in SETTINGS}
    frame = pd.DataFrame(settings).astype(float)
    frame = frame.assign(mean=folds.mean(axis=0), sd=folds.std(axis=0, ddof=1))
    # Of settings that differ in others, such as the number of enhancement nodes, the best is kept.
    best = frame.dropna(subset=["mean"]).sort_values("mean", ascending=False, kind="stable")
    best = best.drop_duplicates(list(SETTINGS)).sort_values(list(SETTINGS))
    table = best.astype(object).where(best.notna(), None).to_dict("list")
    return Judged(_fold_scores(search, n_folds), dict(search.best_params_), table)


_JUDGES: dict[str, Callable[[Unit, Dataset, ModelSpec, Noise], Judged]] = {
    **{name: _judge_inside if r.chosen_inside else _judge_paper for name, r in READINGS.items()},
    "nested": _judge_nested,
    GIVEN_SPLITS: _judge_given,
    **dict.fromkeys(REDRAWS, _judge_redraws),
    **dict.fromkeys(SENSITIVITY, _judge_sensitivity),
}


def _numbers(data: Dataset, *parts: NDArray[np.intp]) -> list[Array]:
    """Parts of a data set as numbers, with all preparation learnt on the first part."""
    if isinstance(data.X, np.ndarray):
        return [data.X[rows] for rows in parts]
    preparation, train = TablePreparation(), parts[0]
    learnt = preparation.fit_transform(data.X.iloc[train], data.y[train])
    others = (preparation.transform(data.X.iloc[rows]) for rows in parts[1:])
    return [np.asarray(numbers) for numbers in (learnt, *others)]
