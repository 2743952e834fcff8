"""A fold, with all that is learnt before any size, penalty or draw of enhancement nodes matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadlearn.classifiers._base import BroadModel, MapFamily
from broadlearn.classifiers._bls_regressor import BLSRegressor
from broadlearn.classifiers._intuitionistic_scoring import IntuitionisticScoring
from broadlearn.classifiers._rows import FitTask
from broadlearn.classifiers._scored_classifier import ScoredClassifier

Searchable = BLSRegressor | ScoredClassifier

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Fold:
    """Training and test rows of a split.

    Attributes
    ----------
    task : FitTask or None
        Training data; None where the training rows cannot be fitted at all.
    X_test, y_test : ndarray
    test_weight : ndarray or None
    classes : ndarray or None
        None for regression.
    intercept : ndarray of shape (n_targets,)
        Added to predictions; zero for classification.
    scores : list of ndarray or None
        Scores of the training rows for each kernel width; None where all rows count alike.
    widths : list of float
        Kernel widths that were used; empty for models without.
    errors : list of str
        For each kernel width, why it cannot be fitted, or "".
    """

    task: FitTask | None
    X_test: NDArray[np.floating]
    y_test: NDArray[Any]
    test_weight: Array | None
    classes: NDArray[Any] | None
    intercept: Array
    scores: list[Array | None]
    widths: list[float]
    errors: list[str]

    @property
    def valid(self) -> list[int]:
        """Positions of the kernel widths that can be fitted."""
        return [k for k, error in enumerate(self.errors) if not error]


def prepare_fold(
    estimator: Searchable,
    X: NDArray[np.floating],
    y: NDArray[Any],
    weight: Array | None,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    widths: Sequence[Any],
) -> Fold:
    """Encode, standardise and score the training rows of a split as `fit` would.

    Parameters
    ----------
    estimator : BroadModel
        A clone, which is changed.
    X, y, weight : ndarray
        All rows.
    train, test : ndarray of int
    widths : sequence
        Kernel widths; one entry, of any value, for models without.
    """
    classifier = isinstance(estimator, ScoredClassifier)
    estimator.n_features_in_ = X.shape[1]
    fold_weight = None if weight is None else weight[train]
    test_weight = None if weight is None else weight[test]
    try:
        if fold_weight is not None and not fold_weight.any():
            raise ValueError("sample_weight is zero for every training row of this fold.")
        task = estimator._prepare(X[train], y[train], fold_weight)
    except ValueError as error:
        failed = [str(error)] * len(widths)
        nothing: list[Array | None] = [None] * len(widths)
        return Fold(None, X[test], y[test], test_weight, None, np.zeros(1), nothing, [], failed)
    used, found = _score_widths(estimator, X[train], y[train], fold_weight, task, widths)
    scores, errors = [score for score, _ in found], [error for _, error in found]
    intercept = np.zeros(task.T.shape[1])
    if not classifier:
        intercept = np.asarray(estimator.intercept_, dtype=np.float64)
    classes = estimator.classes_ if isinstance(estimator, ScoredClassifier) else None
    return Fold(task, X[test], y[test], test_weight, classes, intercept, scores, used, errors)


def _score_widths(
    estimator: Searchable,
    X: NDArray[np.floating],
    y: NDArray[Any],
    weight: Array | None,
    task: FitTask,
    widths: Sequence[Any],
) -> tuple[list[float], list[tuple[Array | None, str]]]:
    """Widths used, and for each the scores of the kept training rows or why there are none."""
    if not isinstance(estimator, ScoredClassifier):
        return [], [(None, "")]
    codes = np.searchsorted(estimator.classes_, y)
    if not isinstance(estimator, IntuitionisticScoring):
        trust = estimator._score_rows(X, codes, weight, task.standardization)
        return [], [_checked(estimator, trust.score, task)]
    used, results = [], []
    for trust, width, radius in estimator._score_widths(
        X, codes, weight, task.standardization, widths
    ):
        estimator.kernel_width_, estimator.neighborhood_radius_ = width, radius
        used.append(width)
        results.append(_checked(estimator, trust.score, task))
    return used, results


def _checked(
    estimator: ScoredClassifier, score: Array | None, task: FitTask
) -> tuple[Array | None, str]:
    if score is None:
        return None, ""
    kept = score[task.keep]
    try:
        estimator._check_scores(kept, task)
    except ValueError as error:
        return None, str(error)
    return kept, ""


def family_of(estimator: BroadModel, fold: Fold, seed: int) -> MapFamily:
    """Maps of all sizes on the training rows of a fold."""
    assert fold.task is not None
    return estimator._map_family(fold.task, seed)
