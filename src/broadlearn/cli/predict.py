"""`broadlearn predict`: predictions for new rows from a model file."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from broadlearn.cli import console, tables

if TYPE_CHECKING:
    import pandas as pd


@tables.with_table_options
def predict(
    model: tables.ModelFile,
    data: tables.Data,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="CSV or Parquet file to write; CSV is printed if not given."
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(help="Columns of the table to repeat, such as an ID; several with commas."),
    ] = None,
    coverage: Annotated[
        float | None,
        typer.Option(
            help="Add the set of classes, or the interval, that holds the truth with this "
            "probability, such as 0.9; for ensembles."
        ),
    ] = None,
    force: tables.ForceRead = False,
    as_json: tables.AsJson = False,
    options: Any = None,
) -> None:
    """Predict the class or quantity of each row of a table.

    Rows are counted from 0. Columns that the model does not know are ignored. Exit code 0: done;
    2: bad input; 130: interrupted.
    """
    with console.command():
        from broadlearn.tables import read_frame, write_frame
        from broadlearn.utils import safe_csv, visible

        # CSV is printed.
        output = None if str(output) == "-" else output
        tables.check_outputs([output], [model, data], force=force)
        fitted = load_model(model, force=force)
        frame = read_frame(data, tables.file_options(options), as_text=is_prepared(fitted))
        kept = _kept_columns(frame, console.split_list(keep), data)
        X = check_columns(fitted, frame, data)
        table = kept.join(_predictions(fitted, X, coverage))
        table.insert(0, "row", range(len(table)))
        counts = dict(Counter(map(str, table["prediction"]))) if "classes_" in dir(fitted) else {}
        if output is not None:
            tables.write_outputs({output: lambda path: write_frame(table, path)})
        if as_json:
            console.print_json(
                model=str(model),
                data=str(data),
                rows=len(table),
                predicted=counts,
                predictions=console.records(table) if output is None else None,
            )
        elif output is None:
            text = safe_csv(table, index=False)
            console.stop_waiting()
            # A terminal obeys control characters, a file or a pipe does not.
            typer.echo(visible(text) if sys.stdout.isatty() else text, nl=False)
        else:
            console.print_facts({"rows": len(table), "predicted": counts})


def load_model(path: Path, *, force: bool = False) -> Any:
    """Load a model; with `force`, cells that are not written as in training count as missing."""
    from broadlearn.persistence import load

    model = load(path)
    if force and is_prepared(model):
        model[0].set_params(on_unread="warn")
    return model


def is_prepared(model: Any) -> bool:
    """Return whether a model reads the columns of tables by itself."""
    from sklearn.pipeline import Pipeline

    from broadlearn.tables import TablePreparation

    return isinstance(model, Pipeline) and isinstance(model[0], TablePreparation)


def check_columns(model: Any, frame: pd.DataFrame, data: Path) -> pd.DataFrame:
    """Return the columns of a table that a model needs."""
    names = list(getattr(model, "feature_names_in_", ()))
    if not names:
        raise ValueError("The model has no column names; use `broadlearn.load` in Python.")
    used = names
    if is_prepared(model):
        used = [plan["name"] for plan in model[0].columns_ if plan["name"] in model[0].origins()]
    missing = [name for name in used if name not in frame.columns]
    if missing:
        from broadlearn.utils import listed

        raise ValueError(
            f"{data} must have all columns of the model, but has no {listed(missing)}."
        )
    return frame[[name for name in names if name in frame.columns]]


def _kept_columns(frame: pd.DataFrame, names: list[str], data: Path) -> pd.DataFrame:
    for name in names:
        if name not in frame.columns:
            raise ValueError(f"--keep must name columns of {data}; there is no {name!r}.")
        if name in ("row", "prediction"):
            raise ValueError(f"--keep cannot name {name!r}, a column of the predictions.")
    return frame[names]


def _predictions(model: Any, X: pd.DataFrame, coverage: float | None) -> pd.DataFrame:
    """Return predictions with probabilities, and with sets or intervals of a given coverage."""
    import pandas as pd

    from broadlearn.evaluation import unwrap_model

    table = pd.DataFrame({"prediction": model.predict(X)}, X.index)
    if hasattr(model, "predict_proba"):
        names = [f"probability_{label}" for label in model.classes_]
        table = table.join(pd.DataFrame(model.predict_proba(X), X.index, names))
    elif hasattr(model, "classes_"):
        console.note("This model gives no probabilities.")
    if coverage is None:
        return table
    parts = unwrap_model(model)
    if hasattr(parts.estimator, "predict_interval"):
        ends = parts.estimator.predict_interval(parts.prepare(X), coverage)
        return table.assign(low=ends[:, 0], high=ends[:, 1])
    if not hasattr(parts.estimator, "predict_set"):
        raise ValueError(
            f"--coverage needs an ensemble; this is a {type(parts.estimator).__name__}."
        )
    sets = parts.estimator.predict_set(parts.prepare(X), coverage)
    labels = [" | ".join(map(str, model.classes_[row])) for row in sets]
    return table.assign(set=labels, set_size=sets.sum(axis=1))
