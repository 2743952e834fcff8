"""The nearest rows of every row, below quadratic time where there are many.

Up to `MAX_EXACT` rows, and in few columns, the search is exact. Beyond, it finds most of the
nearest rows: by faiss (inverted lists), where that is installed, otherwise by random partitions.
Rows are halved again and again at the median of their projection on the line between two groups of
rows; within the last parts all pairs are compared. Nearest rows of several such partitions are
joined, and then the nearest rows of nearest rows. Distances are exact in any case.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree
from sklearn.neighbors import NearestNeighbors

from broadlearn.utils import Array, one_thread, row_slices

Positions = NDArray[np.intp]
Singles = NDArray[np.float32]

# Rows and columns up to which the search is exact; more columns are exact for few rows.
MAX_EXACT, MAX_TREE_COLUMNS = 20_000, 5
# Partitions, rows of their last parts, rows whose mean is an end of the line of a projection, and
# how often nearest rows of nearest rows are looked at.
PARTITIONS, PART_ROWS, END_ROWS, ROUNDS = 8, 64, 4, 2
# Partitions that are joined at a time.
JOINED = 4
# Inverted lists that faiss looks through, and passes in which it learns them.
PROBED_LISTS, LIST_PASSES = 16, 8
# Numbers of a block that stays at hand while it is worked on.
CACHED_NUMBERS = 1 << 18
# More rows than wanted are kept where distances are rounded, before they are computed exactly.
SPARE = 3


def nearest_rows(
    W: Array, k: int, seed: int = 0, max_exact: int = MAX_EXACT
) -> tuple[Positions, Array]:
    """The `k` nearest other rows of every row, the nearest first.

    Parameters
    ----------
    W : ndarray of shape (n_samples, n_numbers)
        Columns on one scale.
    k : int
    seed : int, default=0
        Draws what an approximate search needs.
    max_exact : int, default=20,000
        Rows up to which all pairs are compared.

    Returns
    -------
    positions : ndarray of shape (n_samples, k)
        -1 where there are not so many rows.
    distance : ndarray of shape (n_samples, k)
        nan where there are not so many rows.

    Examples
    --------
    >>> import numpy as np
    >>> positions, distance = nearest_rows(np.array([[0.0], [1.0], [1.5], [9.0]]), 2)
    >>> positions.tolist()
    [[1, 2], [2, 0], [1, 0], [2, 1]]
    >>> distance[3].tolist()
    [7.5, 8.0]
    """
    n, d = W.shape
    found = np.full((n, k), -1, dtype=np.intp)
    wanted = min(k, n - 1)
    if not wanted:
        return found, np.full((n, k), np.nan)
    first, surplus, copies = _surplus_copies(W, wanted)
    base = W[first] if surplus.size else W
    if len(base) <= max_exact or d <= MAX_TREE_COLUMNS:
        some = _all_pairs(base, wanted)
    elif find_spec("faiss"):
        some = _inverted_lists(base.astype(np.float32), wanted, seed)
    else:
        some = _partitions(base.astype(np.float32), wanted, seed)
    found[first, :wanted] = first[some]
    found[surplus, :wanted] = copies
    return ranked(W, np.arange(n), found)


def nearest_among(queries: Array, W: Array, k: int) -> Positions:
    """Positions in W of the at most k nearest rows of each of `queries`, exactly, in any order."""
    k = min(k, len(W))
    if W.shape[1] <= MAX_TREE_COLUMNS:
        return KDTree(W).query(queries, [*range(1, k + 1)])[1]
    return NearestNeighbors(algorithm="brute").fit(W).kneighbors(queries, k, return_distance=False)


def ranked(W: Array, rows: Positions, found: Positions) -> tuple[Positions, Array]:
    """Found rows by their exact distance from `rows`, the nearest first, -1 and nan last."""
    distance = np.empty(found.shape)
    for part in row_slices(len(found), found.shape[1] * W.shape[1]):
        gap = W[found[part]]
        gap -= W[rows[part], None]
        distance[part] = np.sqrt(np.einsum("ijk,ijk->ij", gap, gap))
    distance[found < 0] = np.nan
    order = np.lexsort((found, distance), axis=1)
    return np.take_along_axis(found, order, axis=1), np.take_along_axis(distance, order, axis=1)


def _surplus_copies(W: Array, k: int) -> tuple[Positions, Positions, Positions]:
    """Rows but for those with more than k copies before them; these; and k copies of these.

    The others are never further from their nearest rows for that, and many copies cannot make one
    part of the table large.
    """
    key = W[:, 0] + 0.0
    for j, factor in enumerate(np.random.default_rng(0).normal(size=W.shape[1] - 1), start=1):
        key += factor * W[:, j]
    order = np.argsort(key, kind="stable")
    is_new = np.ones(len(W), dtype=np.bool_)
    is_new[1:] = (key[order[1:]] != key[order[:-1]]) | (W[order[1:]] != W[order[:-1]]).any(axis=1)
    starts = np.flatnonzero(is_new)
    start = np.repeat(starts, np.diff(np.r_[starts, len(W)]))
    is_surplus = np.arange(len(W)) - start > k
    copies = order[start[is_surplus, None] + np.arange(k)]
    return np.sort(order[~is_surplus]), order[is_surplus], copies


def _without_self(found: Positions) -> Positions:
    """Leave each row out of its own nearest rows, or the last if copies of it took its place."""
    itself = found == np.arange(len(found))[:, None]
    itself[~itself.any(axis=1), -1] = True
    return np.asarray(found[~itself].reshape(len(found), -1))


def _all_pairs(W: Array, k: int) -> Positions:
    found = nearest_among(W, W, k + 1 + SPARE)
    return ranked(W, np.arange(len(W)), _without_self(found))[0][:, :k]


def _inverted_lists(W: Singles, k: int, seed: int) -> Positions:
    """Nearest rows among those whose nearest centres are near."""
    import faiss

    n, d = W.shape
    n_lists = int(4.0 * np.sqrt(n))
    centres = faiss.IndexFlatL2(d)
    index: Any = faiss.IndexIVFFlat(centres, d, n_lists)
    index.cp.seed, index.cp.niter = seed + 1, LIST_PASSES
    index.cp.min_points_per_centroid, index.cp.max_points_per_centroid = 1, 64
    index.nprobe = PROBED_LISTS
    with one_thread():  # libraries that were just loaded do not know of limits yet
        index.train(W)
        index.add(W)
        found = index.search(W, k + 1)[1]
    # Lists may hold fewer rows than wanted; the row before stands in for what is missing.
    missing = found < 0
    found[missing] = (np.nonzero(missing)[0] - 1) % n
    return _without_self(found)


def _partitions(W: Singles, k: int, seed: int) -> Positions:
    generator = np.random.default_rng(seed)
    # Rows of a part follow each other in memory: what is looked at together is at hand together.
    place = np.empty(len(W), dtype=np.intp)
    parts = _partition(W, generator)
    place[parts.ravel()] = np.arange(parts.size)
    order = np.argsort(place)
    W, every = W[order], np.arange(len(W))
    found, squares = np.empty((len(W), 0), dtype=np.int32), np.empty((len(W), 0), dtype=np.float32)
    for _ in range(PARTITIONS // JOINED):
        more = [_pairs_in_parts(W, _partition(W, generator), k) for _ in range(JOINED)]
        found = np.hstack([found, *(part for part, _ in more)])
        squares = np.hstack([squares, *(part for _, part in more)])
        for rows in row_slices(len(W), found.shape[1], CACHED_NUMBERS):
            ascending = np.argsort(found[rows], axis=1)
            some = np.take_along_axis(found[rows], ascending, axis=1)
            distances = np.take_along_axis(squares[rows], ascending, axis=1)
            found[rows, :k], squares[rows, :k] = nearest_found(some, distances, every[rows], k)
        found, squares = found[:, :k].copy(), squares[:, :k].copy()
    for _ in range(ROUNDS):
        found = _nearest_of_nearest(W, found, k)
    out = np.empty(found.shape, dtype=np.intp)
    out[order] = order[found]
    return out


def _partition(W: Singles, generator: np.random.Generator) -> NDArray[np.int32]:
    """Rows of all parts, one part per row; a few rows are in two parts, so that all are of a size.

    All parts of a level are halved at once.
    """
    n = len(W)
    n_levels = int(np.ceil(np.log2(n / PART_ROWS)))
    missing = -n % (1 << n_levels)
    parts = np.r_[np.arange(n, dtype=np.int32), generator.integers(n, size=missing, dtype=np.int32)]
    parts = parts[None]
    for _ in range(n_levels):
        n_parts, size = parts.shape
        ends = generator.integers(size, size=(n_parts, 2 * END_ROWS))
        rows = W[np.take_along_axis(parts, ends, axis=1)].reshape(n_parts, 2, END_ROWS, -1)
        first, second = rows.mean(axis=2).swapaxes(0, 1)
        place = np.matmul(np.take(W, parts, axis=0), (first - second)[:, :, None])[:, :, 0]
        halves = np.argpartition(place, size // 2, axis=1)
        parts = np.take_along_axis(parts, halves, axis=1).reshape(2 * n_parts, size // 2)
    return parts


def _pairs_in_parts(
    W: Singles, parts: NDArray[np.int32], k: int
) -> tuple[NDArray[np.int32], Singles]:
    """The nearest rows within the same part, and their squared distances."""
    size = parts.shape[1]
    k = min(k, size - 1)
    found = np.empty((len(W), k), dtype=np.int32)
    squares = np.empty((len(W), k), dtype=np.float32)
    for block in row_slices(len(parts), size * size, CACHED_NUMBERS):
        rows = parts[block]
        V = np.take(W, rows, axis=0)
        V -= V.mean(axis=1, keepdims=True)
        length = np.einsum("ijk,ijk->ij", V, V)
        D = np.matmul(V, -2.0 * V.swapaxes(1, 2))
        D += length[:, None]
        D[:, np.arange(size), np.arange(size)] = np.inf
        nearest = np.argpartition(D, k - 1, axis=2)[:, :, :k]
        squares[rows] = np.take_along_axis(D, nearest, axis=2) + length[:, :, None]
        found[rows] = np.take_along_axis(rows[:, None], nearest, axis=2)
    return found, squares


def _nearest_of_nearest(W: Singles, found: NDArray[np.int32], k: int) -> NDArray[np.int32]:
    """The nearest of rows that were found and of those that were found for these."""
    out, every = np.empty_like(found), np.arange(len(W))
    for rows in row_slices(len(W), k * k * W.shape[1], 4 * CACHED_NUMBERS):
        some = np.hstack([found[rows], np.take(found, found[rows], axis=0).reshape(-1, k * k)])
        some.sort(axis=1)
        gap = np.take(W, some, axis=0)
        gap -= W[rows, None]
        out[rows] = nearest_found(some, np.einsum("ijk,ijk->ij", gap, gap), every[rows], k)[0]
    return out


def nearest_found(
    found: NDArray[np.int32], squares: Singles, rows: Positions, k: int
) -> tuple[NDArray[np.int32], Singles]:
    """The k nearest of what was found for `rows`, each of them once, and their squared distances.

    `found` is sorted; `squares` are overwritten, and infinite where nothing was found.
    """
    squares[:, 1:][found[:, 1:] == found[:, :-1]] = np.inf
    squares[found == rows[:, None]] = np.inf
    nearest = np.argpartition(squares, k - 1, axis=1)[:, :k]
    return np.take_along_axis(found, nearest, axis=1), np.take_along_axis(squares, nearest, axis=1)
