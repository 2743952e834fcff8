"""Protocols: how a model is evaluated on a data set.

paper
    As published. Columns, then rows, are standardised before splitting; 5 contiguous folds in file
    order, boundaries at ceil(i N / 5); the setting with the best mean accuracy on the **test
    folds** is reported, which is optimistic. `docs/results/reproduction.md` has the evidence for
    this reading.
paper-inside
    As "paper", but settings are chosen on 3 stratified inner folds of the training rows.
nested
    Honest. Stratified, shuffled outer folds (5 by default); on the training rows of each, a setting
    is chosen on 3 inner folds, refitted and scored once on the test rows. Everything, imputation
    and standardisation included, is learnt on training rows.
given-splits
    As "nested" on one split that comes with the data. A model without a grid is fitted as it is.
paper-redraws
    Fits at the printed settings, with a new draw for every fold of 30 draws.
paper-sensitivity
    Mean accuracy of every setting of the grid on the folds of "paper".
paper-sensitivity-printed
    The same where C, kernel width and the number of feature groups vary, and all other settings are
    the printed ones.

Rows of one group of a data set, such as visits of one person, are never in two folds.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler

from broadlearn.models import standardize_rows
from broadlearn.study.datasets import Dataset, Split
from broadlearn.study.metrics import DEFAULT_METRIC, METRICS, judge
from broadlearn.study.models import ModelSpec
from broadlearn.study.noise import Noise, apply_noise, parse_noise
from broadlearn.study.plan import (
    AS_PUBLISHED,
    GIVEN_SPLITS,
    INSIDE,
    NESTED,
    PAPER,
    PRINTED_SENSITIVITY,
    REDRAWS,
    Unit,
    UnitResult,
)
from broadlearn.study.published_results import published_grids
from broadlearn.study.released import PRINTED_COLUMNS, printed_setting
from broadlearn.tables import TablePreparation
from broadlearn.utils import Array

# Outer folds, as published.
N_FOLDS = 5
# Settings that a protocol of sensitivity reports.
SETTINGS = ("C", "kernel_width", "n_feature_groups", "n_feature_nodes")
# Numbers of feature groups in the published figures of sensitivity.
PRINTED_GROUPS = (3, 9, 15, 21)


class Fold(NamedTuple):
    """Training samples, with their groups if there are any, and test samples."""

    X: Array
    y: NDArray[Any]
    groups: NDArray[Any] | None
    X_test: Array
    y_test: NDArray[Any]


class Judged(NamedTuple):
    """Metrics of each fold, the settings chosen, and a table for protocols of sensitivity."""

    folds: list[dict[str, float]]
    chosen: Any
    details: dict[str, list[Any]] = {}


def contiguous_folds(groups: NDArray[Any], n_folds: int = N_FOLDS) -> list[Split]:
    """Return folds of neighbouring groups with boundaries ``ceil(i n_groups / n_folds)``."""
    codes, names = pd.factorize(groups)
    if len(names) < n_folds:
        raise ValueError(f"The data set must have at least {n_folds} rows, got {len(names)}.")
    edges = [-(-i * len(names) // n_folds) for i in range(n_folds + 1)]
    inside = [(start <= codes) & (codes < stop) for start, stop in pairwise(edges)]
    return [(np.flatnonzero(~test), np.flatnonzero(test)) for test in inside]


def run_unit(unit: Unit, data: Dataset, spec: ModelSpec) -> UnitResult:
    """Evaluate a model on a data set under the protocol, noise and seed of a unit."""
    start = time.process_time()
    spec = spec.as_published() if unit.protocol in AS_PUBLISHED else spec
    noise = parse_noise(unit.noise)
    with warnings.catch_warnings():
        # Settings that cannot be fitted on a fold are left out by the search, and rare classes are
        # spread as far as they go.
        warnings.simplefilter("ignore")
        if unit.protocol in _FOLDS:
            judged = _judge_folds(unit, spec, _FOLDS[unit.protocol](unit, data, noise))
        elif unit.protocol == REDRAWS:
            judged = _judge_redraws(unit, data, spec)
        else:
            judged = _judge_grid(unit, data, spec, noise)
    # A metric that some fold does not have is missing.
    common = [name for name in METRICS if all(name in fold for fold in judged.folds)]
    metrics = {name: [fold[name] for fold in judged.folds] for name in common}
    scores, seconds = metrics.pop(DEFAULT_METRIC), time.process_time() - start
    return UnitResult(scores, judged.chosen, seconds, metrics, judged.details)


def paper_task(data: Dataset, noise: Noise, seed: int) -> Dataset:
    """Prepare a data set as the published study did, with its splits, and add noise last."""
    (X,), y = _numbers(data, np.arange(len(data.y))), data.y
    X = np.asarray(standardize_rows(StandardScaler().fit_transform(X)), np.float64)
    splits = contiguous_folds(np.arange(len(y)) if data.groups is None else data.groups)
    task = Dataset(data.name, X, y, splits=tuple(splits), groups=data.groups)
    if noise.kind == "none":
        return task
    if noise.where == "all":
        X, y = apply_noise(X, y, noise, seed)
        return replace(task, X=X, y=y)
    # Noisy training rows of each fold are put behind the clean rows, which are tested.
    parts, labels, rows, moved = [X], [y], [np.arange(len(y))], []
    for fold, (train, test) in enumerate(splits):
        noisy_X, noisy_y = apply_noise(X[train], y[train], noise, (seed + fold) % 2**31)
        first = sum(len(part) for part in parts)
        moved.append((first + np.arange(len(train)), test))
        parts.append(noisy_X)
        labels.append(noisy_y)
        rows.append(train)
    groups = None if data.groups is None else data.groups[np.concatenate(rows)]
    X, y = np.concatenate(parts), np.concatenate(labels)
    return Dataset(data.name, X, y, splits=tuple(moved), groups=groups)


def _as_prepared(model: Any) -> Any:
    """Return a model or search that does not standardise the prepared samples again."""
    inner = getattr(model, "estimator", model)
    if "standardize" in inner.get_params():
        inner.set_params(standardize=False)
    return model


def _judge_grid(unit: Unit, data: Dataset, spec: ModelSpec, noise: Noise) -> Judged:
    """Score all settings on the test folds; protocols of sensitivity keep them as a table."""
    task = paper_task(data, noise, unit.data_seed)
    seed = unit.model_seed if unit.protocol == PAPER else 0
    if unit.protocol == PRINTED_SENSITIVITY:
        spec = replace(spec, grids={unit.grid: _grid_around_print(unit, spec)})
    search = spec.search(unit.grid, task.splits, seed, refit=False, fresh_draws=True)
    _as_prepared(search).fit(task.X, task.y)
    results = search.cv_results_
    folds = np.array([results[f"split{i}_test_score"] for i in range(len(task.splits))])
    # The search keeps no predictions of its thousands of settings, so there is accuracy alone.
    best = [{DEFAULT_METRIC: float(score)} for score in folds[:, search.best_index_]]
    table = {} if unit.protocol == PAPER else _setting_scores(results, folds)
    return Judged(best, dict(search.best_params_), table)


def _setting_scores(results: Mapping[str, Any], folds: Array) -> dict[str, list[Any]]:
    """Return the columns of a table of all settings, with mean and deviation of their scores."""
    missing = np.full(folds.shape[1], np.nan)
    settings = {name: np.asarray(results.get(f"param_{name}", missing)) for name in SETTINGS}
    frame = pd.DataFrame(settings).astype(float)
    frame = frame.assign(mean=folds.mean(axis=0), sd=folds.std(axis=0, ddof=1))
    # Of settings that differ in others, such as the number of enhancement nodes, the best is kept.
    best = frame.dropna(subset=["mean"]).sort_values("mean", ascending=False, kind="stable")
    best = best.drop_duplicates(list(SETTINGS)).sort_values(list(SETTINGS))
    table: dict[str, list[Any]] = best.astype(object).where(best.notna(), None).to_dict("list")
    return table


def _grid_around_print(unit: Unit, spec: ModelSpec) -> dict[str, list[Any]]:
    """Return the grid of the published figures: some settings vary, the others are as printed."""
    varied = {**published_grids()[PRINTED_COLUMNS.get(unit.model, unit.model)]}
    varied["n_feature_groups"] = list(PRINTED_GROUPS)
    return {
        name: varied[name] if name in ("C", "kernel_width", "n_feature_groups") else [value]
        for name, value in _printed(unit, spec).items()
    }


def _inside_folds(unit: Unit, data: Dataset, noise: Noise) -> Iterator[Fold]:
    task = paper_task(data, noise, unit.data_seed)
    for train, test in task.splits:
        groups = None if task.groups is None else task.groups[train]
        yield Fold(task.X[train], task.y[train], groups, task.X[test], task.y[test])


def _nested_folds(unit: Unit, data: Dataset, noise: Noise) -> Iterator[Fold]:
    outer = _stratified(unit.folds, unit.split_seed, data.groups)
    splits = outer.split(np.zeros(len(data.y)), data.y, data.groups)
    for fold, (train, test) in enumerate(splits):
        X, X_test = _numbers(data, train, test)
        y, y_test = data.y[train], data.y[test]
        seed = (unit.data_seed + fold) % 2**31
        if noise.kind != "none":
            X, y = apply_noise(X, y, noise, seed)
            if noise.where == "all":
                X_test, y_test = apply_noise(X_test, y_test, noise, (seed + N_FOLDS) % 2**31)
        yield Fold(X, y, None if data.groups is None else data.groups[train], X_test, y_test)


def _given_folds(unit: Unit, data: Dataset, noise: Noise) -> Iterator[Fold]:
    if noise.kind != "none":
        raise ValueError(f"noise must be none under the protocol {GIVEN_SPLITS}, got {noise}.")
    train, test = data.splits[unit.seed]
    X, X_test = _numbers(data, train, test)
    yield Fold(X, data.y[train], None, X_test, data.y[test])


_FOLDS: dict[str, Callable[[Unit, Dataset, Noise], Iterator[Fold]]] = {
    INSIDE: _inside_folds,
    NESTED: _nested_folds,
    GIVEN_SPLITS: _given_folds,
}


def _stratified(n_folds: int, seed: int, groups: NDArray[Any] | None) -> Any:
    """Return stratified, shuffled folds, which keep groups whole if there are any."""
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    return kind(n_folds, shuffle=True, random_state=seed)


def _judge_folds(unit: Unit, spec: ModelSpec, folds: Iterable[Fold]) -> Judged:
    """Choose settings on inner folds of the training rows, and score once on the test rows."""
    scores, chosen = [], []
    for fold in folds:
        inner = _stratified(3, unit.split_seed, fold.groups)
        if fold.groups is not None:
            inner = list(inner.split(fold.X, fold.y, fold.groups))
        search = spec.search(unit.grid, inner, unit.model_seed, refit=True, scoring=unit.scoring)
        if unit.protocol == INSIDE:
            _as_prepared(search)
        search.fit(fold.X, fold.y)
        if not np.isfinite(getattr(search, "best_score_", 0.0)):
            raise ValueError(
                f"{unit.scoring} is not defined on the inner folds for any setting of {unit.model}"
            )
        scores.append(judge(search, fold.X_test, fold.y_test))
        chosen.append(dict(getattr(search, "best_params_", {})))
    return Judged(scores, chosen[0] if unit.protocol == GIVEN_SPLITS else chosen)


def _printed(unit: Unit, spec: ModelSpec) -> dict[str, Any]:
    """Return the printed setting of a unit's model, without parameters that it lacks."""
    printed = printed_setting(unit.dataset, unit.model)
    if printed is None:
        raise ValueError(f"no settings are printed for {unit.model} on {unit.dataset}")
    known = spec.estimator.get_params()
    return {name: value for name, value in printed.items() if name in known}


