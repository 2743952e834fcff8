"""Metrics of a model, printed and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from broadlearn.cli import console

if TYPE_CHECKING:
    from broadlearn.evaluation import Evaluation

# Classes that are printed; of more, those with the lowest recall.
MAX_CLASSES = 10


def print_metrics(evaluation: Evaluation) -> None:
    """Print metrics with their intervals, and recall and precision of each class."""
    from broadlearn.evaluation import FIGURES, figure_text

    for name, line in evaluation.metrics.to_dict("index").items():
        value, interval = figure_text(str(name), line)
        console.print_facts({FIGURES[str(name)].title: f"{value} ({interval})"})
    if evaluation.is_regression:
        return
    classes, title = evaluation.by_class.drop(columns="f1"), None
    if len(classes) > MAX_CLASSES:
        title = f"{MAX_CLASSES} of {len(classes)} classes, lowest recall first"
        classes = classes.sort_values("recall").head(MAX_CLASSES)
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
