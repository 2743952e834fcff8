"""The models of a study, ours and others', and the settings that are tried for each."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
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

from broadlearn.registry import entries_that, same_name
from broadlearn.search import PathSearchCV
from broadlearn.study.metrics import DEFAULT_METRIC, check_metric, inner_scorer
from broadlearn.study.own_modules import import_own
from broadlearn.study.plan import GRIDS
from broadlearn.study.released import DRAWN_ONCE, RELEASED, RELEASED_GRIDS
from broadlearn.utils import Array


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
    released : estimator or None
        As the published study ran it, where that is known and another than `estimator`.
    released_grid : dict or None
        Settings to try for it, where they are others.
    max_rows : int or None
        Where there are more, the model is not affordable, and a study that has it refuses them.
    """

    name: str
    estimator: BaseEstimator
    grids: Mapping[str, Mapping[str, Sequence[Any]] | str] = field(default_factory=dict)
    cost: float = 1.0
    released: BaseEstimator | None = None
    released_grid: Mapping[str, Sequence[Any]] | None = None
    max_rows: int | None = None

    def parts(self, grid: str, *, released: bool = False) -> tuple[BaseEstimator, Any]:
        """The model as it stands, or as it was released, and the settings that are tried for it."""
        estimator = self.released if released and self.released is not None else self.estimator
        values = (self.released_grid if released else None) or self.grids.get(grid, {})
        return estimator, values

    def seeded(self, random_state: int, *, released: bool = False) -> Any:
        """The same model, not fitted, with all of its seeds set."""
        estimator = clone(self.parts("", released=released)[0])
        seeds = [name for name in estimator.get_params() if name.split("__")[-1] == "random_state"]
        return estimator.set_params(**dict.fromkeys(seeds, random_state))

    def search(
        self,
        grid: str,
        cv: Any,
        random_state: int,
        *,
        refit: bool,
        released: bool = False,
        fresh_draws: bool = False,
        scoring: str = DEFAULT_METRIC,
    ) -> Any:
        """The search over a grid: a path where the model has one, else setting by setting.

        Parameters
        ----------
        grid : {"paper", "reduced"}
        cv : splitter or iterable of (train, test)
        random_state : int
        refit : bool
        released : bool, default=False
            Search the model as it was released.
        fresh_draws : bool, default=False
            Draw every map anew on every fold, where the model draws one and that is affordable.
        scoring : str, default="accuracy"
            The metric by which settings are chosen, see `broadlearn.study.metrics`.

        Returns
        -------
        estimator
            Not fitted; with `refit` and nothing to choose between, the model itself.
        """
        estimator = self.seeded(random_state, released=released)
        values = self.parts(grid, released=released)[1]
        named = None if scoring == DEFAULT_METRIC else check_metric(scoring, "scoring").scoring
        if any(type(estimator) is entry.estimator for entry in entries_that(path_search=True)):
            drawn = hasattr(estimator, "feature_map") and self.name not in DRAWN_ONCE
            draws = "fresh" if fresh_draws and drawn else "nested"
            return PathSearchCV(estimator, values, cv=cv, refit=refit, draws=draws, scoring=named)
        if refit and not values:
            return estimator
        # A setting that some fold is too small for, such as 25 neighbours, is never the best.
        return GridSearchCV(
            estimator,
            values,
            cv=cv,
            refit=refit,
            error_score=np.nan,
            scoring=inner_scorer(scoring) if named else None,
        )


def _with_grid(name: str, estimator: BaseEstimator, grid: Any, cost: float = 1.0) -> ModelSpec:
    """A model with the same settings whatever the grid."""
    return ModelSpec(name, estimator, dict.fromkeys(GRIDS, grid), cost)


def _scaled(estimator: BaseEstimator) -> BaseEstimator:
    return make_pipeline(StandardScaler(), estimator)


def _by_columns(X: Array) -> Array:
    """Standardised columns over the root of their number: distances then are about 1 to 2."""
    return X / X.shape[1] ** 0.5


def _lightgbm() -> ModelSpec:
    # Small trees, as most data sets have a few hundred rows.
    model = importlib.import_module("lightgbm").LGBMClassifier(
        n_estimators=100, min_child_samples=5, random_state=0, n_jobs=1, verbose=-1
    )
    grid = {"num_leaves": [4, 15], "learning_rate": [0.03, 0.1]}
    return _with_grid("LightGBM", model, grid, 2.0)


