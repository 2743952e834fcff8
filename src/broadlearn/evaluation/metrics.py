"""Metrics of predictions for held-out samples, with bootstrap intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import precision_recall_fscore_support

from broadlearn.utils import Array, Floats, out_of

WeightedMetrics = Callable[[Array], dict[str, float]]


class Predictions(NamedTuple):
    """Predictions for held-out samples, with the true labels or targets.

    Labels are given by their position in `classes`, which is None for a regressor.
    """

    target: NDArray[Any]
    predicted: NDArray[Any]
    classes: NDArray[Any] | None = None
    proba: Floats | None = None  # class probabilities, if the model has them
    regions: NDArray[Any] | None = None  # conformal sets (boolean), or intervals of a regressor

    def decoded(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Return the labels of class codes; targets as they are."""
        return codes if self.classes is None else self.classes[codes]


def label_predictions(
    classes: NDArray[Any],
    labels: NDArray[Any],
    predicted: NDArray[Any],
    proba: Floats | None = None,
    regions: NDArray[np.bool_] | None = None,
) -> Predictions:
    """Match true and predicted labels with the classes of a model.

    A label that differs from a class only by type, case or spaces is that class. Other labels are
    refused.

    Examples
    --------
    >>> import numpy as np
    >>> result = label_predictions(np.array([0, 1]), np.array(["1", "0"]), np.array([1, 1]))
    >>> result.target.tolist(), result.predicted.tolist()
    ([1, 0], [1, 1])
    """
    exact = {name: code for code, name in enumerate(classes.tolist())}
    as_text = {str(name): code for name, code in exact.items()}
    folded = {_folded(name): code for name, code in exact.items()}
    if len(folded) < len(exact):
        folded = {}
    target = np.array(
        [
            exact.get(label, as_text.get(str(label), folded.get(_folded(label), -1)))
            for label in labels.tolist()
        ]
    )
    unknown = np.flatnonzero(target < 0)
    if unknown.size:
        raise ValueError(
            f"{out_of(unknown.size, target.size, 'row', 'has')} a label that the model does not "
            f"know, such as {str(labels[unknown[0]])!r}. Remove these rows, or refit the model "
            "with rows of that class."
        )
    codes = np.array([exact[label] for label in predicted.tolist()])
    return Predictions(target, codes, classes, proba, regions)


def metrics_table(predictions: Predictions, seed: int = 0) -> pd.DataFrame:
    """Return ``value``, ``low`` and ``high`` of each metric that is defined.

    Intervals are of 95 %, from bootstrap resamples of the samples.
    """
    metrics, n = weighted_metrics(predictions), len(predictions.target)
    values = metrics(np.ones(n))
    generator = np.random.default_rng(seed)
    # With 200, ends of an interval have a standard error of about a tenth of its length.
    resamples = pd.DataFrame(
        [
            metrics(np.bincount(generator.integers(0, n, n), minlength=n).astype(np.float64))
            for _ in range(200)
        ]
    )
    table = pd.DataFrame(
        {"value": values, "low": resamples.quantile(0.025), "high": resamples.quantile(0.975)},
        index=list(values),
    )
    return table[table["value"].notna()]


def weighted_metrics(predictions: Predictions) -> WeightedMetrics:
    """Return a function that computes all metrics (see `Evaluation`) for given sample weights.

    ROC AUC and average precision are means over one-vs-rest problems; of two classes, the average
    precision is that of the rarer one. Undefined metrics are nan.
    """
    is_quantity = predictions.classes is None
    base = (_regression_metrics if is_quantity else _classification_metrics)(predictions)
    regions = predictions.regions
    if regions is None:
        return base
    if is_quantity:
        low, high = regions.T
        held = (low <= predictions.target) & (predictions.target <= high)
        name, size = "interval_width", high - low
    else:
        held = regions[np.arange(len(regions)), predictions.target]
        name, size = "set_size", regions.sum(axis=1)

    def metrics(weight: Array) -> dict[str, float]:
        coverage, mean_size = (float(np.average(part, weights=weight)) for part in (held, size))
        return {**base(weight), "coverage": coverage, name: mean_size}

    return metrics