def _judge_redraws(unit: Unit, data: Dataset, spec: ModelSpec) -> Judged:
    """Score fits at the printed settings, fold by fold of each draw, each with its own seed."""
    settings, task = _printed(unit, spec), paper_task(data, Noise(), 0)
    # Enough draws to see how far figures scatter.
    folds = list(task.splits) * 30
    seeds = np.random.SeedSequence(unit.model_seed).generate_state(len(folds))
    scores = []
    for (train, test), seed in zip(folds, seeds, strict=True):
        model = _as_prepared(spec.seeded(int(seed))).set_params(**settings)
        model.fit(task.X[train], task.y[train])
        hits = model.predict(task.X[test]) == task.y[test]
        scores.append({DEFAULT_METRIC: float(np.mean(hits))})
    return Judged(scores, settings)


def _numbers(data: Dataset, *parts: NDArray[np.intp]) -> list[Array]:
    """Return parts of a data set as numbers; the preparation is learnt on the first part."""
    if isinstance(data.X, np.ndarray):
        return [data.X[rows] for rows in parts]
    preparation, train = TablePreparation(), parts[0]
    learnt = preparation.fit_transform(data.X.iloc[train], data.y[train])
    others = (preparation.transform(data.X.iloc[rows]) for rows in parts[1:])
    return [np.asarray(numbers) for numbers in (learnt, *others)]
