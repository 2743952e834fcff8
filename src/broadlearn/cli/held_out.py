"""What a model predicts for rows that it was not fitted to, and the threshold that suits them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    f1_score,
    get_scorer,
    jaccard_score,
    make_scorer,
    precision_score,
    recall_score,
)
from sklearn.model_selection import StratifiedKFold

from broadlearn.cli.tables import Labelled
from broadlearn.evaluation import Judged, Threshold, best_threshold
from broadlearn.utils import Array, parallel

# Metrics that are of one class; scikit-learn's scorers of these names want it to be called 1.
OF_ONE_CLASS = {
    "f1": f1_score,
    "jaccard": jaccard_score,
    "precision": precision_score,
    "recall": recall_score,
}
# The same of probabilities or decisions.
OF_PROBABILITIES: dict[str, dict[str, Any]] = {
    "average_precision": {
        "score_func": average_precision_score,
        "response_method": ("decision_function", "predict_proba"),
    },
    "neg_brier_score": {
        "score_func": brier_score_loss,
        "response_method": "predict_proba",
        "greater_is_better": False,
    },
}
DEFAULT_SCORING = "balanced_accuracy"


class HeldOut(NamedTuple):
    """Predictions for rows that were held out, and the fold of each; None if one by one."""

    judged: Judged
    folds: NDArray[np.intp] | None

    @property
    def scores(self) -> Array:
        """Accuracy on each fold, or whether each row is right."""
        right = (self.judged.predicted == self.judged.true).astype(np.float64)
        if self.folds is None:
            return right
        return np.bincount(self.folds, right) / np.bincount(self.folds)


def cross_validated(
    model: Any,
    table: Labelled,
    folds: StratifiedKFold,
    jobs: int,
    progress: Callable[[str, float], None],
) -> HeldOut:
    """Predictions by models that were fitted to the other folds."""
    classes, codes = np.unique(table.y, return_inverse=True)
    parts = list(folds.split(table.X, table.y))
    progress("cross-validation", 0.0)
    calls = (
        delayed(predict_fold)(clone(model), table.X, table.y, train, test) for train, test in parts
    )
    predicted, fold_of = np.empty(codes.size, dtype=np.intp), np.empty(codes.size, dtype=np.intp)
    proba: Array | None = np.zeros((codes.size, classes.size))
    for k, (labels, shares, known) in enumerate(parallel(calls, jobs)):
        rows = parts[k][1]
        fold_of[rows], predicted[rows] = k, np.searchsorted(classes, labels)
        if proba is None or shares is None:
            proba = None
        else:
            proba[np.ix_(rows, np.searchsorted(classes, known))] = shares
        progress("cross-validation", (k + 1) / (len(parts) + 1))
    return HeldOut(Judged(classes, codes, predicted, proba, classes.size), fold_of)


def predict_fold(
    model: Any, X: Any, y: NDArray[Any], train: NDArray[np.intp], test: NDArray[np.intp]
) -> tuple[NDArray[Any], Array | None, NDArray[Any]]:
    """Labels and, if the model has them, probabilities for some rows by a fit to others."""
    model.fit(X.iloc[train], y[train])
    proba = model.predict_proba(X.iloc[test]) if hasattr(model, "predict_proba") else None
    return model.predict(X.iloc[test]), proba, model.classes_


def left_out(ensemble: Any, y: NDArray[Any]) -> HeldOut:
    """Leave-one-out predictions of an ensemble."""
    classes, codes = np.unique(y, return_inverse=True)
    proba = ensemble.leave_one_out_proba_
    return HeldOut(Judged(classes, codes, proba.argmax(axis=1), proba, classes.size), None)


def rarer_class(y: NDArray[Any]) -> Any:
    """Of two classes the one with fewer rows, or the second."""
    classes, counts = np.unique(y, return_counts=True)
    return classes[int(counts[1] <= counts[0])]


def check_scoring(name: str | None) -> None:
    """Raise unless a metric is known by that name."""
    if name is not None:
        try:
            get_scorer(name)
        except (ValueError, KeyError) as error:
            raise ValueError(
                f"--scoring must be the name of a scorer of scikit-learn, such as accuracy, "
                f"balanced_accuracy, f1, roc_auc, average_precision or neg_log_loss; got {name!r}."
            ) from error


def search_scorer(name: str | None, y: NDArray[Any]) -> Any:
    """What a search takes as its scoring: metrics of one class are those of the rarer one."""
    if name not in OF_ONE_CLASS and (name not in OF_PROBABILITIES or np.unique(y).size != 2):
        return name
    if np.unique(y).size != 2:
        raise ValueError(f"--scoring {name} needs two classes; of more, use {name}_macro.")
    rare = rarer_class(y)
    if name in OF_PROBABILITIES:
        return make_scorer(pos_label=rare, **OF_PROBABILITIES[name])
    return make_scorer(OF_ONE_CLASS[name], pos_label=rare, zero_division=0.0)


def parse_threshold(text: str) -> float:
    """A probability, for a decision threshold."""
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not 0.0 < value < 1.0:
        raise ValueError(f"--threshold must be auto or a number between 0 and 1, got {text!r}.")
    return value


def choose_threshold(
    held: HeldOut, wanted: str, scoring: str | None, y: NDArray[Any]
) -> tuple[Threshold, HeldOut]:
    """The decision threshold that was asked for, and what is predicted with it.

    Parameters
    ----------
    held : HeldOut
    wanted : str
        A probability of the rarer class, or "auto" for the one that does best on the held-out rows.
    scoring : str or None
        What is best; balanced accuracy by default.
    y : ndarray of shape (n_rows,)
    """
    judged = held.judged
    if judged.n_known != 2 or judged.proba is None:
        what = f"there are {judged.n_known} classes" if judged.n_known != 2 else "it gives none"
        raise ValueError(f"--threshold needs two classes and a model with probabilities; {what}.")
    label = rarer_class(y)
    code = int(np.searchsorted(judged.classes, label))
    chance = judged.proba[:, code]
    if wanted == "auto":
        value = best_threshold(judged.true == code, chance, scoring or DEFAULT_SCORING)[0]
    else:
        value = parse_threshold(wanted)
    predicted = np.where(chance >= value, code, 1 - code)
    return Threshold(label, value), held._replace(judged=judged._replace(predicted=predicted))
