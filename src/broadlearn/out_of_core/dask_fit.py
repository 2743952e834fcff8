"""Fits to Dask collections: statistics of partitions, merged along a tree."""

from __future__ import annotations

from functools import reduce
from itertools import accumulate
from typing import Any, TypeVar
from uuid import uuid4

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from broadlearn.out_of_core.partitions import Partitions, align, dask_module
from broadlearn.out_of_core.passes import fit_in_passes
from broadlearn.out_of_core.rows import Merge, Part, array_blocks, count_rows, fold
from broadlearn.utils import one_thread

T = TypeVar("T")
Model = TypeVar("Model", bound=BaseEstimator)

# How a pass makes and merges statistics.
Pass = tuple[Part[T], Merge[T]]
# Rows with a weight of each partition, and the statistic of them all if there are any.
PartStatistic = tuple[tuple[int, ...], T | None]

# Rows of a partition that are processed at a time, and statistics that are merged at a time: a
# worker holds at most five of them.
BLOCK_ROWS = 8192
FAN_IN = 4


def fit(
    model: Model,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    classes: ArrayLike | None = None,
) -> Model:
    """Fit a model to Dask collections, where their partitions are.

    The passes are those of :func:`fit_blocks`, and so is the model. In each, workers send
    statistics whose size does not depend on the number of rows: at most the sums over rows of all
    products of two nodes. They are merged along a tree that depends on the partitions only, so the
    model is bit for bit the same for any number of workers (on the same kind of processor). If a
    worker is lost, others process its partitions again. The current client is used, if there is
    one, else the threads of this process.

    Collections are read once per pass: call ``persist`` on them first if they fit into the memory
    of the cluster.

    Parameters
    ----------
    model : BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier or BLSRegressor
        With settings that :func:`fit_blocks` takes.
    X : Dask array or dataframe of shape (n_samples, n_features)
        Partitions may be empty or of unknown length.
    y : Dask array or series of shape (n_samples,)
        Partitioned as X, if the lengths of partitions are unknown.
    sample_weight : Dask array or series of shape (n_samples,), default=None
        Likewise.
    classes : array-like of shape (n_classes,), default=None
        The classes, if they are known; None finds them.

    Returns
    -------
    model
        The same object, fitted; unchanged if the fit fails.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_digits
    >>> from broadlearn import BLSClassifier
    >>> from broadlearn.out_of_core import fit, predict
    >>> X, y = load_digits(return_X_y=True)
    >>> X, y = da.from_array(X, chunks=(500, -1)), da.from_array(y, chunks=500)
    >>> model = fit(BLSClassifier(random_state=0), X, y)
    >>> bool((predict(model, X) == y).mean() > 0.95)
    True
    """
    return fit_in_passes(model, _DaskRows(align(X, y, sample_weight)), classes)


class _DaskRows:
    """Rows in partitions of Dask collections."""

    def __init__(self, partitions: Partitions) -> None:
        self.partitions = partitions
        self.first = [0] * len(partitions.X)

    def head(self) -> tuple[Any, int]:
        return self.partitions.head, self.partitions.y_dimensions

    def reduce(self, stage: str, part: Part[T], merge: Merge[T]) -> T:
        dask, token = dask_module("dask"), uuid4().hex
        # One node of the graph, so that a worker is sent it once and not with every partition.
        step = dask.delayed((part, merge), traverse=False)
        rows = zip(*self.partitions[:3], self.first, strict=True)
        level = [
            dask.delayed(_visit)(step, i, *row, dask_key_name=f"{stage}-{token}-{i}")
            for i, row in enumerate(rows)
        ]
        while len(level) > 1:
            level = [
                dask.delayed(_merge)(step, level[i : i + FAN_IN])
                for i in range(0, len(level), FAN_IN)
            ]
        counts, total = dask.compute(level[0])[0]
        if total is None:
            raise ValueError("X has no rows with a positive weight.")
        self.first = [0, *accumulate(counts)][:-1]
        return total


def _visit(step: Pass[T], number: int, X: Any, y: Any, weight: Any, first: int) -> PartStatistic[T]:
    """Return the statistic of a partition."""
    try:
        with one_thread():
            statistic = fold(*step, array_blocks(X, y, weight, BLOCK_ROWS), first)
    except ValueError as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise ValueError(f"{reason} (in partition {number} of X).") from error
    return (count_rows(y, weight),), statistic


def _merge(step: Pass[T], parts: list[PartStatistic[T]]) -> PartStatistic[T]:
    """Merge the statistics of several parts, in their order."""
    counts = tuple(n for part, _ in parts for n in part)
    values = [value for _, value in parts if value is not None]
    return counts, reduce(step[1], values) if values else None
