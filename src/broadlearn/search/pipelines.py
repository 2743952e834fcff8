"""Pipelines whose last step is searched: the steps before it are fitted once per fold.

What they make of a fold's samples serves all candidates that have them in common. Each combination
of values that change the steps is a search of its own for the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed
from numpy.typing import NDArray
from scipy.sparse import issparse, vstack
from sklearn import get_config
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import check_array
from sklearn.utils.metadata_routing import process_routing

from broadlearn.search.cells import Axes
from broadlearn.search.engine import GridScores, Split, SplitSamples, Task, limited
from broadlearn.search.fresh_draws import fresh_states
from broadlearn.search.grid import SubGrid
from broadlearn.utils import READ_SPARSE, Array, Floats, check_sparse, parallel
from broadlearn.utils.sklearn_compat import safe_indexing

# Scores all candidates of the last step on samples that are prepared.
Run = Callable[[Any, SubGrid, Task, Axes], GridScores]


class Prepared(NamedTuple):
    """What the steps make of the samples of a split.

    Attributes
    ----------
    train : ndarray
        Training samples, as the last step is fitted to them.
    judged : list of ndarray
        Test samples and, if they are wanted, training samples as the last step predicts them: some
        steps, such as a target encoder, transform the samples that they are fitted to in a way of
        their own.
    error : str
        Why the steps cannot be fitted, or "".
    """

    train: Floats
    judged: list[Floats]
    error: str = ""


def run_pipeline(
    pipeline: Pipeline,
    grids: Sequence[SubGrid],
    task: Task,
    axes: Axes,
    run: Run,
    *,
    fresh: bool,
    raise_errors: bool,
) -> list[GridScores]:
    """Score every candidate of some grids on every split, with steps fitted once per split.

    Parameters
    ----------
    pipeline : Pipeline
    grids : sequence of SubGrid
        With names as the pipeline has them.
    task : Task
        Its samples are as the first step takes them.
    axes : Axes
    run : callable
        Called as ``run(model, grid, task, axes)`` for the last step.
    fresh : bool
        Whether each combination of values of the steps has draws of its own.
    raise_errors : bool
        Whether an error of a step is raised; otherwise its fold has no scores.
    """
    name, model = pipeline.steps[-1]
    parts = [split_grid(grid, f"{name}__") for grid in grids]
    shared: dict[Hashable, list[tuple[int, int]]] = {}
    for g, (outer, _) in enumerate(parts):
        for i in range(outer.size):
            shared.setdefault(_key(outer.candidate(i)), []).append((g, i))
    states = [model.random_state]
    if fresh and len(shared) > 1:
        states = fresh_states(model.random_state, (len(shared),)).tolist()
    found: list[dict[int, GridScores]] = [{} for _ in grids]
    for k, members in enumerate(shared.values()):
        g, i = members[0]
        values = clone(parts[g][0].candidate(i), safe=False)
        # In place of the last step, as transformers need not say themselves that they are fitted.
        steps = clone(pipeline).set_params(**values, **{name: FunctionTransformer()})
        own = clone(model).set_params(random_state=states[k % len(states)])
        folds = list(_prepare(steps, own, task, axes.train, raise_errors))
        for g, i in members:
            found[g][i] = _run_prepared(own, parts[g][1], folds, task, axes, run, fresh)
    return [
        _in_order(grid, *both, [of_grid[i] for i in range(both[0].size)])
        for grid, both, of_grid in zip(grids, parts, found, strict=True)
    ]


def split_grid(grid: SubGrid, prefix: str) -> tuple[SubGrid, SubGrid]:
    """Names of the steps, and those of the last one without their prefix.

    Examples
    --------
    >>> from broadlearn.search.grid import SubGrid
    >>> grid = SubGrid(("model__C", "scale"), ((1.0, 10.0), ("passthrough",)))
    >>> [part.names for part in split_grid(grid, "model__")]
    [('scale',), ('C',)]
    """
    named = list(zip(grid.names, grid.values, strict=True))
    steps = [(name, values) for name, values in named if not name.startswith(prefix)]
    last = [(name[len(prefix) :], values) for name, values in named if name.startswith(prefix)]
    first, second = (
        SubGrid(tuple(name for name, _ in part), tuple(values for _, values in part))
        for part in (steps, last)
    )
    return first, second


def weight_keyword(pipeline: Pipeline, weight: Array) -> str:
    """What the weights of the last step are called in the pipeline's fit.

    Where scikit-learn routes metadata, the last step asks for them; whether other steps have them
    is up to their requests, and scikit-learn complains about one that does not say.
    """
    name, model = pipeline.steps[-1]
    if not get_config()["enable_metadata_routing"]:
        return f"{name}__sample_weight"
    model.set_fit_request(sample_weight=True)
    process_routing(pipeline, "fit", sample_weight=weight)
    return "sample_weight"


def fit_steps(
    steps: Pipeline,
    samples: tuple[Any, Any, Any],
    weight: Array | None,
    model: Any,
    train_too: bool,
    raise_errors: bool,
) -> Prepared:
    """Fit steps to training samples, and transform these and the test samples.

    Parameters
    ----------
    steps : Pipeline
        Whose last step passes everything through.
    samples : tuple
        X and y of the training samples, X of the test samples.
    weight : ndarray or None
        Weights of the training samples, for steps that ask for them.
    model : estimator
        The last step, for messages.
    train_too : bool
        Whether training samples are to be judged.
    raise_errors : bool
    """
    X, y, X_test = samples
    try:
        weights = {}
        if weight is not None and get_config()["enable_metadata_routing"]:
            asked = steps.get_metadata_routing().consumes("fit_transform", ["sample_weight"])
            weights = dict.fromkeys(asked, weight)
        made = [steps.fit_transform(X, y, **weights), steps.transform(X_test)]
        made += [steps.transform(X)] if train_too else []
        train, *judged = (check_array(part, estimator=model, **READ_SPARSE) for part in made)
        if issparse(train):
            check_sparse(model, train)
        if train.shape[0] != len(y):
            raise ValueError(
                f"The steps before the last one made {train.shape[0]} samples of {len(y)}; they "
                "must keep the number of samples."
            )
    except Exception as error:
        if raise_errors:
            raise
        return Prepared(np.empty((0, 0)), [], str(error) or repr(error))
    return Prepared(train, judged)


def _key(values: Mapping[str, Any]) -> Hashable:
    """The same for the same values, where these can be compared."""
    key = []
    for name, value in values.items():
        try:
            hash(value)
        except TypeError:
            value = id(value)
        key.append((name, type(value), value))
    return tuple(key)


def _prepare(
    steps: Pipeline, model: Any, task: Task, train_too: bool, raise_errors: bool
) -> Iterator[Prepared]:
    """What the steps make of each split."""
    calls = (
        delayed(limited)(
            fit_steps,
            clone(steps),
            (safe_indexing(X, train), y[train], safe_indexing(X, test)),
            None if weight is None else weight[train],
            model,
            train_too,
            raise_errors,
        )
        for X, y, weight, (train, test) in task.splits
    )
    return parallel(calls, task.n_jobs)


def _run_prepared(
    model: Any,
    grid: SubGrid,
    folds: Sequence[Prepared],
    task: Task,
    axes: Axes,
    run: Run,
    fresh: bool,
) -> GridScores:
    """Scores of the last step's grid; none on folds whose steps cannot be fitted."""
    good = [f for f, fold in enumerate(folds) if not fold.error]
    scores = np.full((len(axes.scorers), 1 + axes.train, grid.size, len(folds)), np.nan)
    errors = np.full(grid.size, next((fold.error for fold in folds if fold.error), ""), object)
    states = np.full((grid.size, len(folds)), -1) if fresh else None
    for t in range(1 + axes.train if good else 0):
        # Training samples that are judged are test samples of another search.
        splits = [_joined(folds[f], t, *task.splits[f][1:]) for f in good]
        own = Task(splits, task.n_jobs, task.report if t == 0 else lambda count: None)
        part = run(model, grid, own, axes._replace(train=False))
        scores[:, t, :, good] = part.scores[:, 0].transpose(2, 0, 1)
        errors = np.where(errors == "", part.errors, errors)
        if states is not None:
            states[:, good] = part.states
    task.report(grid.size * (len(folds) - len(good)))
    return GridScores(scores, errors, states)