def _classification_metrics(predictions: Predictions) -> WeightedMetrics:
    target, proba = predictions.target, predictions.proba
    n_classes = len(predictions.classes)  # type: ignore[arg-type]
    majority = np.bincount(target).argmax()
    right = (predictions.predicted == target).astype(np.float64)
    losses = sample_losses(predictions)
    rankings = []
    if proba is not None:
        rankings = [Ranking(target == code, proba[:, code]) for code in np.unique(target)]

    def metrics(weight: Array) -> dict[str, float]:
        counts = np.bincount(target, weight, n_classes)
        found = np.bincount(target, weight * right, n_classes)
        present = np.flatnonzero(counts)
        ranked = np.array([ranking(weight) for ranking in rankings]).reshape(-1, 2)
        averaged = ranked[:, 1]
        if n_classes == 2 and len(rankings) == 2:
            averaged = averaged[[int(counts[1] <= counts[0])]]
        return {
            "accuracy": float(np.average(right, weights=weight)),
            "majority_share": float(counts[majority] / weight.sum()),
            "balanced_accuracy": _mean(found[present] / counts[present]),
            "roc_auc": _mean(ranked[:, 0]),
            "average_precision": _mean(averaged),
            "log_loss": np.nan if proba is None else float(weight @ losses / weight.sum()),
        }

    return metrics


def _regression_metrics(predictions: Predictions) -> WeightedMetrics:
    y, predicted = predictions.target, predictions.predicted

    def metrics(weight: Array) -> dict[str, float]:
        error = float(np.average((y - predicted) ** 2, weights=weight))
        spread = float(np.average((y - np.average(y, weights=weight)) ** 2, weights=weight))
        return {
            "r2": 1.0 - error / spread if spread > 0.0 else np.nan,
            "mean_absolute_error": float(np.average(np.abs(y - predicted), weights=weight)),
            "root_mean_squared_error": float(np.sqrt(error)),
        }

    return metrics


class Ranking:
    """ROC AUC and average precision for any sample weights, after sorting once.

    Examples
    --------
    >>> import numpy as np
    >>> Ranking(np.array([True, False, True]), np.array([0.9, 0.5, 0.1]))(np.ones(3))
    (0.5, 0.8333333333333333)
    """

    def __init__(self, positive: NDArray[np.bool_], score: Floats) -> None:
        self.order = np.argsort(-score, kind="stable")
        ranked = score[self.order]
        self.tie_starts = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])
        self.positive = positive[self.order].astype(np.float64)

    def __call__(self, weight: Array) -> tuple[float, float]:
        """Return ROC AUC and average precision; nan if all samples are of one kind."""
        ordered = weight[self.order]
        positive = np.add.reduceat(ordered * self.positive, self.tie_starts)
        total = np.add.reduceat(ordered, self.tie_starts)
        positive_sum, total_sum = np.cumsum(positive), np.cumsum(total)
        n_positive, n_negative = positive_sum[-1], total_sum[-1] - positive_sum[-1]
        if n_positive <= 0.0 or n_negative <= 0.0:
            return np.nan, np.nan
        # Pairs of equal scores count half.
        area = (total - positive) @ (positive_sum - positive / 2.0) / (n_positive * n_negative)
        precision = positive_sum / np.maximum(total_sum, np.finfo(np.float64).tiny)
        return float(area), float(positive @ precision / n_positive)


def sample_losses(predictions: Predictions) -> Array:
    """Return the absolute error or log-loss of each sample; 0 and 1 without probabilities."""
    target, predicted = predictions.target, predictions.predicted
    if predictions.classes is None:
        return np.abs(target - predicted)
    if predictions.proba is None:
        return (target != predicted).astype(np.float64)
    own = predictions.proba[np.arange(target.size), target].astype(np.float64)
    return -np.log(np.maximum(own, np.finfo(np.float64).eps))


def class_table(predictions: Predictions) -> pd.DataFrame:
    """Return recall, precision and numbers of rows of each class; nan where they have none."""
    classes = predictions.classes
    if classes is None:
        return pd.DataFrame()
    precision, recall, f1, rows = precision_recall_fscore_support(
        predictions.target,
        predictions.predicted,
        labels=np.arange(classes.size),
        zero_division=np.nan,
    )
    counts = np.bincount(predictions.predicted, minlength=classes.size)
    columns = {"rows": rows, "predicted": counts, "recall": recall, "precision": precision}
    return pd.DataFrame({**columns, "f1": f1}, index=pd.Index(classes, name="label"))


def rarer_class(y: ArrayLike) -> Any:
    """Return the less frequent of two classes; the second of two equally frequent ones."""
    classes, counts = np.unique(y, return_counts=True)
    return classes[int(counts[1] <= counts[0])]


def _folded(label: object) -> str:
    return " ".join(str(label).split()).casefold()


def _mean(values: Array) -> float:
    """Return the mean of the defined values."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else np.nan
