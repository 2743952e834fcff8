"""Pipelines whose last step is searched: the steps before it are fitted once per fold.

What they make of the samples of a fold serves all candidates that share them. Each combination of
values that changes the steps is a search of its own over the last step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed
from scipy.sparse import issparse, vstack
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import check_array

from broadlearn.search.cells import Judge
from broadlearn.search.engine import fresh_states, limited
from broadlearn.search.folds import GridScores, SplitSamples, Task
from broadlearn.search.grid import Candidates, SubGrid
from broadlearn.search.workers import parallel
from broadlearn.utils import READ_SPARSE, Floats, check_sparse
from broadlearn.utils.sklearn_compat import safe_indexing

# Scores all candidates of the last step on prepared samples.
Run = Callable[[Any, SubGrid, Task, Judge], GridScores]


class Prepared(NamedTuple):
    """Samples of a split, as the steps transform them.

    The last step is fitted to `train` and predicts the `judged` samples: test samples and, for
    training scores, training samples: steps such as a target encoder transform the samples that
    they are fitted to differently. `error` is the reason why the steps cannot be fitted, or "".
    """

    train: Floats
    judged: list[Floats]
    error: str = ""


def score_pipeline(
    pipeline: Pipeline,
    grids: Sequence[SubGrid],
    task: Task,
    judge: Judge,
    run: Run,
    *,
    fresh: bool,
    raise_errors: bool,
) -> list[GridScores]:
    """Score every candidate of the grids on every split, with steps fitted once per split.

    `run` scores the last step on prepared samples. With `fresh`, each combination of values of the
    steps has its own draws. If errors of the steps are not raised, their fold has no scores.
    """
    name, model = pipeline.steps[-1]
    last = [_last_step_grid(grid, f"{name}__") for grid in grids]
    arranged = [
        Candidates(pipeline, grid, {key: key for key in grid.names if key.startswith(f"{name}__")})
        for grid in grids
    ]
    shape = (len(judge.scorers), len(judge.parts))
    results = [GridScores.empty(*shape, grid.size, len(task.splits), fresh) for grid in grids]
    combinations = [(g, i) for g, own in enumerate(arranged) for i in range(len(own.outer))]
    states = [model.random_state] * len(combinations)
    if fresh and len(combinations) > 1:
        states = fresh_states(model.random_state, (len(combinations),)).tolist()
    for state, (g, i) in zip(states, combinations, strict=True):
        values = clone(arranged[g].outer[i], safe=False)
        # Transformers need not tell that they are fitted, so an identity takes the last place.
        steps = clone(pipeline).set_params(**values, **{name: FunctionTransformer()})
        own = clone(model).set_params(random_state=state)
        folds = list(_prepare(steps, own, task, "train" in judge.parts, raise_errors))
        part = _score_prepared(own, last[g], folds, task, judge, run, fresh)
        results[g].file(arranged[g].numbers[i].ravel(), part)
    return results


def _last_step_grid(grid: SubGrid, prefix: str) -> SubGrid:
    """Return the grid of the last step, with its own parameter names."""
    named = [
        pair for pair in zip(grid.names, grid.values, strict=True) if pair[0].startswith(prefix)
    ]
    return SubGrid(tuple(n[len(prefix) :] for n, _ in named), tuple(v for _, v in named))


def _prepare(
    steps: Pipeline, model: Any, task: Task, train_too: bool, raise_errors: bool
) -> Iterator[Prepared]:
    """Fit the steps to the training samples of each split, and transform its samples."""
    calls = (
        delayed(limited)(_fit_steps, clone(steps), samples, model, train_too, raise_errors)
        for samples in task.splits
    )
    return parallel(calls, task.n_jobs)


def _fit_steps(
    steps: Pipeline, samples: SplitSamples, model: Any, train_too: bool, raise_errors: bool
) -> Prepared:
    train, test = samples.split
    X, y = safe_indexing(samples.X, train), samples.y[train]
    try:
        made = [steps.fit_transform(X, y), steps.transform(safe_indexing(samples.X, test))]
        made += [steps.transform(X)] if train_too else []
        fitted, *judged = (check_array(part, estimator=model, **READ_SPARSE) for part in made)
        if issparse(fitted):
            check_sparse(model, fitted)
        if fitted.shape[0] != len(y):
            raise ValueError(
                f"The steps before the last one turned {len(y)} samples into "
                f"{fitted.shape[0]}; they must keep the number of samples."
            )
    except Exception as error:
        if raise_errors:
            raise
        return Prepared(np.empty((0, 0)), [], str(error) or repr(error))
    return Prepared(fitted, judged)


def _score_prepared(
    model: Any,
    grid: SubGrid,
    folds: Sequence[Prepared],
    task: Task,
    judge: Judge,
    run: Run,
    fresh: bool,
) -> GridScores:
    """Score the last step's grid; folds whose steps cannot be fitted have no scores."""
    good = [f for f, fold in enumerate(folds) if not fold.error]
    shape = (len(judge.scorers), len(judge.parts), grid.size, len(folds))
    result = GridScores.empty(*shape, fresh)
    for fold in folds:
        result.note(np.arange(grid.size), fold.error)
    for t in range(len(judge.parts) if good else 0):
        # Training samples to predict are the test samples of another search.
        splits = [_join(folds[f], t, task.splits[f]) for f in good]
        own = Task(splits, task.n_jobs)
        part = run(model, grid, own, judge._replace(parts=("test",)))
        result.scores[:, t, :, good] = part.scores[:, 0].transpose(2, 0, 1)
        result.errors[:] = np.where(result.errors == "", part.errors, result.errors)
        if result.states is not None and part.states is not None:
            result.states[:, good] = part.states
    return result


def _join(fold: Prepared, t: int, samples: SplitSamples) -> SplitSamples:
    """Return training samples followed by those to predict."""
    train, judged = samples.split[0], samples.split[(1, 0)[t]]
    both, order = [fold.train, fold.judged[t]], np.concatenate([train, judged])
    X = vstack(both, format="csr") if issparse(fold.train) else np.concatenate(both)
    rows, weight = np.arange(order.size), samples.weight
    return samples._replace(
        X=X,
        y=samples.y[order],
        weight=None if weight is None else weight[order],
        split=(rows[: train.size], rows[train.size :]),
    )
