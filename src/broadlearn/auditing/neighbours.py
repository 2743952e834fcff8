"""The nearest rows of every row.

Up to 20,000 rows the search is exact. Beyond, it looks only into the cells of the nearest
landmarks: with faiss where that is installed, otherwise cell by cell with scikit-learn.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from broadlearn.utils import Array, one_thread

# Nearest rows that are looked for: as many as a person can compare a row with.
N_NEAR = 10
# Rows up to which all pairs are compared.
MAX_EXACT = 20_000
# Cells that are searched for each row, beyond that: more than eight in ten of the nearest rows are
# found (tests/auditing/test_noise.py).
PROBED_CELLS = 8


class Neighbours(NamedTuple):
    """Nearest rows, the nearest first; -1 and nan where there are fewer.

    Attributes
    ----------
    nearest : ndarray of shape (n_samples, n_near)
        Positions of the nearest rows; never the row itself, but a copy of it may be there.
    distance : ndarray of shape (n_samples, n_near)
    """

    nearest: NDArray[np.intp]
    distance: Array


def find_neighbours(Z: Array, n_near: int = N_NEAR, seed: int = 0) -> Neighbours:
    """Find the nearest rows of each row.

    Rows are searched in a random order: which of many equally near rows are found must not depend
    on where they stand in a table that may be sorted by class.

    Examples
    --------
    >>> import numpy as np
    >>> find_neighbours(np.array([[0.0], [1.0], [1.2], [9.0]]), n_near=2).nearest.tolist()
    [[1, 2], [2, 0], [1, 0], [2, 1]]
    """
    n, k = len(Z), min(n_near, len(Z) - 1)
    nearest, distance = np.full((n, n_near), -1), np.full((n, n_near), np.nan)
    if not k:
        return Neighbours(nearest, distance)
    order = np.random.default_rng(seed).permutation(n)
    with one_thread():  # rounding, and thus ties, must not depend on the number of threads
        if n <= MAX_EXACT:
            found = NearestNeighbors(n_neighbors=k).fit(Z[order]).kneighbors()
        elif find_spec("faiss"):
            found = _by_faiss(Z[order], k, seed)
        else:
            found = _by_landmarks(Z[order], k, seed)
    nearest[order, :k], distance[order, :k] = order[found[1]], found[0]
    return Neighbours(nearest, distance)


def _by_faiss(Z: Array, k: int, seed: int) -> tuple[Array, NDArray[np.intp]]:
    import faiss

    W, n_cells = Z.astype(np.float32), int(4.0 * np.sqrt(len(Z)))
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(W.shape[1]), W.shape[1], n_cells)
    index.cp.seed, index.nprobe = seed + 1, PROBED_CELLS
    index.cp.min_points_per_centroid, index.cp.max_points_per_centroid = 1, 64
    index.train(W)
    index.add(W)
    squares, found = index.search(W, k + 1)
    return _without_self(np.sqrt(np.maximum(squares, 0.0)), found, k)


def _by_landmarks(Z: Array, k: int, seed: int) -> tuple[Array, NDArray[np.intp]]:
    """Compare the rows of a landmark's cell with those of the nearest landmarks' cells."""
    n, n_cells = len(Z), int(np.sqrt(len(Z)))
    landmarks = Z[np.random.default_rng(seed).permutation(n)[:n_cells]]
    search = NearestNeighbors(algorithm="brute").fit(landmarks)
    cell = search.kneighbors(Z, 1, return_distance=False).ravel()
    members = np.split(np.argsort(cell, kind="stable"), np.cumsum(np.bincount(cell))[:-1])
    members += [np.empty(0, dtype=np.intp)] * (n_cells - len(members))
    near_cells = search.kneighbors(landmarks, n_cells, return_distance=False)
    distance, found = np.full((n, k + 1), np.inf), np.full((n, k + 1), -1)
    for c in np.flatnonzero([rows.size for rows in members]):
        sizes = np.cumsum([members[other].size for other in near_cells[c]])
        n_probed = max(PROBED_CELLS, int(np.searchsorted(sizes, k + 1)) + 1)
        among = np.concatenate([members[other] for other in near_cells[c, :n_probed]])
        near = NearestNeighbors(algorithm="brute").fit(Z[among])
        distance[members[c]], places = near.kneighbors(Z[members[c]], min(k + 1, among.size))
        found[members[c]] = among[places]
    return _without_self(distance, found, k)


def _without_self(
    distance: Array, found: NDArray[np.intp], k: int
) -> tuple[Array, NDArray[np.intp]]:
    """Leave each row out of its own nearest rows, or the last if copies took its place."""
    # faiss returns -1 where the cells hold fewer rows: the row before stands in.
    missing = found < 0
    found = np.where(missing, (np.arange(len(found))[:, None] - 1) % len(found), found)
    distance = np.where(missing, distance.max(where=~missing, initial=0.0), distance)
    itself = found == np.arange(len(found))[:, None]
    itself[~itself.any(axis=1), -1] = True
    # A row that stands in for several missing ones may be itself only once.
    itself &= np.cumsum(itself, axis=1) == 1
    return distance[~itself].reshape(-1, k), found[~itself].reshape(-1, k)