def _joined(
    fold: Prepared, t: int, y: NDArray[Any], weight: Array | None, split: Split
) -> SplitSamples:
    """Training samples and those that are judged, one after the other."""
    n, order = split[0].size, np.concatenate([split[0], split[(1, 0)[t]]])
    both = [fold.train, fold.judged[t]]
    X = vstack(both, format="csr") if issparse(fold.train) else np.concatenate(both)
    rows = np.arange(order.size)
    return X, y[order], None if weight is None else weight[order], (rows[:n], rows[n:])


def _in_order(
    grid: SubGrid, steps: SubGrid, last: SubGrid, found: Sequence[GridScores]
) -> GridScores:
    """Scores of all combinations of a grid's two parts, in the order of its candidates."""
    # Names of the last step have lost a prefix, and kept their order.
    places = [grid.names.index(name) for name in steps.names]
    places += [k for k in range(len(grid.names)) if k not in places]
    axes = np.argsort(np.array(places, dtype=np.intp))

    def arranged(parts: Sequence[NDArray[Any]], axis: int) -> NDArray[Any]:
        array = np.stack(parts, axis=axis)
        lead, rest = array.shape[:axis], array.shape[axis + 2 :]
        array = array.reshape((*lead, *steps.shape, *last.shape, *rest))
        array = np.moveaxis(array, axis + axes, range(axis, axis + axes.size))
        return array.reshape(*lead, grid.size, *rest)

    given = [part.states for part in found if part.states is not None]
    states = arranged(given, 0) if given else None
    scores = arranged([part.scores for part in found], 2)
    return GridScores(scores, arranged([part.errors for part in found], 0), states)
