"""Models of a study, ours and others', with the settings to search."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_regressor
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

from broadlearn.models import BLSClassifier
from broadlearn.registry import REGISTRY, same_name
from broadlearn.search import PathSearchCV
from broadlearn.study.metrics import DEFAULT_METRIC, check_metric
from broadlearn.study.released import (
    COLUMNS,
    DRAWN_ONCE,
    MAJORITY,
    PRINTED_F_BLS,
    RELEASED,
    RELEASED_GRIDS,
)
from broadlearn.utils import Array

GRIDS = ("paper", "reduced", "equal")


@dataclass(frozen=True)
class ModelSpec:
    """A model of the study.

    `grids` has the settings to try by the name of the grid: "paper" as published, "reduced" for a
    quick study. A model without any is fitted as it stands. `published` is the model as the
    published study ran it, where that is known and differs.
    """

    name: str
    estimator: BaseEstimator
    grids: Mapping[str, Mapping[str, Sequence[Any]] | str] = field(default_factory=dict)
    published: ModelSpec | None = None

    def as_published(self) -> ModelSpec:
        """Return the model as the published study ran it."""
        return self.published or self

    def seeded(self, random_state: int) -> Any:
        """Return an unfitted copy with all seeds set."""
        estimator = clone(self.estimator)
        seeds = [name for name in estimator.get_params() if name.split("__")[-1] == "random_state"]
        return estimator.set_params(**dict.fromkeys(seeds, random_state))

    def search(
        self,
        grid: str,
        cv: Any,
        random_state: int,
        *,
        refit: bool,
        fresh_draws: bool = False,
        scoring: str = DEFAULT_METRIC,
    ) -> Any:
        """Return the search over a grid: a `PathSearchCV` where possible, else a `GridSearchCV`.

        A model without a grid is returned itself if it is to be refitted.
        """
        estimator, values = self.seeded(random_state), self.grids.get(grid, {})
        if refit and not values:
            return estimator
        named = None if scoring == DEFAULT_METRIC else check_metric(scoring, "scoring").scoring
        if any(type(estimator) is e.estimator for e in REGISTRY.values() if e.path_search):
            drawn = hasattr(estimator, "feature_map") and self.name not in DRAWN_ONCE
            draws = "fresh" if fresh_draws and drawn else "nested"
            return PathSearchCV(estimator, values, cv=cv, refit=refit, draws=draws, scoring=named)
        # A setting that some fold is too small for, such as 25 neighbours, is never the best.
        return GridSearchCV(
            estimator, values, cv=cv, refit=refit, scoring=named, error_score=np.nan
        )

    def identity(self, grid: str) -> str:
        """Return a short hash of class, parameters (without seeds) and grid."""
        text = json.dumps(_plain((self.estimator, self.grids.get(grid, {}))), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def own_source(self) -> bytes:
        """Return the source files of classes that no installed package has; empty for others."""
        steps = [value for value in self.estimator.get_params().values() if hasattr(value, "fit")]
        modules = dict.fromkeys(type(step).__module__ for step in (self.estimator, *steps))
        # A notebook has no file.
        files = [
            getattr(sys.modules.get(module), "__file__", None) or ""
            for module in modules
            if not module.startswith("broadlearn.")
        ]
        own = [file for file in files if file and "site-packages" not in file]
        return b"".join(Path(file).read_bytes() for file in own)


def _plain(value: Any) -> Any:
    """Return a parameter as values for JSON that are the same in every process."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if hasattr(value, "get_params") and not isinstance(value, type):
        parameters = value.get_params(deep=False)
        parameters.pop("random_state", None)
        return [type(value).__qualname__, _plain(parameters)]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    # The text of a function or other object has its address in memory.
    return getattr(value, "__qualname__", type(value).__qualname__)


def _with_grid(name: str, estimator: BaseEstimator, grid: Any) -> ModelSpec:
    """Return a model with the same settings for all grids."""
    return ModelSpec(name, estimator, dict.fromkeys(GRIDS, grid))


def _scaled(estimator: BaseEstimator) -> BaseEstimator:
    return make_pipeline(StandardScaler(), estimator)


def _by_columns(X: Array) -> Array:
    """Divide standardised columns by the root of their number: distances are then about 1 to 2."""
    return X / X.shape[1] ** 0.5


def _published(name: str, grids: Any) -> ModelSpec | None:
    """Return a model as the published study ran it, if that is known."""
    own = RELEASED_GRIDS.get(name)
    grids = grids if own is None else dict.fromkeys(GRIDS, own)
    return ModelSpec(name, RELEASED[name], grids) if name in RELEASED else None


