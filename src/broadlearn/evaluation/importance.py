"""Which columns a model relies on: how much worse it gets where one of them is shuffled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import t as student
from sklearn.base import is_classifier
from sklearn.inspection import permutation_importance

from broadlearn.evaluation.metrics import CONFIDENCE

N_REPEATS = 10


def column_importance(
    model: Any, X: Any, y: NDArray[Any], names: list[str], seed: int
) -> tuple[pd.DataFrame, str]:
    """How much worse predictions get without what each column says, the largest first.

    Each input column, before any preparation, is shuffled 10 times.

    Parameters
    ----------
    model : estimator
        Fitted.
    X : DataFrame or ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Labels that the model knows, or targets.
    names : list of str
        Names of the columns.
    seed : int

    Returns
    -------
    table : DataFrame
        One row for each column: ``importance``, the mean over the shuffles, and ``low`` and
        ``high``, the interval of 95 % of that mean. For a classifier also ``accuracy_lost``.
    unit : str
        What importances are, in words.
    """
    if not is_classifier(model):
        scoring, unit = {"importance": "r2"}, "loss of R²"
    elif hasattr(model, "predict_proba"):
        scoring = {"importance": "neg_log_loss", "accuracy_lost": "accuracy"}
        unit = "increase of the log-loss"
    else:
        scoring = {"importance": "balanced_accuracy", "accuracy_lost": "accuracy"}
        unit = "loss of balanced accuracy"
    found = permutation_importance(
        model, X, y, scoring=scoring, n_repeats=N_REPEATS, random_state=seed
    )
    lost = found["importance"].importances
    mean, error = lost.mean(axis=1), lost.std(axis=1, ddof=1) / np.sqrt(N_REPEATS)
    reach = student.ppf((1.0 + CONFIDENCE) / 2.0, N_REPEATS - 1) * error
    columns = {"importance": mean, "low": mean - reach, "high": mean + reach}
    if "accuracy_lost" in scoring:
        columns["accuracy_lost"] = found["accuracy_lost"].importances_mean
    table = pd.DataFrame(columns, index=names)
    return table.sort_values("importance", ascending=False, kind="stable"), unit
