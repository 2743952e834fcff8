"""Score all candidates of a grid: folds first, then cells, in one or several workers.

Nested draws: the nodes of a small model are among those of a large one, and the same on all folds.
All sizes of one number of feature groups and nodes are then one cell (see `cells`).

Fresh draws: every map is drawn anew on every fold, as if each model had been fitted with another
seed. Only penalties and kernel widths share a draw. The best of a grid is then a maximum over
independent models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed, effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import clone
from threadpoolctl import ThreadpoolController

from broadlearn.models import BroadModel
from broadlearn.random_features import MapRecipe, sizes_nest
from broadlearn.search.cells import Cell, Judge
from broadlearn.search.folds import Fold, GridScores, Task, prepare_fold
from broadlearn.search.grid import Candidates, SubGrid
from broadlearn.search.residual_cells import ResidualCell
from broadlearn.search.workers import parallel
from broadlearn.utils import Array, draw_seed

# What each parameter is to a map; all other parameters are looped over.
ROLES = {
    "n_feature_groups": "groups",
    "n_fuzzy_groups": "groups",
    "n_feature_nodes": "nodes",
    "n_fuzzy_rules": "nodes",
    "n_enhancement_nodes": "size",
    "n_hidden_nodes": "size",
    "C": "C",
    "kernel_width": "width",
}
# With fresh draws only these share a map.
FRESH_ROLES = {"C": "C", "kernel_width": "width"}
# Finding the loaded libraries takes milliseconds.
_libraries = cache(ThreadpoolController)


class Unit(NamedTuple):
    """Work of one call: cells of all `groups` and `nodes` on some folds.

    `numbers`, of shape (n_groups, n_nodes, n_sizes, n_Cs, n_widths), are positions of the
    candidates in the grid. The recipe has the largest numbers of groups and nodes and the largest
    size.
    """

    recipe: MapRecipe
    groups: Sequence[int]
    nodes: Sequence[int]
    sizes: Sequence[int]
    numbers: NDArray[np.intp]
    folds: Sequence[int]
    seeds: Sequence[int]


def score_grid(
    estimator: BroadModel, grid: SubGrid, task: Task, judge: Judge, *, fresh: bool = False
) -> GridScores:
    """Score every candidate of a grid on every split.

    The estimator has an integer as `random_state`, unless that is in the grid. `fresh` draws every
    map anew on every fold.
    """
    candidates = Candidates(estimator, grid, FRESH_ROLES if fresh else ROLES)
    n_splits = len(task.splits)
    result = GridScores.empty(len(judge.scorers), len(judge.parts), grid.size, n_splits, fresh)
    models = [clone(estimator).set_params(**outer) for outer in candidates.outer]
    states = None
    if fresh and result.states is not None:
        states = fresh_states(estimator.random_state, (len(models), n_splits))
        for numbers, of_map in zip(candidates.numbers, states, strict=True):
            result.states[numbers] = of_map
    widths, Cs = candidates.values["width"], [float(C) for C in candidates.values["C"]]
    for members in _prepared_alike(candidates, models, task, fresh):
        own = None if states is None else states[members[0]]
        folds = _prepare_folds(models[members[0]], task, widths, own)
        for fold in folds:
            for w, reason in enumerate(fold.errors):
                result.note(candidates.numbers[members][..., w].ravel(), reason)
        units: list[Unit] = []
        for i in members:
            if states is None:
                units += _nested_units(models[i], candidates, i, task)
            else:
                units += _fresh_units(models[i], candidates.numbers[i], states[i])
        calls = (
            delayed(limited)(_score_unit, unit, [folds[f] for f in unit.folds], Cs, judge)
            for unit in units
        )
        for unit, cells in zip(units, parallel(calls, task.n_jobs), strict=True):
            for f, of_fold in zip(unit.folds, cells, strict=True):
                cell_numbers = unit.numbers.reshape(-1, *unit.numbers.shape[2:])
                for numbers, scores in zip(cell_numbers, of_fold, strict=False):
                    result.scores[:, :, numbers, f] = scores
    return result


def fresh_states(random_state: Any, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return values of `random_state` that all lead to different draws.

    Examples
    --------
    >>> states = fresh_states(0, (20, 5))
    >>> states.shape, np.unique(states).size
    ((20, 5), 100)
    """
    generator, n_states = np.random.default_rng(random_state), int(np.prod(shape))
    # Models reduce a state to a seed of 31 bits, which two states may have in common.
    by_seed: dict[int, int] = {}
    while len(by_seed) < n_states:
        # scikit-learn accepts seeds below 2**32.
        for state in generator.integers(2**32, size=n_states - len(by_seed)).tolist():
            by_seed.setdefault(draw_seed(state), state)
    return np.array(list(by_seed.values()), dtype=np.int64).reshape(shape)


def _prepared_alike(
    candidates: Candidates, models: Sequence[BroadModel], task: Task, fresh: bool
) -> list[list[int]]:
    """Group outer combinations that share all that is learnt before a draw.

    Scores that are drawn themselves depend on the seed: with fresh draws nothing is shared then.
    """
    n_training = max(samples.split[0].size for samples in task.splits)
    groups: dict[tuple[int, ...], list[int]] = {}
    for i, model in enumerate(models):
        drawn = model.scorer().draws(n_training)
        unseen = ROLES if drawn else (*ROLES, "random_state")
        named = zip(candidates.positions[i], candidates.outer[i], strict=True)
        key = tuple(position for position, name in named if name not in unseen)
        groups.setdefault((*key, i) if drawn and fresh else key, []).append(i)
    return list(groups.values())


