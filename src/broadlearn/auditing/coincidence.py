"""Which rows are equal, and how many would be by chance."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.io import RankedColumns
from broadlearn.utils import Array

# Of the rows that are called equal beyond chance, at most this share may be there by chance.
CHANCE = 0.05
# Where this share of all equal rows is to be expected by chance, none is called so.
ALL_CHANCE = 0.5

Positions = NDArray[np.intp]
Flags = NDArray[np.bool_]


class EqualRows(NamedTuple):
    """Rows with the same values.

    Attributes
    ----------
    group : ndarray of shape (n_samples,)
        Number of the group of equal rows, 0, 1, ... in no particular order.
    size : ndarray of shape (n_samples,)
        Rows of that group, the row itself included.
    hashes : ndarray of shape (n_samples,)
        Sum over columns of a random number for each value: the same for equal rows.
    """

    group: Positions
    size: Positions
    hashes: NDArray[np.uint64]


def find_equal_rows(columns: RankedColumns) -> EqualRows:
    """Group rows by their values; missing values are equal.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.io import rank_columns
    >>> columns = rank_columns(pd.DataFrame({"a": [1, 2, 1], "b": ["x", None, "x"]}))
    >>> find_equal_rows(columns).size.tolist()
    [2, 1, 2]
    """
    hashes = np.zeros(columns.n_rows, dtype=np.uint64)
    for j in range(len(columns.names)):
        hashes += value_hashes(columns, j)
    group, size = occurrences(hashes)
    return EqualRows(group, size, hashes)


def value_hashes(columns: RankedColumns, j: int) -> NDArray[np.uint64]:
    """A random number for each value of a column."""
    n_values = len(columns.values[j]) + 1
    draws = np.random.default_rng(j).integers(0, 1 << 64, n_values, dtype=np.uint64)
    return np.asarray(draws[columns.ranks[j]])


def occurrences(keys: NDArray[Any]) -> tuple[Positions, Positions]:
    """The number of each key among the distinct ones, and how often it occurs."""
    _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return inverse, counts[inverse]


def chance_of_equals(columns: RankedColumns, equal: EqualRows, strata: Positions) -> Array:
    """Probability that another row equals a row by chance.

    The number of rows that do is estimated in two ways, of which the larger counts:

    - from the frequencies of the row's values, as if columns were independent of each other in
      the whole table or within its stratum (its class). Rows of one group count once in its
      frequencies, and a value that no other row has is as frequent as Good and Turing estimate:
      twice the values that two rows have, by those that one has.
    - from the rows that differ from it in a single column, times the odds of its value of that
      column. This allows for columns that depend on each other. One such row is no evidence.

    Parameters
    ----------
    columns : RankedColumns
    equal : EqualRows
    strata : ndarray of shape (n_samples,)
        Class of each row.

    Returns
    -------
    ndarray of shape (n_samples,)
        The same for equal rows.
    """
    n_columns, n_rows = columns.ranks.shape
    n_strata = int(strata.max()) + 1
    first = is_first(equal.group)
    of_stratum = occurrences(equal.group * n_strata + strata)[1]
    stratum_size = np.bincount(strata)[strata]
    log_share, log_share_within, from_others = np.zeros((3, n_rows))
    candidates = may_differ_in_one(columns, equal)
    with np.errstate(divide="ignore"):
        for j in range(n_columns):
            values = columns.ranks[j].astype(np.intp) + 1
            # Distinct rows of a single column hold no value twice, which would say nothing.
            repeats = _repeats(values[first]) if n_columns > 1 else 1.0
            share = _share(np.bincount(values)[values], equal.size, n_rows, repeats)
            log_share += np.log(share)
            within = occurrences(values * n_strata + strata)[1]
            log_share_within += np.log(_share(within, of_stratum, stratum_size, repeats))

            rest = equal.hashes[candidates] - value_hashes(columns, j)[candidates]
            others = occurrences(rest)[1] - equal.size[candidates]
            odds = share[candidates] / np.maximum(1.0 - share[candidates], 1.0 / n_rows)
            by_one = np.maximum(others - 1, 0) * odds
            from_others[candidates] = np.maximum(from_others[candidates], by_one)
    independent = (n_rows - 1) * np.exp(log_share) + (stratum_size - 1) * np.exp(log_share_within)
    expected = np.zeros(n_rows)
    np.maximum.at(expected, equal.group, np.maximum(independent, from_others))
    return np.asarray(-np.expm1(-expected[equal.group]))


def beyond_chance(chance: Array, is_equal: Flags) -> Flags:
    """Equal rows of so small a chance that few of them can be there by chance.

    None are, if half of all equal rows are expected: what is estimated less well for
    some of them then explains the others too.

    Examples
    --------
    >>> chance = np.array([1e-9, 1e-9, 1e-9, 0.4, 0.4, 0.4])
    >>> beyond_chance(chance, np.array([True, True, False, True, True, False])).tolist()
    [True, True, False, False, False, False]
    >>> beyond_chance(chance, np.array([True, True, False, False, False, False])).any()
    np.False_
    """
    if chance.sum() >= ALL_CHANCE * is_equal.sum():
        return np.zeros(chance.size, dtype=bool)
    order = np.argsort(chance)
    ascending = chance[order]
    allowed = np.cumsum(ascending) <= CHANCE * np.cumsum(is_equal[order])
    ends = np.append(ascending[1:] > ascending[:-1], True)
    within = np.flatnonzero(allowed & ends)
    threshold = ascending[within[-1]] if within.size else -1.0
    return is_equal & (chance <= threshold)


def _share(count: Positions, own: Positions, n_rows: int | Positions, repeats: float) -> Array:
    """Share of rows with a value, the rows of one group counted once."""
    others = count - own
    return np.where(others > 0, others + 1.0, repeats) / (n_rows - own + 1.0)


def _repeats(values: Positions) -> float:
    """How often a value would be seen again that was seen once, by Good and Turing."""
    once, twice = np.bincount(np.bincount(values), minlength=3)[1:3]
    return min(1.0, 2.0 * twice / once) if once else 1.0


def is_first(group: Positions) -> Flags:
    """Which rows are the first of their group."""
    first = np.zeros(group.size, dtype=bool)
    first[np.unique(group, return_index=True)[1]] = True
    return first


def may_differ_in_one(columns: RankedColumns, equal: EqualRows) -> Positions:
    """Rows that may differ from another in one column only.

    Such rows agree in all columns of one half of the table. In tables of continuous columns, few
    or none do, and only these are compared column by column.
    """
    half = np.zeros(columns.n_rows, dtype=np.uint64)
    for j in range(len(columns.names) // 2):
        half += value_hashes(columns, j)
    shared = [occurrences(part)[1] > equal.size for part in (half, equal.hashes - half)]
    return np.flatnonzero(shared[0] | shared[1])
