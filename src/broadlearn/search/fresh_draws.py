"""A draw of its own for every map and fold of a search.

With nested draws the nodes of a small model are among those of a large one, and the best of a grid
is the best of models that resemble each other. With fresh draws it is a maximum over independent
models, as if each had been fitted with another seed. Penalties and kernel widths share a draw: all
of them come from the factorisations of one map.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import delayed
from numpy.typing import NDArray
from sklearn.base import clone

from broadlearn.models import BroadModel
from broadlearn.random_features import MapRecipe, common_span, draw_map
from broadlearn.search.cells import Axes
from broadlearn.search.draw_cells import DrawCell
from broadlearn.search.engine import (
    HEAP_NUMBERS,
    Fold,
    GridScores,
    Plan,
    SplitSamples,
    Task,
    limited,
    prepare_fold,
)
from broadlearn.search.grid import ROLES, SubGrid
from broadlearn.utils import Array, draw_seed, parallel

# What a draw serves; every other parameter is drawn anew for.
SHARED_ROLES = {"C": "C", "kernel_width": "width"}
# scikit-learn takes whole numbers below this as seeds.
N_STATES = 2**32


def fresh_states(random_state: Any, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Values of `random_state`, no two of which lead to the same draws.

    Examples
    --------
    >>> from broadlearn.search.fresh_draws import fresh_states
    >>> states = fresh_states(0, (20, 5))
    >>> states.shape, np.unique(states).size
    ((20, 5), 100)
    """
    generator, wanted = np.random.default_rng(random_state), int(np.prod(shape))
    # Models reduce a state to a seed of 31 bits, which two states may have in common.
    by_seed: dict[int, int] = {}
    while len(by_seed) < wanted:
        for state in generator.integers(N_STATES, size=wanted - len(by_seed)).tolist():
            by_seed.setdefault(draw_seed(state), state)
    return np.array(list(by_seed.values()), dtype=np.int64).reshape(shape)


def run_fresh_grid(estimator: BroadModel, grid: SubGrid, task: Task, axes: Axes) -> GridScores:
    """Score every candidate of a grid on every split; as `run_grid`, with fresh draws."""
    plan = Plan(estimator, grid, SHARED_ROLES)
    axes, widths = axes._replace(Cs=[float(C) for C in plan.path["C"]]), plan.path["width"]
    scores, errors = plan.empty(axes, len(task.splits))
    states = np.empty(errors.shape, dtype=np.int64)
    drawn = fresh_states(estimator.random_state, (len(plan.outer), len(task.splits)))
    n_trained = max(split[0].size for *_, split in task.splits)
    for members in _prepared_alike(plan):
        models = [clone(estimator).set_params(**plan.outer[i][1]) for i in members]
        folds: list[tuple[Fold, Array | None]] | None = None
        if not models[0].scorer().draws(n_trained):
            calls = [
                delayed(limited)(prepare_fold, models[0], *split, widths) for split in task.splits
            ]
            folds = [(fold, _span(models[0], fold)) for fold in parallel(calls, task.n_jobs)]
        calls = [
            delayed(limited)(_judge, models[k], drawn[i], folds, task.splits, widths, axes)
            for k, i in enumerate(members)
        ]
        for i, (part, reasons) in zip(members, parallel(calls, task.n_jobs), strict=True):
            position = plan.outer[i][0]
            scores[(slice(None), slice(None), *position)] = part
            errors[position], states[position] = reasons, drawn[i]
            task.report(reasons.size)
    return plan.results(scores, errors, states)


def _prepared_alike(plan: Plan) -> list[list[int]]:
    """Numbers of outer combinations, together where all that is learnt before a draw is shared."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for i, (position, outer) in enumerate(plan.outer):
        named = zip(position, outer, strict=True)
        key = tuple(k for k, name in named if name not in (*ROLES, "random_state"))
        groups.setdefault(key, []).append(i)
    return list(groups.values())


def _judge(
    model: BroadModel,
    states: NDArray[np.int64],
    folds: Sequence[tuple[Fold, Array | None]] | None,
    splits: Sequence[SplitSamples],
    widths: Sequence[Any],
    axes: Axes,
) -> tuple[Array, NDArray[Any]]:
    """Scores for all (C, width, split) of one map per split, and why a width cannot be fitted."""
    np.empty(HEAP_NUMBERS)
    parts, reasons, recipe = [], [], model.feature_map()
    for f, state in enumerate(states.tolist()):
        if folds is None:
            fold = prepare_fold(model.set_params(random_state=state), *splits[f], widths)
            span = _span(model, fold)
        else:
            fold, span = folds[f]
        reasons.append(np.broadcast_to(np.array(fold.errors, object), _shape(fold, axes)[2:]))
        parts.append(_judge_fold(recipe, draw_seed(state), fold, span, axes))
    return np.stack(parts, axis=-1), np.stack(reasons, axis=-1)


def _span(model: BroadModel, fold: Fold) -> Array | None:
    """What the samples of a fold are combinations of, if maps have fewer columns for it."""
    data = fold.data
    if data is None or getattr(model.feature_map(), "feature_scaling", None) != "sample":
        return None
    affine = data.standardization.affine
    return common_span(affine(data.X), affine(fold.X_test))


def _judge_fold(recipe: MapRecipe, seed: int, fold: Fold, span: Array | None, axes: Axes) -> Array:
    data = fold.data
    if data is None or all(fold.errors):
        return np.full(_shape(fold, axes), np.nan)
    affine = {"train": data.standardization.affine(data.X)}
    affine["test"] = data.standardization.affine(fold.X_test)
    broad_map = draw_map(recipe, data.X, data.standardization, seed, data.weight)
    sizes = [broad_map.settings.n_enhancement_nodes]
    cell = DrawCell(broad_map, fold, affine, axes._replace(sizes=sizes), span)
    return cell.judge()[:, :, :, 0].swapaxes(2, 3)


def _shape(fold: Fold, axes: Axes) -> tuple[int, ...]:
    return (len(axes.scorers), 1 + axes.train, len(axes.Cs), len(fold.errors))
