"""Held-out predictions for the rows that a model is fitted to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.pipeline import Pipeline

from broadlearn.ensemble import BroadEnsembleClassifier, BroadEnsembleRegressor
from broadlearn.evaluation.metrics import Predictions
from broadlearn.search import PathSearchCV
from broadlearn.utils import Floats


def fit_held_out(
    model: Pipeline,
    X: Any,
    y: NDArray[Any],
    *,
    tune: bool = False,
    scoring: str | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> tuple[Pipeline, Predictions, str]:
    """Fit a model to all rows, and predict them out of sample; say in words how.

    Predictions are exact leave-one-out for an ensemble, else by 5-fold cross-validation. With
    `tune`, `PathSearchCV` searches the settings by a scikit-learn scorer named `scoring`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from broadlearn import BLSClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = make_pipeline(BLSClassifier(random_state=0))
    >>> fit_held_out(model, X, y.to_numpy())[2]
    '5-fold cross-validation'
    """
    if isinstance(model[-1], BroadEnsembleClassifier | BroadEnsembleRegressor):
        fitted = model.fit(X, y)
        held_out = leave_one_out_predictions(fitted[-1], y)
        return fitted, held_out, "leave-one-out, slightly optimistic"
    kind = StratifiedKFold if is_classifier(model) else KFold
    folds = kind(5, shuffle=True, random_state=random_state)
    how = "5-fold cross-validation"
    if tune:
        search = PathSearchCV(model, cv=folds, n_jobs=n_jobs, scoring=scoring)
        model = search.fit(X, y).best_estimator_
        how += "; settings were chosen on the same folds, so optimistic"
    held_out = cross_val_predictions(clone(model), X, y, folds, n_jobs)
    return model.fit(X, y), held_out, how


def cross_val_predictions(
    model: Any, X: Any, y: NDArray[Any], cv: Any, n_jobs: int | None = None
) -> Predictions:
    """Predict each sample by a model fitted to the other folds."""
    options = {"cv": cv, "n_jobs": n_jobs}
    if not is_classifier(model):
        return Predictions(y, cross_val_predict(model, X, y, **options))
    if hasattr(model, "predict_proba"):
        return _with_proba(y, cross_val_predict(model, X, y, method="predict_proba", **options))
    classes, codes = np.unique(y, return_inverse=True)
    predicted = np.searchsorted(classes, cross_val_predict(model, X, y, **options))
    return Predictions(codes, predicted, classes)


def leave_one_out_predictions(model: Any, y: NDArray[Any]) -> Predictions:
    """Return the exact leave-one-out predictions of an ensemble for its training samples."""
    if is_classifier(model):
        return _with_proba(y, model.leave_one_out_proba_)
    return Predictions(y, model.leave_one_out_prediction_)


def _with_proba(y: NDArray[Any], proba: Floats) -> Predictions:
    """Return the predictions of class probabilities."""
    classes, codes = np.unique(y, return_inverse=True)
    return Predictions(codes, proba.argmax(axis=1), classes, proba)
