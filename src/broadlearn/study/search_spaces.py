"""The models of a study, ours and scikit-learn's, and the settings that are tried for each."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from broadlearn.ensemble import BroadEnsembleClassifier
from broadlearn.registry import entries_that
from broadlearn.search import PathSearchCV
from broadlearn.study.plan import GRIDS


@dataclass(frozen=True)
class ModelSpec:
    """A model of the study.

    Attributes
    ----------
    name : str
    estimator : estimator
    grids : dict of str to (dict or "paper")
        Settings to try, by the name of the grid: "paper" as published, "reduced" for a quick study.
        A model without any is fitted as it stands.
    cost : float
        Rough time of its search relative to that of BLS, for the time left.
    """

    name: str
    estimator: BaseEstimator
    grids: Mapping[str, Mapping[str, Sequence[Any]] | str] = field(default_factory=dict)
    cost: float = 1.0

    def search(self, grid: str, cv: Any, random_state: int, *, refit: bool) -> Any:
        """The search over a grid: a path where the model has one, else setting by setting.

        Parameters
        ----------
        grid : {"paper", "reduced"}
        cv : splitter or iterable of (train, test)
        random_state : int
        refit : bool

        Returns
        -------
        estimator
            Not fitted; with `refit` and nothing to choose between, the model itself.
        """
        estimator = clone(self.estimator)
        seeds = [name for name in estimator.get_params() if name.split("__")[-1] == "random_state"]
        estimator.set_params(**dict.fromkeys(seeds, random_state))
        values = self.grids.get(grid, {})
        if any(type(estimator) is entry.estimator for entry in entries_that(path_search=True)):
            return PathSearchCV(estimator, values, cv=cv, refit=refit)
        if refit and not values:
            chooses = isinstance(estimator, BroadEnsembleClassifier)
            return estimator.set_params(cv=cv) if chooses else estimator
        return GridSearchCV(estimator, values, cv=cv, refit=refit, error_score="raise")


def _with_grid(name: str, estimator: BaseEstimator, grid: Any, cost: float = 1.0) -> ModelSpec:
    """A model with the same settings whatever the grid."""
    return ModelSpec(name, estimator, dict.fromkeys(GRIDS, grid), cost)


def _scaled(estimator: BaseEstimator) -> BaseEstimator:
    return make_pipeline(StandardScaler(), estimator)


KNOWN = {e.name: ModelSpec(e.name, e.study, e.grids, e.cost) for e in entries_that(study=True)}
PUBLISHED_MODELS = tuple(KNOWN)
# Not in the published comparison: the other classifiers of the registry, such as the ensemble;
# well-known models of scikit-learn with the settings that are usually tried for them; and one that
# predicts the most frequent class, which checks the protocol.
KNOWN |= {
    entry.name: ModelSpec(entry.name, entry.estimator(), entry.grids, entry.cost)
    for entry in entries_that(study=False)
    if issubclass(entry.estimator, ClassifierMixin)
}
KNOWN |= {
    spec.name: spec
    for spec in (
        _with_grid(
            "SVC",
            _scaled(SVC()),
            {"svc__C": [0.1, 1.0, 10.0, 100.0], "svc__gamma": ["scale", 0.001, 0.01, 0.1, 1.0]},
            2.0,
        ),
        _with_grid("RandomForest", RandomForestClassifier(), {"min_samples_leaf": [1, 3, 10]}, 3.0),
        _with_grid(
            "HistGradientBoosting",
            HistGradientBoostingClassifier(),
            {"learning_rate": [0.03, 0.1], "max_leaf_nodes": [7, 31]},
            3.0,
        ),
        _with_grid(
            "LogisticRegression",
            _scaled(LogisticRegression(max_iter=1000)),
            {"logisticregression__C": [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0]},
            0.1,
        ),
        _with_grid(
            "MLP", _scaled(MLPClassifier()), {"mlpclassifier__alpha": [1e-4, 1e-2, 1.0]}, 5.0
        ),
        _with_grid(
            "k-NN",
            _scaled(KNeighborsClassifier()),
            {
                "kneighborsclassifier__n_neighbors": [1, 3, 5, 9, 15, 25],
                "kneighborsclassifier__weights": ["uniform", "distance"],
            },
            0.5,
        ),
        ModelSpec("majority", DummyClassifier(strategy="most_frequent"), cost=0.01),
    )
}


def find_model(name: str) -> ModelSpec:
    """Find a model of the study by name, or any other by its import path.

    Parameters
    ----------
    name : str
        One of the seven, "Ensemble", one of scikit-learn's ("SVC", "RandomForest",
        "HistGradientBoosting", "LogisticRegression", "MLP", "k-NN"), "majority", or
        ``module:object`` with an estimator, a class of estimators that needs no arguments, or a
        ``GridSearchCV`` whose grid is then searched.

    Returns
    -------
    ModelSpec

    Examples
    --------
    >>> from broadlearn.study import find_model
    >>> find_model("ELM").estimator
    ELMClassifier()
    >>> find_model("sklearn.naive_bayes:GaussianNB").name
    'GaussianNB'
    """
    if name in KNOWN:
        return KNOWN[name]
    module_name, _, attribute = name.partition(":")
    if not attribute:
        raise ValueError(
            f"model must be one of {', '.join(KNOWN)}, or module:object for one of your own; got "
            f"{name!r}."
        )
    try:
        found = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"model {name!r} cannot be imported: {error}.") from error
    estimator = found() if isinstance(found, type) else found
    if isinstance(estimator, GridSearchCV):
        return _with_grid(attribute, estimator.estimator, estimator.param_grid)
    if not hasattr(estimator, "fit") or not hasattr(estimator, "get_params"):
        raise ValueError(f"model {name!r} must be a scikit-learn estimator, got {estimator!r}.")
    return ModelSpec(attribute, estimator)
