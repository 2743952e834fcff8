"""Neighbour agreement: the share of a sample's own class among its nearest samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import euclidean_distances

from broadlearn.sample_scores.scorer import Samples, SampleScorer, Trust
from broadlearn.utils import BLOCK_NUMBERS, COUNT, Array, Floats, distinct_rows, row_slices

# Squared distances with a smaller relative difference are ties.
SAME_DISTANCE = 1e-9
# Number of neighbours searched beyond the k nearest, to settle ties.
SPARE = 8
# Search neighbours only among at least this many times as many samples.
MANY_FOR_ONE = 20
# Rounding error of squared distances by products, relative to the squared lengths.
ROUNDING = 1e-14


@dataclass(frozen=True)
class NeighborScorer(SampleScorer):
    """Score samples by the share of their own class among the nearest samples.

    The score is ``(1 + own) / (1 + all)`` over the samples within the distance of the k-th nearest
    other one, see `neighbor_agreement`.

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

    def draws(self, n_samples: int) -> bool:
        """Return False: nothing is drawn."""
        return False

    def check(self) -> None:
        """Raise if a parameter is invalid."""
        if not COUNT.is_satisfied_by(self.n_neighbors):
            raise ValueError(f"n_neighbors must be an integer >= 1, got {self.n_neighbors!r}.")

    def score(self, samples: Samples) -> Trust:
        """Return the agreement as the score."""
        return Trust(agreements(samples.Z, samples.codes, samples.weight, int(self.n_neighbors)))


def agreements(X: Floats, codes: NDArray[np.intp], weight: Array, n_neighbors: int) -> Array:
    """Return the `neighbor_agreement` of checked arrays.

    scikit-learn finds the nearest samples and some spare ones. Samples with more ties, or with too
    little weight among those found, are compared with all others.
    """
    distinct = distinct_rows(X, codes, weight)
    rows = X[distinct.first].astype(np.float64, copy=False)
    present = np.flatnonzero(distinct.weight > 0.0)
    position = np.full(rows.shape[0], -1)
    position[present] = np.arange(present.size)
    squares = np.einsum("ij,ij->i", rows, rows)
    points = Points(rows, codes[distinct.first], distinct.weight, squares, present, position)
    found, open_rows = np.empty(rows.shape[0]), np.arange(rows.shape[0])
    least, mean = distinct.weight[present].min(), distinct.weight[present].mean()
    n_found = int(n_neighbors * (1.0 if least >= 1.0 else 1.5 / mean)) + 1 + SPARE
    if MANY_FOR_ONE * n_found < present.size:
        found, settled = points.by_nearest(n_neighbors, n_found)
        open_rows = np.flatnonzero(~settled)
    for block in row_slices(open_rows.size, present.size, BLOCK_NUMBERS):
        found[open_rows[block]] = points.by_all(open_rows[block], n_neighbors)
    return found[distinct.inverse]


class Points(NamedTuple):
    """Distinct samples; those of positive weight, `present`, are possible neighbours.

    `copies` is the weight of all copies of a sample, `squares` the squared length of its row, and
    `position` where it stands in `present`, or -1.
    """

    rows: Array
    labels: NDArray[np.intp]
    copies: Array
    squares: Array
    present: NDArray[np.intp]
    position: NDArray[np.intp]

    def by_all(self, some: NDArray[np.intp], n_neighbors: int) -> Array:
        """Return the agreement of some samples, from their distances to all others."""
        near = euclidean_distances(
            self.rows[some],
            self.rows[self.present],
            squared=True,
            X_norm_squared=self.squares[some, None],
            Y_norm_squared=self.squares[None, self.present],
        )
        mass = np.broadcast_to(self.copies[self.present], near.shape).copy()
        itself = np.flatnonzero(self.position[some] >= 0)
        own_column = self.position[some][itself]
        near[itself, own_column] = 0.0
        # A sample is not its own neighbour, but its copies are.
        mass[itself, own_column] -= np.minimum(1.0, mass[itself, own_column])
        inside = near <= _radius(near, mass, n_neighbors)[:, None] * (1.0 + SAME_DISTANCE)
        mass *= inside
        own = np.where(self.labels[self.present] == self.labels[some, None], mass, 0.0).sum(axis=1)
        return np.asarray((1.0 + own) / (1.0 + mass.sum(axis=1)))

    def by_nearest(self, n_neighbors: int, n_found: int) -> tuple[Array, NDArray[np.bool_]]:
        """Return the agreement of all samples from `n_found` nearest ones, and where it is settled.

        It is settled if enough weight lies clearly within the distance of the last sample found,
        and no sample is so close to the edge that rounding could decide.
        """
        from sklearn.neighbors import NearestNeighbors

        search = NearestNeighbors(n_neighbors=n_found, algorithm="brute")
        search.fit(self.rows[self.present])
        found, settled = np.empty(len(self.rows)), np.empty(len(self.rows), dtype=np.bool_)
        largest = float(self.squares[self.present].max())
        for block in row_slices(len(self.rows), n_found * self.rows.shape[1], BLOCK_NUMBERS):
            last, nearest = search.kneighbors(self.rows[block])
            columns = self.present[nearest]
            away = self.rows[columns] - self.rows[block, None]
            near = np.einsum("ijk,ijk->ij", away, away)
            itself = columns == np.arange(block.start, block.stop)[:, None]
            mass = self.copies[columns]
            mass -= np.where(itself, np.minimum(1.0, mass), 0.0)
            order = np.argsort(near, axis=1, kind="stable")
            reached = np.cumsum(np.take_along_axis(mass, order, axis=1), axis=1)
            # Weights add up with rounding.
            enough = reached >= n_neighbors * (1.0 - 1e-12)
            edge = np.argmax(enough, axis=1)[:, None]
            sorted_near = np.take_along_axis(near, order, axis=1)
            limit = np.take_along_axis(sorted_near, edge, axis=1) * (1.0 + SAME_DISTANCE)
            rounding = ROUNDING * (self.squares[block, None] + largest)
            clear = (np.abs(near - limit) > rounding).all(axis=1)
            beyond = last[:, -1:] ** 2 - rounding > limit
            seen = itself.any(axis=1) | (self.position[block] < 0)
            settled[block] = enough[:, -1] & clear & beyond[:, 0] & seen
            mass *= near <= limit
            own = np.where(self.labels[columns] == self.labels[block, None], mass, 0.0).sum(axis=1)
            found[block] = (1.0 + own) / (1.0 + mass.sum(axis=1))
        return found, settled


def _radius(near: Array, mass: Array, n_neighbors: int) -> Array:
    """Return the squared distance within which each sample has so many neighbours, or all."""
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
