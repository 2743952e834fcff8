"""Rows that are there more than once, with the same label or with another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from broadlearn.auditing.coincidence import (
    Flags,
    Positions,
    beyond_chance,
    chance_of_equals,
    find_equal_rows,
)
from broadlearn.auditing.findings import Finding
from broadlearn.auditing.near_duplicates import nearly_equal_by_column, nearly_equal_by_distance
from broadlearn.auditing.penalties import within_limit
from broadlearn.auditing.rows import Rows
from broadlearn.io import RankedColumns, find_identifiers, rank_columns, renamings
from broadlearn.utils import Array, counted, out_of

# Points of health for each percent of the rows.
POINTS_CONTRADICTING = 2.0
POINTS_COPY = 0.5
# Parts of equal size that a regression target is cut into where classes are asked for.
TARGET_PARTS = 4


class Duplicates(NamedTuple):
    """Rows that equal others.

    Attributes
    ----------
    group : ndarray of shape (n_samples,)
        Number of the group of equal rows, 0 for the first; -1 for rows that are unique, and for
        rows that equal others only as is to be expected by chance.
    contradicting : ndarray of shape (n_samples,)
        Suspects of groups whose labels differ: rows of other labels than the most frequent one of
        their group, and all rows of a group where several labels are the most frequent. For a
        regression target, rows further from the median of their group than half the interquartile
        range of the target.
    copy : ndarray of shape (n_samples,)
        Every row but the first of a group whose labels agree.
    near : ndarray of shape (n_samples,)
        Position of a row that the row is nearly, but not fully, equal to; -1 for none.
    n_equal : int
        Rows that equal others, by chance or not.
    n_expected : float
        Rows that are expected to equal others by chance.
    """

    group: Positions
    contradicting: Flags
    copy: Flags
    near: Positions
    n_equal: int
    n_expected: float

    def after(self, count: int) -> Duplicates:
        """Of all but the first rows."""
        return self._replace(
            group=self.group[count:],
            contradicting=self.contradicting[count:],
            copy=self.copy[count:],
            near=self.near[count:],
        )


def find_duplicates(
    rows: Rows,
    nearest: Positions | None = None,
    distance: Array | None = None,
    *,
    columns: RankedColumns | None = None,
) -> Duplicates:
    """Find rows that equal others, or nearly so, where that is not a coincidence.

    Rows are compared as they were given, but for columns that name rows; missing values are
    equal. Tables of few columns with few values have many equal rows, and none of them is an
    error: rows are duplicates only up to such a chance of an equal row (see `chance_of_equals`)
    that 5 % of the duplicates would be expected by chance, and none are where half of all equal
    rows would be.

    Parameters
    ----------
    rows : Rows
    nearest, distance : ndarray of shape (n_samples, k), default=None
        Positions and distances of the nearest rows. With them, rows are nearly equal whose
        distance is below a thousandth of the usual nearest one, and far below what the distances
        of further rows suggest. With or without, rows are that differ in one number only, by at
        most 1 % of the standard deviation of its column.
    columns : RankedColumns, default=None
        Columns of the frame, if they have been ranked before.

    Returns
    -------
    Duplicates

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.auditing.rows import prepare_rows
    >>> X = pd.DataFrame({"height": [1.82, 1.71, 1.82, 1.65, 1.71], "weight": [83, 64, 83, 71, 64]})
    >>> found = find_duplicates(prepare_rows(X, ["a", "b", "a", "b", "a"]))
    >>> found.group.tolist(), np.flatnonzero(found.copy), np.flatnonzero(found.contradicting)
    ([0, 1, 0, -1, 1], array([2]), array([1, 4]))
    """
    columns = rank_columns(rows.frame) if columns is None else columns
    # A copy of a column would make equal rows look less probable than they are.
    compared = (renamings(columns) < 0) & ~find_identifiers(columns)
    columns = columns.select(compared) if compared.any() else columns
    equal = find_equal_rows(columns)
    is_equal = equal.size > 1
    chance = chance_of_equals(columns, equal, _strata(rows))
    found = beyond_chance(chance, is_equal)
    group = _in_order(np.where(found, equal.group, -1))

    near = nearly_equal_by_column(columns, equal)
    if nearest is not None and distance is not None:
        by_distance = nearly_equal_by_distance(nearest, distance, equal)
        near = np.where(near < 0, by_distance, near)

    judge = _judge_quantities if rows.is_regression else _judge_classes
    contradicting, agrees = (np.zeros(columns.n_rows, dtype=bool) for _ in range(2))
    contradicting[found], agrees[found] = judge(rows, found, group[found])
    later = np.ones(columns.n_rows, dtype=bool)
    later[np.unique(group, return_index=True)[1]] = False
    copy = agrees & later
    return Duplicates(group, contradicting, copy, near, int(is_equal.sum()), float(chance.sum()))


def check_duplicates(rows: Rows, duplicates: Duplicates) -> list[Finding]:
    """What duplicates mean for a table.

    Contradicting duplicates cost 2 points of health for each percent of the rows, at most 10;
    copies and rows that nearly equal others 0.5, at most 5 together.
    """
    n_rows = duplicates.group.size
    copies = np.flatnonzero(duplicates.copy)
    points = POINTS_COPY * 100.0 * copies.size / n_rows
    it = "it" if copies.size == 1 else "them"
    if copies.size:
        sentence = (
            f"{_copies(copies.size, n_rows)}, with the same label: drop {it}, or keep equal rows "
            "in the same fold."
        )
    elif duplicates.n_equal:
        sentence = (
            f"{out_of(duplicates.n_equal, n_rows, 'row', 'equals')} another. With so few values in "
            f"the columns, about {duplicates.n_expected:,.0f} would by chance: no sign of an error."
        )
    else:
        sentence = "No two rows are equal."
    copied = [Finding("duplicates", sentence, points, copies), *_about_near(rows, duplicates)]
    return [*_about_contradictions(duplicates), *within_limit("duplicates", copied)]


def _copies(count: int, n_rows: int) -> str:
    kind = "a copy of another" if count == 1 else "copies of others"
    return f"{out_of(count, n_rows, 'row', 'is')} {kind}"


def _about_contradictions(duplicates: Duplicates) -> list[Finding]:
    suspects = np.flatnonzero(duplicates.contradicting)
    if not suspects.size:
        return []
    groups = duplicates.group[suspects]
    n_rows = duplicates.group.size
    sentence = (
        f"{out_of(suspects.size, n_rows, 'row', 'has')} another label than rows that are equal to "
        f"{'it' if suspects.size == 1 else 'them'} ({counted(np.unique(groups).size, 'group')} of "
        "equal rows): find out which label is right."
    )
    points = POINTS_CONTRADICTING * 100.0 * suspects.size / n_rows
    finding = Finding("contradicting duplicates", sentence, points, suspects)
    return within_limit(finding.check, [finding])


def _about_near(rows: Rows, duplicates: Duplicates) -> list[Finding]:
    near = np.flatnonzero(duplicates.near >= 0)
    if not near.size:
        return []
    n_rows = duplicates.group.size
    labels = ""
    if not rows.is_regression:
        n_other = int((rows.codes[near] != rows.codes[duplicates.near[near]]).sum())
        labels = f", {n_other:,} of them with another label" if n_other else ", with the same label"
    sentence = (
        f"{out_of(near.size, n_rows, 'row', 'is')} equal to another but for tiny differences"
        f"{labels}: they may be one row entered twice."
    )
    # Of two rows that nearly equal each other, one is too many.
    points = POINTS_COPY * 50.0 * near.size / n_rows
    return [Finding("near-duplicates", sentence, points, near)]


def _strata(rows: Rows) -> Positions:
    """Classes, or parts of a regression target that are of equal size."""
    if not rows.is_regression:
        return rows.codes
    order = np.argsort(rows.labels, kind="stable")
    parts = np.empty(order.size, dtype=np.intp)
    parts[order] = np.arange(order.size) * TARGET_PARTS // order.size
    return parts


def _in_order(group: Positions) -> Positions:
    """Groups numbered by their first row; -1 is kept."""
    distinct, first, inverse = np.unique(group, return_index=True, return_inverse=True)
    first[distinct < 0] = -1
    number = np.empty(distinct.size, dtype=np.intp)
    number[np.argsort(first)] = np.arange(distinct.size)
    return number[inverse] - int(distinct.size > 0 and distinct[0] < 0)


def _judge_classes(rows: Rows, found: Flags, group: Positions) -> tuple[Flags, Flags]:
    """Rows of a group that contradict it, and rows of groups that agree."""
    if not group.size:
        return found[found], found[found]
    n_classes = rows.classes.size
    pairs, inverse, counts = np.unique(
        group * n_classes + rows.codes[found], return_inverse=True, return_counts=True
    )
    of_pair = pairs // n_classes
    most, n_most, n_labels = np.zeros((3, group.max() + 1), dtype=np.intp)
    np.maximum.at(most, of_pair, counts)
    np.add.at(n_most, of_pair, counts == most[of_pair])
    np.add.at(n_labels, of_pair, 1)
    outvoted = (counts < most[of_pair]) | (n_most[of_pair] > 1)
    return outvoted[inverse], n_labels[group] == 1


def _judge_quantities(rows: Rows, found: Flags, group: Positions) -> tuple[Flags, Flags]:
    """Rows far from the median target of their group, and rows of groups of one target."""
    if not group.size:
        return found[found], found[found]
    target = rows.labels[found]
    order = np.lexsort((target, group))
    ends = np.searchsorted(group[order], np.arange(group.max() + 2))
    sizes = np.diff(ends)
    middle = target[order[ends[:-1] + (sizes - 1) // 2]], target[order[ends[:-1] + sizes // 2]]
    least, greatest = target[order[ends[:-1]]], target[order[ends[1:] - 1]]
    median = 0.5 * (middle[0] + middle[1])
    low, high = np.quantile(rows.labels, [0.25, 0.75])
    return np.abs(target - median[group]) > 0.5 * (high - low), (least == greatest)[group]
