"""Metrics of a study: accuracy, and four others that are stored beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    log_loss,
    recall_score,
    roc_auc_score,
)

from broadlearn.utils import Array

DEFAULT_METRIC = "accuracy"


@dataclass(frozen=True)
class Metric:
    """A measure of predictions: its name here, in texts and as a scorer of scikit-learn.

    Shares are shown in percent.
    """

    name: str
    words: str
    scoring: str
    percent: bool = True
    lower_is_better: bool = False

    @property
    def title(self) -> str:
        """Name in headings."""
        return self.words[0].upper() + self.words[1:]

    @property
    def sign(self) -> float:
        """1 where larger is better, else -1."""
        return -1.0 if self.lower_is_better else 1.0

    @property
    def scale(self) -> float:
        """Factor from a stored to a shown value."""
        return 100.0 if self.percent else 1.0

    @property
    def unit(self) -> str:
        """Text behind a shown value."""
        return "\N{NO-BREAK SPACE}%" if self.percent else ""

    @property
    def decimals(self) -> int:
        """Decimals of a shown value."""
        return 2 if self.percent else 4


METRICS = {
    metric.name: metric
    for metric in (
        Metric("accuracy", "accuracy", "accuracy"),
        Metric("balanced_accuracy", "balanced accuracy", "balanced_accuracy"),
        Metric("f1_macro", "macro F1", "f1_macro"),
        Metric("roc_auc", "ROC AUC", "roc_auc_ovr"),
        Metric("log_loss", "log-loss", "neg_log_loss", percent=False, lower_is_better=True),
    )
}


def check_metric(name: str, parameter: str = "metric") -> Metric:
    """Find a metric by its name."""
    if name not in METRICS:
        raise ValueError(f"{parameter} must be one of {', '.join(METRICS)}, got {name!r}.")
    return METRICS[name]


def judge(model: Any, X: Array, y: NDArray[Any]) -> dict[str, float]:
    """Compute all metrics of a fitted classifier on test samples.

    By name of the metric, as fractions. The area under the ROC curve is the mean over the
    classes of `y`, each against the others, by probabilities or else decisions; it is missing where
    the model has neither or `y` holds a single class. The log-loss needs probabilities.
    """
    # Some models predict a column.
    predicted = np.ravel(model.predict(X))
    found = {
        "accuracy": accuracy_score(y, predicted),
        # The balanced accuracy, without scikit-learn's warnings where classes are missing.
        "balanced_accuracy": recall_score(
            y, predicted, labels=np.unique(y), average="macro", zero_division=0.0
        ),
        "f1_macro": f1_score(y, predicted, average="macro", zero_division=0.0),
    }
    classes = np.union1d(model.classes_, y) if hasattr(model, "classes_") else np.unique(y)
    probability = _columns(model, "predict_proba", X, classes)
    ranking = _columns(model, "decision_function", X, classes) if probability is None else None
    if len(np.unique(y)) > 1 and (probability is not None or ranking is not None):
        columns = probability if probability is not None else ranking
        found["roc_auc"] = _roc_auc(y, columns, classes)
    if probability is not None:
        # Classes that the model does not know have a probability of 0.
        shares = probability / probability.sum(axis=1, keepdims=True)
        known = len(classes) > 1
        found["log_loss"] = log_loss(y, shares, labels=classes) if known else 0.0
    return {name: float(value) for name, value in found.items()}


def _columns(model: Any, method: str, X: Array, classes: NDArray[Any]) -> Array | None:
    """Probabilities or decisions with a column for each class; None where they cannot be used."""
    try:
        values = np.asarray(getattr(model, method)(X), dtype=np.float64)
        own = np.asarray(model.classes_)
        if values.ndim == 1 and len(own) == 2:
            values = np.column_stack([-values, values])
        if values.shape != (len(X), len(own)) or not np.isfinite(values).all():
            return None
        if method == "predict_proba" and not (values.sum(axis=1) > 0.0).all():
            return None
    except Exception:
        return None
    # A class that was not learnt is the least likely one.
    lowest = 0.0 if method == "predict_proba" else values.min() - 1.0
    columns = np.full((len(X), len(classes)), lowest)
    columns[:, np.searchsorted(classes, own)] = values
    return columns


def _roc_auc(y: NDArray[Any], columns: Any, classes: NDArray[Any]) -> float:
    """Mean over the classes of `y`, each against the others."""
    areas = [
        roc_auc_score(y == label, columns[:, np.searchsorted(classes, label)])
        for label in np.unique(y)
    ]
    return float(np.mean(areas))


@dataclass(frozen=True)
class InnerScorer:
    """Scorer for the choice of settings on inner folds; larger is better.

    Unlike scikit-learn's own it is defined where a fold lacks a class, and takes decisions for the
    ROC curve where there are no probabilities.
    """

    metric: Metric

    def __call__(self, model: Any, X: Any, y: Any) -> float:
        """Return the metric, NaN where the model does not have it."""
        return self.metric.sign * judge(model, X, np.asarray(y)).get(self.metric.name, np.nan)
