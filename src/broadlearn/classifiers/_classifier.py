"""Broad classifiers: scored rows, one ridge solution, decisions and probabilities."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils.validation import check_is_fitted

from broadlearn.classifiers._base import BroadModel
from broadlearn.classifiers._calibration import learn_slopes, probabilities
from broadlearn.classifiers._rows import Array, FitTask
from broadlearn.classifiers._scored_classifier import ScoredClassifier


def slopes_of_rows(
    task: FitTask, scores: Array | None, rows: NDArray[np.intp], decisions: Array
) -> Array:
    """Slopes of `predict_proba` from leave-one-out decisions of some training rows.

    `decisions` has shape (n_models, n_rows, n_outputs).
    """
    weight = np.ones(rows.size) if task.weight is None else task.weight[rows]
    if scores is not None:
        weight = weight * scores[rows] ** 2
    return learn_slopes(decisions, task.codes[rows], weight)


class BroadClassifier(ScoredClassifier, BroadModel):
    """A classifier that validates, scores rows, solves and predicts."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight w counts as w copies of it, a row of weight 0 as absent.

        Returns
        -------
        self
        """
        task, trust, n_rows = self._trusted_rows(X, y, sample_weight)
        scores = None if trust.score is None else trust.score[task.keep]
        fitted = self._fit_ridge(task, scores, leave_one_out=True)
        slopes = slopes_of_rows(task, scores, fitted.leave_one_out_rows, fitted.leave_one_out[None])
        self.proba_slope_ = float(slopes[0])
        self._keep_trust(trust, n_rows)
        return self

    def decision_function(self, X: ArrayLike) -> NDArray[np.floating]:
        """Decision values ``G W``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes positive where the second is predicted.
        """
        check_is_fitted(self)
        decision = self._output(self._validate_rows(X))
        return decision.ravel() if self.classes_.size == 2 else decision

    def predict_proba(self, X: ArrayLike) -> NDArray[np.floating]:
        """Class probabilities, ``softmax(proba_slope_ * d / sqrt(1 + d²))`` of decisions d.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        decision = self.decision_function(X)
        return probabilities(decision.reshape(decision.shape[0], -1), self.proba_slope_)
