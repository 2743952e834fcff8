"""Metrics of a study: accuracy, and four others that are stored beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.metrics import precision_recall_fscore_support

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
    seen = np.union1d(labels, predicted)
    _, recall, f1, _ = precision_recall_fscore_support(y, predicted, labels=seen, zero_division=0.0)
    scores = {
        "accuracy": np.mean(predicted == y),
        "balanced_accuracy": np.mean(recall[np.isin(seen, labels)]),
        "f1_macro": np.mean(f1),
    }
    methods = [name for name in ("predict_proba", "decision_function") if hasattr(model, name)]
    if methods and hasattr(model, "classes_"):
        classes = np.union1d(model.classes_, y)
        values = _columns(model, methods[0], X, classes)
        if len(labels) > 1:
            own = y[:, None] == labels
            scores["roc_auc"] = np.mean(_areas(own, values[:, np.searchsorted(classes, labels)]))
        if methods[0] == "predict_proba":
            shares = values / values.sum(axis=1, keepdims=True)
            own = shares[np.arange(len(y)), np.searchsorted(classes, y)]
            scores["log_loss"] = -np.mean(np.log(np.maximum(own, np.finfo(np.float64).eps)))
    return {name: float(value) for name, value in scores.items()}


def _areas(own: NDArray[np.bool_], values: Array) -> Array:
    """Areas under the ROC curves of columns, without a curve: shares of pairs in their order."""
    n_own = own.sum(axis=0)
    ranks = np.sum(rankdata(values, axis=0) * own, axis=0)
    return np.asarray((ranks - n_own * (n_own + 1) / 2) / (n_own * (len(own) - n_own)))


def _columns(model: Any, method: str, X: Array, classes: NDArray[Any]) -> Array:
    """Probabilities or decisions with a column for each class."""
    values = np.asarray(getattr(model, method)(X), dtype=np.float64)
    if values.ndim == 1:
        values = np.column_stack([-values, values])
    # A class that was not learnt is the least likely one.
    lowest = 0.0 if method == "predict_proba" else values.min() - 1.0
    columns = np.full((len(X), len(classes)), lowest)
    columns[:, np.searchsorted(classes, model.classes_)] = values
    return columns
