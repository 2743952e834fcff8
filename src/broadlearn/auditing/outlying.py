"""Rows that lie far from the others of their class, and the columns that make them so.

Two distances tell: that from the mean of the nearest rows of the class, which finds single rows,
and that within which an eighth of the class lies, which finds rows that are far out together.
Either is compared with a fence on the scale of logarithms, where long tails are short: so many
times the difference of two quantiles above the upper one. Rules and constants were chosen on
made-up tables and on the 28 data sets of the study, by rows called outlying where none was made so,
and by rows found that were.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from broadlearn.auditing.cells import MAX_DEGREE, outlying_cells
from broadlearn.auditing.class_search import class_members
from broadlearn.auditing.neighbours import Neighbours, search_space
from broadlearn.auditing.rows import Rows
from broadlearn.utils import Array, row_slices, spread_rows


class Fence(NamedTuple):
    """Quantiles of logarithms of distances, and their differences beyond which rows are far."""

    low: float
    high: float
    times: float

    def __call__(self, distance: Array) -> Array:
        """Distances in units of the fence; 0 where too few are positive to tell."""
        positive = distance > 0.0
        degree = np.zeros(distance.size)
        if positive.sum() < MIN_ROWS:
            return degree
        logarithms = np.log(distance[positive])
        low, high = np.quantile(logarithms, [self.low, self.high])
        fence = high + max(self.times * (high - low), np.log(MIN_TIMES))
        degree[positive] = np.exp(np.minimum(logarithms - fence, np.log(MAX_DEGREE)))
        return degree


# Of the distance from the nearest rows, and of that within which a part of the class lies.
NEAR_FENCE, PART_FENCE = Fence(0.25, 0.75, 2.5), Fence(0.5, 0.8, 3.5)
# The fence is at least so many times the upper quantile: distances may be all alike.
MIN_TIMES = 1.5
# Rows of a class that are drawn, and the part of them that a distance reaches.
DRAWN, PART = 200, 0.15
# Classes of fewer rows are compared with the whole table.
MIN_ROWS = 8


class Outlying(NamedTuple):
    """How far out rows and cells are.

    Attributes
    ----------
    degree : ndarray of shape (n_samples,)
        Distance of the row from its class, in units of what is far out there.
    is_outlying : ndarray of shape (n_samples,)
        Whether that is more than 1.
    column_shares : ndarray of shape (n_samples, n_columns)
        Parts that columns have in the squared distance from the nearest rows of the class; from
        its median, for rows that are far out together. They sum to 1, or all are 0.
    cells : ndarray of shape (n_samples, n_columns)
        How far out each value is in its column, see `outlying_cells`; more than 1 is outlying.
    """

    degree: Array
    is_outlying: NDArray[np.bool_]
    column_shares: Array
    cells: Array


def find_outlying(rows: Rows, near: Neighbours) -> Outlying:
    """Judge rows by their distance from their class, and cells by their column.

    Examples
    --------
    >>> import numpy as np
    >>> from broadlearn.auditing.neighbours import find_neighbours
    >>> from broadlearn.auditing.rows import prepare_rows
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> X[5, 2] = 30.0
    >>> rows = prepare_rows(X, np.arange(100) % 2)
    >>> found = find_outlying(rows, find_neighbours(rows))
    >>> np.flatnonzero(found.is_outlying).tolist(), found.column_shares[5].round(1).tolist()
    ([5], [0.0, 0.0, 1.0])
    """
    W, gap, n = search_space(rows.Z), near.gap.copy(), len(rows.Z)
    degree, whole = np.zeros(n), None
    for members in class_members(rows.codes):
        if members.size < MIN_ROWS:
            if whole is None:
                whole = PART_FENCE(_reach(W, np.arange(n)))
            by_part, centre = whole[members], np.median(rows.Z, axis=0)
            by_gap = np.zeros(members.size)
        else:
            by_part = PART_FENCE(_reach(W, members))
            by_gap = NEAR_FENCE(_lengths(near.gap[members]))
            centre = np.median(rows.Z[members], axis=0)
        degree[members] = np.maximum(by_gap, by_part)
        apart = members[((by_part > 1.0) & (by_part > by_gap)) | (near.own[members, 0] < 0)]
        gap[apart] = rows.Z[apart] - centre
    return Outlying(degree, degree > 1.0, _column_shares(gap, rows.starts), outlying_cells(rows))


def _reach(W: Array, members: NDArray[np.intp]) -> Array:
    """Distances within which a part of some drawn members lies, for each of them."""
    drawn = W[members[spread_rows(members.size, DRAWN)]]
    # The row itself is within any distance.
    nth = min(int(PART * len(drawn)) + 1, len(drawn) - 1)
    reach = np.empty(members.size)
    for part in row_slices(members.size, len(drawn)):
        distances = cdist(W[members[part]], drawn)
        reach[part] = np.partition(distances, nth, axis=1)[:, nth]
    return reach


def _lengths(gap: Array) -> Array:
    largest, scaled = _scaled(gap)
    return np.asarray(largest * np.sqrt(np.einsum("ij,ij->i", scaled, scaled)))


def _column_shares(gap: Array, starts: NDArray[np.intp]) -> Array:
    scaled = _scaled(gap)[1]
    shares = np.add.reduceat(scaled * scaled, starts, axis=1)
    total = shares.sum(axis=1)
    return np.asarray(shares / np.where(total > 0.0, total, 1.0)[:, None])


def _scaled(gap: Array) -> tuple[Array, Array]:
    """Largest numbers of vectors, and vectors over these: squares cannot overflow or vanish."""
    largest = np.abs(gap).max(axis=1)
    return largest, gap / np.where(largest > 0.0, largest, 1.0)[:, None]
