"""Training data as the estimators want it, and what every estimator does with rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from broadlearn.random_features._standardize import Standardization, standardization_for

Array = NDArray[np.float64]

FLOAT_TYPES = [np.float64, np.float32]


class FitTask(NamedTuple):
    """Validated training data: rows of positive weight, and what is learnt before any draw.

    Attributes
    ----------
    X : ndarray of shape (n_kept, n_features)
    T : ndarray of shape (n_kept, n_targets)
    codes : ndarray of shape (n_kept,)
        Class of each row; empty for regression.
    weight : ndarray of shape (n_kept,) or None
    keep : ndarray of shape (n_samples,) or slice
        Which of the given rows are kept.
    standardization : Standardization
    """

    X: NDArray[np.floating]
    T: Array
    codes: NDArray[np.intp]
    weight: Array | None
    keep: NDArray[np.bool_] | slice
    standardization: Standardization


def encode_targets(codes: NDArray[np.intp], n_classes: int) -> Array:
    """One-hot targets; for two classes one column of -1 and 1."""
    if n_classes == 2:
        return np.where(codes[:, None] == 1, 1.0, -1.0)
    return np.asarray(np.eye(n_classes)[codes], dtype=np.float64)


class RowModel(BaseEstimator):
    """Base of the estimators: validates rows and learns how to standardise them."""

    standardize: bool | str

    def _learn_standardization(
        self, X: NDArray[np.floating], weight: Array | None
    ) -> Standardization:
        return standardization_for(self.standardize, X, weight)

    def _validate_rows(self, X: Any) -> NDArray[np.floating]:
        rows: NDArray[np.floating] = validate_data(self, X, dtype=FLOAT_TYPES, reset=False)
        return rows
