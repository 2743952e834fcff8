"""What a model that learns batch by batch keeps: its map, sums over rows, a sample of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.classifiers._base import design_blocks
from broadlearn.classifiers._rows import Array
from broadlearn.random_features._broad_map import BroadMap, ReducedMap, reduce_map
from broadlearn.random_features._growth import kept_enhancements
from broadlearn.random_features._standardize import Standardization
from broadlearn.sample_scores._geometry import FuzzyGeometry, KernelGeometry, row_priorities
from broadlearn.solvers._ridge import Block
from broadlearn.solvers._updates import add_rows, append_sums, remove_rows

# Rows that are kept to learn the slope of probabilities from.
SAMPLE_ROWS = 512
# Weights that differ by no more than this share are the same.
SAME_WEIGHT = 1e-9


class Batch(NamedTuple):
    """Validated rows of positive weight.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_features)
    T : ndarray of shape (n_rows, n_targets)
    codes : ndarray of shape (n_rows,)
        Class of each row, 0 for regression.
    weight : ndarray of shape (n_rows,)
    score : ndarray of shape (n_rows,) or None
    """

    X: NDArray[np.floating]
    T: Array
    codes: NDArray[np.intp]
    weight: Array
    score: Array | None

    @property
    def s(self) -> Array | None:
        """The diagonal of S; None where it is all one."""
        if self.score is None and (self.weight == 1.0).all():
            return None
        root: Array = np.sqrt(self.weight)
        return root if self.score is None else root * self.score

    def take(self, rows: NDArray[Any]) -> Batch:
        """Some of the rows."""
        return Batch(*(None if part is None else part[rows] for part in self))  # type: ignore[arg-type]


@dataclass(frozen=True)
class StreamState:
    """A stream so far.

    Attributes
    ----------
    seed : int
    dtype : dtype
        Of the rows that the stream began with.
    standardization : Standardization
    reduced : ReducedMap
    geometry : FuzzyGeometry, KernelGeometry or None
        What rows are scored against.
    shift : ndarray of shape (n_targets,)
        Taken from real targets before they are summed; empty for classes.
    sums : ndarray of shape (n_columns + n_targets, n_columns + n_targets)
        ``[G, T]ᵗ S² [G, T]``; without the rows of `pending`.
    weight : ndarray of shape (n_classes,)
        Weight of the rows learnt of each class; one number for regression.
    n_seen : int
        Rows learnt, those forgotten included.
    sample, priority : Batch, ndarray or None
        Rows to learn the slope of probabilities from, and the numbers by which they were drawn.
    factor : ndarray of shape (n_columns, n_columns) or None
        Cholesky factor of the latest solution.
    factor_C : float
        C of that solution.
    pending : Batch or None
        Rows, fewer than columns, that a fit has learnt by the dual, without sums.
    from_fit : bool
        Whether all rows are those of one fit.
    scored_by_fit : bool
        Whether some rows were scored by a fit, which scores rows against each other.
    """

    seed: int
    dtype: np.dtype[Any]
    standardization: Standardization
    reduced: ReducedMap
    geometry: FuzzyGeometry | KernelGeometry | None
    shift: Array
    sums: Array | None
    weight: Array
    n_seen: int = 0
    sample: Batch | None = None
    priority: NDArray[np.uint64] | None = None
    factor: Array | None = None
    factor_C: float = np.nan
    pending: Batch | None = None
    from_fit: bool = False
    scored_by_fit: bool = False

    def learn(self, batch: Batch) -> StreamState:
        """The state with more rows."""
        sums = add_rows(self._all_sums(batch), self.blocks(batch), self.reduced.n_columns)
        weight = self.weight + self._weight_of(batch)
        state = replace(
            self,
            sums=sums,
            weight=weight,
            n_seen=self.n_seen + batch.codes.size,
            factor=None,
            pending=None,
            from_fit=False,
        )
        return state.sampled(batch, row_priorities(self.n_seen, batch.codes.size, self.seed))

    def forget(self, batch: Batch) -> StreamState:
        """The state without rows that were learnt."""
        weight = self.weight - self._weight_of(batch)
        if (weight < -SAME_WEIGHT * self.weight).any():
            raise ValueError(
                "The rows to forget are not among those that were learnt: of some class there are "
                "more of them."
            )
        weight = np.where(weight <= SAME_WEIGHT * self.weight, 0.0, weight)
        if not weight.any():
            raise ValueError("At least one row must remain; start anew with warm_up instead.")
        n_columns = self.reduced.n_columns
        sums = remove_rows(self._all_sums(batch), self.blocks(batch), n_columns)
        state = replace(self, sums=sums, weight=weight, factor=None, pending=None, from_fit=False)
        return state._without(batch)

    def grow(self, larger_map: BroadMap, batch: Batch) -> StreamState:
        """The state with a larger map; `batch` holds all rows that the state has learnt."""
        given = self._weight_of(batch)
        if not np.allclose(given, self.weight, rtol=SAME_WEIGHT, atol=0.0):
            raise ValueError(
                "grow needs all rows that were learnt, and no others: their weights sum to "
                f"{self.weight.sum():g}, those of the rows given to {given.sum():g}."
            )
        reduced = reduce_map(larger_map)
        kept = kept_enhancements(self.reduced.map.settings, larger_map.settings)
        if not kept.size:
            state = replace(self, reduced=reduced, sums=None, factor=None, pending=batch)
            return replace(state, sums=state._all_sums(batch), pending=None)
        r, n, k = reduced.n_feature_columns, reduced.n_columns, batch.T.shape[1]
        old = np.concatenate([np.arange(r), r + kept])
        order = np.concatenate([old, np.setdiff1d(np.arange(n), old), np.arange(n, n + k)])
        leading = bool((order[:n] == np.arange(n)).all())

        def blocks() -> Iterator[Block]:
            for rows, s in replace(self, reduced=reduced).blocks(batch):
                yield rows if leading else rows[:, order], s

        appended = append_sums(self._all_sums(batch), blocks(), old.size, n - old.size, k)
        sums = appended
        if not leading:
            sums = np.empty_like(appended)
            sums[np.ix_(order, order)] = appended
        factor = self.factor if leading else None
        return replace(self, reduced=reduced, sums=sums, factor=factor, pending=None)

    def _all_sums(self, batch: Batch) -> Array:
        """Sums of all rows learnt; a batch tells the number of targets."""
        n_columns = self.reduced.n_columns
        size = n_columns + batch.T.shape[1]
        sums = np.zeros((size, size)) if self.sums is None else self.sums
        if self.pending is None:
            return sums
        return add_rows(sums, self.blocks(self.pending), n_columns)

    def blocks(self, batch: Batch) -> Iterator[Block]:
        """Rows ``[G, T]`` of a batch with their scores."""
        return design_blocks(self.reduced, batch.X, batch.T, batch.s, self.standardization)

    def _weight_of(self, batch: Batch) -> Array:
        sums: Array = np.zeros_like(self.weight)
        np.add.at(sums, batch.codes, batch.weight)
        return sums

    def sampled(self, batch: Batch, priority: NDArray[np.uint64]) -> StreamState:
        """The state with rows of a batch drawn into its sample."""
        if self.shift.size:
            return self
        chosen = _least(priority)
        rows, priority = batch.take(chosen), priority[chosen]
        if self.sample is not None and self.priority is not None:
            rows, priority = merge_samples((self.sample, self.priority), (rows, priority))
        return replace(self, sample=rows, priority=priority)

    def _without(self, batch: Batch) -> StreamState:
        """The state with a batch's rows taken out of its sample."""
        if self.sample is None or self.priority is None:
            return self
        gone = Counter(_row_keys(batch, self.sample.X.dtype))
        stays = np.ones(self.sample.codes.size, dtype=bool)
        for i, key in enumerate(_row_keys(self.sample, self.sample.X.dtype)):
            if gone[key]:
                gone[key] -= 1
                stays[i] = False
        return replace(self, sample=self.sample.take(stays), priority=self.priority[stays])


Sample = tuple[Batch, NDArray[np.uint64]]


def merge_samples(a: Sample, b: Sample) -> Sample:
    """The rows of least priority of two samples, with their priorities."""
    pairs = zip(a[0], b[0], strict=True)
    rows = Batch(*(None if p is None else np.concatenate([p, q]) for p, q in pairs))  # type: ignore[arg-type]
    priority = np.concatenate([a[1], b[1]])
    chosen = _least(priority)
    return rows.take(chosen), priority[chosen]


def _least(priority: NDArray[np.uint64]) -> NDArray[np.intp]:
    """The rows of least priority, in their order."""
    if priority.size <= SAMPLE_ROWS:
        return np.arange(priority.size)
    return np.sort(np.argpartition(priority, SAMPLE_ROWS)[:SAMPLE_ROWS])


def _row_keys(batch: Batch, dtype: np.dtype[Any]) -> list[tuple[bytes, int]]:
    X = np.ascontiguousarray(batch.X, dtype=dtype)
    return [(row.tobytes(), int(code)) for row, code in zip(X, batch.codes, strict=True)]
