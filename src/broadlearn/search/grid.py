"""Grids of candidates: what may be searched, in which order, and what candidates share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline

from broadlearn.utils.sklearn_compat import validate_parameter_constraints

ParamGrid = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]]

# The published grid.
PAPER: dict[str, list[Any]] = {
    **{name: [10.0**k for k in range(-6, 7, 2)] for name in ("C", "C1", "C2")},
    **{name: list(range(1, 22, 2)) for name in ("n_feature_groups", "n_fuzzy_groups")},
    **{name: list(range(5, 51, 5)) for name in ("n_feature_nodes", "n_fuzzy_rules")},
    "n_enhancement_nodes": list(range(5, 106, 10)),
    "n_hidden_nodes": list(range(5, 206, 10)),
    "kernel_width": [2.0**k for k in range(-5, 6)],
}
# A few values whose best is seldom far from the best of the published grid.
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
    """All combinations of the given values, in the order of scikit-learn's ``ParameterGrid``.

    Attributes
    ----------
    names : tuple of str
        Sorted parameter names; the last one varies fastest.
    values : tuple of tuples
        Values of each parameter.
    """

    names: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values of each parameter."""
        return tuple(len(values) for values in self.values)

    @property
    def size(self) -> int:
        """Number of candidates."""
        return math.prod(self.shape)

    def candidates(self) -> list[dict[str, Any]]:
        """Return all combinations, in their order."""
        return [dict(zip(self.names, chosen, strict=True)) for chosen in product(*self.values)]


class Candidates:
    """Candidates of a grid, arranged by the work that they share.

    Parameters with a role share work. All other combinations of parameters are *outer* ones, each
    of which is a search of its own. The estimator supplies the values of parameters that are not in
    the grid. Several names may have the same role.

    Attributes
    ----------
    names : dict of str to str
        Name of the parameter in each role, for roles in the grid.
    values : dict of str to tuple
        Values of each role; one value for a role that is not in the grid.
    outer : list of dict
        Combinations of all other parameters.
    positions : list of tuple of int
        Positions of their values in the grid.
    numbers : ndarray of shape (n_outer, *lengths of values)
        Position of each candidate in the grid.

    Examples
    --------
    >>> from broadlearn import BLSClassifier
    >>> grid = SubGrid(("C", "activation"), ((1.0, 10.0), ("tanh", "relu")))
    >>> candidates = Candidates(BLSClassifier(), grid, {"C": "C"})
    >>> candidates.outer
    [{'activation': 'tanh'}, {'activation': 'relu'}]
    >>> candidates.numbers
    array([[0, 2],
           [1, 3]])
    """

    def __init__(self, estimator: BaseEstimator, grid: SubGrid, roles: Mapping[str, str]) -> None:
        own, values = estimator.get_params(), dict(zip(grid.names, grid.values, strict=True))
        self.names: dict[str, str] = {}
        self.values: dict[str, tuple[Any, ...]] = {}
        for role in dict.fromkeys(roles.values()):
            name = next((n for n, r in roles.items() if r == role and n in own), None)
            self.values[role] = (None,) if name is None else values.get(name, (own[name],))
            if name in values:
                self.names[role] = name
        outside = [name for name in grid.names if name not in self.names.values()]
        self.outer = [
            dict(zip(outside, chosen, strict=True))
            for chosen in product(*(values[name] for name in outside))
        ]
        self.positions = list(np.ndindex(*(len(values[name]) for name in outside)))
        order = [grid.names.index(name) for name in (*outside, *self.names.values())]
        numbers = np.arange(grid.size).reshape(grid.shape).transpose(order)
        self.numbers = numbers.reshape(-1, *map(len, self.values.values()))


def resolve_grids(estimator: BaseEstimator, param_grid: Any) -> list[SubGrid]:
    """Check a grid and return its parts; None is the default grid, "paper" the published one."""
    prefix, model = last_step(estimator)
    if param_grid is None or isinstance(param_grid, str):
        values, own = DEFAULT if param_grid is None else PAPER, model.get_params()
        param_grid = {f"{prefix}{name}": tried for name, tried in values.items() if name in own}
    grids = []
    for given in ParameterGrid(param_grid).param_grid:
        names = tuple(sorted(given))
        grids.append(SubGrid(names, tuple(tuple(given[name]) for name in names)))
        _check_grid(estimator, grids[-1])
    return grids


def last_step(estimator: BaseEstimator) -> tuple[str, BaseEstimator]:
    """Return the model of a pipeline and the prefix of its parameters; "" if it is not in one."""
    if not isinstance(estimator, Pipeline) or not estimator.steps:
        return "", estimator
    name, model = estimator.steps[-1]
    return f"{name}__", model


def _check_grid(estimator: BaseEstimator, grid: SubGrid) -> None:
    """Raise for unknown parameters, and for values that the model does not take."""
    prefix, model = last_step(estimator)
    for name, values in zip(grid.names, grid.values, strict=True):
        if prefix and name in (prefix.removesuffix("__"), "steps"):
            raise ValueError(
                f"param_grid must not contain {name!r}, which would replace the "
                f"{type(model).__name__}; search one pipeline for each model."
            )
        if name.startswith(prefix):
            for value in values:
                own = {name.removeprefix(prefix): value}
                constraints = model._parameter_constraints
                validate_parameter_constraints(constraints, own, type(model).__name__)
    first = {name: values[0] for name, values in zip(grid.names, grid.values, strict=True)}
    clone(estimator).set_params(**clone(first, safe=False))
