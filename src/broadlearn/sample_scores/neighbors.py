"""Agreement with the neighbours: the share of a sample's own class among the nearest samples."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import euclidean_distances

from broadlearn.sample_scores.scorer import Samples, SampleScorer, Trust
from broadlearn.utils import BLOCK_NUMBERS, Array, Floats, distinct_rows, row_slices

# Squared distances within this share of each other are the same.
SAME_DISTANCE = 1e-9


@dataclass(frozen=True)
class NeighborScorer(SampleScorer):
    """Share of its own class among the nearest samples of every sample, itself counted once.

    ``(1 + own) / (1 + all)`` over the samples within the distance of the k-th nearest other one,
    see `neighbor_agreement`.

    Parameters
    ----------
    n_neighbors : int, default=10
        k.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BLSClassifier
    >>> from broadlearn.sample_scores import NeighborScorer
    >>> X, y = load_iris(return_X_y=True)
    >>> y[0] = 2
    >>> model = BLSClassifier(sample_scores=NeighborScorer(5), random_state=0).fit(X, y)
    >>> int(model.sample_scores_.argmin())
    0
    """

    n_neighbors: int = 10

    @property
    def draws(self) -> bool:
        """Nothing is drawn."""
        return False

    def check(self) -> None:
        """Raise unless the number of neighbours makes sense."""
        if not isinstance(self.n_neighbors, Integral) or self.n_neighbors < 1:
            raise ValueError(
                f"n_neighbors must be a whole number from 1 on, got {self.n_neighbors!r}."
            )

    def score(self, samples: Samples) -> Trust:
        """Score samples: agreement is the score."""
        return Trust(agreements(samples.Z, samples.codes, samples.weight, int(self.n_neighbors)))


def agreements(X: Floats, codes: NDArray[np.intp], weight: Array, n_neighbors: int) -> Array:
    """Agreement of every sample with its neighbours; `neighbor_agreement` on checked arrays."""
    distinct = distinct_rows(X, codes, weight)
    rows = X[distinct.first].astype(np.float64, copy=False)
    labels, copies = codes[distinct.first], distinct.weight
    squares = np.einsum("ij,ij->i", rows, rows)
    present = np.flatnonzero(copies > 0.0)
    others, other_labels = rows[present], labels[present]
    position = np.full(rows.shape[0], -1)
    position[present] = np.arange(present.size)
    found = np.empty(rows.shape[0])
    for block in row_slices(rows.shape[0], present.size, BLOCK_NUMBERS):
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
        # A sample is not its own neighbour, its copies are.
        mass[itself, own_column] -= np.minimum(1.0, mass[itself, own_column])
        inside = near <= _radius(near, mass, n_neighbors)[:, None] * (1.0 + SAME_DISTANCE)
        mass *= inside
        own = np.where(other_labels == labels[block, None], mass, 0.0).sum(axis=1)
        found[block] = (1.0 + own) / (1.0 + mass.sum(axis=1))
    return found[distinct.inverse]


def _radius(near: Array, mass: Array, n_neighbors: int) -> Array:
    """Squared distance within which each sample has so many neighbours, or all that there are."""
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
