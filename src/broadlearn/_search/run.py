"""Runs all settings of a grid: folds first, then cells, on one or several workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from threadpoolctl import ThreadpoolController

from broadlearn._search.cells import Axes, Cell, affine_rows
from broadlearn._search.folds import Fold, family_of, prepare_fold
from broadlearn._search.grid import SubGrid
from broadlearn._search.progress import Progress
from broadlearn.classifiers._base import BroadModel
from broadlearn.random_features._draws import draw_seed

Array = NDArray[np.float64]
Split = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass(frozen=True)
class GridScores:
    """Scores of a grid.

    Attributes
    ----------
    scores : ndarray of shape (n_scorers, 1 or 2, n_settings, n_splits)
    errors : ndarray of shape (n_settings,) of str
        Why a setting could not be fitted on some fold, or "".
    """

    scores: Array
    errors: NDArray[Any]


@dataclass(frozen=True)
class _Plan:
    """A grid, split into what a path serves and what it does not."""

    grid: SubGrid
    groups: tuple[Any, ...]
    nodes: tuple[Any, ...]
    widths: tuple[Any, ...]
    axes: Axes

    @property
    def largest(self) -> dict[str, Any]:
        """Parameters of the largest map."""
        return {
            axis[0]: max(axis[1])
            for axis in (self.grid.axis(role) for role in ("groups", "nodes", "size"))
            if axis is not None
        }

    @property
    def cells(self) -> list[tuple[int, int]]:
        """Positions of all (groups, nodes)."""
        return [(i, j) for j in range(len(self.nodes)) for i in range(len(self.groups))]


def run_grid(
    estimator: BroadModel,
    grid: SubGrid,
    X: NDArray[np.floating],
    y: NDArray[Any],
    weight: Array | None,
    splits: Sequence[Split],
    make_axes: Callable[[Sequence[int], Sequence[float]], Axes],
    n_jobs: int | None,
    progress: Progress,
) -> GridScores:
    """Score every setting of a grid on every split.

    Parameters
    ----------
    estimator : BroadModel
        With a whole number as `random_state`, unless that is in the grid.
    grid : SubGrid
    X, y, weight : ndarray
    splits : sequence of (train, test)
    make_axes : callable
        Gives the axes of cells from sizes and penalties.
    n_jobs : int or None
    progress : Progress
    """
    plan = _make_plan(estimator, grid, make_axes)
    n_splits, extra = len(splits), 1 + plan.axes.train
    scores = np.full((len(plan.axes.scorers), extra, *grid.shape, n_splits), np.nan)
    errors = np.full((*grid.shape, n_splits), "", dtype=object)
    prepared: dict[Any, list[Fold]] = {}
    for position, outer in grid.outer():
        template = clone(estimator).set_params(**outer, **plan.largest)
        # Draws do not change what is learnt before them, unless they choose landmarks.
        free = getattr(template, "landmarks", None) is None
        key = repr({n: v for n, v in outer.items() if not (free and n == "random_state")})
        if key not in prepared:
            prepared.clear()
            calls = [
                delayed(limited)(prepare_fold, clone(template), X, y, weight, *split, plan.widths)
                for split in splits
            ]
            prepared[key] = list(parallel(calls, n_jobs))
        folds = prepared[key]
        for f, fold in enumerate(folds):
            for w, error in enumerate(fold.errors):
                if error:
                    errors[(*_index(grid, position, None, w), f)] = error
        for cells, rows, part in _run_cells(template, plan, folds, n_jobs, progress):
            for c, (i, j) in enumerate(cells):
                for r, f in enumerate(rows):
                    index = _index(grid, position, (i, j), None)
                    block = part[c, r].transpose(0, 1, 4, 2, 3)
                    scores[(slice(None), slice(None), *index, f)] = _drop(grid, block)
    flat = scores.reshape(*scores.shape[:2], grid.size, n_splits)
    reasons = errors.reshape(grid.size, n_splits)
    first = np.array([next(filter(None, row), "") for row in reasons], dtype=object)
    return GridScores(flat, first)


def _make_plan(
    estimator: BroadModel,
    grid: SubGrid,
    make_axes: Callable[[Sequence[int], Sequence[float]], Axes],
) -> _Plan:
    own = estimator.get_params()

    def values(role: str, *names: str) -> tuple[Any, ...]:
        axis = grid.axis(role)
        if axis is not None:
            return axis[1]
        return next(((own[name],) for name in names if name in own), (0,))

    sizes = values("size", "n_enhancement_nodes", "n_hidden_nodes")
    return _Plan(
        grid,
        values("groups", "n_feature_groups", "n_fuzzy_groups"),
        values("nodes", "n_feature_nodes", "n_fuzzy_rules"),
        values("width", "kernel_width"),
        make_axes([int(q) for q in sizes], [float(C) for C in values("C", "C")]),
    )


def _index(
    grid: SubGrid, outer: tuple[int, ...], cell: tuple[int, int] | None, width: int | None
) -> tuple[Any, ...]:
    """Index into an array of the grid's shape; what is None stays whole."""
    outside = iter(outer)
    index: list[Any] = []
    for name in grid.names:
        role = next((r for r in _ROLE_ORDER if (a := grid.axis(r)) and a[0] == name), None)
        if role is None:
            index.append(next(outside))
        elif role == "groups" and cell is not None:
            index.append(cell[0])
        elif role == "nodes" and cell is not None:
            index.append(cell[1])
        elif role == "width" and width is not None:
            index.append(width)
        else:
            index.append(slice(None))
    return tuple(index)


