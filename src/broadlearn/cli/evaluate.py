"""`broadlearn evaluate`: metrics of a model on new rows, worst rows, and a page of charts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from broadlearn.cli import console, tables
from broadlearn.cli.predict import check_columns, is_prepared, load_model

if TYPE_CHECKING:
    from broadlearn.evaluation import Evaluation


@tables.with_table_options
def evaluate(
    model: tables.ModelFile,
    data: tables.Data,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            help="Column of the true values; by default that of the fit.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Page with charts (HTML) to write.")
    ] = None,
    importance: Annotated[
        bool,
        typer.Option(
            "--importance",
            help="Measure how much each column contributes to predictions, and explain the worst "
            "rows.",
        ),
    ] = False,
    force: tables.ForceRead = False,
    as_json: tables.AsJson = False,
    options: Any = None,
) -> None:
    """Evaluate a model on new rows.

    Shows metrics with intervals and the worst rows, and writes a page of charts if asked to.
    Exit code 0: done; 2: bad input; 130: interrupted.
    """
    with console.command():
        from sklearn.base import is_classifier

        from broadlearn.evaluation import evaluate as evaluate_model
        from broadlearn.persistence import read_header
        from broadlearn.tables import read_table

        tables.check_outputs([output], [model, data], force=force)
        fitted = load_model(model, force=force)
        target = target or read_header(model).get("target")
        if target is None:
            raise ValueError(f"{model} does not name the column that it predicts; use --target.")
        table = read_table(
            data,
            target,
            task="classification" if is_classifier(fitted) else "regression",
            options=tables.file_options(options),
            as_text=is_prepared(fitted),
        )
        X = check_columns(fitted, table.X, data)
        assert table.y is not None
        console.waiting("evaluating")
        found = evaluate_model(fitted, X, table.y, importance=importance)
        for sentence in found.remarks():
            console.note(sentence)
        if output is not None:
            title = f"Evaluation of {model.name} on {data.name}"
            tables.write_outputs({output: lambda path: found.to_html(path, title=title)})
        worst = found.worst.rename(columns={"position": "row"})
        columns = found.importance
        if columns is not None:
            columns = columns.rename_axis("column").reset_index()
        if as_json:
            console.print_json(
                model=str(model),
                data=str(data),
                target=target,
                rows=found.n_rows,
                **metrics_as_json(found),
                worst=console.records(worst),
                importance=None if columns is None else console.records(columns),
                importance_unit=found.importance_unit or None,
            )
            return
        console.print_facts({"model": found.model_name, "rows": found.n_rows})
        print_metrics(found)
        if columns is not None:
            console.print_frame(columns.head(20), f"importance: {found.importance_unit}")
        console.print_frame(worst.head(5), "rows with the largest loss")


def print_metrics(evaluation: Evaluation) -> None:
    """Print metrics with their intervals, and recall and precision of each class."""
    from broadlearn.evaluation import FIGURES, figure_text

    for name, line in evaluation.metrics.to_dict("index").items():
        value, interval = figure_text(str(name), line)
        console.print_facts({FIGURES[str(name)].title: f"{value} ({interval})"})
    if evaluation.is_regression:
        return
    classes, title = evaluation.by_class.drop(columns="f1"), None
    if len(classes) > 10:
        title = f"10 of {len(classes)} classes, lowest recall first"
        classes = classes.sort_values("recall").head(10)
    console.print_frame(classes.rename_axis("class").reset_index().astype({"class": str}), title)


def metrics_as_json(evaluation: Evaluation) -> dict[str, Any]:
    """Return metrics, classes, confusion and threshold, for machines."""
    confusion = evaluation.confusion
    return {
        "task": "regression" if evaluation.is_regression else "classification",
        "metrics": json.loads(evaluation.metrics.to_json(orient="index", double_precision=15)),
        "by_class": console.records(evaluation.by_class.reset_index()),
        "confusion": {
            "labels": [str(name) for name in confusion.index],
            "predicted": [str(name) for name in confusion.columns],
            "rows": confusion.to_numpy().tolist(),
        },
        "threshold": evaluation.threshold and evaluation.threshold._asdict(),
    }
