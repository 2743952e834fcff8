"""Charts of an evaluation, drawn by scikit-learn's displays as SVG."""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.calibration import CalibrationDisplay
from sklearn.metrics import (
    ConfusionMatrixDisplay,
    PrecisionRecallDisplay,
    PredictionErrorDisplay,
    RocCurveDisplay,
)

from broadlearn.evaluation.metrics import Predictions, rarer_class
from broadlearn.utils import label

if TYPE_CHECKING:
    from broadlearn.evaluation.evaluating import Evaluation

# Curves in a chart, as many as there are colours to tell apart, and classes in a confusion matrix,
# whose numbers would be too small to read with more.
MAX_CURVES, MAX_CLASSES = 8, 12
STYLE: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "grid.color": "#dde2e7",
    "legend.fontsize": 8,
    "svg.fonttype": "none",
    "svg.hashsalt": "broadlearn",
}


class Chart(NamedTuple):
    """A chart as a data URI, with its title and caption."""

    title: str
    image: str
    caption: str


def draw_charts(evaluation: Evaluation) -> list[Chart]:
    """Draw all charts that suit the model."""
    with style.context(["tableau-colorblind10", STYLE]), warnings.catch_warnings():
        # The viewer's fonts are used, which may have more characters than matplotlib's.
        warnings.filterwarnings("ignore", "Glyph")
        if evaluation.is_regression:
            charts = list(_regression_charts(evaluation.predictions))
        else:
            charts = list(_classification_charts(evaluation))
        if evaluation.importance is not None:
            charts.append(_importance_chart(evaluation))
        charts += _dependence_charts(evaluation)
    return charts


def _classification_charts(evaluation: Evaluation) -> Iterator[Chart]:
    predictions = evaluation.predictions
    if len(evaluation.by_class) <= MAX_CLASSES:
        yield _confusion_chart(evaluation)
    codes = _shown_classes(evaluation)
    if predictions.proba is None or not codes:
        return
    target, proba = predictions.target, predictions.proba
    names = [label(name) for name in predictions.classes]  # type: ignore[union-attr]
    which = "One class against all others"
    if len(codes) == MAX_CURVES < len(names):
        which += f"; the {MAX_CURVES} classes with the lowest recall"
    roc, precision = _new_axes(), _new_axes()
    for code in codes:
        curve = {"y_true": target == code, "y_score": proba[:, code], "name": names[code]}
        RocCurveDisplay.from_predictions(**curve, ax=roc)
        PrecisionRecallDisplay.from_predictions(**curve, ax=precision, drop_intermediate=True)
    for axes, title, caption, x, y in (
        (roc, "ROC curve", "area under the curve", "false positive rate", "recall"),
        (precision, "Precision and recall", "average precision (AP)", "recall", "precision"),
    ):
        axes.legend(loc="best")
        yield _chart(axes, title, f"{which}, with the {caption}.", xlabel=x, ylabel=y)
    if len(names) == 2:
        code = codes[0]
        probability, happened = proba[:, code], target == code
        what = f"probability of {names[code]}"
    else:
        probability, happened = proba.max(axis=1), target == proba.argmax(axis=1)
        what = "probability of the most likely class"
    axes = _new_axes()
    CalibrationDisplay.from_predictions(
        happened, probability, n_bins=10, strategy="quantile", name="model", ax=axes
    )
    caption = (
        "On the dotted line, predictions with a probability of 70 % come true 7 times out of 10. "
        "Each point stands for the same number of rows."
    )
    yield _chart(axes, "Calibration", caption, xlabel=what, ylabel="share that came true")


def _confusion_chart(evaluation: Evaluation) -> Chart:
    table, axes = evaluation.confusion, _new_axes()
    names = [label(name) for name in table.index]
    rotation = "horizontal" if len("".join(names)) <= 30 else "vertical"
    ConfusionMatrixDisplay(table.to_numpy(), display_labels=names).plot(
        ax=axes, cmap="Blues", colorbar=False, xticks_rotation=rotation, values_format="d"
    )
    axes.grid(False)
    caption = "Number of rows by true label and prediction."
    return _chart(axes, "Confusion matrix", caption, xlabel="predicted", ylabel="label")


