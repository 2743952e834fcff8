"""Rows that differ from another by next to nothing."""

from __future__ import annotations

import numpy as np
from scipy.stats import false_discovery_control

from broadlearn.auditing.coincidence import (
    CHANCE,
    EqualRows,
    Positions,
    beyond_chance,
    is_first,
    may_differ_in_one,
    occurrences,
    value_hashes,
)
from broadlearn.io import RankedColumns
from broadlearn.utils import Array

# A distance is tiny below this share of the median distance to the nearest row.
TINY_DISTANCE = 1e-3
# A difference of one number is tiny up to this share of its column's standard deviation.
TINY_DIFFERENCE = 1e-2
# Nearest rows that are needed to tell what distances are usual.
MIN_NEAREST = 3


def nearly_equal_by_distance(nearest: Positions, distance: Array, equal: EqualRows) -> Positions:
    """The row that each row nearly equals, by distances; -1 for none.

    Among the k nearest rows that are not fully equal, the nearest is compared with the last: in
    rows spread evenly over m dimensions, the ratio of these distances is below x with probability
    1 - (1 - x^m)^(k - 1), however dense the rows are. m is estimated from the distances
    (Levina and Bickel, 2004). Rows count whose nearest distance is tiny by itself, and whose
    ratio is, by the method of Benjamini and Hochberg at 5 %.

    Parameters
    ----------
    nearest, distance : ndarray of shape (n_samples, k)
        Positions of the nearest rows, -1 where there are none, and their distances.
    equal : EqualRows

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    none = np.full(len(nearest), -1, dtype=np.intp)
    other = (nearest >= 0) & (equal.group[nearest] != equal.group[:, None]) & (distance > 0.0)
    known = np.flatnonzero(other.sum(axis=1) >= MIN_NEAREST)
    if not known.size:
        return none
    other = other[known]
    r = np.where(other, distance[known], np.nan)
    k = other.sum(axis=1)
    at = np.nanargmin(r, axis=1)
    first, last = np.nanmin(r, axis=1), np.nanmax(r, axis=1)
    spread = np.nansum(np.log(last[:, None] / r), axis=1)
    dimension = np.median((k - 2.0) / np.maximum(spread, 1e-300))
    chance = -np.expm1((k - 1.0) * np.log1p(-np.minimum((first / last) ** dimension, 1 - 1e-16)))
    found = first < TINY_DISTANCE * np.median(first)
    found &= false_discovery_control(chance) <= CHANCE
    none[known[found]] = nearest[known[found], at[found]]
    return none


def nearly_equal_by_column(columns: RankedColumns, equal: EqualRows) -> Positions:
    """The row that each row equals but for a tiny difference of one number; -1 for none.

    How many rows do so by chance is expected from the rows that equal it in all other columns, and
    from the share of rows that have nearly its number.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.auditing.coincidence import find_equal_rows
    >>> from broadlearn.io import rank_columns
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(100, 3)))
    >>> frame.iloc[7] = frame.iloc[2] + [0.0, 0.001, 0.0]
    >>> columns = rank_columns(frame)
    >>> near = nearly_equal_by_column(columns, find_equal_rows(columns))
    >>> np.flatnonzero(near >= 0).tolist(), near[[2, 7]].tolist()
    ([2, 7], [7, 2])
    """
    near = np.full(columns.n_rows, -1, dtype=np.intp)
    kept = may_differ_in_one(columns, equal)
    kept = kept[is_first(equal.group)[kept]]
    log_none = np.zeros(columns.n_rows)
    for j in np.flatnonzero(columns.is_number).tolist():
        ranks = columns.ranks[j]
        rows = kept[ranks[kept] >= 0]
        tiny = TINY_DIFFERENCE * _usual_deviation(columns, j)
        if not rows.size or tiny <= 0.0:
            continue
        rest = equal.hashes[rows] - value_hashes(columns, j)[rows]
        value = columns.values[j][ranks[rows]]
        log_none[rows] -= (occurrences(rest)[1] - 1) * _share_within(columns, j, value, tiny)

        order = np.lexsort((value, rest))
        left, right = rows[order[:-1]], rows[order[1:]]
        close = (np.diff(rest[order]) == 0) & (np.diff(value[order]) <= tiny)
        near[left[close]] = right[close]
        near[right[close]] = left[close]
    near = np.where(beyond_chance(-np.expm1(log_none), near >= 0), near, -1)
    of_group = np.full(columns.n_rows, -1, dtype=np.intp)
    of_group[equal.group[kept]] = near[kept]
    return of_group[equal.group]


def _usual_deviation(columns: RankedColumns, j: int) -> float:
    """Standard deviation of a column of normal distribution with its quartiles."""
    ranks = np.sort(columns.ranks[j][columns.ranks[j] >= 0])
    if not ranks.size:
        return 0.0
    low, high = columns.values[j][ranks[[ranks.size // 4, 3 * ranks.size // 4]]]
    return float(high - low) / 1.349


def _share_within(columns: RankedColumns, j: int, value: Array, tiny: float) -> Array:
    """Share of the rows whose number is as near to the value as that."""
    below = np.append(0, np.cumsum(np.bincount(columns.ranks[j][columns.ranks[j] >= 0])))
    low = np.searchsorted(columns.values[j], value - tiny, side="left")
    high = np.searchsorted(columns.values[j], value + tiny, side="right")
    return (below[high] - below[low]) / columns.n_rows
