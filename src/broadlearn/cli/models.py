"""`broadlearn fit`, `predict` and `describe`: from a table to a model file and back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from sklearn.base import BaseEstimator, ClassifierMixin, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from broadlearn.cli.console import (
    command,
    is_terminal,
    listed,
    note,
    print_facts,
    print_json,
    progress_bar,
)
from broadlearn.cli.tables import (
    AsJson,
    Data,
    Drop,
    Labelled,
    Target,
    check_outputs,
    counted,
    named,
    read_labelled,
)
from broadlearn.ensemble import BroadEnsembleClassifier, PathEnsembleClassifier
from broadlearn.io import column_preparation, load, read_frame, read_header, save
from broadlearn.models import BLSClassifier
from broadlearn.registry import REGISTRY, find_entry
from broadlearn.search import PathSearchCV
from broadlearn.utils import Array, safe_csv, write_whole

NAMES = [name for name, entry in REGISTRY.items() if issubclass(entry.estimator, ClassifierMixin)]
FOLDS = 5
# What model files have room for is some 7,000 names.
MAX_COLUMNS = 5000
MAX_LEVEL_LENGTH = 40
# Scores of more rows than this are estimated from so many landmarks per class.
MAX_EXACT_ROWS, LANDMARKS = 10_000, 1000

ModelFile = Annotated[Path, typer.Argument(help="Model file that `broadlearn fit` wrote.")]


def fit(
    data: Data,
    target: Target,
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write.")],
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            help=f"One of {', '.join(NAMES)}, in upper or lower case. The ensemble needs no "
            "tuning: it averages models of infinite width that it chooses by leave-one-out.",
        ),
    ] = "Ensemble",
    tune: Annotated[
        bool, typer.Option("--tune", help="Search the settings, by cross-validation.")
    ] = False,
    drop: Drop = None,
    seed: Annotated[int, typer.Option(min=0, help="Seeds folds and model.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes; -1 for all cores.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Fit a model to a table and write it to a file, with the preparation of the columns.

    Exit code 0: done; 2: bad input; 130: interrupted.
    """
    with command() as notes:
        entry = find_entry(model)
        if entry.name not in NAMES:
            raise ValueError(f"--model must be one of {', '.join(NAMES)}, got {entry.name!r}.")
        check_outputs([output], [data])
        table = read_labelled(data, target, drop)
        if table.X.shape[1] > MAX_COLUMNS:
            raise ValueError(
                f"{data} has {table.X.shape[1]} columns besides the target, of which a model file "
                f"may hold {MAX_COLUMNS}; leave some out, by --drop or in the file."
            )
        by_itself = entry.estimator is BroadEnsembleClassifier
        if by_itself and tune:
            note("--tune changes nothing: the ensemble chooses its members by itself.")
        if not by_itself and sum(count >= FOLDS for count in table.classes.values()) < 2:
            raise ValueError(
                f"The target column {target!r} of {data} must hold at least two classes of {FOLDS} "
                f"or more rows, for {FOLDS}-fold cross-validation; it has {counted(table.classes)}."
            )
        estimator = entry.estimator(random_state=seed)
        if "landmarks" in estimator.get_params() and len(table.X) > MAX_EXACT_ROWS:
            estimator.set_params(landmarks=LANDMARKS)
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
        options = {"cv": folds, "n_jobs": jobs, "verbose": int(is_terminal())}
        optimistic = tune or "Ensemble" in entry.name
        how = "the best setting of the search, so optimistic" if optimistic else "cross-validated"
        if isinstance(estimator, BroadEnsembleClassifier):
            fitted, scores = _chosen_by_itself(table, estimator)
            how = "leave-one-out; members were chosen on the same rows, so slightly optimistic"
        elif isinstance(estimator, PathEnsembleClassifier):
            fitted, scores = _searched(table, estimator.set_params(**options))
        elif tune:
            fitted, scores = _searched(table, PathSearchCV(estimator, **options))
        else:
            fitted, scores = _plain(table, estimator, folds, jobs)
        save(fitted, output)
        columns, settings = needed_columns(fitted), model_settings(fitted[-1])
        mean, std, folds = float(np.mean(scores)), float(np.std(scores)), len(scores)
        spread = f" ± {std:.2%} over {folds} folds" if folds == FOLDS else ""
        majority = max(table.classes.values()) / len(table.X)
        if as_json:
            print_json(
                data=str(data),
                rows=len(table.X),
                columns=columns,
                classes=table.classes,
                model=entry.name,
                settings=settings,
                accuracy={"mean": mean, "std": std, "folds": folds, "optimistic": optimistic},
                majority_share=majority,
                written=[str(output)],
                notes=notes(),
            )
            return
        print_facts(
            {
                "model": entry.name,
                "rows": len(table.X),
                "columns": len(columns),
                "classes": counted(table.classes),
                "settings": listed(settings),
                "accuracy": f"{mean:.2%}{spread} ({how})",
                "most frequent class": f"{majority:.2%} of the rows",
                "written": output,
            }
        )


