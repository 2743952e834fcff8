"""`broadlearn predict`: labels of new rows from a model file."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from broadlearn.cli.console import command, note, print_facts, print_json
from broadlearn.cli.describe import ModelFile, needed_columns, prepared
from broadlearn.cli.tables import (
    AS_FOUND,
    STANDARD,
    AsJson,
    Data,
    FileFlags,
    Force,
    check_csv,
    counted,
    named,
    open_outputs,
    read_rows,
    with_file_flags,
)

if TYPE_CHECKING:
    import pandas as pd

MAX_LEVEL_LENGTH = 40


@with_file_flags
def predict(
    model: ModelFile,
    data: Data,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="CSV file to write; printed if none, or -.", callback=check_csv
        ),
    ] = None,
    proba: Annotated[
        bool, typer.Option("--proba/--no-proba", help="Whether to give probabilities of classes.")
    ] = True,
    coverage: Annotated[
        float | None,
        typer.Option(
            help="Give the set of classes, or the interval, that holds the truth with this "
            "probability, such as 0.9; for models of the ensembles."
        ),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
    flags: FileFlags = AS_FOUND,
) -> None:
    """Predict the class or the target of each row of a table, with a probability of each class.

    Rows are counted from 0; `line` is the line of the file. Columns that the model does not know
    are ignored. Exit code 0: done; 2: bad input; 130: interrupted.
    """
    outputs = open_outputs([output], [model, data], force=force, as_json=as_json)
    with command() as notes, outputs as write:
        from broadlearn.persistence import load
        from broadlearn.utils import encoded, safe_csv

        output = None if output == STANDARD else output
        fitted = load(model)
        X, ignored = new_rows(fitted, data, model, flags)
        table = _predictions(fitted, X, proba)
        if coverage is not None:
            table = table.join(_conformal(fitted, X, coverage).set_axis(table.index))
        if ignored:
            note(f"Ignored, as the model does not know them: {named(ignored)}.")
        for sentence in unseen_levels(fitted, X):
            note(sentence)
        is_label = hasattr(fitted, "classes_")
        labels = table["prediction"] if is_label else ()
        counts = {str(label): count for label, count in Counter(labels).items()}
        if output is not None:
            write(output, [encoded(safe_csv(_flat(table)))])
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
            write(STANDARD, [encoded(safe_csv(_flat(table)))])
        else:
            facts = {"rows": len(table), "predicted": counted(counts), "written": output}
            print_facts(facts if is_label else {k: v for k, v in facts.items() if k != "predicted"})


def unseen_levels(model: Any, X: pd.DataFrame) -> list[str]:
    """One sentence for each column with cells that cannot be read, or levels not seen in fit."""
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import OneHotEncoder

    from broadlearn.io import TablePreparation

    first = model[0] if isinstance(model, Pipeline) else model
    if isinstance(first, TablePreparation):
        return first.not_understood(X)
    found = []
    for steps, columns in prepared(model):
        if not isinstance(steps, Pipeline) or not isinstance(steps[-1], OneHotEncoder):
            continue
        for name, levels in zip(columns, steps[-1].categories_, strict=True):
            texts = X[name].dropna().astype(str)
            unseen = texts[~texts.isin(levels)]
            if len(unseen):
                found.append(
                    f"Column {name!r} has levels in {len(unseen)} of {len(X)} rows that the model "
                    f"has not seen, such as {unseen.iloc[0][:MAX_LEVEL_LENGTH]!r} in "
                    f"{X.index.name or 'row'} {unseen.index[0]}."
                )
    return found


def new_rows(
    fitted: Any, data: Path, model: Path, flags: FileFlags = AS_FOUND
) -> tuple[pd.DataFrame, list[str]]:
    """The columns that a model needs, and the names of all others."""
    return select_columns(fitted, read_rows(data, flags), data, model)


def select_columns(
    fitted: Any, frame: pd.DataFrame, data: Path, model: Path
) -> tuple[pd.DataFrame, list[str]]:
    """Of a table the columns that a model needs, and the names of all others."""
    columns = needed_columns(fitted)
    if not columns:
        raise ValueError(f"{model} holds a model without names of columns; use `load` in Python.")
    found = _respelt(columns, [str(name) for name in frame.columns])
    if found:
        said = ", ".join(f"{name!r} as {known!r}" for name, known in found.items())
        note(f"Columns of {data} that differ by case or spaces were read as the model's: {said}.")
        frame = frame.rename(columns=found)
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise ValueError(f"{data} must have all columns of the model, but has no {named(missing)}.")
    return frame[columns], [name for name in frame.columns if name not in columns]


def _respelt(columns: list[str], names: list[str]) -> dict[str, str]:
    """Names that are those of missing columns but for case and spaces, and these columns."""

    def key(name: str) -> str:
        return "".join(name.split()).casefold()

    missing = [column for column in columns if column not in names]
    others = [name for name in names if name not in columns]
    found = {column: [name for name in others if key(name) == key(column)] for column in missing}
    single = {same[0]: column for column, same in found.items() if len(same) == 1}
    return single if len(single) == sum(map(bool, found.values())) else {}


def _predictions(fitted: Any, X: pd.DataFrame, proba: bool) -> pd.DataFrame:
    """Label or target of each row, and probabilities of classes where the model has them."""
    import pandas as pd

    table = pd.DataFrame({"prediction": fitted.predict(X)}, pd.RangeIndex(len(X), name="row"))
    if X.index.name == "line":
        table.insert(0, "line", X.index)
    if not proba or not hasattr(fitted, "classes_"):
        return table
    if not hasattr(fitted, "predict_proba"):
        note("This model gives no probabilities.")
        return table
    names = [f"probability_{label}" for label in fitted.classes_]
    return table.join(pd.DataFrame(fitted.predict_proba(X), table.index, names))


def _conformal(fitted: Any, X: pd.DataFrame, coverage: float) -> pd.DataFrame:
    """Sets of classes, or intervals, that hold the truth with a probability."""
    import pandas as pd

    from broadlearn.evaluation import unwrap_model

    parts = unwrap_model(fitted)
    estimator = parts.estimator
    if hasattr(estimator, "predict_interval"):
        ends = estimator.predict_interval(parts.prepare(X), coverage)
        return pd.DataFrame(ends, columns=["low", "high"])
    if not hasattr(estimator, "predict_set"):
        raise ValueError(
            f"--coverage needs a model of the ensembles, whose leave-one-out predictions calibrate "
            f"it; this is a {type(estimator).__name__}."
        )
    sets = estimator.predict_set(parts.prepare(X), coverage)
    labels = estimator.classes_
    return pd.DataFrame({"set": [labels[row].tolist() for row in sets], "set_size": sets.sum(1)})


def _flat(table: pd.DataFrame) -> pd.DataFrame:
    """The table with sets as text, for a file."""
    if "set" not in table:
        return table
    return table.assign(set=[" | ".join(map(str, labels)) for labels in table["set"]])
