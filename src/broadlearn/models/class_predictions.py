"""What a classifier makes of its decisions: labels and probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from broadlearn.solvers import log_probabilities, probabilities
from broadlearn.utils import Floats


def predict_proba(self: Any, X: ArrayLike) -> Floats:
    """Class probabilities, ``softmax(proba_slope_ * d / sqrt(1 + d²))`` of decisions d.

    Each of several labels has a probability and a slope of its own.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples, n_classes) or (n_samples, n_labels)
        In the order of `classes_`.
    """
    return probabilities(self._output(X), self.proba_slope_)


def predict_log_proba(self: Any, X: ArrayLike) -> Floats:
    """Logarithms of class probabilities, finite where a probability is rounded to 0.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples, n_classes) or (n_samples, n_labels)
        In the order of `classes_`.
    """
    return log_probabilities(self._output(X), self.proba_slope_)


def labels_of(decision: Floats, classes: NDArray[Any] | None) -> NDArray[Any]:
    """Predicted labels: the sign of one column, or the largest of several.

    Without classes, columns are labels of their own, predicted as 0 or 1.
    """
    if classes is None:
        return np.asarray(decision > 0, dtype=np.int64)
    codes = decision > 0 if decision.ndim == 1 else np.argmax(decision, axis=1)
    return np.asarray(classes[np.asarray(codes, dtype=np.intp)])
