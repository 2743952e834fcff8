"""An evaluation as one self-contained HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from broadlearn.evaluation.charts import MAX_CLASSES, draw_charts
from broadlearn.evaluation.figures import FIGURES, figure_text, number_text
from broadlearn.utils import page_environment, page_frame

if TYPE_CHECKING:
    import pandas as pd

    from broadlearn.evaluation.evaluating import Evaluation
    from broadlearn.evaluation.explaining import Explanation


def render_evaluation(evaluation: Evaluation, title: str) -> str:
    """Return the page."""
    classes = evaluation.by_class
    if len(classes) > MAX_CLASSES:
        classes = classes.sort_values("recall", kind="stable")
    package = "broadlearn.evaluation"
    template = page_environment(package).get_template("evaluation.html.j2")
    page: str = template.render(
        title=title,
        summary=summarise(evaluation),
        remarks=evaluation.remarks(),
        figures=[
            (FIGURES[str(name)], *figure_text(str(name), line.to_dict()))
            for name, line in evaluation.metrics.iterrows()
        ],
        classes=[_class_line(label, line) for label, line in classes[:30].iterrows()],
        n_classes=len(classes),
        charts=draw_charts(evaluation),
        worst=_worst(evaluation),
        evaluation=evaluation,
        **page_frame(package, ["evaluation.css"], ["sort.js"]),
    )
    return page


def summarise(evaluation: Evaluation) -> str:
    """Return the main metric in a sentence."""
    model, n_rows, metrics = evaluation.model_name, f"{evaluation.n_rows:,}", evaluation.metrics
    name = str(metrics.index[0])
    value, interval = figure_text(name, metrics.iloc[0].to_dict())
    if evaluation.is_regression:
        error = number_text(metrics.loc["mean_absolute_error", "value"])
        return (
            f"On {n_rows} rows, {model} has {FIGURES[name].title} = {value} (95 % interval "
            f"{interval}); its mean absolute error is {error}."
        )
    most = str(evaluation.by_class["rows"].idxmax())
    share, _ = figure_text("majority_share", metrics.loc["majority_share"].to_dict())
    return (
        f"{model} is correct for {value} of {n_rows} rows (95 % interval {interval}); always "
        f"predicting {most!r} is correct for {share}."
    )


def _class_line(label: Any, line: pd.Series[Any]) -> list[Any]:
    shares = [
        "–" if np.isnan(line[k]) else f"{100 * line[k]:.1f} %" for k in ("recall", "precision")
    ]
    f1 = "–" if np.isnan(line["f1"]) else f"{line['f1']:.3f}"
    return [str(label), f"{line['rows']:,.0f}", f"{line['predicted']:,.0f}", *shares, f1]


def _worst(evaluation: Evaluation) -> list[list[Any]]:
    show = number_text if evaluation.is_regression else str
    lines: list[list[Any]] = []
    for i, line in enumerate(evaluation.worst.to_dict("records")):
        probability = [f"{100 * line['probability']:.1f} %"] if "probability" in line else []
        name, loss = f"row {line['position']}", number_text(line["loss"])
        why = [] if evaluation.explained is None else [_bars(evaluation.explained, i)]
        lines.append(
            [name, show(line["label"]), show(line["prediction"]), *why, *probability, loss]
        )
    return lines


def _bars(explained: Explanation, row: int) -> list[tuple[str, float]]:
    """Return the largest contributions in words, each with its size relative to the largest."""
    reasons = explained.reasons(row)
    sizes = explained.row(row)["contribution"].head(len(reasons))
    return list(zip(reasons, 100.0 * sizes / (sizes.abs().max() or 1.0), strict=True))
