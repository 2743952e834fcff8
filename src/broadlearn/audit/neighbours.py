"""The nearest rows of every row, class by class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from broadlearn.utils import Array

Rows = NDArray[np.intp]

# Rows of its own class whose mean a row is compared with.
COMPANY = 5


class Neighbours(NamedTuple):
    """Nearest rows.

    Attributes
    ----------
    own, other : ndarray of shape (n_samples,)
        Nearest row of the own and of any other class; -1 where there is none.
    own_distance, other_distance : ndarray of shape (n_samples,)
        Their distances; nan where there is none.
    n_foreign : ndarray of shape (n_samples,)
        Rows of another class among the nearest `n_near` of all classes.
    n_near : int
    gap : ndarray of shape (n_samples, n_features)
        Row less the mean of the (at most five) nearest rows of its class; nan where there is none.
    """

    own: Rows
    other: Rows
    own_distance: Array
    other_distance: Array
    n_foreign: Rows
    n_near: int
    gap: Array


def find_neighbours(
    Z: Array, codes: NDArray[np.intp], n_classes: int, n_near: int = 10
) -> Neighbours:
    """Nearest rows of each row, in its own class and in others; columns of Z are on one scale.

    Examples
    --------
    >>> import numpy as np
    >>> Z = np.array([[0.0], [1.0], [1.2], [9.0]])
    >>> found = find_neighbours(Z, np.array([0, 0, 1, 1]), 2, n_near=2)
    >>> found.own.tolist(), found.other.tolist(), found.n_foreign.tolist()
    ([1, 0, 3, 2], [2, 2, 1, 1], [1, 1, 2, 1])
    """
    n_rows = len(Z)
    n_near = min(n_near, n_rows - 1)
    nearest = np.full((n_rows, n_near), np.inf)
    foreign = np.zeros((n_rows, n_near), dtype=bool)
    own, other = np.full((2, n_rows), -1, dtype=np.intp)
    own_distance, other_distance = np.full((2, n_rows), np.inf)
    gap = np.full(Z.shape, np.nan)
    for c in range(n_classes):
        members = np.flatnonzero(codes == c)
        strangers = np.flatnonzero(codes != c)
        search = NearestNeighbors().fit(Z[members])

        k = min(max(n_near, COMPANY), members.size - 1)
        if k:
            distance, found = _without_self(*search.kneighbors(Z[members], k + 1))
            own[members], own_distance[members] = members[found[:, 0]], distance[:, 0]
            _merge(nearest, foreign, members, distance, False)
            company = found[:, :COMPANY]
            gap[members] = 0.0
            for nth in company.T:
                gap[members] += (Z[members] - Z[members[nth]]) / company.shape[1]

        k = min(n_near, members.size)
        distance, found = search.kneighbors(Z[strangers], k)
        closer = distance[:, 0] < other_distance[strangers]
        other[strangers[closer]] = members[found[closer, 0]]
        other_distance[strangers[closer]] = distance[closer, 0]
        _merge(nearest, foreign, strangers, distance, True)
    return Neighbours(
        own,
        other,
        np.where(own < 0, np.nan, own_distance),
        np.where(other < 0, np.nan, other_distance),
        foreign.sum(axis=1),
        n_near,
        gap,
    )


def _without_self(distance: Array, found: Rows) -> tuple[Array, Rows]:
    """Leave each row out of its own neighbours, or the last if copies of it took its place."""
    itself = found == np.arange(len(found))[:, None]
    itself[~itself.any(axis=1), -1] = True
    shape = (len(found), found.shape[1] - 1)
    return distance[~itself].reshape(shape), found[~itself].reshape(shape)


def _merge(
    nearest: Array, foreign: NDArray[np.bool_], rows: Rows, distance: Array, is_foreign: bool
) -> None:
    """Keep the nearest of those known and those found; own rows come first in ties."""
    k = nearest.shape[1]
    distances = np.hstack([nearest[rows], distance])
    flags = np.hstack([foreign[rows], np.full(distance.shape, is_foreign)])
    order = np.lexsort((flags, distances), axis=1)[:, :k]
    nearest[rows] = np.take_along_axis(distances, order, axis=1)
    foreign[rows] = np.take_along_axis(flags, order, axis=1)