def predict(
    model: ModelFile,
    data: Data,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV file to write; printed if none.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Predict the class of each row of a table, with a probability of each class.

    Columns that the model does not know are ignored. Exit code 0: done; 2: bad input;
    130: interrupted.
    """
    with command() as notes:
        check_outputs([output], [model, data])
        fitted = load(model)
        X, ignored = _new_rows(fitted, data, model)
        table = _predictions(fitted, X)
        if ignored:
            note(f"Ignored, as the model does not know them: {named(ignored)}.")
        for sentence in unseen_levels(fitted, X):
            note(sentence)
        counts = {str(label): count for label, count in Counter(table["prediction"]).items()}
        if output is not None:
            write_whole(output, safe_csv(table))
        if as_json:
            records = table.reset_index().to_json(orient="records", double_precision=15)
            print_json(
                model=str(model),
                data=str(data),
                rows=len(table),
                predicted=counts,
                ignored_columns=ignored,
                predictions=json.loads(records) if output is None else None,
                written=[] if output is None else [str(output)],
                notes=notes(),
            )
        elif output is None:
            typer.echo(safe_csv(table), nl=False)
        else:
            print_facts({"rows": len(table), "predicted": counted(counts), "written": output})


def describe(model: ModelFile, as_json: AsJson = False) -> None:
    """Show what a model file holds: model, settings, columns, classes and versions.

    Exit code 0: done; 2: bad input; 130: interrupted.
    """
    with command():
        header, fitted = read_header(model), load(model)
        last = fitted[-1] if isinstance(fitted, Pipeline) else fitted
        settings, columns = model_settings(last), needed_columns(fitted)
        classes = np.asarray(getattr(last, "classes_", ())).tolist()
        facts = {
            "file": str(model),
            "bytes": model.stat().st_size,
            "format": header["format"],
            "model": type(last).__name__,
            "settings": settings if as_json else listed(settings),
            "columns": columns if as_json else ", ".join(columns) or "not named",
            "classes": classes if as_json else ", ".join(map(str, classes)) or "none",
            "versions": header["versions"] if as_json else listed(header["versions"]),
        }
        print_json(**facts) if as_json else print_facts(facts)


def needed_columns(model: Any) -> list[str]:
    """Columns that a model looks at, by name; none if it was fitted without names."""
    left_out = {name for step, names in _prepared(model) if step == "drop" for name in names}
    return [str(name) for name in getattr(model, "feature_names_in_", ()) if name not in left_out]


def unseen_levels(model: Any, X: pd.DataFrame) -> list[str]:
    """One sentence for each column of text with levels that were not there in fit."""
    found = []
    for steps, columns in _prepared(model):
        if not isinstance(steps, Pipeline) or not isinstance(steps[-1], OneHotEncoder):
            continue
        for name, levels in zip(columns, steps[-1].categories_, strict=True):
            texts = X[name].dropna().astype(str)
            unseen = texts[~texts.isin(levels)]
            if len(unseen):
                found.append(
                    f"Column {name!r} has levels in {len(unseen)} of {len(X)} rows that the model "
                    f"has not seen, such as {unseen.iloc[0][:MAX_LEVEL_LENGTH]!r}."
                )
    return found


def _prepared(model: Any) -> Iterator[tuple[Any, Any]]:
    """What a model does first with which columns, if it prepares them."""
    first = model[0] if isinstance(model, Pipeline) else model
    if isinstance(first, ColumnTransformer):
        yield from ((step, columns) for _, step, columns in first.transformers_)


def model_settings(model: BaseEstimator) -> dict[str, Any]:
    """Parameters of a model; of an ensemble, what it is made of."""
    if isinstance(model, BroadEnsembleClassifier):
        families = Counter(f"{row['family']} on {row['inputs']}" for row in model.members_)
        return {"kernels": len(model.members_), **families, "scores": model.members_[0]["scores"]}
    if not isinstance(model, PathEnsembleClassifier):
        return dict(model.get_params(deep=False))
    return {
        "average of": type(model.estimator or BLSClassifier()).__name__,
        "settings": len(model.members_),
        "draws": model.n_draws,
        "nodes": model.n_nodes_,
    }


def _plain(
    table: Labelled, estimator: BaseEstimator, folds: StratifiedKFold, jobs: int
) -> tuple[Pipeline, Array]:
    """The model fitted to all rows, and its accuracy on rows that each fit did not see."""
    model = Pipeline([("prepare", column_preparation(table.X)), ("model", estimator)])
    scores = cross_val_score(
        model, table.X, table.y, cv=folds, n_jobs=jobs, scoring="accuracy", error_score="raise"
    )
    return model.fit(table.X, table.y), scores


def _chosen_by_itself(
    table: Labelled, estimator: BroadEnsembleClassifier
) -> tuple[Pipeline, Array]:
    """The ensemble fitted to all rows, and whether it is right about each without that row."""
    prepare = column_preparation(table.X)
    with progress_bar(estimator):
        estimator.fit(prepare.fit_transform(table.X), table.y)
    chosen = estimator.classes_[estimator.leave_one_out_proba_.argmax(axis=1)]
    right = np.asarray(chosen == np.asarray(table.y), dtype=np.float64)
    return Pipeline([("prepare", prepare), ("model", estimator)]), right


def _searched(table: Labelled, search: Any) -> tuple[Pipeline, Array]:
    """The model that a search found, and the accuracies by which its best setting was chosen."""
    prepare = column_preparation(table.X)
    search.fit(prepare.fit_transform(table.X), table.y)
    results, best = search.cv_results_, search.cv_results_["rank_test_score"].argmin()
    scores = np.array([results[f"split{k}_test_score"][best] for k in range(FOLDS)])
    # An ensemble is a search and its result in one.
    model = getattr(search, "best_estimator_", search)
    return Pipeline([("prepare", prepare), ("model", model)]), scores


def _new_rows(fitted: Any, data: Path, model: Path) -> tuple[pd.DataFrame, list[str]]:
    """The columns that a model needs, and the names of all others."""
    if not is_classifier(fitted):
        raise ValueError(f"{model} holds a {type(fitted).__name__}, where a classifier is needed.")
    columns = needed_columns(fitted)
    if not columns:
        raise ValueError(f"{model} holds a model without names of columns; use `load` in Python.")
    frame = read_frame(data)
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise ValueError(f"{data} must have all columns of the model, but has no {named(missing)}.")
    return frame[columns], [name for name in frame.columns if name not in columns]


def _predictions(fitted: Any, X: pd.DataFrame) -> pd.DataFrame:
    """Label of each row, and a probability of each class where the model has them."""
    table = pd.DataFrame({"prediction": fitted.predict(X)}, pd.RangeIndex(len(X), name="row"))
    if not hasattr(fitted, "predict_proba"):
        note("This model gives no probabilities.")
        return table
    names = [f"probability_{label}" for label in fitted.classes_]
    return table.join(pd.DataFrame(fitted.predict_proba(X), table.index, names))
