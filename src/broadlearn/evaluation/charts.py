"""Charts of an evaluation, drawn by scikit-learn's displays as SVG."""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Callable, Iterator
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

from broadlearn.evaluation.metrics import Predictions, Ranking, rarer_class
from broadlearn.utils import label

if TYPE_CHECKING:
    from broadlearn.evaluation.evaluating import Evaluation

# Curves in a chart, classes in a confusion matrix, columns in a chart of importances.
MAX_CURVES, MAX_CLASSES, MAX_COLUMNS = 8, 12, 20
N_BINS = 10
MAX_POINTS = 1000
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
    """Draw all charts that suit the model.

    Parameters
    ----------
    evaluation : Evaluation

    Returns
    -------
    list of Chart
        Confusion matrix, ROC, precision-recall and calibration curves of a classifier; predictions
        and residuals of a regressor; importances of columns, if they were measured.
    """
    with style.context(["tableau-colorblind10", STYLE]), warnings.catch_warnings():
        # The viewer's fonts are used, which may have more characters than matplotlib's.
        warnings.filterwarnings("ignore", "Glyph")
        if evaluation.is_regression:
            charts = list(_regression_charts(evaluation.predictions))
        else:
            charts = list(_classification_charts(evaluation))
        if evaluation.importance is not None:
            charts.append(_importance_chart(evaluation))
    return charts


def _classification_charts(evaluation: Evaluation) -> Iterator[Chart]:
    predictions = evaluation.predictions
    if len(evaluation.by_class) <= MAX_CLASSES:
        yield _confusion_chart(evaluation)
    codes = _shown_classes(evaluation)
    if predictions.proba is None or not codes:
        return
    known = predictions.known
    target, proba = predictions.target[known], predictions.proba[known]
    names = [label(name) for name in predictions.classes]  # type: ignore[union-attr]
    which = "One class against all others"
    if len(codes) == MAX_CURVES < predictions.n_known:
        which += f"; the {MAX_CURVES} classes with the smallest area"

    def draw(display: Any, **options: Any) -> Callable[[Axes], None]:
        def draw_on(axes: Axes) -> None:
            for code in codes:
                display.from_predictions(
                    target == code, proba[:, code], name=names[code], ax=axes, **options
                )
            axes.legend(loc="best")

        return draw_on

    yield _chart(
        "ROC curve",
        draw(RocCurveDisplay),
        f"{which}, with the area under the curve.",
        xlabel="false positive rate",
        ylabel="recall",
    )
    yield _chart(
        "Precision and recall",
        draw(PrecisionRecallDisplay, drop_intermediate=True),
        f"{which}, with the average precision (AP).",
        xlabel="recall",
        ylabel="precision",
    )
    if predictions.n_known == 2:
        code = codes[0]
        probability, happened = proba[:, code], target == code
        what = f"probability of {names[code]}"
    else:
        probability, happened = proba.max(axis=1), target == proba.argmax(axis=1)
        what = "probability of the most likely class"
    yield _calibration_chart(probability, happened, what)


def _confusion_chart(evaluation: Evaluation) -> Chart:
    table = evaluation.confusion
    counts = np.zeros((len(table), len(table)), dtype=np.intp)
    counts[:, : table.shape[1]] = table.to_numpy()
    names = [label(name) for name in table.index]

    def draw(axes: Axes) -> None:
        display = ConfusionMatrixDisplay(counts, display_labels=names)
        rotation = "horizontal" if len("".join(names)) <= 30 else "vertical"
        display.plot(
            ax=axes, cmap="Blues", colorbar=False, xticks_rotation=rotation, values_format="d"
        )
        axes.grid(False)

    caption = "Number of rows by true label and prediction."
    return _chart("Confusion matrix", draw, caption, xlabel="predicted", ylabel="label")


def _calibration_chart(probability: Any, happened: Any, what: str) -> Chart:
    def draw(axes: Axes) -> None:
        CalibrationDisplay.from_predictions(
            happened, probability, n_bins=N_BINS, strategy="quantile", name="model", ax=axes
        )

    caption = (
        "On the dotted line, what has a probability of 70 % happens 7 times out of 10. All points "
        "stand for equally many rows."
    )
    return _chart("Calibration", draw, caption, xlabel=what, ylabel="share that came true")


def _regression_charts(predictions: Predictions) -> Iterator[Chart]:
    reach, about = None, ""
    if predictions.regions is not None and np.isfinite(predictions.regions).all():
        reach = float(np.median(predictions.regions[:, 1] - predictions.regions[:, 0])) / 2.0
        about = " Solid lines: 90 % intervals."

    def draw(kind: str) -> Callable[[Axes], None]:
        def draw_on(axes: Axes) -> None:
            PredictionErrorDisplay.from_predictions(
                predictions.target,
                predictions.predicted,
                kind=kind,
                subsample=MAX_POINTS,
                random_state=0,
                ax=axes,
                scatter_kwargs={"alpha": 0.5, "s": 14},
            )
            if reach is not None and kind == "residual_vs_predicted":
                for side in (-reach, reach):
                    axes.axhline(side, color="C1")

        return draw_on

    yield _chart(
        "Predictions",
        draw("actual_vs_predicted"),
        "On the dashed line, predictions are exact.",
        xlabel="predicted",
        ylabel="true",
    )
    yield _chart(
        "Residuals",
        draw("residual_vs_predicted"),
        f"A pattern means that the model misses something.{about}",
        xlabel="predicted",
        ylabel="true − predicted",
    )


def _importance_chart(evaluation: Evaluation) -> Chart:
    assert evaluation.importance is not None
    shown = evaluation.importance.head(MAX_COLUMNS)[::-1]
    errors = [shown["importance"] - shown["low"], shown["high"] - shown["importance"]]

    def draw(axes: Axes) -> None:
        axes.barh([label(name) for name in shown.index], shown["importance"], xerr=errors)
        axes.grid(axis="y", visible=False)

    caption = (
        "Each column is shuffled ten times, with 95 % intervals of the mean. Columns that carry "
        "the same information stand in for each other."
    )
    return _chart("Importance of columns", draw, caption, xlabel=evaluation.importance_unit)


def _chart(title: str, draw: Callable[[Axes], None], caption: str, **labels: str) -> Chart:
    figure = Figure(figsize=(4.8, 3.9))
    axes = figure.add_subplot()
    draw(axes)
    axes.set(title="", **labels)
    file = io.BytesIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    image = base64.b64encode(file.getvalue()).decode()
    return Chart(title, f"data:image/svg+xml;base64,{image}", caption)


def _shown_classes(evaluation: Evaluation) -> list[int]:
    """Of two classes the rarer one or that of the threshold; of many those told apart least."""
    predictions = evaluation.predictions
    known = predictions.known
    target = predictions.target[known]
    present = np.unique(target)
    if predictions.proba is None or present.size < 2:
        return []
    if predictions.n_known == 2:
        if evaluation.threshold is not None:
            classes = np.asarray(predictions.classes)
            return np.flatnonzero(classes == evaluation.threshold.label)[:1].tolist()
        return [int(rarer_class(target))]
    weight = np.ones(target.size)
    areas = [Ranking(target == code, predictions.proba[known, code])(weight)[0] for code in present]
    return sorted(present[np.argsort(areas, kind="stable")[:MAX_CURVES]].tolist())
