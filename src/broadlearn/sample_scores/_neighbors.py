"""Agreement with the neighbours: the share of a row's own class among the rows nearest to it."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import euclidean_distances

from broadlearn.sample_scores._distinct import distinct_rows
from broadlearn.sample_scores._inputs import check_score_inputs

Array = NDArray[np.float64]

# Numbers in a block of distances.
BLOCK_NUMBERS = 1 << 21
# Squared distances within this share of each other are the same.
SAME_DISTANCE = 1e-9


def neighbor_agreement(
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_neighbors: int = 10,
    sample_weight: ArrayLike | None = None,
) -> NDArray[np.floating]:
    """Share of its own class among the nearest rows of every row, itself counted once.

    ``(1 + own) / (1 + all)`` over the rows within the distance of the k-th nearest other row, all
    rows at that very distance included, so that the order of rows does not matter. A row whose
    neighbours are all of another class keeps ``1 / (1 + k)``: no class is silenced.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows. Distances are Euclidean: put the columns on one scale first.
    y : array-like of shape (n_samples,)
        Class labels, of any type that sorts.
    n_neighbors : int, default=10
        k.
    sample_weight : array-like of shape (n_samples,), default=None
        A row of weight w counts as w copies; a row of weight 0 is no neighbour, and is scored all
        the same.

    Returns
    -------
    agreement : ndarray of shape (n_samples,)
        Numbers in (0, 1], float32 if X is.

    Examples
    --------
    The last "a" lies among the "b":

    >>> from broadlearn.sample_scores import neighbor_agreement
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [5.15]]
    >>> neighbor_agreement(X, list("aaabbba"), n_neighbors=2).round(2)
    array([1.  , 1.  , 1.  , 0.67, 0.75, 0.67, 0.33])
    """
    if not isinstance(n_neighbors, Integral) or n_neighbors < 1:
        raise ValueError(f"n_neighbors must be a whole number from 1 on, got {n_neighbors!r}.")
    checked = check_score_inputs(X, y, 1.0, sample_weight)
    return agreements(checked.X, checked.codes, checked.weight, int(n_neighbors)).astype(
        checked.X.dtype, copy=False
    )


def agreements(
    X: NDArray[np.floating], codes: NDArray[np.intp], weight: Array, n_neighbors: int
) -> Array:
    """`neighbor_agreement` on checked arrays."""
    distinct = distinct_rows(X, codes, weight)
    rows = X[distinct.first].astype(np.float64, copy=False)
    labels, copies = codes[distinct.first], distinct.weight
    squares = np.einsum("ij,ij->i", rows, rows)
    present = np.flatnonzero(copies > 0.0)
    others, other_labels = rows[present], labels[present]
    position = np.full(rows.shape[0], -1)
    position[present] = np.arange(present.size)
    found = np.empty(rows.shape[0])
    step = max(1, BLOCK_NUMBERS // max(1, present.size))
    for start in range(0, rows.shape[0], step):
        block = slice(start, min(start + step, rows.shape[0]))
        near = euclidean_distances(
            rows[block],
            others,
            squared=True,
            X_norm_squared=squares[block, None],
            Y_norm_squared=squares[None, present],
        )
        mass = np.broadcast_to(copies[present], near.shape).copy()
        itself = np.flatnonzero(position[block] >= 0)
        own_column = position[block][itself]
        near[itself, own_column] = 0.0
        # A row is not its own neighbour, its copies are.
        mass[itself, own_column] -= np.minimum(1.0, mass[itself, own_column])
        inside = near <= _radius(near, mass, n_neighbors)[:, None] * (1.0 + SAME_DISTANCE)
        mass *= inside
        own = np.where(other_labels == labels[block, None], mass, 0.0).sum(axis=1)
        found[block] = (1.0 + own) / (1.0 + mass.sum(axis=1))
    return found[distinct.inverse]


def _radius(near: Array, mass: Array, n_neighbors: int) -> Array:
    """Squared distance within which each row has so many neighbours, or all that there are."""
    n_rows, n_others = near.shape
    radius = near.max(axis=1)
    open_rows, k = np.arange(n_rows), min(n_neighbors + 1, n_others)
    while True:
        some = np.argpartition(near[open_rows], k - 1, axis=1)[:, :k]
        distances = np.take_along_axis(near[open_rows], some, axis=1)
        order = np.argsort(distances, axis=1)
        distances = np.take_along_axis(distances, order, axis=1)
        columns = np.take_along_axis(some, order, axis=1)
        reached = np.cumsum(np.take_along_axis(mass[open_rows], columns, axis=1), axis=1)
        # Weights add up with rounding.
        enough = reached >= n_neighbors * (1.0 - 1e-12)
        done = enough.any(axis=1)
        first = np.argmax(enough, axis=1)[done]
        radius[open_rows[done]] = distances[done, first]
        open_rows = open_rows[~done]
        if not open_rows.size or k == n_others:
            return radius
        k = min(2 * k, n_others)
