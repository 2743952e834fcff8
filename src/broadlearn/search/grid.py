"""Grids of candidates: what may be searched, and in which order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

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
        A model, or a pipeline whose last step is one and has its parameters as ``step__parameter``.
    param_grid : dict, list of dicts, "paper" or None
        None for the default grid, "paper" for the published one.
    """
    prefix, model = "", estimator
    if isinstance(estimator, Pipeline):
        prefix, model = f"{estimator.steps[-1][0]}__", estimator.steps[-1][1]
    if param_grid is None or (isinstance(param_grid, str) and param_grid == "paper"):
        values, own = DEFAULT if param_grid is None else PAPER, model.get_params()
        param_grid = {f"{prefix}{name}": some for name, some in values.items() if name in own}
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
    own, name_of_model = model.get_params(), type(model).__name__
    checked = {}
    for name, values in grid.items():
        parameter = str(name).removeprefix(prefix)
        of_model = str(name).startswith(prefix)
        if of_model and parameter not in own:
            raise ValueError(
                f"param_grid names {name!r}, which {name_of_model} does not have; it "
                f"has {', '.join(f'{prefix}{known}' for known in sorted(own))}."
            )
        if not of_model:
            check_step_name(estimator, grid, name)
        several = isinstance(values, Sequence | np.ndarray) and not isinstance(values, str | bytes)
        if not several or getattr(values, "ndim", 1) != 1 or len(values) == 0:
            raise ValueError(
                f"param_grid[{name!r}] must be a list of one or more values to try, got {values!r}."
            )
        for value in values if of_model else ():
            validate_parameter_constraints(
                model._parameter_constraints, {parameter: value}, name_of_model
            )
        checked[name] = tuple(values)
    return SubGrid(tuple(sorted(checked)), tuple(checked[name] for name in sorted(checked)))


def check_step_name(pipeline: Pipeline, grid: Mapping[str, Any], name: Any) -> None:
    """Refuse a name in a grid that is of no step of a pipeline but the last.

    A parameter of a step that the grid replaces is checked when it is set.
    """
    last, model = pipeline.steps[-1]
    if name in (last, "steps"):
        raise ValueError(
            f"param_grid must not hold {name!r}, which would replace the {type(model).__name__}; "
            "search one pipeline for each model."
        )
    step = str(name).partition("__")[0]
    replaced = step in grid and step in dict(pipeline.steps)
    if name not in pipeline.get_params() and not (replaced and step != name):
        hint = f"the steps are {', '.join(key for key, _ in pipeline.steps)}"
        if name in model.get_params():
            hint = f"the parameter of its last step is {last}__{name}"
        raise ValueError(f"param_grid names {name!r}, which the pipeline does not have; {hint}.")
