"""The nearest rows of every row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from broadlearn.utils import Array, one_thread

# Number of neighbours: as many as a person can compare a row with.
N_NEAR = 10
# Rows up to which all pairs are compared; beyond, each row is compared with a random sample.
MAX_EXACT, SAMPLED = 20_000, 5000


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
    """Find the nearest rows of each row; of more than 20,000 rows, the nearest of a sample.

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
            nearest[order, :k], distance[order, :k] = order[found[1]], found[0]
        else:
            sample = order[:SAMPLED]
            search = NearestNeighbors(n_neighbors=k + 1, algorithm="brute").fit(Z[sample])
            apart, places = search.kneighbors(Z)
            itself = sample[places] == np.arange(n)[:, None]
            # If copies took the place of the row itself, drop the last neighbour.
            itself[~itself.any(axis=1), -1] = True
            nearest[:, :k] = sample[places][~itself].reshape(n, k)
            distance[:, :k] = apart[~itself].reshape(n, k)
    return Neighbours(nearest, distance)
