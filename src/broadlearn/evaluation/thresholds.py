"""Decision thresholds of two classes: decide by them, attach to a model, take apart again."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import Pipeline

from broadlearn.evaluation.metrics import Predictions, rarer_class


class Threshold(NamedTuple):
    """The class that is predicted where its probability is at least `value`."""

    label: Any
    value: float


class ModelParts(NamedTuple):
    """The parts of a model: the last step, the steps before it, and a decision threshold."""

    preparation: Pipeline | None
    estimator: Any  # without its threshold
    threshold: Threshold | None

    def prepare(self, X: Any) -> Any:
        """Transform rows to the input of the estimator."""
        return X if self.preparation is None else self.preparation.transform(X)


def unwrap_model(model: Any) -> ModelParts:
    """Take a fitted model apart.

    Parameters
    ----------
    model : estimator
        Alone or in a pipeline, with or without a threshold.

    Returns
    -------
    ModelParts

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from broadlearn import BLSClassifier
    >>> from broadlearn.evaluation import unwrap_model, with_threshold
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = with_threshold(BLSClassifier(random_state=0).fit(X, y), 0, 0.1)
    >>> parts = unwrap_model(model)
    >>> type(parts.estimator).__name__, parts.threshold
    ('BLSClassifier', Threshold(label=0, value=0.1))
    """
    preparation, last = None, model
    if isinstance(model, Pipeline):
        preparation, last = model[:-1] if len(model.steps) > 1 else None, model[-1]
    if not isinstance(last, FixedThresholdClassifier):
        return ModelParts(preparation, last, None)
    threshold = Threshold(last.pos_label, float(last.threshold))
    inner = last.estimator_
    return ModelParts(preparation, getattr(inner, "estimator", inner), threshold)


def with_threshold(model: BaseEstimator, label: Any, value: float) -> Any:
    """Give a fitted model of two classes a decision threshold.

    Parameters
    ----------
    model : estimator
        A fitted classifier with `predict_proba`, alone or as the last step of a pipeline.
    label : object
        One of its two classes.
    value : float
        Smallest probability at which `label` is predicted.

    Returns
    -------
    estimator
        The same model, its last step in a scikit-learn ``FixedThresholdClassifier``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from broadlearn import BLSClassifier
    >>> from broadlearn.evaluation import with_threshold
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BLSClassifier(random_state=0).fit(X, y)
    >>> careful = with_threshold(model, 0, 0.05)
    >>> bool((careful.predict(X) == 0).sum() > (model.predict(X) == 0).sum())
    True
    """
    last = model[-1] if isinstance(model, Pipeline) else model
    classes: NDArray[Any] = np.asarray(getattr(last, "classes_", ()))
    if not isinstance(last, ClassifierMixin) or classes.size != 2:
        raise ValueError("A decision threshold needs a classifier with two classes.")
    if not hasattr(last, "predict_proba"):
        raise ValueError(
            f"{type(last).__name__} has no predict_proba, which a decision threshold needs."
        )
    decided = FixedThresholdClassifier(
        FrozenEstimator(last),
        threshold=float(value),
        pos_label=label,
        response_method="predict_proba",
    )
    # The estimator is frozen, so the data does not matter.
    decided.fit(np.zeros((2, last.n_features_in_)), classes)
    if not isinstance(model, Pipeline):
        return decided
    return Pipeline([*model.steps[:-1], (model.steps[-1][0], decided)])


def decide_by(held_out: Predictions, value: float) -> tuple[Threshold, Predictions]:
    """Predict the rarer of two classes where its probability is at least `value`.

    Returns the threshold, and the out-of-sample predictions by it.

    Examples
    --------
    >>> import numpy as np
    >>> y, p = np.array([0, 0, 0, 1, 1]), np.array([0.1, 0.2, 0.3, 0.4, 0.6])
    >>> threshold, found = decide_by(Predictions(y, y, np.array(["a", "b"]), np.c_[1 - p, p]), 0.3)
    >>> str(threshold.label), found.predicted.tolist()
    ('b', [0, 0, 1, 1, 1])
    """
    if held_out.proba is None or held_out.proba.shape[1] != 2:
        raise ValueError("A threshold needs two classes and a model with probabilities.")
    if not 0.0 < value < 1.0:
        raise ValueError(f"A threshold must be between 0 and 1, got {value:g}.")
    code = int(rarer_class(held_out.target))
    predicted = np.where(held_out.proba[:, code] >= value, code, 1 - code)
    label = held_out.decoded(np.array([code]))[0]
    return Threshold(label, value), held_out._replace(predicted=predicted)
