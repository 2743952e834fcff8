"""An evaluation as one self-contained HTML page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from broadlearn.evaluation.charts import (
    HEIGHT,
    WIDTH,
    Chart,
    curve_chart,
    reliability_chart,
    scatter_chart,
)
from broadlearn.evaluation.curves import calibration_error, class_curves, reliability
from broadlearn.evaluation.metrics import Judged, class_metrics, missed_class
from broadlearn.utils import out_of, page_environment, page_frame, percent

if TYPE_CHECKING:
    import pandas as pd

    from broadlearn.evaluation.result import Evaluation

# Curves in a chart, classes of a matrix, lines of a table before the rest is folded away.
MAX_CURVES, MAX_MATRIX, MAX_LINES = 8, 12, 30
MAX_TEXT_LENGTH = 60
OPTION = re.compile(r"(--[a-z-]+(?: balanced)?)")
# What each figure is called, whether it is a share, and what it says.
WORDS = {
    "accuracy": ("Accuracy", True, "share of rows that are right"),
    "majority_share": ("Most frequent class", True, "accuracy of always predicting it"),
    "balanced_accuracy": ("Balanced accuracy", True, "mean recall of the classes"),
    "roc_auc": ("ROC AUC", False, "1 is perfect ranking, 0.5 is guessing"),
    "average_precision": ("Average precision", False, "area under the precision-recall curve"),
    "log_loss": ("Log-loss", False, "of the probabilities; lower is better"),
    "r2": ("R²", False, "1 is perfect, 0 is predicting the mean"),
    "mean_absolute_error": ("Mean absolute error", False, "in units of the target"),
    "root_mean_squared_error": ("Root mean squared error", False, "in units of the target"),
    "coverage": ("Coverage", True, "of the conformal sets or intervals of 90 %"),
    "set_size": ("Mean set size", False, "classes in a set of 90 %"),
    "interval_width": ("Mean interval width", False, "of intervals of 90 %"),
}


def render_evaluation(found: Evaluation, title: str, row_names: Sequence[str] | None) -> str:
    """The page as text."""
    page: str = (
        page_environment("broadlearn.auditing")
        .get_template("evaluation.html.j2")
        .render(
            title=title,
            summary=summarise(found),
            remarks=[_marked(remark) for remark in remarks(found)],
            has_coverage="coverage" in found.metrics.index,
            figures=_figures(found.metrics),
            classes=_class_lines(found),
            is_sorted=len(found.by_class) > MAX_MATRIX,
            matrix=_matrix(found.confusion),
            errors=_errors(found.confusion),
            charts=_charts(found),
            width=WIDTH,
            height=HEIGHT,
            worst=_worst(found, row_names),
            has_probability=found.judged is not None and found.judged.proba is not None,
            columns=_columns(found.importance),
            column_unit=found.importance_unit[:1].upper() + found.importance_unit[1:],
            is_regression=found.judged is None,
            n_rows=len(found.target),
            max_lines=MAX_LINES,
            **page_frame("broadlearn.auditing", ["audit.css", "evaluation.css"], ["sort.js"]),
        )
    )
    return page


def summarise(found: Evaluation) -> str:
    """What was found, in a sentence or two."""
    model, n_rows = type(found.parts.estimator).__name__, f"{len(found.target):,}"
    first = found.metrics.iloc[0]
    if found.judged is None:
        error = found.metrics.loc["mean_absolute_error"]
        return (
            f"On {n_rows} rows, {model} explains R² = {_number(first['value'])} of the variation "
            f"(95 % interval {_number(first['low'])} to {_number(first['high'])}) and is off by "
            f"{_number(error['value'])} on average."
        )
    start = (
        f"{model} is right about {_percent(first['value'])} of {n_rows} rows (95 % interval "
        f"{_percent(first['low'])} to {_percent(first['high'])})"
    )
    majority = found.metrics.loc["majority_share", "value"]
    most = found.by_class["rows"].idxmax()
    return f"{start}; always saying {_text(most)!r} would be right about {_percent(majority)}."


def remarks(found: Evaluation) -> list[str]:
    """What a reader should not overlook, in one sentence each."""
    said = []
    if found.parts.threshold is not None:
        label, value = found.parts.threshold
        said.append(f"{_text(label)!r} is predicted where its probability is at least {value:.3g}.")
    if found.judged is None:
        return said
    if found.n_unknown:
        said.append(
            f"{out_of(found.n_unknown, len(found.target), 'row', 'has')} a label that the model "
            "does not know. They count as wrong, and are left out of what is said of the classes "
            "and of probabilities."
        )
    missed = missed_class(class_metrics(found.judged)[: found.judged.n_known])
    if missed is not None:
        said.append(
            f"{_text(missed['label'])!r} is often missed: of its {missed['rows']:,} rows "
            f"{percent(missed['recall'])} are found. To find more of them, fit with --class-weight "
            "balanced, or with --threshold for two classes."
        )
    return said


def _marked(sentence: str) -> Any:
    """A sentence in which options of commands stand out, and are not broken."""
    from markupsafe import Markup, escape

    parts = OPTION.split(sentence)
    marked = [escape(text) for text in parts]
    marked[1::2] = [
        Markup('<code class="nowrap">{}</code>').format(option) for option in parts[1::2]
    ]
    return Markup("").join(marked)


def _figures(metrics: pd.DataFrame) -> list[dict[str, str]]:
    lines = []
    for name, (value, low, high) in zip(metrics.index, metrics.to_numpy().tolist(), strict=True):
        if np.isnan(value):
            continue
        title, is_share, says = WORDS[name]
        show = _percent if is_share else _number
        ends = f"{show(low)} to {show(high)}"
        lines.append({"title": title, "value": show(value), "ends": ends, "says": says})
    return lines


def _class_lines(found: Evaluation) -> list[dict[str, Any]]:
    """One line for each class, the least found first where there are many."""
    table = found.by_class
    if table.empty:
        return []
    if len(table) > MAX_MATRIX:
        table = table.sort_values("recall", kind="stable")
    return [
        {
            "label": str(label),
            "rows": line["rows"],
            "predicted": line["predicted"],
            **{
                name: None if np.isnan(line[name]) else line[name]
                for name in ("recall", "precision", "f1")
            },
        }
        for label, line in zip(table.index, table.to_dict("records"), strict=True)
    ]


def _matrix(confusion: pd.DataFrame) -> dict[str, Any] | None:
    """Counts with the share of the row's class that they are; None if there are too many."""
    if not 0 < len(confusion) <= MAX_MATRIX:
        return None
    counts = confusion.to_numpy()
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return {
        "predicted": [str(name) for name in confusion.columns],
        "rows": [
            (str(name), list(zip(line, share, strict=True)))
            for name, line, share in zip(
                confusion.index, counts.tolist(), shares.tolist(), strict=True
            )
        ],
    }


