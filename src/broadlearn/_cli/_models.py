"""`broadlearn fit`, `predict` and `describe`: from a table to a model file and back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from broadlearn import (
    BLSClassifier,
    BroadEnsembleClassifier,
    ELMClassifier,
    FuzzyBLSClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    NeuroFuzzyBLSClassifier,
    PathSearchCV,
)
from broadlearn._cli._console import is_terminal
from broadlearn._cli._results import (
    AsJson,
    Data,
    Drop,
    Labelled,
    Target,
    check_outputs,
    command,
    counted,
    listed,
    named,
    note,
    print_facts,
    print_json,
    read_labelled,
)
from broadlearn._files import safe_csv, write_whole
from broadlearn._table_files import read_frame
from broadlearn.audit import LANDMARKS, MOST_ROWS_OF_EXACT_SCORES
from broadlearn.persistence import load, read_header, save
from broadlearn.tables import column_preparation

MODELS = {
    "bls": BLSClassifier,
    "f-bls": FuzzyBLSClassifier,
    "if-bls": IntuitionisticFuzzyBLSClassifier,
    "elm": ELMClassifier,
    "h-elm": HierarchicalELMClassifier,
    "neuro-fbls": NeuroFuzzyBLSClassifier,
    "if-tsvm": IntuitionisticFuzzyTwinSVC,
}
FOLDS = 5
# What model files have room for is some 7,000 names.
MOST_COLUMNS = 5000
LONGEST_LEVEL = 40
ENSEMBLE = {"param_grid": "robust", "ensemble_size": 25, "n_draws": 3}

ModelFile = Annotated[Path, typer.Argument(help="Model file that `broadlearn fit` wrote.")]


def fit(
    data: Data,
    target: Target,
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write.")],
    model: Annotated[
        str, typer.Option("--model", "-m", help=f"One of {', '.join(MODELS)}.")
    ] = "if-bls",
    tune: Annotated[
        bool, typer.Option("--tune", help="Search the settings, by cross-validation.")
    ] = False,
    ensemble: Annotated[
        bool,
        typer.Option(
            "--ensemble",
            help="Search all kinds of scores and average the best 25 settings; for if-bls, and "
            "tables of up to some 10,000 rows.",
        ),
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
        if model not in MODELS:
            raise ValueError(f"--model must be one of {', '.join(MODELS)}, got {model!r}.")
        if ensemble and model != "if-bls":
            raise ValueError(f"--ensemble needs --model if-bls, got {model!r}.")
        check_outputs([output], [data])
        table = read_labelled(data, target, drop)
        if table.X.shape[1] > MOST_COLUMNS:
            raise ValueError(
                f"{data} has {table.X.shape[1]} columns besides the target, of which a model file "
                f"may hold {MOST_COLUMNS}; leave some out, by --drop or in the file."
            )
        if sum(count >= FOLDS for count in table.classes.values()) < 2:
            raise ValueError(
                f"The target column {target!r} of {data} must hold at least two classes of {FOLDS} "
                f"or more rows, for {FOLDS}-fold cross-validation; it has {counted(table.classes)}."
            )
        estimator = MODELS[model](random_state=seed)
        if "landmarks" in estimator.get_params() and len(table.X) > MOST_ROWS_OF_EXACT_SCORES:
            estimator.set_params(landmarks=LANDMARKS)
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
        tune = tune or ensemble
        if tune:
            options = ENSEMBLE if ensemble else {}
            fitted, scores = _tuned(table, estimator, folds, jobs, options)
        else:
            fitted, scores = _plain(table, estimator, folds, jobs)
        save(fitted, output)
        columns, settings = needed_columns(fitted), model_settings(fitted[-1])
        mean, std = float(np.mean(scores)), float(np.std(scores))
        majority = max(table.classes.values()) / len(table.X)
        if as_json:
            print_json(
                data=str(data),
                rows=len(table.X),
                columns=columns,
                classes=table.classes,
                model=model,
                settings=settings,
                accuracy={"mean": mean, "std": std, "folds": FOLDS, "optimistic": tune},
                majority_share=majority,
                written=[str(output)],
                notes=notes(),
            )
            return
        label = "the best setting of the search, so optimistic" if tune else "cross-validated"
        print_facts(
            {
                "model": model,
                "rows": len(table.X),
                "columns": len(columns),
                "classes": counted(table.classes),
                "settings": listed(settings),
                "accuracy": f"{mean:.2%} ± {std:.2%} over {FOLDS} folds ({label})",
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
            print_json(
                model=str(model),
                data=str(data),
                rows=len(table),
                predicted=counts,
                ignored_columns=ignored,
                predictions=_records(table) if output is None else None,
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
        facts: dict[str, Any] = {
            "file": str(model),
            "bytes": model.stat().st_size,
            "format": header["format"],
            "model": type(last).__name__,
            "settings": model_settings(last),
            "columns": needed_columns(fitted),
            "classes": np.asarray(getattr(last, "classes_", ())).tolist(),
            "versions": header["versions"],
        }
        if as_json:
            print_json(**facts)
            return
        facts["settings"] = listed(facts["settings"])
        facts["columns"] = ", ".join(facts["columns"]) or "not named"
        facts["classes"] = ", ".join(map(str, facts["classes"])) or "none"
        facts["versions"] = listed(facts["versions"])
        print_facts(facts)


def needed_columns(model: Any) -> list[str]:
    """Columns that a model looks at, by name.

    Parameters
    ----------
    model : estimator

    Returns
    -------
    list of str
        Empty if it was fitted without names.
    """
    names = [str(name) for name in getattr(model, "feature_names_in_", ())]
    prepare = _preparation(model)
    left_out: set[str] = set()
    for _, step, columns in prepare.transformers_ if prepare is not None else ():
        if isinstance(step, str) and step == "drop":
            left_out.update(columns)
    return [name for name in names if name not in left_out]


def unseen_levels(model: Any, X: pd.DataFrame) -> list[str]:
    """One sentence for each column of text with levels that were not there in fit.

    Parameters
    ----------
    model : estimator
        A pipeline that begins with the preparation of `broadlearn.tables.column_preparation`, or
        any other model, of which nothing is said.
    X : pandas.DataFrame

    Returns
    -------
    list of str
    """
    found = []
    prepare = _preparation(model)
    for _, steps, columns in prepare.transformers_ if prepare is not None else ():
        if not isinstance(steps, Pipeline) or not isinstance(steps[-1], OneHotEncoder):
            continue
        for name, levels in zip(columns, steps[-1].categories_, strict=True):
            texts = X[name].dropna().astype(str)
            unseen = texts[~texts.isin(levels)]
            if len(unseen):
                found.append(
                    f"Column {name!r} has levels in {len(unseen)} of {len(X)} rows that the model "
                    f"has not seen, such as {unseen.iloc[0][:LONGEST_LEVEL]!r}."
                )
    return found


def _plain(
    table: Labelled, estimator: BaseEstimator, folds: StratifiedKFold, jobs: int
) -> tuple[Pipeline, NDArray[np.float64]]:
    """The model fitted to all rows, and its accuracy on rows that each fit did not see."""
    model = Pipeline([("prepare", column_preparation(table.X)), ("model", estimator)])
    scores = cross_val_score(
        model, table.X, table.y, cv=folds, n_jobs=jobs, scoring="accuracy", error_score="raise"
    )
    return model.fit(table.X, table.y), scores


def model_settings(model: BaseEstimator) -> dict[str, Any]:
    """Parameters of a model; of an ensemble, what it is made of."""
    if not isinstance(model, BroadEnsembleClassifier):
        return dict(model.get_params(deep=False))
    return {
        "average of": type(model.estimator).__name__,
        "settings": len(model.members_),
        "draws": model.n_draws,
        "nodes": model.n_nodes_,
    }


def _tuned(
    table: Labelled,
    estimator: BaseEstimator,
    folds: StratifiedKFold,
    jobs: int,
    options: Mapping[str, Any],
) -> tuple[Pipeline, NDArray[np.float64]]:
    """The best model of a search, and the accuracies by which its best setting was chosen."""
    prepare = column_preparation(table.X)
    search = PathSearchCV(estimator, cv=folds, n_jobs=jobs, verbose=int(is_terminal()), **options)
    search.fit(prepare.fit_transform(table.X), table.y)
    columns = [f"split{k}_test_score" for k in range(search.n_splits_)]
    scores = np.array([search.cv_results_[column][search.best_index_] for column in columns])
    return Pipeline([("prepare", prepare), ("model", search.best_estimator_)]), scores


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
    table = pd.DataFrame(index=pd.RangeIndex(len(X), name="row"))
    if not hasattr(fitted, "predict_proba"):
        note("This model gives no probabilities.")
        return table.assign(prediction=fitted.predict(X))
    table["prediction"] = fitted.predict(X)
    names = [f"probability_{label}" for label in fitted.classes_]
    return table.join(pd.DataFrame(fitted.predict_proba(X), table.index, names))


def _preparation(model: Any) -> ColumnTransformer | None:
    """The first step of a pipeline, if it prepares columns."""
    first = model[0] if isinstance(model, Pipeline) else model
    return first if isinstance(first, ColumnTransformer) else None


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return json.loads(table.reset_index().to_json(orient="records", double_precision=15))
