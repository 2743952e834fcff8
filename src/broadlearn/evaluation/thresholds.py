"""What a model is made of: preparation of the columns, estimator, decision threshold."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import Pipeline


class Threshold(NamedTuple):
    """The class that is predicted where its probability is at least `value`, else the other."""

    label: Any
    value: float


class UnwrappedModel(NamedTuple):
    """The parts of a model.

    Attributes
    ----------
    preparation : Pipeline or None
        All steps before the last.
    estimator : estimator
        The last step, or what it decides by.
    threshold : Threshold or None
        Where it was chosen.
    """

    preparation: Pipeline | None
    estimator: Any
    threshold: Threshold | None

    def prepared(self, X: Any) -> Any:
        """Rows as the estimator wants them."""
        return X if self.preparation is None else self.preparation.transform(X)


def unwrap_model(model: Any) -> UnwrappedModel:
    """Take a fitted model apart.

    Parameters
    ----------
    model : estimator
        Alone or in a pipeline, with or without a threshold.

    Returns
    -------
    UnwrappedModel

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
        return UnwrappedModel(preparation, last, None)
    threshold = Threshold(last.pos_label, float(last.threshold))
    inner = last.estimator_
    return UnwrappedModel(preparation, getattr(inner, "estimator", inner), threshold)


def with_threshold(model: BaseEstimator, label: Any, value: float) -> Any:
    """Give a fitted model of two classes a decision threshold.

    Parameters
    ----------
    model : estimator
        A fitted classifier with `predict_proba`, alone or as the last step of a pipeline.
    label : object
        One of its two classes.
    value : float
        The probability from which on it is predicted.

    Returns
    -------
    estimator
        The same model, its last step in a ``FixedThresholdClassifier`` of scikit-learn.

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
        raise ValueError("A decision threshold needs a classifier of two classes.")
    if not hasattr(last, "predict_proba"):
        raise ValueError(f"{type(last).__name__} gives no probabilities to set a threshold for.")
    decided = FixedThresholdClassifier(
        FrozenEstimator(last),
        threshold=float(value),
        pos_label=label,
        response_method="predict_proba",
    )
    # A frozen estimator learns nothing more: what it is shown does not matter.
    decided.fit(np.zeros((2, last.n_features_in_)), classes)
    if not isinstance(model, Pipeline):
        return decided
    return Pipeline([*model.steps[:-1], (model.steps[-1][0], decided)])
