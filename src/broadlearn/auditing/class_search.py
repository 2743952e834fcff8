"""The nearest rows of the own and of other classes in a large table, given the nearest of all.

They are looked for among the nearest rows and the nearest rows of these, which is enough where
classes mix. Small classes, and those whose rows are often alone among others, are searched by
themselves. For the rows that are left, deep within a class, the search starts at the nearest of
some drawn rows and goes on along nearest rows, as long as it gets nearer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.auditing.nearest import (
    CACHED_NUMBERS,
    Positions,
    Singles,
    nearest_among,
    nearest_found,
    nearest_rows,
)
from broadlearn.utils import Array, row_slices

# Classes up to this size are searched by themselves, exactly; and larger ones, if more than this
# part of their rows has none of its own among the nearest.
MAX_SMALL_CLASS, MAX_ALONE = 4000, 0.2
# Pairs of rows with those of all other classes, where these are few, that are compared at most.
MAX_PAIRS = 2e8
# Rows drawn of all classes together, at one of which a search starts; how many of the rows found
# last it goes on from, and how often at most.
STARTS, BEAM, STEPS = 2000, 3, 8
# Nearest rows whose findings a row of a search looks at in the end, and how often.
SHARERS, SHARINGS = 10, 2


def search_classes(
    W: Array, codes: NDArray[np.intp], found: Positions, k: int, seed: int = 0
) -> tuple[Positions, Positions]:
    """The k nearest rows of the own and of other classes of each row, approximately.

    Parameters
    ----------
    W : ndarray of shape (n_samples, n_numbers)
        Columns on one scale.
    codes : ndarray of shape (n_samples,)
        Class of each row.
    found : ndarray of shape (n_samples, n_near)
        The nearest rows of all.
    k : int
    seed : int, default=0

    Returns
    -------
    own, other : ndarray of shape (n_samples, k)
        Positions in any order; -1 where there are not so many.
    """
    graph = Graph(W.astype(np.float32), codes, found.astype(np.int32))
    own, other = graph.two_steps(k)
    members = class_members(codes)
    alone = (codes[found] != codes[:, None]).all(axis=1)
    for rows in members:
        if rows.size <= MAX_SMALL_CLASS or alone[rows].mean() > MAX_ALONE:
            found = nearest_rows(W[rows], k, seed, MAX_SMALL_CLASS)[0]
            own[rows] = np.where(found < 0, -1, rows[found])
    # From a row of a class, others of the same class are reached.
    graph = graph._replace(edges=np.hstack([graph.edges, own]))
    generator = np.random.default_rng(seed)
    several = max(1, STARTS // len(members))
    drawn = [generator.permutation(rows)[:several] for rows in members]
    for c, rows in enumerate(members):
        lacking = rows[own[rows].min(axis=1) < 0]
        if lacking.size and rows.size > k:
            own[lacking] = graph.walk(lacking, own[lacking], drawn[c], same=True)
        lacking = rows[other[rows].min(axis=1) < 0]
        if not lacking.size:
            continue
        n_others = codes.size - rows.size
        if n_others <= MAX_SMALL_CLASS and lacking.size * n_others <= MAX_PAIRS:
            others = np.flatnonzero(codes != codes[rows[0]])
            some = others[nearest_among(W[lacking], W[others], k)]
            other[lacking, : some.shape[1]] = some
            continue
        starts = np.concatenate([*drawn[:c], *drawn[c + 1 :]])
        other[lacking] = graph.walk(lacking, other[lacking], starts, same=False)
        for _ in range(SHARINGS):
            other[lacking] = graph.share(lacking, other, same=False)
    return own.astype(np.intp), other.astype(np.intp)


def class_members(codes: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Positions of the rows of each class."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)


class Graph(NamedTuple):
    """Rows, their classes, and for each row others that are near, -1 for none."""

    W: Singles
    codes: NDArray[np.intp]
    edges: NDArray[np.int32]

    def two_steps(self, k: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The nearest of the own and of other classes among those one or two edges away."""
        own, other = np.empty((2, len(self.W), k), dtype=np.int32)
        every, width = np.arange(len(self.W)), self.edges.shape[1]
        for part in row_slices(len(self.W), width**2 * self.W.shape[1], 4 * CACHED_NUMBERS):
            edges = self.edges[part]
            some = np.hstack([edges, np.take(self.edges, edges, axis=0).reshape(len(edges), -1)])
            own[part], other[part] = self._nearest(every[part], some, k, (True, False))
        return own, other

    def walk(
        self, rows: Positions, found: NDArray[np.int32], starts: Positions, same: bool
    ) -> NDArray[np.int32]:
        """Rows of the same class, or of others, that are nearer and nearer to `rows`."""
        found = found.copy()
        for part in row_slices(rows.size, starts.size, 4 * CACHED_NUMBERS):
            found[part, -1] = self._nearest_start(rows[part], starts)
        moving = np.arange(rows.size)
        for _ in range(STEPS):
            if not moving.size:
                break
            moved = np.zeros(moving.size, dtype=np.bool_)
            width = BEAM * self.edges.shape[1]
            for part in row_slices(moving.size, width * self.W.shape[1], 4 * CACHED_NUMBERS):
                which = moving[part]
                before = found[which]
                last = np.where(before[:, :BEAM] < 0, before[:, -1:], before[:, :BEAM])
                some = np.hstack([before, self.edges[last].reshape(which.size, -1)])
                found[which] = self._nearest(rows[which], some, before.shape[1], (same,))[0]
                moved[part] = (found[which] != before).any(axis=1)
            moving = moving[moved]
        return found

    def share(self, rows: Positions, lists: NDArray[np.int32], same: bool) -> NDArray[np.int32]:
        """The nearest of what was found for `rows` and for the rows near them."""
        k = lists.shape[1]
        out = np.empty((rows.size, k), dtype=np.int32)
        for part in row_slices(rows.size, k * self.W.shape[1] * SHARERS, 4 * CACHED_NUMBERS):
            near = self.edges[rows[part], :SHARERS]
            some = np.hstack([lists[rows[part]], lists[near].reshape(len(near), -1)])
            out[part] = self._nearest(rows[part], some, k, (same,))[0]
        return out

    def _nearest_start(self, rows: Positions, starts: Positions) -> Positions:
        S = self.W[starts]
        D = self.W[rows] @ (-2.0 * S.T)
        D += np.einsum("ij,ij->i", S, S)
        return np.asarray(starts[D.argmin(axis=1)])

    def _nearest(
        self, rows: Positions, some: NDArray[np.int32], k: int, kinds: tuple[bool, ...]
    ) -> list[NDArray[np.int32]]:
        """The k nearest rows of the same class, or of others, the nearest first; -1 last."""
        some.sort(axis=1)
        gap = np.take(self.W, some, axis=0)
        gap -= self.W[rows, None]
        squares = np.einsum("ijk,ijk->ij", gap, gap)
        is_same = np.take(self.codes, some) == self.codes[rows, None]
        found = []
        for same in kinds:
            allowed = (is_same == same) & (some >= 0)
            nearest, far = nearest_found(some, np.where(allowed, squares, np.inf), rows, k)
            nearest[np.isinf(far)] = -1
            order = np.argsort(far, axis=1, kind="stable")
            found.append(np.take_along_axis(nearest, order, axis=1))
        return found
