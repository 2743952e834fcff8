"""What all classifiers share: labels, trust in rows, predicted classes."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from broadlearn.classifiers._rows import (
    FLOAT_TYPES,
    Array,
    FitTask,
    RowModel,
    encode_targets,
)
from broadlearn.random_features._standardize import Standardization, affine_block
from broadlearn.sample_scores._inputs import check_range, check_weights


def standardized_rows(
    X: NDArray[np.floating], standardization: Standardization
) -> NDArray[np.floating]:
    """Z, whose distances scores are made of; values too large for that are refused."""
    Z = affine_block(X, slice(0, X.shape[0]), standardization)[:, :-1]
    check_range(Z)
    return Z


class RowTrust(NamedTuple):
    """Scores of the training rows with their parts; None where a model has no such part."""

    score: Array | None
    membership: Array | None = None
    nonmembership: Array | None = None


class ScoredClassifier(ClassifierMixin, RowModel):
    """A classifier that encodes labels and scores its training rows."""

    @abstractmethod
    def decision_function(self, X: ArrayLike) -> NDArray[np.floating]:
        """Decision values: one column for two classes, else one a class."""

    def _score_parameters(self) -> tuple[str, ...]:
        """Names of the parameters that the scores of rows depend on."""
        return ()

    def _trusted_rows(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[FitTask, RowTrust, int]:
        """Validate and score the rows to fit; with them, how many were given."""
        rows, labels = validate_data(self, X, y, dtype=FLOAT_TYPES)
        weight = None if sample_weight is None else check_weights(sample_weight, rows)
        task = self._prepare(rows, labels, weight)
        codes = np.searchsorted(self.classes_, labels)
        trust = self._score_rows(rows, codes, weight, task.standardization)
        if trust.score is not None:
            self._check_scores(trust.score[task.keep], task)
        return task, trust, codes.size

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
        T = encode_targets(codes, self.classes_.size)
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

    def _keep_trust(self, trust: RowTrust, n_rows: int) -> None:
        """Store what the rows were trusted with as fitted attributes."""
        self.sample_scores_ = np.ones(n_rows) if trust.score is None else trust.score
        if trust.membership is not None:
            self.membership_ = trust.membership
        if trust.nonmembership is not None:
            self.nonmembership_ = trust.nonmembership
