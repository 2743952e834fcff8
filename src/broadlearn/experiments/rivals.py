"""Well-known classifiers of scikit-learn with the settings that are usually tried for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

Grid = Mapping[str, Sequence[Any]]

# Estimator, settings, and rough time of a search relative to that of the BLS.
RIVALS: dict[str, tuple[BaseEstimator, Grid, float]] = {
    "SVC": (
        make_pipeline(StandardScaler(), SVC()),
        {
            "svc__C": [0.1, 1.0, 10.0, 100.0],
            "svc__gamma": ["scale", 0.001, 0.01, 0.1, 1.0],
        },
        2.0,
    ),
    "RandomForest": (
        RandomForestClassifier(),
        {"min_samples_leaf": [1, 3, 10]},
        3.0,
    ),
    "HistGradientBoosting": (
        HistGradientBoostingClassifier(),
        {"learning_rate": [0.03, 0.1], "max_leaf_nodes": [7, 31]},
        3.0,
    ),
    "LogisticRegression": (
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        {"logisticregression__C": [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0]},
        0.1,
    ),
    "MLP": (
        make_pipeline(StandardScaler(), MLPClassifier()),
        {"mlpclassifier__alpha": [1e-4, 1e-2, 1.0]},
        5.0,
    ),
    "k-NN": (
        make_pipeline(StandardScaler(), KNeighborsClassifier()),
        {
            "kneighborsclassifier__n_neighbors": [1, 3, 5, 9, 15, 25],
            "kneighborsclassifier__weights": ["uniform", "distance"],
        },
        0.5,
    ),
}


def with_seed(estimator: BaseEstimator, random_state: int) -> BaseEstimator:
    """Set the seed of an estimator and of the steps of a pipeline, where they have one.

    Parameters
    ----------
    estimator : estimator
    random_state : int

    Returns
    -------
    estimator
        The same object.

    Examples
    --------
    >>> from broadlearn.experiments.rivals import RIVALS, with_seed
    >>> with_seed(RIVALS["MLP"][0], 3).get_params()["mlpclassifier__random_state"]
    3
    """
    named = [name for name in estimator.get_params() if name.split("__")[-1] == "random_state"]
    return estimator.set_params(**dict.fromkeys(named, random_state))