KNOWN = {
    e.name: ModelSpec(e.name, e.study, e.grids, _published(e.name, e.grids))
    for e in REGISTRY.values()
    if e.published
}
PUBLISHED_MODELS = tuple(KNOWN)
# Those of the protocol "paper", each printed column beside what comes near to it.
PAPER_MODELS = tuple(COLUMNS)
# Not in the published comparison: our ensemble, well-known models of scikit-learn with the settings
# that are usually tried for them, and the majority class.
KNOWN |= {
    entry.name: ModelSpec(entry.name, entry.study or entry.make(), entry.grids)
    for entry in REGISTRY.values()
    if not entry.published and issubclass(entry.estimator, ClassifierMixin)
}
OTHERS: dict[str, tuple[BaseEstimator, dict[str, list[Any]]]] = {
    "SVC": (
        _scaled(SVC()),
        {"svc__C": [0.1, 1.0, 10.0, 100.0], "svc__gamma": ["scale", 0.001, 0.01, 0.1, 1.0]},
    ),
    "RandomForest": (RandomForestClassifier(), {"min_samples_leaf": [1, 3, 10]}),
    "ExtraTrees": (ExtraTreesClassifier(), {"min_samples_leaf": [1, 3]}),
    "HistGradientBoosting": (
        HistGradientBoostingClassifier(),
        {"learning_rate": [0.03, 0.1], "max_leaf_nodes": [7, 31]},
    ),
    "LogisticRegression": (
        _scaled(LogisticRegression(max_iter=1000)),
        {"logisticregression__C": [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0]},
    ),
    "MLP": (_scaled(MLPClassifier()), {"mlpclassifier__alpha": [1e-4, 1e-2, 1.0]}),
    "k-NN": (
        _scaled(KNeighborsClassifier()),
        {
            "kneighborsclassifier__n_neighbors": [1, 3, 5, 9, 15, 25],
            "kneighborsclassifier__weights": ["uniform", "distance"],
        },
    ),
    # Its widths are chosen by marginal likelihood, at a cost that is cubic in the rows.
    "GaussianProcess": (
        make_pipeline(
            StandardScaler(),
            FunctionTransformer(_by_columns),
            GaussianProcessClassifier(1.0 * RBF(1.0)),
        ),
        {},
    ),
    MAJORITY: (DummyClassifier(strategy="most_frequent"), {}),
}
KNOWN |= {name: _with_grid(name, *parts) for name, parts in OTHERS.items()}
KNOWN[PRINTED_F_BLS] = ModelSpec(PRINTED_F_BLS, BLSClassifier.published(), KNOWN["BLS"].grids)
# Packages that only a study needs, imported when they are asked for: module, class, parameters and
# grid. LightGBM has small trees, as most data sets have a few hundred rows. CatBoost with 300 trees
# of depth 4 takes less time than with 200 of the default's 6; in cross-validation on wine, pima,
# libras and oocytes_merluccius_nucleus_4d it was better on three, worse on the last.
BOOSTERS: dict[str, tuple[str, str, dict[str, Any], dict[str, list[Any]]]] = {
    "LightGBM": (
        "lightgbm",
        "LGBMClassifier",
        {"n_estimators": 100, "min_child_samples": 5, "n_jobs": 1, "verbose": -1},
        {"num_leaves": [4, 15], "learning_rate": [0.03, 0.1]},
    ),
    "CatBoost": (
        "catboost",
        "CatBoostClassifier",
        {
            "iterations": 300,
            "depth": 4,
            "thread_count": 1,
            "allow_writing_files": False,
            "verbose": False,
        },
        {},
    ),
}


def find_model(model: Any) -> ModelSpec:
    """Find a model of the study by name, or wrap one of your own.

    Parameters
    ----------
    model : str, classifier, GridSearchCV or ModelSpec
        A name in upper or lower case: one of the seven, "Ensemble", "SVC", "RandomForest",
        "ExtraTrees", "HistGradientBoosting", "LogisticRegression", "MLP", "k-NN",
        "GaussianProcess", "LightGBM" and "CatBoost" where these packages are installed, "majority"
        or "F-BLS as printed (no scores)". For your own, a classifier, or ``module:object`` with a
        classifier or a class that needs no arguments; the working folder is searched first. The
        study searches the grid of a ``GridSearchCV``.

    Returns
    -------
    ModelSpec

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from broadlearn.study import find_model
    >>> find_model("ELM").estimator
    ELMClassifier()
    >>> find_model("sklearn.naive_bayes:GaussianNB").name, find_model(GaussianNB()).name
    ('GaussianNB', 'GaussianNB')
    """
    if isinstance(model, ModelSpec):
        return model
    if not isinstance(model, str):
        return _own_model(model)
    name = same_name(model, [*KNOWN, *BOOSTERS]) or model
    if name in KNOWN:
        return KNOWN[name]
    if name in BOOSTERS:
        module, kind, parameters, grid = BOOSTERS[name]
        try:
            make = getattr(importlib.import_module(module), kind)
        except ImportError as error:
            raise ValueError(
                f"model {name!r} needs a package that is not installed: pip install {module}."
            ) from error
        return _with_grid(name, make(**parameters, random_state=0), grid)
    module, _, attribute = name.partition(":")
    if not attribute:
        raise ValueError(
            f"model must be one of {', '.join([*KNOWN, *BOOSTERS])}, or module:object for one of "
            f"your own; got {name!r}."
        )
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        own = getattr(importlib.import_module(module), attribute)
        own = own() if isinstance(own, type) else own
    except Exception as error:
        raise ValueError(
            f"model {name!r} cannot be imported: {type(error).__name__}: {error}."
        ) from error
    return _own_model(own, attribute)


def _own_model(model: Any, name: str = "") -> ModelSpec:
    searched = isinstance(model, GridSearchCV)
    estimator = model.estimator if searched else model
    missing = [name for name in ("fit", "predict", "get_params") if not hasattr(estimator, name)]
    if missing or isinstance(estimator, type) or is_regressor(estimator):
        raise ValueError(f"model must be a scikit-learn classifier, got {model!r}.")
    return _with_grid(
        name or type(estimator).__name__, estimator, model.param_grid if searched else {}
    )
