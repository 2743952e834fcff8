"""Models fitted to labelled tables, and what they predict for rows that were held out."""

from __future__ import annotations

import warnings
from typing import NamedTuple

from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline

from broadlearn.cli.console import progress_bar
from broadlearn.cli.tables import Labelled
from broadlearn.ensemble import BroadEnsembleClassifier
from broadlearn.evaluation import (
    Predictions,
    cross_val_predictions,
    leave_one_out_predictions,
    scorer_of,
)
from broadlearn.io import TablePreparation
from broadlearn.persistence import model_parts
from broadlearn.registry import ModelEntry
from broadlearn.search import PathSearchCV

FOLDS = 5
# What folds would say of columns again, the fit to all rows says once.
OF_COLUMNS = "Column '"
# From these numbers on it is seen whether a model file has room for texts and names.
MANY_TEXTS, MANY_CHARACTERS = 5000, 1_000_000


class FittedModel(NamedTuple):
    """A model with the preparation of its columns, and held-out predictions for its rows."""

    model: Pipeline
    held_out: Predictions
    how: str


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
    """Fit a model to all rows, searching its settings if asked to, and predict held-out rows."""
    estimator = entry.estimator(random_state=seed)
    if class_weight is not None:
        estimator.set_params(class_weight=class_weight)
    model = Pipeline([("prepare", prepare), ("model", estimator)])
    if not needs_folds(entry):
        with progress_bar(estimator):
            estimator.fit(prepare.fit_transform(table.X, table.y), table.y)
        held_out = leave_one_out_predictions(model, table.y)
        assert held_out is not None
        return FittedModel(model, held_out, "leave-one-out, slightly optimistic")
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    how = f"{FOLDS}-fold cross-validation"
    with warnings.catch_warnings():
        # The fit to all rows repeats it.
        warnings.filterwarnings("ignore", OF_COLUMNS)
        if tune:
            scorer = None if scoring is None else scorer_of(scoring, table.y)
            search = PathSearchCV(model, cv=folds, n_jobs=jobs, scoring=scorer, refit=True)
            with progress_bar(search):
                model = search.fit(table.X, table.y).best_estimator_
            how += "; settings were chosen on the same folds, so optimistic"
        held_out = cross_val_predictions(clone(model), table.X, table.y, cv=folds, n_jobs=jobs)
    return FittedModel(model.fit(table.X, table.y), held_out, how)
