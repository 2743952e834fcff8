"""The nearest rows of every row: of all, of its own class, and of any other class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.auditing.class_search import class_members, search_classes
from broadlearn.auditing.nearest import MAX_EXACT, Positions, nearest_among, nearest_rows, ranked
from broadlearn.auditing.rows import Rows
from broadlearn.utils import Array, one_thread, row_slices

Found = tuple[Positions, Array]

# A column with a spread below this, as one enormous value leaves it, is brought to spread 1; then
# no value counts for more than this many spreads.
MIN_SPREAD, MAX_SPREADS = 1e-2, 1e6


class Neighbours(NamedTuple):
    """Nearest rows, the nearest first; -1 and nan where there are not so many.

    Attributes
    ----------
    nearest, distance : ndarray of shape (n_samples, n_near)
        Positions of the nearest rows of any class, and their distances.
    own, own_distance : ndarray of shape (n_samples, n_own)
        The nearest rows of the same class.
    other, other_distance : ndarray of shape (n_samples, n_own)
        The nearest rows of any other class.
    gap : ndarray of shape (n_samples, n_numbers)
        Row less the mean of `own`, in Z; nan where there is none.
    """

    nearest: NDArray[np.intp]
    distance: Array
    own: NDArray[np.intp]
    own_distance: Array
    other: NDArray[np.intp]
    other_distance: Array
    gap: Array

    def first(self, count: int) -> Neighbours:
        """Of the first rows, among themselves."""
        return self._among(slice(count), 0, count)

    def after(self, count: int) -> Neighbours:
        """Of all but the first rows, among themselves."""
        return self._among(slice(count, None), count, len(self.gap))

    def _among(self, rows: slice, start: int, stop: int) -> Neighbours:
        parts: list[Any] = [part[rows] for part in self]
        for i in (0, 2, 4):
            found = parts[i]
            outside = (found < start) | (found >= stop)
            parts[i] = np.where(outside, -1, found - start)
            parts[i + 1] = np.where(outside, np.nan, parts[i + 1])
        return Neighbours(*parts)


def find_neighbours(rows: Rows, n_near: int = 10, n_own: int = 5, seed: int = 0) -> Neighbours:
    """Nearest rows of each row.

    Parameters
    ----------
    rows : Rows
    n_near : int, default=10
        Nearest rows of all.
    n_own : int, default=5
        Nearest rows of the own class, and of other classes. For a regression target the nearest of
        all are "own", and there are no others.
    seed : int, default=0
        Draws which of many equally near rows are found, and what an approximate search needs, of
        more than 20,000 rows.

    Returns
    -------
    Neighbours
        The same for a seed, whatever the number of threads. A row is never its own neighbour, but
        a copy of it may be.

    Examples
    --------
    >>> import numpy as np
    >>> from broadlearn.auditing.rows import prepare_rows
    >>> X = np.array([[0.0], [1.0], [1.2], [9.0]])
    >>> near = find_neighbours(prepare_rows(X, ["a", "a", "b", "b"]), n_near=2, n_own=1)
    >>> near.nearest.tolist()
    [[1, 2], [2, 0], [1, 0], [2, 1]]
    >>> near.own.ravel().tolist(), near.other.ravel().tolist()
    ([1, 0, 3, 2], [2, 2, 1, 1])
    """
    # In a drawn order: which of many equally near rows are found must depend neither on their class
    # nor on where they stand in a table that may be sorted by class.
    order = np.random.default_rng(seed).permutation(len(rows.Z))
    codes = None if rows.is_regression else rows.codes[order]
    # What is rounded differently might be ranked differently.
    with one_thread():
        found = _search(search_space(rows.Z)[order], codes, max(n_near, n_own), n_own, seed)
    parts: list[Any] = []
    for (positions, distance), count in zip(found, (n_near, n_own, n_own), strict=True):
        given = np.empty((len(order), count), dtype=np.intp)
        given[order] = np.where(positions < 0, -1, order[positions])[:, :count]
        apart = np.empty((len(order), count))
        apart[order] = distance[:, :count]
        parts += [given, apart]
    parts.append(_gap(rows.Z, parts[2]))
    return Neighbours(*parts)


def search_space(Z: Array) -> Array:
    """Z, but for columns in which one enormous value leaves all others next to nothing."""
    low, high = np.quantile(Z, [0.1, 0.9], axis=0)
    spread = high - low
    crushed = (spread > 0.0) & (spread < MIN_SPREAD)
    if not crushed.any():
        return Z
    W = Z.copy()
    bound = MAX_SPREADS * spread[crushed]
    W[:, crushed] = np.clip(Z[:, crushed], -bound, bound) / spread[crushed]
    return W


def _search(
    W: Array, codes: NDArray[np.intp] | None, k: int, n_own: int, seed: int
) -> tuple[Found, Found, Found]:
    """Nearest rows of all, of the own class and of others, at least as many as are wanted."""
    n, every = len(W), np.arange(len(W))
    found = nearest_rows(W, k, seed, MAX_EXACT)
    if codes is None:
        return found, found, (np.full((n, n_own), -1), np.full((n, n_own), np.nan))
    if n <= MAX_EXACT:
        return found, _own_exactly(W, codes, n_own), _others_exactly(W, codes, n_own)
    own, other = search_classes(W, codes, found[0], n_own, seed)
    return found, ranked(W, every, own), ranked(W, every, other)


def _own_exactly(W: Array, codes: NDArray[np.intp], k: int) -> Found:
    found, distance = np.full((len(W), k), -1), np.full((len(W), k), np.nan)
    for members in class_members(codes):
        own, distance[members] = nearest_rows(W[members], k, max_exact=members.size)
        found[members] = np.where(own < 0, -1, members[own])
    return found, distance


def _others_exactly(W: Array, codes: NDArray[np.intp], k: int) -> Found:
    found = np.full((len(W), k), -1)
    for members in class_members(codes):
        others = np.flatnonzero(codes != codes[members[0]])
        some = nearest_among(W[members], W[others], k)
        found[members, : some.shape[1]] = others[some]
    return ranked(W, np.arange(len(W)), found)


def _gap(Z: Array, own: Positions) -> Array:
    gap = np.full(Z.shape, np.nan)
    some = np.flatnonzero(own[:, 0] >= 0)
    for part in row_slices(some.size, Z.shape[1] * own.shape[1]):
        rows = some[part]
        there = own[rows] >= 0
        mean = np.einsum("ijk,ij->ik", Z[own[rows]], there / there.sum(axis=1)[:, None])
        gap[rows] = Z[rows] - mean
    return gap
