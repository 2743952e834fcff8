"""Metrics of a model, printed and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from broadlearn.cli.console import print_facts, print_table, printable

if TYPE_CHECKING:
    import pandas as pd

    from broadlearn.evaluation import Evaluation

# Classes that are printed; of more, those with the lowest recall.
MAX_CLASSES = 10


def print_metrics(evaluation: Evaluation) -> None:
    """Print metrics with their intervals, and recall and precision of each class."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from broadlearn.evaluation import FIGURES, figure_text

    for name, line in evaluation.metrics.to_dict("index").items():
        value, interval = figure_text(str(name), line)
        print_facts({FIGURES[str(name)].title: f"{value} ({interval})"})
    classes, title = evaluation.by_class, None
    if evaluation.is_regression:
        return
    if len(classes) > MAX_CLASSES:
        title = f"{MAX_CLASSES} of {len(classes)} classes, lowest recall first"
        classes = classes.sort_values("recall").head(MAX_CLASSES)
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left")
    table.add_column("class", overflow="fold")
    for name in ("rows", "predicted", "recall", "precision"):
        table.add_column(name, justify="right")
    for label, row in classes.to_dict("index").items():
        counts = [f"{row[name]:,}" for name in ("rows", "predicted")]
        shares = [
            "-" if row[name] != row[name] else f"{100 * row[name]:.1f} %"
            for name in ("recall", "precision")
        ]
        table.add_row(Text(printable(str(label))), *counts, *shares)
    print_table(table)


def metrics_as_json(evaluation: Evaluation) -> dict[str, Any]:
    """Return metrics, classes, confusion and threshold, for machines."""
    confusion = evaluation.confusion
    return {
        "task": "regression" if evaluation.is_regression else "classification",
        "metrics": json.loads(evaluation.metrics.to_json(orient="index", double_precision=15)),
        "by_class": records(evaluation.by_class.reset_index()),
        "confusion": {
            "labels": [str(name) for name in confusion.index],
            "predicted": [str(name) for name in confusion.columns],
            "rows": confusion.to_numpy().tolist(),
        },
        "threshold": evaluation.threshold and evaluation.threshold._asdict(),
    }


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table for machines; missing and infinite numbers are None."""
    text = table.to_json(orient="records", double_precision=15, default_handler=str)
    rows: list[dict[str, Any]] = json.loads(text)
    return rows
