"""Runs all candidates of a grid: folds first, then cells, on one or several workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed, effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_classifier
from threadpoolctl import ThreadpoolController

from broadlearn.models import (
    BroadModel,
    TrainingData,
    centre_samples,
    encode_samples,
    score_samples,
)
from broadlearn.random_features import INFINITE, MapFamily, NestedMaps, common_span
from broadlearn.search.cells import Axes, Cell
from broadlearn.search.grid import ROLES, SubGrid
from broadlearn.search.weighted_sums import SharedScores, shared_scores
from broadlearn.utils import Array, Floats, check_weights, draw_seed, parallel

Split = tuple[NDArray[np.intp], NDArray[np.intp]]
# X, y, weights or None, and which of them train and test.
SplitSamples = tuple[Any, NDArray[Any], Array | None, Split]
# The loaded libraries that have threads; looking for them takes milliseconds.
_libraries = cache(ThreadpoolController)
# Freed once, a block of this size tells the C library of Linux to keep what is freed later: its
# pages would be asked for again by every cell. Just below 32 MB, the largest block that counts.
HEAP_NUMBERS = (1 << 22) - 1024


class Task(NamedTuple):
    """All that a search works on, whatever the grid.

    Attributes
    ----------
    splits : sequence of (X, y, weight, (train, test))
        The samples of each split, with their weights or None, and which of them train and test.
        All splits have the same samples, unless each has prepared its own.
    n_jobs : int or None
    report : callable
        Told how many candidates were scored on how many folds since it was last called.
    """

    splits: Sequence[SplitSamples]
    n_jobs: int | None
    report: Callable[[int], None]


class Fold(NamedTuple):
    """Training and test samples of a split, with all that is learnt before any draw of nodes.

    Attributes
    ----------
    data : TrainingData or None
        None where the training samples cannot be fitted at all.
    X_test, y_test, test_weight : ndarray
        Weights are None where there are none.
    train_weight : ndarray or None
        Sample weights of the training samples, without those of classes: scores know only these.
    intercept : ndarray of shape (n_targets,) or None
        Added to predicted targets, or decisions for several labels; None for classes.
    scores : list of ndarray or None
        Scores of the training samples for each kernel width; None where all count alike.
    widths : list of float
        Kernel widths that were used; NaN for models without.
    errors : list of str
        For each kernel width, why it cannot be fitted, or "".
    shared : dict of int to SharedScores
        What the scores of some widths, by their position, have in common.
    """

    data: TrainingData | None
    X_test: Floats
    y_test: NDArray[Any]
    test_weight: Array | None
    train_weight: Array | None
    intercept: Array | None
    scores: list[Array | None]
    widths: list[float]
    errors: list[str]
    shared: Mapping[int, SharedScores]

    def part(self, name: str) -> tuple[Floats, NDArray[Any], Array | None]:
        """Samples, labels or targets, and weights of the "test" or the "train" part."""
        if name == "test" or self.data is None:
            return self.X_test, self.y_test, self.test_weight
        data = self.data
        y = data.classes[data.codes] if self.intercept is None else data.T + self.intercept
        y = data.codes if data.constant is not None else y
        weight, keep = self.train_weight, data.keep
        if not isinstance(keep, slice) and (weight is None or weight[~keep].any()):
            raise ValueError(
                'return_train_score=True and cv="loo" need class weights above 0: samples of '
                "weight 0 are not kept."
            )
        return data.X, y, weight if weight is None else weight[keep]


class GridScores(NamedTuple):
    """Scores of a grid.

    Attributes
    ----------
    scores : ndarray of shape (n_scorers, 1 or 2, n_candidates, n_splits)
        Of test samples, and of training samples if they are wanted.
    errors : ndarray of shape (n_candidates,) of str
        Why a candidate could not be fitted on some fold, or "".
    states : ndarray of shape (n_candidates, n_splits) or None
        The `random_state` of each fit; None where it is that of the estimator or the candidate.
    """

    scores: Array
    errors: NDArray[Any]
    states: NDArray[np.int64] | None = None


class Plan:
    """A grid split into what a path serves and what is looped over outside of it.

    Arrays of a plan have the axes of the outer parameters first, then one for each role on the
    path, of length 1 where the grid does not have it.

    Parameters
    ----------
    estimator : estimator
        Gives the values of parameters that are not in the grid.
    grid : SubGrid
    roles : mapping of str to str
        Role on the path by the name of the parameter.

    Attributes
    ----------
    path : dict of str to tuple
        Values by role.
    outer : list of (tuple of int, dict)
        Combinations of the outer parameters, with their positions.
    """

    def __init__(self, estimator: BaseEstimator, grid: SubGrid, roles: Mapping[str, str]) -> None:
        self.grid, own = grid, estimator.get_params()
        values = dict(zip(grid.names, grid.values, strict=True))
        outside = {name: values[name] for name in grid.names if name not in roles}
        self.names: list[str | None] = []
        self.path: dict[str, tuple[Any, ...]] = {}
        for role in dict.fromkeys(roles.values()):
            name = next((n for n, r in roles.items() if r == role and n in own), None)
            self.names.append(name if name in values else None)
            self.path[role] = values.get(name, (own[name],)) if name else (None,)
        outer_shape = tuple(map(len, outside.values()))
        self.axes = [*outside, *self.names]
        self.shape = (*outer_shape, *map(len, self.path.values()))
        self.outer = [
            (position, dict(zip(outside, chosen, strict=True)))
            for position, chosen in zip(
                np.ndindex(outer_shape), product(*outside.values()), strict=True
            )
        ]

    def empty(self, axes: Axes, n_splits: int) -> tuple[Array, NDArray[Any]]:
        """Scores and errors of a plan before anything is known."""
        shape = (*self.shape, n_splits)
        scores = np.full((len(axes.scorers), 1 + axes.train, *shape), np.nan)
        return scores, np.full(shape, "", dtype=object)

    def results(
        self, scores: Array, errors: NDArray[Any], states: NDArray[np.int64] | None = None
    ) -> GridScores:
        """Scores, the first error and the states of every candidate."""
        reasons = self._to_grid(errors)
        first = np.array([next(filter(None, row), "") for row in reasons], dtype=object)
        states = None if states is None else self._to_grid(states)
        return GridScores(self._to_grid(scores), first, states)

    def _to_grid(self, array: NDArray[Any]) -> NDArray[Any]:
        """Array of shape (…, *shape, n_splits) with the candidates of the grid in one axis."""
        lead = array.ndim - len(self.shape) - 1
        there = [name for name in self.axes if name is not None]
        array = array.squeeze(tuple(lead + k for k, name in enumerate(self.axes) if name is None))
        order = [lead + there.index(name) for name in self.grid.names]
        array = array.transpose(*range(lead), *order, array.ndim - 1)
        return array.reshape(*array.shape[:lead], self.grid.size, array.shape[-1])


def prepare_fold(
    estimator: Any,
    X: Floats,
    y: NDArray[Any],
    weight: Array | None,
    split: Split,
    widths: Sequence[Any],
) -> Fold:
    """Encode, standardise and score the training samples of a split as `fit` would.

    Parameters
    ----------
    estimator : BroadModel or IntuitionisticFuzzyTwinSVC
    X, y, weight : ndarray
        All samples.
    split : (train, test)
    widths : sequence
        Kernel widths; one entry, of any value, for models without.
    """
    train, test = split
    given = None if weight is None else weight[train]
    judged = (X[test], y[test], None if weight is None else weight[test])
    intercept, seed, trained = None, draw_seed(estimator.random_state), given
    try:
        if given is not None and not given.any():
            raise ValueError("sample_weight is zero for every training sample of this fold.")
        if is_classifier(estimator):
            name = type(estimator).__name__
            if estimator.class_weight is not None:
                trained = check_weights(given, X[train], estimator.class_weight, y[train])
            data = encode_samples(X[train], y[train], trained, estimator.standardize, name)
            intercept = data.constant
        else:
            targets = y[train].astype(np.float64, copy=False).reshape(train.size, -1)
            data, intercept = centre_samples(X[train], targets, given, estimator.standardize)
    except ValueError as error:
        return Fold(None, *judged, None, None, [], [], [str(error)] * len(widths), {})
    trusts = score_samples(estimator.scorer(), data, seed, widths)
    scores = [None if trust.score is None else trust.score[data.keep] for trust in trusts]
    used = [float(trust.attributes.get("kernel_width_", np.nan)) for trust in trusts]
    problems = [trust.problem for trust in trusts]
    shared = shared_scores([data.diagonal(s) for s in scores]) if len(scores) > 1 else {}
    return Fold(data, *judged, given, intercept, scores, used, problems, shared)


def run_grid(estimator: BroadModel, grid: SubGrid, task: Task, axes: Axes) -> GridScores:
    """Score every candidate of a grid on every split.

    Parameters
    ----------
    estimator : BroadModel
        With a whole number as `random_state`, unless that is in the grid.
    grid : SubGrid
    task : Task
    axes : Axes
        How predictions are judged; sizes and penalties are filled in.
    """
    plan = Plan(estimator, grid, ROLES)
    path = plan.path
    axes, sizes = axes._replace(Cs=[float(C) for C in path["C"]]), path["size"]
    scores, errors = plan.empty(axes, len(task.splits))
    names = {role: name for role, name in zip(path, plan.names, strict=True) if name is not None}
    largest = {name: max(path[role]) for role, name in names.items() if role in ("groups", "nodes")}
    # Infinitely many nodes are a map of their own.
    infinite = [j for j, q in enumerate(sizes) if q == INFINITE]
    kinds = [[j for j in range(len(sizes)) if j not in infinite], infinite]
    prepared: dict[Any, list[Fold]] = {}
    n_trained = max(split[0].size for *_, split in task.splits)
    for position, outer in plan.outer:
        template = clone(estimator).set_params(**outer, **largest)
        # Draws do not change what is learnt before them, unless scores are drawn too.
        fixed = () if template.scorer().draws(n_trained) else ("random_state",)
        key = tuple(i for i, name in zip(position, outer, strict=True) if name not in fixed)
        if key not in prepared:
            calls = [
                delayed(limited)(prepare_fold, template, *split, path["width"])
                for split in task.splits
            ]
            prepared = {key: list(parallel(calls, task.n_jobs))}
        folds = prepared[key]
        for f, fold in enumerate(folds):
            errors[(*position, ..., f)] = fold.errors
        for some in filter(None, kinds):
            axes = axes._replace(sizes=[sizes[j] for j in some])
            if "size" in names:
                q = INFINITE if some is infinite else max(axes.sizes)
                template.set_params(**{names["size"]: q})
            for i, j, f, part in _run_cells(template, path, axes, folds, task):
                # A cell has axes (scorer, part, width, size, C), a plan (…, size, C, width).
                index = (slice(None), slice(None), *position, i, j, ..., f)
                scores[index][:, :, some] = part.transpose(0, 1, 3, 4, 2)
    return plan.results(scores, errors)


def _run_cells(
    model: BroadModel,
    path: Mapping[str, tuple[Any, ...]],
    axes: Axes,
    folds: list[Fold],
    task: Task,
) -> Iterator[tuple[int, int, int, Array]]:
    """Yield positions of groups, nodes and fold with the scores of their cell."""
    workers = effective_n_jobs(task.n_jobs)
    groups, nodes = ([int(n or 0) for n in path[role]] for role in ("groups", "nodes"))
    every = range(len(folds))
    split = workers > 1 and len(nodes) < 4 * workers
    some_folds = [[f] for f in every] if split else [list(every)]
    tasks = list(product(range(len(nodes)), some_folds))
    per_cell = len(path["width"]) * len(axes.sizes) * len(axes.Cs)
    report = partial(task.report, per_cell) if workers == 1 else None
    recipe, seed = model.feature_map(), draw_seed(model.random_state)
    families: list[MapFamily | None] = []
    for fold in folds:
        data, family = fold.data, None
        if data is not None and not all(fold.errors):
            family = limited(recipe.learn, data.X, data.standardization, seed, data.weight)
        families.append(
            replace(family, rotated=False) if isinstance(family, NestedMaps) else family
        )
    calls = (
        delayed(limited)(
            _evaluate,
            partial(recipe.draw_layer, seed),
            groups,
            nodes[j],
            axes,
            [(folds[f], families[f]) for f in some],
            report,
        )
        for j, some in tasks
    )
    for (j, some), cells in zip(tasks, parallel(calls, task.n_jobs), strict=True):
        for f, of_fold in zip(some, cells, strict=True):
            for i, part in enumerate(of_fold):
                yield i, j, f, part
        if report is None:
            task.report(per_cell * len(groups) * len(some))


def _evaluate(
    draw_layer: Callable[[int, int], Array],
    groups: list[int],
    p: int,
    axes: Axes,
    folds: list[tuple[Fold, MapFamily | None]],
    report: Callable[[], None] | None,
) -> list[list[Array]]:
    """Scores of the cells of some folds, for all numbers of groups with p nodes each.

    There are none for a fold that cannot be fitted.
    """
    np.empty(HEAP_NUMBERS)
    layers: dict[tuple[int, int], Array] = {}
    result: list[list[Array]] = []
    for fold, family in folds:
        data = fold.data
        if data is None or family is None:
            result.append([])
            continue
        affine = {"train": data.standardization.affine(data.X)}
        affine["test"] = data.standardization.affine(fold.X_test)
        scaling = getattr(getattr(family, "settings", None), "feature_scaling", None)
        span = common_span(*affine.values()) if scaling == "sample" else None
        cells = []
        for m in groups:
            # Folds differ in which features have indicators of missing values.
            key = (m, affine["train"].shape[1])
            if key not in layers:
                layers[key] = draw_layer(m * p, key[1] - 1)
            cells.append(Cell(family.cut(m, p, layers[key]), fold, affine, axes, span).judge())
            if report is not None:
                report()
        result.append(cells)
    return result


def limited(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Call with one thread for linear algebra: matrices are small, and workers are the threads."""
    with _libraries().limit(limits=1):
        return function(*arguments, **named)