def _regression_charts(predictions: Predictions) -> Iterator[Chart]:
    for title, kind, caption, ylabel in (
        (
            "Predictions",
            "actual_vs_predicted",
            "On the dashed line, predictions are exact.",
            "true",
        ),
        (
            "Residuals",
            "residual_vs_predicted",
            "A pattern means that the model misses something.",
            "true − predicted",
        ),
    ):
        axes = _new_axes()
        PredictionErrorDisplay.from_predictions(
            predictions.target,
            predictions.predicted,
            kind=kind,
            random_state=0,
            ax=axes,
            scatter_kwargs={"alpha": 0.5, "s": 14},
        )
        yield _chart(axes, title, caption, xlabel="predicted", ylabel=ylabel)


def _importance_chart(evaluation: Evaluation) -> Chart:
    assert evaluation.importance is not None
    shown, axes = evaluation.importance.head(20)[::-1], _new_axes()
    errors = [shown["importance"] - shown["low"], shown["high"] - shown["importance"]]
    axes.barh([label(name) for name in shown.index], shown["importance"], xerr=errors)
    axes.grid(axis="y", visible=False)
    caption = (
        "How much a column changes predictions on average, with 95 % intervals of the mean. "
        "Columns that carry the same information share it."
    )
    return _chart(axes, "Importance of columns", caption, xlabel=evaluation.importance_unit)


def _dependence_charts(evaluation: Evaluation) -> Iterator[Chart]:
    """Draw the partial dependence on each column: of a quantity, of a class or of several."""
    classes = evaluation.predictions.classes
    codes = [0] if classes is None else _shown_classes(evaluation)
    unit = evaluation.importance_unit.rpartition(" ")[2]
    for name, table in evaluation.dependence.items():
        axes, values = _new_axes(), table.index
        is_text = values.dtype.kind not in "iufb"
        x = [label(str(value)) for value in values] if is_text else values
        for code in codes:
            name_of = None if classes is None else label(classes[code])
            axes.plot(x, table[code], "o" if is_text else "o-", label=name_of)
        what = f"mean {unit}"
        if len(codes) > 1:
            axes.legend(loc="best")
        elif classes is not None:
            what += f" of {label(classes[codes[0]])}"
        if is_text and len("".join(x)) > 30:
            axes.tick_params("x", rotation=90)
        caption = f"Mean {unit} over all rows, if all of them had this value."
        title = f"Partial dependence on {label(str(name))}"
        yield _chart(axes, title, caption, xlabel=label(str(name)), ylabel=what)


def _new_axes() -> Axes:
    return Figure(figsize=(4.8, 3.9)).add_subplot()


def _chart(axes: Axes, title: str, caption: str, **labels: str) -> Chart:
    """Return what was drawn on axes as SVG."""
    axes.set(title="", **labels)
    file = io.BytesIO()
    assert isinstance(axes.figure, Figure)
    axes.figure.savefig(file, format="svg", metadata={"Date": None})
    image = base64.b64encode(file.getvalue()).decode()
    return Chart(title, f"data:image/svg+xml;base64,{image}", caption)


def _shown_classes(evaluation: Evaluation) -> list[int]:
    """Choose the rarer of two classes, or that of the threshold; of many those found least."""
    classes, target = np.asarray(evaluation.predictions.classes), evaluation.predictions.target
    n_present = np.unique(target).size
    if n_present < 2:
        return []
    if classes.size == 2 and evaluation.threshold is not None:
        return np.flatnonzero(classes == evaluation.threshold.label).tolist()
    if classes.size == 2:
        return [int(rarer_class(target))]
    # Classes without rows have no recall and come last.
    order = np.argsort(evaluation.by_class["recall"], kind="stable")
    return sorted(order[: min(n_present, MAX_CURVES)].tolist())
