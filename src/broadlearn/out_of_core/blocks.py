"""Fits to tables that do not fit into memory, in passes over blocks of rows."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from broadlearn.out_of_core.passes import fit_in_passes
from broadlearn.out_of_core.rows import Merge, Part, RowSource, count_rows, fold, row_source

Model = TypeVar("Model", bound=BaseEstimator)
T = TypeVar("T")


def fit_blocks(
    model: Model,
    source: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    classes: ArrayLike | None = None,
    block_rows: int = 8192,
) -> Model:
    """Fit a model to samples that are read block by block, in several passes.

    Decisions are those of `fit` on all samples. The slope of probabilities is learnt from 512 of
    them. Memory does not depend on the number of samples. The passes are:

    - classes (or the mean of real targets), means and standard deviations of columns;
    - scaling of nodes;
    - with fuzzy scores, centres of the classes, then radii; with intuitionistic scores, `landmarks`
      samples of each class (2,000 unless it is a number), then radii;
    - sums of the normal equations;
    - one or two to refine the solution if C is very large.

    Scores of single samples are not kept. The model can learn more samples with `partial_fit`.

    Parameters
    ----------
    model : BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier or BLSRegressor
        ``feature_weights="sparse"``, ``feature_scaling="robust"``, ``standardize="robust"`` and
        scores that compare all samples, such as "held_out", need the whole table at once and are
        refused. For the first three, use `warm_up` on a part of the table and `partial_fit`.
    source : array of shape (n_samples, n_features), iterable or callable
        An array, such as a memory map, with `y`; or blocks ``(X, y)`` or ``(X, y, sample_weight)``,
        as an iterable that can be iterated again or a function that gives a fresh iterator. For
        files, let the function read batches of pyarrow, or use Dask.
    y : array of shape (n_samples,), default=None
        Targets, if `source` is an array.
    sample_weight : array of shape (n_samples,), default=None
        Sample weights, if `source` is an array.
    classes : array-like of shape (n_classes,), default=None
        The classes, if they are known; None finds them.
    block_rows : int, default=8192
        Rows per block of an array.

    Returns
    -------
    model
        The same object, fitted.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from broadlearn import BLSClassifier
    >>> from broadlearn.out_of_core import fit_blocks
    >>> X, y = load_digits(return_X_y=True)
    >>> fit_blocks(BLSClassifier(random_state=0), X, y, block_rows=500).score(X, y) > 0.95
    True
    """
    blocks = row_source(source, y, sample_weight=sample_weight, block_rows=block_rows)
    return fit_in_passes(model, _BlockRows(blocks), classes)


class _BlockRows:
    """Blocks of rows that are visited in their order."""

    def __init__(self, source: RowSource) -> None:
        self.source = source

    def head(self) -> tuple[Any, int]:
        for X, y, weight in self.source():
            if count_rows(y, weight):
                return X, np.ndim(y)
        raise ValueError("source has no rows with a positive weight.")

    def reduce(self, stage: str, part: Part[T], merge: Merge[T]) -> T:
        total = fold(part, merge, self.source())
        if total is None:
            raise ValueError("source has no rows with a positive weight.")
        return total