def _errors(confusion: pd.DataFrame) -> list[tuple[str, str, int, float]]:
    """The most frequent errors: label, prediction, rows, and their share of the label's rows."""
    counts = confusion.to_numpy().copy()
    if not counts.size:
        return []
    totals = counts.sum(axis=1)
    np.fill_diagonal(counts, 0)
    order = np.argsort(-counts, axis=None, kind="stable")[:MAX_MATRIX]
    return [
        (
            str(confusion.index[i]),
            str(confusion.columns[j]),
            int(counts[i, j]),
            counts[i, j] / totals[i],
        )
        for i, j in zip(*np.unravel_index(order, counts.shape), strict=True)
        if counts[i, j]
    ]


def _charts(found: Evaluation) -> list[Chart]:
    if found.judged is not None:
        return _class_charts(found.judged, found)
    predicted, target = np.asarray(found.prediction, dtype=np.float64), found.target
    ends = np.array([predicted.min(), predicted.max()])
    near, far = [("guess", ends, ends)], [("guess", ends, np.zeros(2))]
    about = ""
    if found.intervals is not None:
        reach = float(found.intervals[0, 1] - found.intervals[0, 0]) / 2.0
        if np.isfinite(reach):
            near += [("reach", ends, ends + side) for side in (-reach, reach)]
            far += [("reach", ends, np.full(2, side)) for side in (-reach, reach)]
            about = " Between the solid lines: intervals of 90 %."
    return [
        scatter_chart(
            predicted,
            target,
            near,
            ("Predicted and true", "predicted", "true"),
            f"On the dashed line predictions are exact.{about}",
            same_scale=True,
        ),
        scatter_chart(
            predicted,
            target - predicted,
            far,
            ("Residuals", "predicted", "true less predicted"),
            f"A pattern says that the model misses something.{about}",
        ),
    ]


