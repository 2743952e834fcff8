"""Grids of candidates: what may be searched, and in which order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from broadlearn.utils.sklearn_compat import validate_parameter_constraints

ParamGrid = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]]

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
    **{name: [10.0**k for k in range(-6, 7, 2)] for name in ("C", "C1", "C2")},
    **{name: list(range(1, 22, 2)) for name in ("n_feature_groups", "n_fuzzy_groups")},
    **{name: list(range(5, 51, 5)) for name in ("n_feature_nodes", "n_fuzzy_rules")},
    "n_enhancement_nodes": list(range(5, 106, 10)),
    "n_hidden_nodes": list(range(5, 206, 10)),
    "kernel_width": [2.0**k for k in range(-5, 6)],
}
# Few values, chosen so that the best of them is seldom far from the best of the published grid.
DEFAULT: dict[str, list[Any]] = {
    "C": [10.0**k for k in range(-4, 7)],
    "n_fuzzy_groups": [5, 11],
    "n_fuzzy_rules": [10, 20],
    "n_enhancement_nodes": [50, 100, 200, 400, 936],
    "n_hidden_nodes": [50, 100, 200, 400, 1000],
    **{name: [0.01, 1.0, 100.0] for name in ("C1", "C2")},
    "kernel_width": ["auto", 1.0, 4.0, 16.0],
}


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
        """Number of candidates."""
        return math.prod(map(len, self.values))

    def candidate(self, index: int) -> dict[str, Any]:
        """The candidate at a position."""
        position = np.unravel_index(index, self.shape)
        return {n: v[i] for n, v, i in zip(self.names, self.values, position, strict=True)}


def resolve_grids(estimator: BaseEstimator, param_grid: Any) -> list[SubGrid]:
    """Check a grid before any work starts.

    Parameters
    ----------
    estimator : estimator
    param_grid : dict, list of dicts, "paper" or None
        None for the default grid, "paper" for the published one.
    """
    if param_grid is None or (isinstance(param_grid, str) and param_grid == "paper"):
        values, own = DEFAULT if param_grid is None else PAPER, estimator.get_params()
        param_grid = {name: listed for name, listed in values.items() if name in own}
    if isinstance(param_grid, Mapping):
        param_grid = [param_grid]
    if isinstance(param_grid, str) or not isinstance(param_grid, Sequence) or not param_grid:
        raise ValueError(
            f'param_grid must be a dict, a list of dicts, None or "paper", got {param_grid!r}.'
        )
    return [_check_grid(estimator, grid) for grid in param_grid]


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
        several = isinstance(values, Sequence | np.ndarray) and not isinstance(values, str | bytes)
        if not several or getattr(values, "ndim", 1) != 1 or len(values) == 0:
            raise ValueError(
                f"param_grid[{name!r}] must be a list of one or more values to try, got {values!r}."
            )
        for value in values:
            validate_parameter_constraints(
                estimator._parameter_constraints, {name: value}, type(estimator).__name__
            )
        checked[name] = tuple(values)
    return SubGrid(tuple(sorted(checked)), tuple(checked[name] for name in sorted(checked)))
