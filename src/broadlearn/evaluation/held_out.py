"""Held-out predictions for the rows that a model is fitted to."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import delayed
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.metrics import (
    average_precision_score,
    f1_score,
    get_scorer,
    make_scorer,
    precision_score,
    recall_score,
)
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from broadlearn.ensemble import BroadEnsembleClassifier, BroadEnsembleRegressor
from broadlearn.evaluation.metrics import Predictions, rarer_class
from broadlearn.evaluation.thresholds import unwrap_model
from broadlearn.search import PathSearchCV
from broadlearn.utils import parallel

N_FOLDS = 5

# Metrics of one class, for which scikit-learn's scorers expect a label 1.
OF_ONE_CLASS: dict[str, dict[str, Any]] = {
    "f1": {"score_func": f1_score, "zero_division": 0.0},
    "precision": {"score_func": precision_score, "zero_division": 0.0},
    "recall": {"score_func": recall_score, "zero_division": 0.0},
    "average_precision": {
        "score_func": average_precision_score,
        "response_method": ("decision_function", "predict_proba"),
    },
}


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
    """Fit a model and predict its rows out of sample.

    Parameters
    ----------
    model : Pipeline
        Preparation of the columns and a model of this package.
    X : DataFrame of shape (n_samples, n_columns)
    y : ndarray of shape (n_samples,)
    tune : bool, default=False
        Whether to search the settings, by `PathSearchCV`.
    scoring : str, default=None
        Name of a scikit-learn scorer for the search.
    random_state : int, default=0
        Seed of the folds.
    n_jobs : int or None, default=None

    Returns
    -------
    model : Pipeline
        Fitted to all rows.
    held_out : Predictions
        By exact leave-one-out for an ensemble, else by 5-fold cross-validation.
    how : str
        Which of them, in words.

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
        held_out = leave_one_out_predictions(fitted, y)
        assert held_out is not None
        return fitted, held_out, "leave-one-out, slightly optimistic"
    kind = StratifiedKFold if is_classifier(model) else KFold
    folds = kind(N_FOLDS, shuffle=True, random_state=random_state)
    how = f"{N_FOLDS}-fold cross-validation"
    if tune:
        scorer = None if scoring is None else scorer_of(scoring, y)
        search = PathSearchCV(model, cv=folds, n_jobs=n_jobs, scoring=scorer)
        model = search.fit(X, y).best_estimator_
        how += "; settings were chosen on the same folds, so optimistic"
    held_out = cross_val_predictions(clone(model), X, y, cv=folds, n_jobs=n_jobs)
    return model.fit(X, y), held_out, how


def cross_val_predictions(
    model: Any, X: Any, y: NDArray[Any], *, cv: Any, n_jobs: int | None = None
) -> Predictions:
    """Predict each sample by a model fitted to the other folds.

    Parameters
    ----------
    model : estimator
        An unfitted classifier or regressor.
    X : array-like or DataFrame of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    cv : cross-validation generator
    n_jobs : int or None, default=None

    Returns
    -------
    Predictions

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import StratifiedKFold
    >>> from broadlearn import BLSClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> folds = StratifiedKFold(5, shuffle=True, random_state=0)
    >>> found = cross_val_predictions(BLSClassifier(random_state=0), X, y, cv=folds)
    >>> bool((found.predicted == found.target).mean() > 0.9)
    True
    """
    method = "predict"
    if is_classifier(model) and hasattr(model, "predict_proba"):
        method = "predict_proba"
    splits = list(cv.split(X, y))
    calls = (delayed(_predict_fold)(clone(model), X, y, *split, method) for split in splits)
    folds = list(parallel(calls, n_jobs))
    if not is_classifier(model):
        predicted = np.empty(len(y))
        for (_, test), (output, _) in zip(splits, folds, strict=True):
            predicted[test] = output
        return Predictions(y, predicted)
    classes, codes = np.unique(y, return_inverse=True)
    proba = np.zeros((codes.size, classes.size))
    for (_, test), (output, known) in zip(splits, folds, strict=True):
        if method == "predict":
            output = output[:, None] == known
        proba[np.ix_(test, np.searchsorted(classes, known))] = output
    predicted = proba.argmax(axis=1)
    return Predictions(
        codes, predicted, classes, classes.size, proba if method == "predict_proba" else None
    )


def _predict_fold(
    model: Any,
    X: Any,
    y: NDArray[Any],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    method: str,
) -> tuple[NDArray[Any], NDArray[Any] | None]:
    rows = X.iloc if hasattr(X, "iloc") else np.asarray(X)
    model.fit(rows[train], y[train])
    return getattr(model, method)(rows[test]), getattr(model, "classes_", None)


def leave_one_out_predictions(model: Any, y: NDArray[Any]) -> Predictions | None:
    """Return the exact leave-one-out predictions of a fitted ensemble.

    Parameters
    ----------
    model : estimator
        Alone or as the last step of a pipeline.
    y : ndarray of shape (n_samples,)
        Labels or targets that it was fitted to.

    Returns
    -------
    Predictions or None
        None if the model has no leave-one-out predictions.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from broadlearn import BroadEnsembleRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BroadEnsembleRegressor(ensemble_size=2).fit(X, y)
    >>> leave_one_out_predictions(model, y).predicted.shape
    (442,)
    """
    estimator = unwrap_model(model).estimator
    if hasattr(estimator, "leave_one_out_prediction_"):
        return Predictions(y, estimator.leave_one_out_prediction_)
    if not hasattr(estimator, "leave_one_out_proba_"):
        return None
    classes, codes = np.unique(y, return_inverse=True)
    proba = estimator.leave_one_out_proba_
    return Predictions(codes, proba.argmax(axis=1), classes, classes.size, proba)


def scorer_of(name: str, y: NDArray[Any]) -> Any:
    """Return a scikit-learn scorer; metrics of one class are those of the rarer class.

    Parameters
    ----------
    name : str
        Name of a scikit-learn scorer.
    y : ndarray of shape (n_samples,)
        Labels or targets.

    Returns
    -------
    callable

    Examples
    --------
    >>> import numpy as np
    >>> scorer_of("f1", np.array(["no", "no", "yes"]))
    make_scorer(f1_score, response_method='predict', zero_division=0.0, pos_label=yes)
    """
    try:
        scorer = get_scorer(name)
    except ValueError as error:
        raise ValueError(
            "scoring must be the name of a scikit-learn scorer, such as accuracy, "
            f"balanced_accuracy, f1, roc_auc, neg_log_loss or r2; got {name!r}."
        ) from error
    if name not in OF_ONE_CLASS:
        return scorer
    if np.unique(y).size != 2:
        raise ValueError(f"scoring={name!r} needs two classes; for more use '{name}_macro'.")
    return make_scorer(**OF_ONE_CLASS[name], pos_label=rarer_class(y))
