"""From decision values to labels and probabilities."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin

from broadlearn.utils import Floats


def labels_of(decision: Floats, classes: NDArray[Any]) -> NDArray[Any]:
    """Return the predicted labels: the sign of one column, or the largest of several.

    Examples
    --------
    >>> labels_of(np.array([-1.0, 2.0]), np.array(["no", "yes"]))
    array(['no', 'yes'], dtype='<U3')
    """
    codes = decision > 0 if decision.ndim == 1 else np.argmax(decision, axis=1)
    return np.asarray(classes[np.asarray(codes, dtype=np.intp)])


class DecisionMixin(ClassifierMixin):
    """Labels of a classifier that computes decision values.

    `_output` returns them in the shape (n_samples, 1) or (n_samples, n_classes). Methods predict
    with ``copy(self)``: they read the fitted state once, so that a refit in another thread cannot
    mix two models.
    """

    classes_: NDArray[Any]
    _output: Callable[[ArrayLike], Floats]

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the decision values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes, positive where the second is predicted.
        """
        decision = copy(self)._output(X)
        return decision.ravel() if decision.shape[1] == 1 else decision

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict class labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        fitted = copy(self)
        return labels_of(fitted.decision_function(X), fitted.classes_)


class ProbabilityMixin(DecisionMixin):
    """Labels and probabilities of a classifier that computes decision values.

    `_link` returns the probabilities of decision values.
    """

    _link: Callable[[Floats], Floats]

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return class probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        fitted = copy(self)
        return fitted._link(fitted._output(X))
