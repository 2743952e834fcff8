"""Grids of settings: what may be searched, and in which order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import validate_parameter_constraints

from broadlearn.classifiers._base import BroadModel
from broadlearn.classifiers._intuitionistic_fuzzy_bls import IntuitionisticFuzzyBLSClassifier
from broadlearn.classifiers._twin_svc import IntuitionisticFuzzyTwinSVC

# What a parameter is on the path; every other one is looped over outside of it.
ROLES = {
    "n_feature_groups": "groups",
    "n_feature_nodes": "nodes",
    "n_fuzzy_groups": "groups",
    "n_fuzzy_rules": "nodes",
    "n_enhancement_nodes": "size",
    "n_hidden_nodes": "size",
    "C": "C",
    "kernel_width": "width",
}

PAPER: dict[str, list[Any]] = {
    "C": [10.0**k for k in range(-6, 7, 2)],
    "n_feature_groups": list(range(1, 22, 2)),
    "n_feature_nodes": list(range(5, 51, 5)),
    "n_fuzzy_groups": list(range(1, 22, 2)),
    "n_fuzzy_rules": list(range(5, 51, 5)),
    "n_enhancement_nodes": list(range(5, 106, 10)),
    "n_hidden_nodes": list(range(5, 206, 10)),
    "C1": [10.0**k for k in range(-6, 7, 2)],
    "C2": [10.0**k for k in range(-6, 7, 2)],
    "kernel_width": [2.0**k for k in range(-5, 6)],
}
# Few values, chosen so that the best of them is seldom far from the best of the published grid.
DEFAULT: dict[str, list[Any]] = {
    "C": [10.0**k for k in range(-4, 7)],
    "n_fuzzy_groups": [5, 11],
    "n_fuzzy_rules": [10, 20],
    "n_enhancement_nodes": [50, 100, 200, 400, 936],
    "n_hidden_nodes": [50, 100, 200, 400, 1000],
    "C1": [1e-2, 1.0, 1e2],
    "C2": [1e-2, 1.0, 1e2],
    "kernel_width": ["auto", 1.0, 4.0, 16.0],
}
# Kinds of scores beside each other on one layer of slow and fast nodes, for an ensemble; ranges by
# nested results on the smaller of the 28 data sets (docs/results/honest.md).
_ROBUST: dict[str, list[Any]] = {
    "C": [10.0 ** (k / 4) for k in range(-12, 17)],
    "activation": ["sine"],
    "enhancement_bias": [2.0],
    "enhancement_inputs": [4],
    "enhancement_scale": [(0.25, 0.6, 1.5)],
    "feature_scaling": [None],
    "n_enhancement_nodes": [1000],
    "standardize": ["robust"],
}
ROBUST: list[dict[str, list[Any]]] = [
    {**_ROBUST, "sample_scores": ["uniform", "held_out"]},
    {**_ROBUST, "sample_scores": ["neighbors"], "n_neighbors": [10, 20]},
    {**_ROBUST, "sample_scores": ["intuitionistic"], "kernel_width": ["auto"]},
]


@dataclass(frozen=True)
class SubGrid:
    """All combinations of some values, in the order of scikit-learn's ``ParameterGrid``.

    Attributes
    ----------
    names : tuple of str
        Sorted; the last one varies fastest.
    values : tuple of tuples
        Values of each name.
    """

    names: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values of each name."""
        return tuple(len(values) for values in self.values)

    @property
    def size(self) -> int:
        """Number of settings."""
        return int(np.prod(self.shape, dtype=np.int64))

    def setting(self, index: int) -> dict[str, Any]:
        """The setting at a position."""
        position = np.unravel_index(index, self.shape)
        return {
            name: values[i]
            for name, values, i in zip(self.names, self.values, position, strict=True)
        }

    def outer(
        self, path: Collection[str] = frozenset(ROLES)
    ) -> list[tuple[tuple[int, ...], dict[str, Any]]]:
        """Combinations of the parameters that a path does not serve, with their positions."""
        names = [name for name in self.names if name not in path]
        values = [self.values[self.names.index(name)] for name in names]
        return [
            (position, {name: v[i] for name, v, i in zip(names, values, position, strict=True)})
            for position in product(*(range(len(v)) for v in values))
        ]

    def axis(self, role: str) -> tuple[str, tuple[Any, ...]] | None:
        """Name and values of the parameter with a role on the path, if it is in the grid."""
        for name, values in zip(self.names, self.values, strict=True):
            if ROLES.get(name) == role:
                return name, values
        return None


def resolve_grids(estimator: BaseEstimator, param_grid: Any) -> list[SubGrid]:
    """Check a grid before any work starts.

    Parameters
    ----------
    estimator : estimator
    param_grid : dict, list of dicts, "paper", "robust" or None
        None for the default grid, "paper" for the published one, "robust" for one with several
        kinds of scores.

    Returns
    -------
    list of SubGrid
    """
    if not isinstance(estimator, BroadModel | IntuitionisticFuzzyTwinSVC):
        raise TypeError(
            f"PathSearchCV needs a classifier or regressor of broadlearn, got "
            f"{type(estimator).__name__}; use GridSearchCV for others."
        )
    if param_grid is None:
        param_grid = named_grid(estimator, DEFAULT)
    elif param_grid == "paper":
        param_grid = named_grid(estimator, PAPER)
    elif param_grid == "robust":
        if not isinstance(estimator, IntuitionisticFuzzyBLSClassifier):
            raise ValueError(
                'param_grid="robust" searches kinds of scores and needs an '
                f"IntuitionisticFuzzyBLSClassifier, not a {type(estimator).__name__}."
            )
        param_grid = ROBUST
    if isinstance(param_grid, Mapping):
        param_grid = [param_grid]
    if isinstance(param_grid, str) or not isinstance(param_grid, Sequence) or not param_grid:
        raise ValueError(
            'param_grid must be a dict, a list of dicts, None, "paper" or "robust", got '
            f"{param_grid!r}."
        )
    return [_check_grid(estimator, grid) for grid in param_grid]


def named_grid(estimator: BaseEstimator, values: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """The part of a table of values that an estimator has parameters for."""
    own = estimator.get_params()
    return {name: listed for name, listed in values.items() if name in own}


def _check_grid(estimator: BaseEstimator, grid: Any) -> SubGrid:
    if not isinstance(grid, Mapping):
        raise ValueError(f"param_grid must hold dicts of parameter names and values, got {grid!r}.")
    own = estimator.get_params()
    checked = {}
    for name, values in grid.items():
        if name not in own:
            raise ValueError(
                f"param_grid names {name!r}, which {type(estimator).__name__} does not have; it "
                f"has {', '.join(sorted(own))}."
            )
        if isinstance(values, (str, bytes, Mapping)) or not isinstance(
            values, (Sequence, np.ndarray)
        ):
            raise ValueError(
                f"param_grid[{name!r}] must be a list of values to try, got {values!r}."
            )
        if getattr(values, "ndim", 1) > 1 or len(values) == 0:
            raise ValueError(
                f"param_grid[{name!r}] must be a list of one or more values, got {values!r}."
            )
        for value in values:
            validate_parameter_constraints(
                estimator._parameter_constraints, {name: value}, type(estimator).__name__
            )
        checked[name] = tuple(values)
    names = tuple(sorted(checked))
    return SubGrid(names, tuple(checked[name] for name in names))