# Sorted names put the roles of a cell's block in this order.
_ROLE_ORDER = ("C", "width", "groups", "nodes", "size")


def _drop(grid: SubGrid, block: Array) -> Array:
    """Take axes out of a (scorer, part, C, width, size) block that the grid does not have."""
    absent = tuple(
        2 + k for k, role in enumerate(("C", "width", "size")) if grid.axis(role) is None
    )
    return block.squeeze(axis=absent)


def _run_cells(
    template: BroadModel,
    plan: _Plan,
    folds: list[Fold],
    n_jobs: int | None,
    progress: Progress,
) -> Iterator[tuple[list[tuple[int, int]], list[int], Array]]:
    """Yield scores of batches of cells on batches of folds."""
    workers = effective_n_jobs(n_jobs)
    batches = [[cell for cell in plan.cells if cell[1] == j] for j in range(len(plan.nodes))]
    every = list(range(len(folds)))
    if workers > 1 and len(batches) < 4 * workers:
        tasks = [(cells, [f]) for cells in batches for f in every]
    else:
        tasks = [(cells, every) for cells in batches]
    per_cell = len(plan.widths) * len(plan.axes.sizes) * len(plan.axes.Cs)
    if workers == 1:
        for cells, rows in tasks:
            part = limited(_evaluate, template, plan, folds, cells, lambda: progress.add(per_cell))
            yield cells, rows, part
        return
    calls = (
        delayed(limited)(_evaluate, template, plan, [folds[f] for f in rows], cells)
        for cells, rows in tasks
    )
    for (cells, rows), part in zip(tasks, parallel(calls, n_jobs), strict=True):
        progress.add(per_cell * len(cells) * len(rows))
        yield cells, rows, part


def _evaluate(
    template: BroadModel,
    plan: _Plan,
    folds: list[Fold],
    cells: list[tuple[int, int]],
    report: Callable[[], None] | None = None,
) -> Array:
    """Scores of some cells on some folds.

    Returns
    -------
    ndarray of shape (n_cells, n_folds, n_scorers, 1 or 2, n_widths, n_sizes, n_Cs)
    """
    axes = plan.axes
    shape = (len(cells), len(folds), len(axes.scorers), 1 + axes.train)
    result = np.full((*shape, len(plan.widths), len(axes.sizes), len(axes.Cs)), np.nan)
    seed = template_seed(template)
    layers: dict[tuple[int, int], Array] = {}
    for f, fold in enumerate(folds):
        if fold.task is not None and fold.valid:
            template.n_features_in_ = fold.X_test.shape[1]
            family = family_of(template, fold, seed)
            train, test = affine_rows(fold.task.X, fold), affine_rows(fold.X_test, fold)
        for c, (i, j) in enumerate(cells):
            if fold.task is not None and fold.valid:
                m, p = int(plan.groups[i]), int(plan.nodes[j])
                if (m, p) not in layers:
                    layers[m, p] = template._draw_layer(seed, m * p)
                cell = Cell(family.cut(m, p, layers[m, p]), fold, train, test, axes)
                result[c, f] = cell.scores()
            if report is not None:
                report()
    return result


def score_one_by_one(
    estimator: BaseEstimator,
    grid: SubGrid,
    X: NDArray[np.floating],
    y: NDArray[Any],
    weight: NDArray[np.float64] | None,
    splits: Sequence[Split],
    scorers: dict[str, Any],
    train_too: bool,
    progress: Progress,
) -> GridScores:
    """Fit every setting, for scorers that look at more than predictions."""
    scores = np.full((len(scorers), 1 + train_too, grid.size, len(splits)), np.nan)
    errors = np.full(grid.size, "", dtype=object)
    for i in range(grid.size):
        for f, (train, test) in enumerate(splits):
            model = clone(estimator).set_params(**grid.setting(i))
            try:
                if weight is None:
                    model.fit(X[train], y[train])
                else:
                    model.fit(X[train], y[train], sample_weight=weight[train])
            except ValueError as error:
                errors[i] = errors[i] or str(error)
            else:
                for s, scorer in enumerate(scorers.values()):
                    for t, part in enumerate((test, train)[: 1 + train_too]):
                        scores[s, t, i, f] = scorer(model, X[part], y[part])
            progress.add(1)
    return GridScores(scores, errors)


def template_seed(template: BroadModel) -> int:
    """The seed from which a model with these parameters draws."""
    return draw_seed(template.random_state)


def limited(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call with one thread for linear algebra: matrices are small, and workers are the threads."""
    with _libraries().limit(limits=1):
        return function(*arguments)


@cache
def _libraries() -> ThreadpoolController:
    """The loaded libraries that have threads; looking for them takes milliseconds."""
    return ThreadpoolController()


def parallel(calls: Iterable[Any], n_jobs: int | None) -> Iterator[Any]:
    """Run delayed calls in order; an interrupt ends the workers too."""
    if effective_n_jobs(n_jobs) == 1:
        yield from (function(*args, **kwargs) for function, args, kwargs in calls)
        return
    try:
        yield from Parallel(n_jobs=n_jobs, return_as="generator")(calls)
    except KeyboardInterrupt:
        from joblib.externals.loky import get_reusable_executor

        get_reusable_executor().shutdown(wait=False, kill_workers=True)
        raise
