"""Columns that tell the target by themselves: they may have been written down after it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict

from broadlearn.io.ranked_columns import RankedColumns, find_copies, find_identifiers, mid_ranks
from broadlearn.utils import Array, row_priorities

# Trees work in single precision, sums of values included.
LARGEST = 1e30
# Rows that columns are judged by, and rows that the other columns together are.
MAX_ROWS = 5_000
MAX_MODEL_ROWS = 2_000
# Rows on either side whose targets are the prediction of a row, where most values differ.
SIDE = {"classes": 5, "quantities": 2}
# A column with this many rows per value, or of text, predicts by the rows of the same value.
ROWS_PER_LEVEL = 5
# Classes of fewer rows are not judged.
MIN_CLASS_ROWS = 5
# The skill of a column from which on it may leak, and how its error compares with the others'.
MIN_SKILL = {"classes": 0.95, "quantities": 0.98}
ERROR_RATIO, ERROR_STEP = 2.0, 0.05
# The best columns that are compared with the others: each takes a model.
MAX_COMPARED = 5
N_TREES, N_FOLDS = 50, 3


def find_leaks(
    columns: RankedColumns,
    target: NDArray[np.generic],
    n_classes: int,
    numbers_of: Callable[[list[str]], Array],
) -> dict[int, tuple[float, float]]:
    """Find columns that may leak the target.

    A column is judged by its skill in predicting the target of rows that are left out: the recall
    averaged over classes, or the share of variance explained of a regression target's ranks. It
    leaks

    - if it is the target under other names: as many values as classes, one to one, with a
      skill of 0.95 or more; or
    - if its skill is 0.95 (0.98 for a regression target) or more, and the error of all other
      columns together (of held-out extremely randomised trees) is twice its own and 0.05 more.

    So a good feature among other good ones, as petals are in iris, is none.

    Parameters
    ----------
    columns : RankedColumns
    target : ndarray of shape (n_rows,)
        Codes of classes from 0 on, or a quantity.
    n_classes : int
        0 for a quantity.
    numbers_of : callable
        Gives the rows of some columns, by their names, as numbers.

    Returns
    -------
    dict of int to (float, float)
        Leaking columns by position, with their skill and that of all others (nan for renamings).

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.io import rank_columns
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 200)
    >>> frame = pd.DataFrame({"x": rng.normal(size=200), "code": y})
    >>> find_leaks(rank_columns(frame), y, 2, lambda names: frame[names].to_numpy())
    {1: (1.0, nan)}
    """
    sample = _sample(columns.n_rows, MAX_ROWS)
    judged = target[sample] if n_classes else mid_ranks(target[sample])
    skills = np.zeros(len(columns.names))
    for j in np.flatnonzero((columns.n_levels > 1) & ~find_identifiers(columns)):
        skills[j] = column_skill(
            columns.ranks[j, sample], judged, n_classes, bool(columns.is_number[j])
        )
    limit = MIN_SKILL["classes" if n_classes else "quantities"]
    candidates = [j for j in np.argsort(-skills, kind="stable").tolist() if skills[j] >= limit]
    found = {
        j: (float(skills[j]), np.nan)
        for j in candidates
        if n_classes and _is_renamed_target(columns, j, np.asarray(target, np.intp), n_classes)
    }
    copies = find_copies(columns) if candidates else np.empty(0, dtype=np.intp)
    for j in [j for j in candidates if j not in found][:MAX_COMPARED]:
        same = (copies == j) | (copies == copies[j]) & (copies[j] >= 0)
        same[[j, *found]] = True
        if copies[j] >= 0:
            same[copies[j]] = True
        others = [columns.names[i] for i in np.flatnonzero(~same).tolist()]
        of_rest = _skill_together(numbers_of(others), target, n_classes) if others else 0.0
        if 1.0 - of_rest >= ERROR_RATIO * (1.0 - skills[j]) + ERROR_STEP:
            found[j] = (float(skills[j]), of_rest)
    return found


def column_skill(
    ranks: NDArray[np.int32], target: NDArray[np.generic], n_classes: int, is_number: bool
) -> float:
    """How well the values of one column tell the target of rows that are left out.

    Parameters
    ----------
    ranks : ndarray of shape (n_samples,)
    target : ndarray of shape (n_samples,)
        Codes of classes, or ranks of a quantity.
    n_classes : int
        0 for a quantity.
    is_number : bool
        Whether neighbouring ranks mean similar values.

    Examples
    --------
    >>> y = np.arange(40) % 2
    >>> column_skill(y, y, 2, True), column_skill(np.arange(40), y, 2, True)
    (1.0, 0.0)
    """
    _, level, counts = np.unique(ranks, return_inverse=True, return_counts=True)
    values: Array = np.asarray(
        target[:, None] == np.arange(n_classes) if n_classes else target[:, None], np.float64
    )
    if is_number and counts.size * ROWS_PER_LEVEL > level.size:
        totals, n = _of_neighbours(level, values, SIDE["classes" if n_classes else "quantities"])
    else:
        sums = np.zeros((counts.size, values.shape[1]))
        np.add.at(sums, level, values)
        totals, n = sums[level] - values, np.asarray(counts[level] - 1.0, dtype=np.float64)
    if not n_classes:
        y = values[:, 0]
        predicted = np.where(n > 0, totals[:, 0] / np.maximum(n, 1.0), y.mean())
        return float(1.0 - np.sum((y - predicted) ** 2) / np.sum((y - y.mean()) ** 2))
    sizes = np.maximum(values.sum(axis=0), 1.0)
    hit = (totals / sizes).argmax(axis=1) == target
    return _mean_recall(hit & (n > 0), np.asarray(target, dtype=np.intp))


def _of_neighbours(level: NDArray[np.intp], values: Array, side: int) -> tuple[Array, Array]:
    """Sum of the values of rows next to each in the order of its level, and their number."""
    n = level.size
    # Ties in the order of the file would let a file sorted by class tell the class.
    drawn = _drawn_order(n)
    order = drawn[np.argsort(level[drawn], kind="stable")]
    sums = np.vstack([np.zeros(values.shape[1]), np.cumsum(values[order], axis=0)])
    low = np.maximum(np.arange(n) - side, 0)
    high = np.minimum(np.arange(n) + side + 1, n)
    totals, counts = np.empty_like(values), np.empty(n)
    totals[order] = sums[high] - sums[low] - values[order]
    counts[order] = high - low - 1.0
    return totals, counts


@lru_cache(maxsize=4)
def _drawn_order(n_rows: int) -> NDArray[np.intp]:
    """Rows in a random order."""
    return np.argsort(row_priorities(0, n_rows, 0), kind="stable")


def _mean_recall(hit: NDArray[np.bool_], codes: NDArray[np.intp]) -> float:
    sizes = np.bincount(codes)
    judged = sizes >= MIN_CLASS_ROWS
    if not judged.any():
        return 0.0
    return float((np.bincount(codes, weights=hit)[judged] / sizes[judged]).mean())


def _is_renamed_target(
    columns: RankedColumns, j: int, codes: NDArray[np.intp], n_classes: int
) -> bool:
    """Whether a column has one value for each class."""
    ranks = columns.ranks[j]
    if columns.n_levels[j] + int((ranks < 0).any()) != n_classes:
        return False
    counts = np.zeros((columns.n_levels[j] + 1, n_classes))
    np.add.at(counts, (ranks, codes), 1.0)
    counts = counts[counts.sum(axis=1) > 0.0]
    return bool(np.unique((counts / counts.sum(axis=0)).argmax(axis=1)).size == n_classes)


def _skill_together(Z: Array, target: NDArray[np.generic], n_classes: int) -> float:
    """Skill of some columns together, held out."""
    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

    if not Z.shape[1]:
        return 0.0
    kept = _sample(len(Z), MAX_MODEL_ROWS)
    Z = np.clip(Z[kept], -LARGEST, LARGEST)
    if not n_classes:
        y = mid_ranks(target[kept])
        trees = ExtraTreesRegressor(N_TREES, min_samples_leaf=2, random_state=0)
        folds = KFold(min(N_FOLDS, kept.size), shuffle=True, random_state=0)
        predicted = cross_val_predict(trees, Z, y, cv=folds)
        return float(1.0 - np.sum((y - predicted) ** 2) / np.sum((y - y.mean()) ** 2))
    codes = np.asarray(target[kept], dtype=np.intp)
    common = np.bincount(codes)[codes] >= MIN_CLASS_ROWS
    Z, codes = Z[common], codes[common]
    trees = ExtraTreesClassifier(N_TREES, class_weight="balanced", random_state=0)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    return _mean_recall(cross_val_predict(trees, Z, codes, cv=folds) == codes, codes)


def _sample(n_rows: int, at_most: int) -> NDArray[np.intp]:
    """Rows drawn without regard to their order."""
    return np.sort(np.argsort(row_priorities(0, n_rows, 1))[:at_most])