def _class_charts(judged: Judged, found: Evaluation) -> list[Chart]:
    """ROC, precision and recall, reliability."""
    known = judged.known
    if judged.proba is None or not known.size:
        return []
    shown = _shown_classes(judged, found)
    roc, precision_recall = class_curves(judged, shown)
    charts = []
    if roc:
        which = "Each class against all others" if len(roc) > 1 else f"{_text(roc[0].name)!r}"
        some = "; those that are told apart least" if judged.proba.shape[1] > MAX_CURVES else ""
        charts = [
            curve_chart(
                roc,
                "ROC curve",
                "false alarms, share of the others",
                "found, share of the class",
                True,
                f"{which}, with the area under the curve{some}.",
            ),
            curve_chart(
                precision_recall,
                "Precision and recall",
                "recall: found, share of the class",
                "precision: right, share of predicted",
                False,
                f"{which}, with the average precision{some}. Dashed: guessing.",
            ),
        ]
    if judged.proba.shape[1] == 2:
        code = int(shown[0])
        probability, happened = judged.proba[known, code], judged.true[known] == code
        what = f"probability of {_text(judged.classes[code])!r}"
    else:
        top = judged.proba[known].argmax(axis=1)
        probability, happened = judged.proba[known].max(axis=1), judged.true[known] == top
        what = "probability of the likeliest class"
    bins = reliability(probability.astype(np.float64), happened)
    off = calibration_error(bins)
    caption = (
        "On the dashed line, what has a probability of 70 % happens 7 times out of 10. Bins of "
        f"a tenth, with intervals of 95 %; rows are off by {100 * off:.1f} points on average."
    )
    return [*charts, reliability_chart(bins, "Reliability", what, caption)]


def _shown_classes(judged: Judged, found: Evaluation) -> Any:
    """Of two classes the rarer one, or that of the threshold; of many, the least told apart."""
    assert judged.proba is not None
    n_classes = judged.proba.shape[1]
    counts = np.bincount(judged.true, minlength=n_classes)[:n_classes]
    if n_classes == 2:
        if found.parts.threshold is not None:
            return np.flatnonzero(judged.classes == found.parts.threshold.label)[:1]
        return np.array([int(counts[1] <= counts[0])])
    codes = np.flatnonzero((counts > 0) & (counts < counts.sum()))
    if codes.size > MAX_CURVES:
        areas = [curve.figure for curve in class_curves(judged, codes)[0]]
        codes = np.sort(codes[np.argsort(areas, kind="stable")[:MAX_CURVES]])
    return codes


def _worst(found: Evaluation, row_names: Sequence[str] | None) -> list[dict[str, Any]]:
    show = _number if found.judged is None else _text
    return [
        {
            "row": row_names[line["position"]] if row_names else f"row {line['position']}",
            "label": show(line["label"]),
            "prediction": show(line["prediction"]),
            "loss": "–" if np.isinf(line["loss"]) else _number(line["loss"]),
            "probability": line.get("probability"),
        }
        for line in found.worst.to_dict("records")
    ]


def _columns(importance: pd.DataFrame | None) -> list[dict[str, Any]]:
    """Columns with the ends of their bars, as shares of the longest one."""
    if importance is None:
        return []
    lowest = min(0.0, float(importance["low"].min()))
    span = max(float(importance["high"].max()) - lowest, 1e-12)

    def place(value: float) -> float:
        return 100.0 * (value - lowest) / span

    return [
        {
            "name": str(name),
            "zero": place(0.0),
            "at": place(line["importance"]),
            "from": place(line["low"]),
            "to": place(line["high"]),
            "matters": line["low"] > 0.0,
            "importance": _digits(line["importance"]),
            "ends": f"{_digits(line['low'])} to {_digits(line['high'])}",
            "accuracy_lost": _points(line["accuracy_lost"]) if "accuracy_lost" in line else None,
        }
        for name, line in zip(importance.index, importance.to_dict("records"), strict=True)
    ]


def _percent(share: float) -> str:
    return f"{100.0 * share:.1f} %"


def _points(share: float) -> str:
    """A difference of shares in points, never "-0.0"."""
    return f"{round(100.0 * share, 1) + 0.0:.1f}".replace("-", "−")


def _number(value: float) -> str:
    """A figure: three decimals where it is small, four digits where it is not."""
    return f"{value:.3f}".replace("-", "−") if abs(value) < 1.0 else _digits(value)


def _digits(value: float) -> str:
    """A number in three digits at least, without exponents where they can be spared."""
    text = (
        f"{value:,.0f}" if 1e3 <= abs(value) < 1e9 else f"{value:.{4 if abs(value) >= 1 else 3}g}"
    )
    return text.replace("-", "−")


def _text(value: object) -> str:
    text = str(value)
    return text if len(text) <= MAX_TEXT_LENGTH else f"{text[: MAX_TEXT_LENGTH - 1]}…"