def _catboost() -> ModelSpec:
    # 300 trees of depth 4 take less time than 200 of the default's 6; in cross-validation on wine,
    # pima, libras and oocytes_merluccius_nucleus_4d they were better on three, worse on the last.
    model = importlib.import_module("catboost").CatBoostClassifier(
        iterations=300,
        depth=4,
        random_state=0,
        thread_count=1,
        allow_writing_files=False,
        verbose=False,
    )
    return ModelSpec("CatBoost", model, cost=2.0)


KNOWN = {
    e.name: ModelSpec(
        e.name,
        e.study,
        e.grids,
        e.cost,
        released=RELEASED.get(e.name),
        released_grid=RELEASED_GRIDS.get(e.name),
    )
    for e in entries_that(study=True)
}
PUBLISHED_MODELS = tuple(KNOWN)
# Not in the published comparison: the other classifiers of the registry, such as the ensemble, and
# the ensemble that it followed; well-known models of scikit-learn with the settings that are
# usually tried for them; and one that predicts the most frequent class, which checks the protocol.
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
        _with_grid("ExtraTrees", ExtraTreesClassifier(), {"min_samples_leaf": [1, 3]}, 2.0),
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
        # Its widths are chosen by marginal likelihood, at a cost that is cubic in the rows.
        ModelSpec(
            "GaussianProcess",
            make_pipeline(
                StandardScaler(),
                FunctionTransformer(_by_columns),
                GaussianProcessClassifier(1.0 * RBF(1.0)),
            ),
            cost=2.0,
            max_rows=1500,
        ),
        ModelSpec("majority", DummyClassifier(strategy="most_frequent"), cost=0.01),
    )
}
# Packages that only a study needs, imported when they are asked for.
BOOSTERS = {"LightGBM": _lightgbm, "CatBoost": _catboost}


def find_model(name: str) -> ModelSpec:
    """Find a model of the study by name, in upper or lower case, or any other by its import path.

    Parameters
    ----------
    name : str
        One of the seven, "Ensemble", one of scikit-learn's ("SVC",
        "RandomForest", "ExtraTrees", "HistGradientBoosting", "LogisticRegression", "MLP", "k-NN",
        "GaussianProcess"), "LightGBM" and "CatBoost" where these packages are installed,
        "majority", or ``module:object`` with a classifier, a class of classifiers that needs no
        arguments, or a ``GridSearchCV`` whose grid is then searched. The module is looked for in
        the working folder first, as ``python -m`` does.

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
    name = same_name(name, [*KNOWN, *BOOSTERS]) or name
    if name in KNOWN:
        return KNOWN[name]
    if name in BOOSTERS:
        try:
            return BOOSTERS[name]()
        except ImportError as error:
            raise ValueError(
                f"model {name!r} needs a package that is not installed: pip install {name.lower()}."
            ) from error
    module_name, _, attribute = name.partition(":")
    if not attribute:
        raise ValueError(
            f"model must be one of {', '.join([*KNOWN, *BOOSTERS])}, or module:object for one of "
            f"your own; got {name!r}."
        )
    try:
        found = getattr(import_own(module_name), attribute)
    except Exception as error:
        # Whatever an own module raises while it is imported.
        raise ValueError(
            f"model {name!r} cannot be imported: {type(error).__name__}: {error}."
        ) from error
    if isinstance(found, type):
        try:
            found = found()
        except TypeError as error:
            raise ValueError(
                f"model {name!r} must be a class that needs no arguments, or an object: {error}."
            ) from error
    estimator = found.estimator if isinstance(found, GridSearchCV) else found
    if not _is_classifier(estimator):
        raise ValueError(f"model {name!r} must be a scikit-learn classifier, got {found!r}.")
    if isinstance(found, GridSearchCV):
        return _with_grid(attribute, estimator, found.param_grid)
    return ModelSpec(attribute, estimator)


def _is_classifier(estimator: Any) -> bool:
    if not all(hasattr(estimator, method) for method in ("fit", "predict", "get_params")):
        return False
    try:
        return is_classifier(estimator)
    except AttributeError:
        # One that is not derived from scikit-learn's classes need not say what it is.
        return True
