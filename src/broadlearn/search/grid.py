"""Grids of candidates: what may be searched, in which order, and what candidates share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
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
    prefix, model = "", estimator
    if isinstance(estimator, Pipeline):
        prefix, model = f"{estimator.steps[-1][0]}__", estimator.steps[-1][1]
    if param_grid is None or (isinstance(param_grid, str) and param_grid == "paper"):
        values, own = DEFAULT if param_grid is None else PAPER, model.get_params()
        param_grid = {f"{prefix}{name}": tried for name, tried in values.items() if name in own}
    if isinstance(param_grid, Mapping):
        param_grid = [param_grid]
    if isinstance(param_grid, str) or not isinstance(param_grid, Sequence) or not param_grid:
        raise ValueError(
            f'param_grid must be a dict, a list of dicts, None or "paper", got {param_grid!r}.'
        )
    return [_check_grid(estimator, model, prefix, grid) for grid in param_grid]


def _check_grid(estimator: BaseEstimator, model: BaseEstimator, prefix: str, grid: Any) -> SubGrid:
    if not isinstance(grid, Mapping):
        raise ValueError(f"param_grid must hold dicts of parameter names and values, got {grid!r}.")
    for name, values in grid.items():
        listed = isinstance(values, Sequence | np.ndarray) and not isinstance(values, str | bytes)
        if not listed or getattr(values, "ndim", 1) != 1 or len(values) == 0:
            raise ValueError(
                f"param_grid[{name!r}] must be a list of one or more values to try, got {values!r}."
            )
        if str(name).startswith(prefix):
            _check_values(model, prefix, name, values)
        else:
            _check_step_name(estimator, grid, name)
    names = tuple(sorted(grid))
    return SubGrid(names, tuple(tuple(grid[name]) for name in names))


def _check_values(model: BaseEstimator, prefix: str, name: str, values: Sequence[Any]) -> None:
    """Raise unless all values are valid for a parameter of the model."""
    own, model_name, parameter = model.get_params(), type(model).__name__, str(name)[len(prefix) :]
    if parameter not in own:
        raise ValueError(
            f"param_grid names {name!r}, which {model_name} does not have; it "
            f"has {', '.join(f'{prefix}{known}' for known in sorted(own))}."
        )
    for value in values:
        validate_parameter_constraints(model._parameter_constraints, {parameter: value}, model_name)


def _check_step_name(pipeline: Pipeline, grid: Mapping[str, Any], name: str) -> None:
    """Raise unless the name belongs to a step of the pipeline before the last.

    Parameters of a step that the grid replaces are checked when they are set.
    """
    last, model = pipeline.steps[-1]
    if name in (last, "steps"):
        raise ValueError(
            f"param_grid must not contain {name!r}, which would replace the "
            f"{type(model).__name__}; search one pipeline for each model."
        )
    step = str(name).partition("__")[0]
    replaced = step in grid and step in dict(pipeline.steps)
    if name not in pipeline.get_params() and not (replaced and step != name):
        hint = f"the steps are {', '.join(key for key, _ in pipeline.steps)}"
        if name in model.get_params():
            hint = f"the parameter of its last step is {last}__{name}"
        raise ValueError(f"param_grid names {name!r}, which the pipeline does not have; {hint}.")
