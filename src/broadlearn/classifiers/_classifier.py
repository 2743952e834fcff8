"""What all classifiers share: labels, scores, decisions and probabilities."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from broadlearn.classifiers._base import FLOAT_TYPES, BroadModel, FitTask
from broadlearn.classifiers._calibration import learn_slopes, probabilities
from broadlearn.random_features._standardize import Standardization
from broadlearn.sample_scores._inputs import check_weights

Array = NDArray[np.float64]


class RowTrust(NamedTuple):
    """Scores of the training rows with their parts; None where a model has no such part."""

    score: Array | None
    membership: Array | None = None
    nonmembership: Array | None = None


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


class BroadClassifier(ClassifierMixin, BroadModel):
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
        rows, labels = validate_data(self, X, y, dtype=FLOAT_TYPES)
        weight = None if sample_weight is None else check_weights(sample_weight, rows)
        task = self._prepare(rows, labels, weight)
        codes = np.searchsorted(self.classes_, labels)
        trust = self._score_rows(rows, codes, weight, task.standardization)
        scores = None if trust.score is None else trust.score[task.keep]
        if scores is not None:
            self._check_scores(scores, task)
        fitted = self._fit_ridge(task, scores, leave_one_out=True)
        slopes = slopes_of_rows(task, scores, fitted.leave_one_out_rows, fitted.leave_one_out[None])
        self.proba_slope_ = float(slopes[0])
        self.sample_scores_ = np.ones(codes.size) if trust.score is None else trust.score
        if trust.membership is not None:
            self.membership_ = trust.membership
        if trust.nonmembership is not None:
            self.nonmembership_ = trust.nonmembership
        return self

    def _prepare(
        self, rows: NDArray[np.floating], labels: NDArray[Any], weight: Array | None
    ) -> FitTask:
        """Encode labels, drop rows of weight 0 and learn the standardisation."""
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if self.classes_.size < 2:
            raise ValueError(
                f"{type(self).__name__} needs rows of at least two classes in y, but there is only "
                f"one class: {self.classes_.tolist()[0]!r}."
            )
        keep: NDArray[np.bool_] | slice = slice(None)
        if weight is not None and not weight.all():
            keep = weight > 0.0
            if np.unique(codes[keep]).size < 2:
                raise ValueError(
                    "sample_weight leaves rows of only one class with a positive weight; "
                    "at least two classes are needed."
                )
            rows, codes, weight = rows[keep], codes[keep], weight[keep]
        T = np.zeros((codes.size, self.classes_.size))
        T[np.arange(codes.size), codes] = 1.0
        if self.classes_.size == 2:
            T = T[:, 1:] - T[:, :1]
        standardization = self._learn_standardization(rows, weight)
        return FitTask(rows, T, codes, weight, keep, standardization)

    def _score_rows(
        self,
        X: NDArray[np.floating],
        codes: NDArray[np.intp],
        weight: Array | None,
        standardization: Standardization,
    ) -> RowTrust:
        """Score training rows; the plain model trusts all alike."""
        return RowTrust(None)

    def _check_scores(self, scores: Array, task: FitTask) -> None:
        """Raise if a class has no row left that counts."""
        best = np.zeros(self.classes_.size)
        np.maximum.at(best, task.codes, scores)
        present = np.bincount(task.codes, minlength=best.size) > 0
        lost = self.classes_[present & (best == 0.0)]
        if lost.size:
            which = (
                "every class"
                if lost.size == present.sum()
                else "class " + ", ".join(repr(label) for label in lost.tolist())
            )
            raise ValueError(
                f"All sample scores of {which} are zero, so no row of it would count: its rows lie "
                f"nearer to other classes than to their own. {self._zero_score_remedy()}"
            )

    def _zero_score_remedy(self) -> str:
        return "Use BLSClassifier, which trusts all rows alike."

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

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict class labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        decision = self.decision_function(X)
        codes = decision > 0 if decision.ndim == 1 else np.argmax(decision, axis=1)
        labels: NDArray[Any] = self.classes_[np.asarray(codes, dtype=np.intp)]
        return labels

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
