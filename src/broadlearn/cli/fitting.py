"""Models fitted to labelled tables, and what they predict for rows that were held out."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline

from broadlearn.cli.console import progress_bar, stage_progress
from broadlearn.cli.held_out import HeldOut, cross_validated, left_out, search_scorer
from broadlearn.cli.tables import Labelled
from broadlearn.ensemble import BroadEnsembleClassifier
from broadlearn.io import TablePreparation, model_parts, warn_of_columns
from broadlearn.registry import ModelEntry
from broadlearn.search import PathSearchCV

FOLDS = 5
# What folds would say of columns again, the fit to all rows says once.
OF_COLUMNS = "Column '"
# From these numbers on it is seen whether a model file has room for texts and names.
MANY_TEXTS, MANY_CHARACTERS = 5000, 1_000_000


class FittedModel(NamedTuple):
    """A model with the preparation of its columns, and what it predicts for rows held out."""

    model: Pipeline
    held_out: HeldOut
    how: str
    optimistic: bool


def check_storable(table: Labelled, prepare: TablePreparation) -> None:
    """Raise before any work where a model file has no room for the levels or names of columns."""
    names, texts = list(table.X), table.X.select_dtypes(exclude="number")
    distinct = {name: int(texts[name].astype(str).nunique()) for name in texts}
    if sum(distinct.values()) < MANY_TEXTS and sum(map(len, names)) < MANY_CHARACTERS:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = clone(prepare).fit(table.X, table.y)
    try:
        model_parts(fitted)
    except ValueError as error:
        most = max(distinct, key=lambda name: distinct[name], default=names[0])
        raise ValueError(
            f"A model file has no room for all texts and names of {table.source}: column {most!r} "
            f"has {distinct.get(most, 0):,} different texts; leave it out, by --drop."
        ) from error


def needs_folds(entry: ModelEntry) -> bool:
    """Whether a model is judged by cross-validation; the ensemble is by leave-one-out."""
    return entry.estimator is not BroadEnsembleClassifier


def fit_model(
    table: Labelled,
    entry: ModelEntry,
    prepare: TablePreparation,
    *,
    tune: bool,
    seed: int,
    jobs: int,
    class_weight: str | None = None,
    scoring: str | None = None,
) -> FittedModel:
    """Fit a model to all rows, searching its settings if asked to, and judge it."""
    estimator = entry.estimator(random_state=seed)
    if class_weight is not None:
        estimator.set_params(class_weight=class_weight)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    if isinstance(estimator, BroadEnsembleClassifier):
        how = "leave-one-out; members were chosen on the same rows, so slightly optimistic"
        fitted = _chosen_by_itself(table, prepare, estimator)
        return FittedModel(fitted, left_out(fitted[-1], table.y), how, optimistic=True)
    options = {"cv": folds, "n_jobs": jobs, "scoring": search_scorer(scoring, table.y)}
    how, optimistic = f"{FOLDS}-fold cross-validation", False
    if tune:
        model = Pipeline([("prepare", prepare), ("model", estimator)])
        fitted = _searched(table, model, options)
        how, optimistic = f"{how}; settings were chosen on the same folds, so optimistic", True
    else:
        fitted = Pipeline([("prepare", prepare), ("model", estimator)])
    with stage_progress() as progress:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", OF_COLUMNS)
            held = cross_validated(fitted, table, folds, jobs, progress)
        if not optimistic:
            progress("fit to all rows", FOLDS / (FOLDS + 1))
            fitted.fit(table.X, table.y)
    return FittedModel(fitted, held, how, optimistic)


def _chosen_by_itself(
    table: Labelled, prepare: TablePreparation, estimator: BroadEnsembleClassifier
) -> Pipeline:
    """The ensemble fitted to all rows."""
    with progress_bar(estimator):
        estimator.fit(prepare.fit_transform(table.X, table.y), table.y)
    return Pipeline([("prepare", prepare), ("model", estimator)])


def _searched(table: Labelled, model: Pipeline, options: dict[str, Any]) -> Pipeline:
    """The best setting fitted to all rows.

    Columns are prepared in each fold anew, from its training rows only.
    """
    search = PathSearchCV(model, **options)
    with progress_bar(search), warnings.catch_warnings():
        warnings.filterwarnings("ignore", OF_COLUMNS)
        search.fit(table.X, table.y)
    best: Pipeline = search.best_estimator_
    warn_of_columns(best[0].columns_)
    return best
