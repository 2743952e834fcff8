"""All models of the package and their abilities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sklearn.base import BaseEstimator

from broadlearn.baselines.cascade_bls import CascadeBLSClassifier
from broadlearn.baselines.elm import ELMClassifier
from broadlearn.baselines.graph_bls import GraphBLSClassifier
from broadlearn.baselines.hierarchical_elm import HierarchicalELMClassifier
from broadlearn.baselines.neuro_fuzzy_bls import NeuroFuzzyBLSClassifier
from broadlearn.baselines.rvfl import RVFLClassifier
from broadlearn.baselines.stacked_bls import StackedBLSClassifier
from broadlearn.baselines.twin_svc import IntuitionisticFuzzyTwinSVC
from broadlearn.ensemble import BroadEnsembleClassifier, BroadEnsembleRegressor
from broadlearn.models import (
    BLSClassifier,
    BLSRegressor,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
)


@dataclass(frozen=True)
class ModelEntry:
    """A model of the package.

    `grids` are the settings that the study tries: "paper" as published, "reduced" for a quick
    study, "equal" for one with the same number of settings for every model.
    """

    name: str  # in tables and on the command line
    estimator: type[BaseEstimator]  # needs no arguments
    path_search: bool = True  # whether `PathSearchCV` takes it
    streams: bool = False  # whether `partial_fit` and `broadlearn.out_of_core` do
    onnx: bool = True  # whether it can be exported
    study: BaseEstimator | None = None  # as it takes part in a study; None for `make()`
    published: bool = False  # whether it is one of the published comparison
    grids: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)  # other than the defaults

    def make(self, **parameters: Any) -> BaseEstimator:
        """Return the unfitted model, with further parameters."""
        return self.estimator(**{**self.settings, **parameters})


# In the published study enhancement nodes follow feature nodes, whose numbers are searched.
STUDY_NODES: dict[str, Any] = {
    "enhancement_scale": 1.5,
    "enhancement_bias": 1.0,
    "enhancement_inputs": None,
}
_C = [1e-4, 1e-2, 1.0, 1e2, 1e4]
_SIZES = [5, 25, 65, 105]
_BLS_GRID: dict[str, Any] = {
    "C": _C,
    "n_feature_groups": [1, 5, 11],
    "n_feature_nodes": [5, 20],
    "n_enhancement_nodes": _SIZES,
}
_FUZZY_GRID: dict[str, Any] = {
    "C": _C,
    "n_fuzzy_groups": [1, 5],
    "n_fuzzy_rules": [5, 20],
    "n_enhancement_nodes": _SIZES,
}
_ELM_GRID = {"C": _C, "n_hidden_nodes": [5, 25, 65, 105, 155, 205]}
_WIDTHS = {"kernel_width": [0.5, 2.0, 8.0, 32.0]}
_TWIN_GRID = {"C1": [1e-2, 1.0, 1e2], "C2": [1e-2, 1.0, 1e2], **_WIDTHS}
# Twelve settings for every model: four sizes, or two sizes and two values of its own parameter.
_FEW_C = {"C": [1e-2, 1.0, 1e2]}
_EQUAL_BLS = {**_FEW_C, "n_enhancement_nodes": [25, 65, 105, 205]}
_EQUAL_ELM = {**_FEW_C, "n_hidden_nodes": [25, 65, 105, 205]}
_TWIN = IntuitionisticFuzzyTwinSVC(kernel="rbf", n_basis_rows=60, regularization=1e-2)


def _published(
    name: str, study: BaseEstimator, reduced: Any, equal: Any = None, **others: Any
) -> ModelEntry:
    grids = {"paper": "paper", "reduced": reduced, "equal": equal or reduced}
    return ModelEntry(name, type(study), study=study, published=True, grids=grids, **others)


def _scored(name: str, sample_scores: str) -> ModelEntry:
    """Return a broad learning system with other sample scores."""
    study = BLSClassifier(**STUDY_NODES, sample_scores=sample_scores)
    return ModelEntry(
        name,
        BLSClassifier,
        study=study,
        grids=_grids(_EQUAL_BLS),
        settings={"sample_scores": sample_scores},
    )


def _cascade(name: str, cascade: str) -> ModelEntry:
    sizes = {"n_enhancement_nodes": [10, 25, 35, 70]}
    grids = _grids({**_FEW_C, **sizes})
    settings = {"cascade": cascade}
    return ModelEntry(name, CascadeBLSClassifier, onnx=False, grids=grids, settings=settings)


def _grids(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same settings for all grids."""
    return dict.fromkeys(("paper", "reduced", "equal"), values)


# Those of the published comparison come first, in its order.
REGISTRY: dict[str, ModelEntry] = {
    entry.name: entry
    for entry in (
        _published("BLS", BLSClassifier(**STUDY_NODES), _BLS_GRID, _EQUAL_BLS, streams=True),
        _published("ELM", ELMClassifier(), _ELM_GRID, _EQUAL_ELM),
        _published("NeuroFBLS", NeuroFuzzyBLSClassifier(), _FUZZY_GRID, onnx=False),
        _published("IF-TSVM", _TWIN, _TWIN_GRID, onnx=False),
        _published("H-ELM", HierarchicalELMClassifier(), _ELM_GRID),
        _published("F-BLS", FuzzyBLSClassifier(**STUDY_NODES), _BLS_GRID, _EQUAL_BLS, streams=True),
        _published(
            "IF-BLS",
            IntuitionisticFuzzyBLSClassifier(**STUDY_NODES),
            {**_BLS_GRID, **_WIDTHS},
            _EQUAL_BLS,
            streams=True,
        ),
        _scored("C-BLS", "correntropy"),
        _scored("Huber-BLS", "huber"),
        _scored("W-BLS", "residual_density"),
        _scored("Held-out BLS", "held_out"),
        _cascade("CFBLS", "features"),
        _cascade("CEBLS", "enhancements"),
        _cascade("CFEBLS", "both"),
        ModelEntry("RVFL", RVFLClassifier, grids=_grids(_EQUAL_ELM)),
        ModelEntry(
            "Graph BLS",
            GraphBLSClassifier,
            grids=_grids({**_FEW_C, "n_enhancement_nodes": [65, 205], "graph_penalty": [0.1, 1.0]}),
        ),
        ModelEntry(
            "Stacked BLS",
            StackedBLSClassifier,
            onnx=False,
            grids=_grids({**_FEW_C, "n_enhancement_nodes": [65, 205], "n_blocks": [2, 4]}),
        ),
        ModelEntry("BLS regressor", BLSRegressor, streams=True),
        ModelEntry("Ensemble", BroadEnsembleClassifier, path_search=False),
        ModelEntry("Ensemble regressor", BroadEnsembleRegressor, path_search=False),
    )
}


def same_name(name: str, names: Iterable[str]) -> str | None:
    """Return the name that is meant, or None; case, hyphens and spaces do not matter.

    Examples
    --------
    >>> from broadlearn.registry import same_name
    >>> same_name("knn", ["SVC", "k-NN"])
    'k-NN'
    """
    return next((known for known in names if _plain(known) == _plain(name)), None)


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()
