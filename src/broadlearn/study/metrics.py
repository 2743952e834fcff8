"""Metrics of a study: accuracy, and four others that are stored beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, f1_score, log_loss, recall_score, roc_auc_score

from broadlearn.utils import Array

DEFAULT_METRIC = "accuracy"


@dataclass(frozen=True)
class Metric:
    """A measure of predictions: its name here, in texts and as a scorer of scikit-learn.

    `sign` is 1 where larger is better, else -1. Values are shown times `scale`, with so many
    decimals and with the unit behind: shares in percent.
    """

    name: str
    words: str
    scoring: str
    sign: float = 1.0
    scale: float = 100.0
    unit: str = "\N{NO-BREAK SPACE}%"
    decimals: int = 2

    @property
    def title(self) -> str:
        """Name in headings."""
        return self.words[0].upper() + self.words[1:]


METRICS = {
    metric.name: metric
    for metric in (
        Metric("accuracy", "accuracy", "accuracy"),
        Metric("balanced_accuracy", "balanced accuracy", "balanced_accuracy"),
        Metric("f1_macro", "macro F1", "f1_macro"),
        Metric("roc_auc", "ROC AUC", "roc_auc_ovr"),
        Metric("log_loss", "log-loss", "neg_log_loss", -1.0, 1.0, "", 4),
    )
}


def check_metric(name: str, parameter: str = "metric") -> Metric:
    """Find a metric by its name."""
    if name not in METRICS:
        raise ValueError(f"{parameter} must be one of {', '.join(METRICS)}, got {name!r}.")
    return METRICS[name]


def judge(model: Any, X: Array, y: NDArray[Any]) -> dict[str, float]:
    """Compute all metrics of a fitted classifier on test samples, as fractions.

    The area under the ROC curve is the mean over the classes of `y`, each against the others, by
    probabilities or else decisions. It is missing if the model has neither, or for a single class;
    the log-loss is missing without probabilities.
    """
    # Some models predict a column.
    predicted, labels = np.ravel(model.predict(X)), np.unique(y)
    means = {"average": "macro", "zero_division": 0.0}
    scores = {
        "accuracy": accuracy_score(y, predicted),
        # Without classes that are predicted, but not in `y`.
        "balanced_accuracy": recall_score(y, predicted, labels=labels, **means),
        "f1_macro": f1_score(y, predicted, **means),
    }
    methods = [name for name in ("predict_proba", "decision_function") if hasattr(model, name)]
    if methods and hasattr(model, "classes_"):
        classes = np.union1d(model.classes_, y)
        values = _columns(model, methods[0], X, classes)
        if len(labels) > 1:
            ranked = zip(labels, values[:, np.searchsorted(classes, labels)].T, strict=True)
            scores["roc_auc"] = np.mean([roc_auc_score(y == k, column) for k, column in ranked])
        if methods[0] == "predict_proba":
            shares = values / values.sum(axis=1, keepdims=True)
            scores["log_loss"] = log_loss(y, shares, labels=classes)
    return {name: float(value) for name, value in scores.items()}


def _columns(model: Any, method: str, X: Array, classes: NDArray[Any]) -> Array:
    """Return probabilities or decisions with a column for each class."""
    values = np.asarray(getattr(model, method)(X), dtype=np.float64)
    if values.ndim == 1:
        values = np.column_stack([-values, values])
    # A class that was not learnt is the least likely one.
    lowest = 0.0 if method == "predict_proba" else values.min() - 1.0
    columns = np.full((len(X), len(classes)), lowest)
    columns[:, np.searchsorted(classes, model.classes_)] = values
    return columns
