"""How good a fitted model is on rows that it has not seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.metrics import confusion_matrix
from sklearn.utils.validation import check_consistent_length, column_or_1d

from broadlearn.evaluation.importance import column_importance
from broadlearn.evaluation.metrics import (
    Judged,
    bootstrap,
    class_metrics,
    figures_of_labels,
    figures_of_targets,
    judge_labels,
    sample_losses,
)
from broadlearn.evaluation.result import Evaluation
from broadlearn.evaluation.thresholds import UnwrappedModel, unwrap_model
from broadlearn.utils import Array, draw_seed

# Rows with the largest loss that are listed.
N_WORST = 20
# Of the conformal sets and intervals that are judged.
COVERAGE = 0.9

FiguresOf = Callable[[Array], dict[str, float]]


def evaluate(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    importance: bool = False,
    random_state: int | np.random.RandomState | None = 0,
    progress: Callable[[str, float], object] | None = None,
) -> Evaluation:
    """Judge a fitted model by rows that it has not seen.

    Parameters
    ----------
    model : estimator
        A fitted classifier, or a regressor of one target, such as `load` gives. Any that follows
        scikit-learn's interface will do.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Rows that the model was not fitted to.
    y : array-like of shape (n_samples,)
        Their labels or targets.
    importance : bool, default=False
        Whether to find out what each column is worth to the model, by 10 shuffles of it.
    random_state : int, RandomState or None, default=0
        Seeds resamples and shuffles.
    progress : callable, default=None
        Called as ``progress(stage, share)`` at the beginning of each stage, with the share of the
        work that is done.

    Returns
    -------
    Evaluation
        Needs pandas.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from broadlearn import BLSClassifier, evaluate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, X_new, y, y_new = train_test_split(X, y, random_state=0)
    >>> found = evaluate(BLSClassifier(random_state=0).fit(X, y), X_new, y_new)
    >>> low, high = found.metrics.loc["balanced_accuracy", ["low", "high"]]
    >>> bool(0.85 < low < high <= 1.0), int(found.confusion.to_numpy().sum())
    (True, 143)
    """
    step = progress or (lambda stage, share: None)
    target = column_or_1d(y)
    check_consistent_length(X, target)
    seed, parts = draw_seed(random_state), unwrap_model(model)
    step("predictions", 0.0)
    prediction = np.asarray(model.predict(X))
    if prediction.ndim != 1:
        raise ValueError("evaluate needs a model of one target; this one predicts several.")
    judged, intervals = None, None
    if is_classifier(model):
        proba = np.asarray(model.predict_proba(X)) if hasattr(model, "predict_proba") else None
        judged = judge_labels(np.asarray(model.classes_), target, prediction, proba)
        figures_of = _of_classifier(judged, _conformal(parts, X, "predict_set"))
        worst = _worst_labels(judged)
    else:
        target = target.astype(np.float64)
        intervals = _conformal(parts, X, "predict_interval")
        figures_of = _of_regressor(target, prediction, intervals)
        worst = _worst_targets(target, prediction)
    step("intervals", 0.1 if importance else 0.4)
    figures = figures_of(np.ones(target.size))
    ends = bootstrap(figures_of, target.size, seed)
    metrics = pd.DataFrame(
        [(value, *ends[name]) for name, value in figures.items()],
        index=list(figures),
        columns=["value", "low", "high"],
    )
    by_class, confusion = pd.DataFrame(), pd.DataFrame()
    if judged is not None:
        by_class = pd.DataFrame(class_metrics(judged)).set_index("label")
        counts = confusion_matrix(
            judged.true, judged.predicted, labels=np.arange(judged.classes.size)
        )
        n_known = judged.n_known
        confusion = pd.DataFrame(
            counts[:, :n_known], index=judged.classes, columns=judged.classes[:n_known]
        )
    lost, unit = None, ""
    if importance:
        step("columns", 0.2)
        lost, unit = _importance(model, X, judged, target, seed)
    return Evaluation(
        metrics,
        by_class,
        confusion,
        pd.DataFrame(worst),
        lost,
        unit,
        parts,
        judged,
        target,
        prediction,
        intervals,
    )


def _conformal(parts: UnwrappedModel, X: Any, method: str) -> Any:
    """Conformal sets or intervals, where the model has them."""
    if not hasattr(parts.estimator, method) or not hasattr(parts.estimator, "calibration_scores_"):
        return None
    return getattr(parts.estimator, method)(parts.prepared(X), coverage=COVERAGE)


def _of_classifier(judged: Judged, sets: NDArray[np.bool_] | None) -> FiguresOf:
    figures = figures_of_labels(judged)
    if sets is None:
        return figures
    # No set holds a class that the model does not know.
    wide = np.c_[sets, np.zeros((len(sets), 1), dtype=bool)]
    own = np.minimum(judged.true, sets.shape[1])
    return _with(figures, wide[np.arange(len(sets)), own], "set_size", sets.sum(axis=1))


def _of_regressor(target: Array, prediction: Array, intervals: Array | None) -> FiguresOf:
    figures = figures_of_targets(target, np.asarray(prediction, dtype=np.float64))
    if intervals is None:
        return figures
    low, high = intervals.T
    return _with(figures, (low <= target) & (target <= high), "interval_width", high - low)


def _with(figures: FiguresOf, held: NDArray[np.bool_], name: str, size: NDArray[Any]) -> FiguresOf:
    """Figures with the coverage and the mean size of conformal sets or intervals."""

    def more_figures(weight: Array) -> dict[str, float]:
        coverage, mean = (float(np.average(part, weights=weight)) for part in (held, size))
        return {**figures(weight), "coverage": coverage, name: mean}

    return more_figures


def _worst_labels(judged: Judged) -> dict[str, Any]:
    """The wrong or least likely rows, the worst first."""
    loss = sample_losses(judged)
    if judged.proba is None:
        loss = (judged.true != judged.predicted).astype(np.float64)
    loss[np.isnan(loss)] = np.inf
    rows = np.argsort(-loss, kind="stable")[:N_WORST]
    rows = rows[loss[rows] > 0.0]
    return {
        "position": rows,
        "label": judged.classes[judged.true[rows]],
        "prediction": judged.classes[judged.predicted[rows]],
        "probability": np.exp(-loss[rows]) if judged.proba is not None else np.nan,
        "loss": loss[rows],
    }


def _worst_targets(target: Array, prediction: Array) -> dict[str, Any]:
    """The rows farthest from their prediction."""
    loss = np.abs(target - prediction)
    rows = np.argsort(-loss, kind="stable")[:N_WORST]
    return {
        "position": rows,
        "label": target[rows],
        "prediction": prediction[rows],
        "loss": loss[rows],
    }


def _importance(
    model: Any, X: Any, judged: Judged | None, target: NDArray[Any], seed: int
) -> tuple[Any, str]:
    """What columns are worth, on rows whose class the model knows."""
    names = [str(name) for name in getattr(X, "columns", range(np.shape(X)[1]))]
    if judged is None:
        return column_importance(model, X, target, names, seed)
    known = judged.known
    # As the model has them, where labels of the rows differ in type.
    labels = np.asarray(model.classes_)[judged.true[known]]
    rows = X.iloc[known] if hasattr(X, "iloc") else np.asarray(X)[known]
    return column_importance(model, rows, labels, names, seed)
