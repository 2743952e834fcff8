"""Score the predictions of many candidates at once, with the results of scikit-learn's scorers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, balanced_accuracy_score, roc_auc_score

from broadlearn.models import labels_of
from broadlearn.solvers import probabilities
from broadlearn.utils import Array, Floats
from broadlearn.utils.sklearn_compat import PassthroughScorer


@dataclass(eq=False)
class Predictions:
    """Predictions of many candidates for the same samples.

    `decision` holds decision values, or predicted targets for regression, of shape (n_samples,
    n_candidates, n_outputs). `classes` are those of the training samples, None for regression.
    `slopes` of the probabilities are given if a scorer needs them, one per candidate.
    """

    decision: Array
    y: NDArray[Any]
    classes: NDArray[Any] | None
    X: Floats
    slopes: Array | None = None
    weight: Array | None = None

    @cached_property
    def true_codes(self) -> NDArray[np.intp]:
        """Code of the true class of every sample; -1 for a class without training samples."""
        assert self.classes is not None
        position = np.minimum(np.searchsorted(self.classes, self.y), self.classes.size - 1)
        return np.where(self.classes[position] == self.y, position, -1)

    @cached_property
    def right(self) -> NDArray[np.bool_]:
        """Whether each candidate predicts the class of each sample."""
        true = self.true_codes
        if self.decision.shape[2] > 1:
            return np.argmax(self.decision, axis=2) == true[:, None]
        right = (self.decision[:, :, 0] > 0) == (true == 1)[:, None]
        right[true < 0] = False
        return right


BatchScorer = Callable[[Predictions], Array]


def _count(right: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count the true entries of every column, in uint8 while it cannot overflow."""
    total = np.zeros(right.shape[1], dtype=np.int64)
    for start in range(0, right.shape[0], 255):
        part = right[start : start + 255].view(np.uint8)
        total += np.add.reduce(part, axis=0, dtype=np.uint8)
    return total


def _accuracy(p: Predictions) -> Array:
    if p.weight is None:
        return _count(p.right) / p.right.shape[0]
    return np.average(p.right, axis=0, weights=p.weight)


def _balanced_accuracy(p: Predictions) -> Array:
    weight = np.ones(len(p.y)) if p.weight is None else p.weight
    # A class of weight 0 is absent.
    classes = [p.y == label for label in np.unique(p.y[weight > 0.0])]
    recalls = [np.average(p.right[rows], axis=0, weights=weight[rows]) for rows in classes]
    return np.mean(recalls, axis=0)


def _binary(p: Predictions) -> bool:
    """Whether the samples are unweighted, of two classes 0 and 1, or -1 and 1."""
    return (
        p.weight is None
        and p.decision.shape[2] == 1
        and np.array_equal(np.unique(p.y), np.asarray(p.classes))
        and p.y.dtype.kind in "biuf"
        and bool(np.all(np.isin(p.y, (-1, 0, 1))))
        and bool(np.any(p.y == 1))
    )


def _roc_auc(p: Predictions) -> Array:
    """Return the share of ordered pairs of a positive and a negative sample; ties count half."""
    positive = p.true_codes == 1
    n_positive, n_negative = np.count_nonzero(positive), np.count_nonzero(~positive)
    ranks = rankdata(p.decision[:, :, 0], axis=0)[positive].sum(axis=0)
    return (ranks - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative)


# Metrics computed for all candidates together, each with the condition for it.
TOGETHER: dict[Any, tuple[BatchScorer, Callable[[Predictions], bool]]] = {
    accuracy_score: (_accuracy, lambda p: True),
    balanced_accuracy_score: (_balanced_accuracy, lambda p: True),
    roc_auc_score: (_roc_auc, _binary),
}


def batch_scorer(
    scorer: Any, *, classifier: bool, error_score: float | str = np.nan
) -> BatchScorer:
    """Turn a scikit-learn scorer into one for many candidates at once.

    Accuracy, balanced accuracy and, for two classes, the area under the ROC curve are computed for
    all candidates together. Other scorers are called once per candidate; if one raises, its score
    is `error_score`, with a warning, unless that is "raise".
    """
    one_by_one = partial(_one_by_one, scorer, error_score=error_score)
    if isinstance(scorer, PassthroughScorer):
        return _accuracy if classifier else one_by_one
    together, possible = TOGETHER.get(scorer._score_func, (None, None))
    if together is None or possible is None or scorer._kwargs:
        return one_by_one
    return lambda p: scorer._sign * together(p) if possible(p) else one_by_one(p)


def needs_probabilities(scorer: Any) -> bool:
    """Whether a scorer calls `predict_proba`."""
    methods = getattr(scorer, "_response_method", "predict")
    return (methods if isinstance(methods, str) else next(iter(methods))) == "predict_proba"


def needs_labels_only(scorer: Any, *, classifier: bool) -> bool:
    """Whether a scorer sees predicted labels only, in which tiny errors do not show."""
    if isinstance(scorer, PassthroughScorer):
        return classifier
    return classifier and getattr(scorer, "_response_method", None) == "predict"


class _Known(BaseEstimator):
    """A fitted model with known predictions."""

    def __init__(self, decision: Any = None, classes: Any = None, slope: Any = None) -> None:
        self.decision = decision
        self.classes = self.classes_ = classes
        self.slope = slope

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> NDArray[Any]:
        return self.decision[:, 0] if self.decision.shape[1] == 1 else self.decision


class _KnownRegressor(RegressorMixin, _Known):
    pass


class _KnownClassifier(ClassifierMixin, _Known):
    def decision_function(self, X: Any) -> Array:
        return super().predict(X)

    def predict(self, X: Any) -> NDArray[Any]:
        return labels_of(self.decision_function(X), self.classes)

    def predict_proba(self, X: Any) -> Floats:
        return probabilities(self.decision, self.slope)


def _one_by_one(scorer: Any, p: Predictions, *, error_score: float | str = np.nan) -> Array:
    scores = np.empty(p.decision.shape[1])
    for i in range(scores.size):
        decision = np.ascontiguousarray(p.decision[:, i])
        model: _Known
        if p.classes is None:
            model = _KnownRegressor(decision)
        else:
            slope = None if p.slopes is None else p.slopes[i]
            model = _KnownClassifier(decision, p.classes, slope)
        weight = {} if p.weight is None else {"sample_weight": p.weight}
        try:
            scores[i] = scorer(model, p.X, p.y, **weight)
        except Exception as error:
            if error_score == "raise":
                raise
            scores[i] = error_score
            warnings.warn(
                f"Scoring failed on a fold; its score is set to {error_score}: {error}",
                stacklevel=2,
            )
    return scores