def _prepare_folds(
    model: BroadModel, task: Task, widths: Sequence[Any], states: NDArray[np.int64] | None
) -> list[Fold]:
    """Prepare the folds of all splits, each with its own `random_state` if given."""
    models = [model] * len(task.splits)
    if states is not None:
        models = [clone(model).set_params(random_state=state) for state in states.tolist()]
    calls = [
        delayed(limited)(prepare_fold, own, samples, widths)
        for own, samples in zip(models, task.splits, strict=True)
    ]
    return list(parallel(calls, task.n_jobs))


def _nested_units(
    model: BroadModel, candidates: Candidates, outer: int, task: Task
) -> Iterator[Unit]:
    """Yield the work of one outer combination."""
    names, values, n_splits = candidates.names, candidates.values, len(task.splits)
    fixed = model.feature_map()
    groups = [fixed.n_feature_groups if n is None else int(n) for n in values["groups"]]
    nodes = [fixed.n_feature_nodes if n is None else int(n) for n in values["nodes"]]
    seed = draw_seed(model.random_state)
    folds, node_lists = [list(range(n_splits))], [list(range(len(nodes)))]
    # One unit shares most draws; several workers need more units.
    if effective_n_jobs(task.n_jobs) > 1:
        folds, node_lists = [[f] for f in range(n_splits)], [[k] for k in range(len(nodes))]
    positions = list(range(len(values["size"])))
    for chosen in [positions] if sizes_nest(model.feature_map()) else [[j] for j in positions]:
        sizes = [values["size"][j] for j in chosen]
        for ks in node_lists:
            own_nodes = [nodes[k] for k in ks]
            largest = {"groups": max(groups), "nodes": max(own_nodes), "size": max(sizes)}
            own = {name: largest[role] for role, name in names.items() if role in largest}
            # Made here: workers do not know the configuration of scikit-learn.
            recipe = clone(model).set_params(**own).feature_map()
            numbers = candidates.numbers[outer][:, ks][:, :, chosen]
            for fs in folds:
                yield Unit(recipe, groups, own_nodes, sizes, numbers, fs, [seed] * len(fs))


def _fresh_units(
    model: BroadModel, numbers: NDArray[np.intp], states: NDArray[np.int64]
) -> Iterator[Unit]:
    """Yield the work of one map, which has its own seed on every fold."""
    recipe = model.feature_map()
    size = next(getattr(model, n) for n, r in ROLES.items() if r == "size" and hasattr(model, n))
    seeds = [draw_seed(state) for state in states.tolist()]
    groups, nodes = [recipe.n_feature_groups], [recipe.n_feature_nodes]
    yield Unit(recipe, groups, nodes, [size], numbers[None, None, None], range(len(seeds)), seeds)


def _score_unit(
    unit: Unit, folds: Sequence[Fold], Cs: Sequence[float], judge: Judge
) -> list[list[Array]]:
    """Score the cells of a unit by fold, groups and nodes; none for a fold without data."""
    _keep_freed_memory()
    recipe = unit.recipe
    layers: dict[tuple[int, int, int], Array] = {}
    result: list[list[Array]] = []
    for fold, seed in zip(folds, unit.seeds, strict=True):
        data, cells = fold.data, []
        if data is not None and not all(fold.errors):
            family = recipe.learn(data.X, data.standardization, seed, data.weight)
            affine = {
                "train": data.standardization.affine(data.X),
                "test": data.standardization.affine(fold.X_test),
            }
            n_inputs = affine["train"].shape[1] - 1
            for m, p in product(unit.groups, unit.nodes):
                # Folds differ in which features have indicators of missing values.
                key = (seed, m * p, n_inputs)
                if key not in layers:
                    layers[key] = recipe.draw_layer(seed, m * p, n_inputs)
                broad_map = family.cut(m, p, layers[key])
                kind = Cell if fold.scorer is None else ResidualCell
                cells.append(kind(broad_map, fold, affine, unit.sizes, Cs, judge).scores())
        result.append(cells)
    return result


def score_by_split(
    estimator: Any,
    grid: SubGrid,
    task: Task,
    judge: Judge,
    roles: Mapping[str, str],
    score_split: Callable[..., tuple[Array, list[str]]],
) -> GridScores:
    """Score every candidate of a grid on every split, for models without a single random map.

    `score_split` receives a model, the samples of a split, the values of each role and the judge.
    It returns scores of shape (n_scorers, n_parts, *lengths of values) and the reasons of failures
    by the last role.
    """
    if judge.probabilities:
        raise ValueError(
            f"scoring needs predict_proba, which {type(estimator).__name__} does not have; use a "
            "score of labels or decisions, such as 'accuracy' or 'roc_auc'."
        )
    candidates = Candidates(estimator, grid, roles)
    shape = (len(judge.scorers), len(judge.parts), grid.size, len(task.splits))
    result = GridScores.empty(*shape)
    for outer, numbers in zip(candidates.outer, candidates.numbers, strict=True):
        model = clone(estimator).set_params(**outer)
        calls = (
            delayed(limited)(score_split, model, samples, candidates.values, judge)
            for samples in task.splits
        )
        for f, (scores, reasons) in enumerate(parallel(calls, task.n_jobs)):
            result.scores[:, :, numbers, f] = scores
            for i, reason in enumerate(reasons):
                result.note(numbers[..., i].ravel(), reason)
    return result


def _keep_freed_memory() -> None:
    """Free just less than 32 MB, after which the C library of Linux keeps such blocks for reuse.

    Otherwise every cell asks for the pages of its matrices again, which takes a tenth of the time.
    """
    np.empty((1 << 22) - 1024)


def limited(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Call with one thread for linear algebra: matrices are small, and workers are the threads."""
    with _libraries().limit(limits=1):
        return function(*arguments, **named)
