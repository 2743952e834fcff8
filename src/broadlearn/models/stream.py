"""What a model that learns batch by batch keeps: its map, sums over samples, a sample of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.random_features import BroadMap, MappedSamples, kept_enhancements
from broadlearn.sample_scores import Geometry, Samples, Trust
from broadlearn.solvers import (
    Block,
    add_rows,
    append_sums,
    design_blocks,
    normal_equations,
    remove_rows,
)
from broadlearn.utils import (
    Array,
    Floats,
    Standardization,
    check_range,
    encode_targets,
    row_priorities,
)

# Samples that are kept to learn the slope of probabilities from.
MAX_SAMPLE = 512
# Weights that differ by no more than this share are the same.
SAME_WEIGHT = 1e-9


class Batch(NamedTuple):
    """Validated samples of positive weight.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    T : ndarray of shape (n_samples, n_targets)
    codes : ndarray of shape (n_samples,) or (n_samples, n_labels)
        Class of each sample, 0 for regression; of several labels 0 and 1.
    weight : ndarray of shape (n_samples,)
    score : ndarray of shape (n_samples,) or None
    """

    X: Floats
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
        """Some of the samples."""
        return Batch(*(None if part is None else part[rows] for part in self))  # type: ignore[arg-type]


@dataclass(frozen=True)
class StreamState:
    """A stream so far.

    Attributes
    ----------
    seed : int
    dtype : dtype
        Of the samples that the stream began with.
    standardization : Standardization
    map : BroadMap
    geometry : Geometry or None
        What samples are scored against.
    shift : ndarray of shape (n_targets,)
        Taken from real targets before they are summed; empty for classes.
    weight : ndarray of shape (n_classes,) or (2, n_labels)
        Weight of the samples learnt of each class; one number for regression; of several labels,
        that of the samples without and with each.
    sums : ndarray of shape (n_columns + n_targets, n_columns + n_targets) or None
        ``[G, T]ᵗ S² [G, T]``; None before any sample.
    n_seen : int
        Samples learnt, those forgotten included.
    sample, priority : Batch, ndarray or None
        Samples to learn the slope of probabilities from, and the numbers by which they were drawn.
    factor : ndarray of shape (n_columns, n_columns) or None
        Cholesky factor of the latest solution.
    factor_C : float
        C of that solution.
    ones : bool
        Whether T is followed by a column of ones in the sums: from it and one column of -1 and 1,
        the sums of more classes or labels follow.
    """

    seed: int
    dtype: np.dtype[Any]
    standardization: Standardization
    map: BroadMap
    geometry: Geometry | None
    shift: Array
    weight: Array
    sums: Array | None = None
    n_seen: int = 0
    sample: Batch | None = None
    priority: NDArray[np.uint64] | None = None
    factor: Array | None = None
    factor_C: float = np.nan
    ones: bool = False

    def learn(self, batch: Batch) -> StreamState:
        """The state with more samples."""
        size = self.map.n_columns + batch.T.shape[1] + self.ones
        sums = np.zeros((size, size)) if self.sums is None else self.sums
        return replace(self.counted(batch), sums=add_rows(sums, self.blocks(batch)), factor=None)

    def counted(self, batch: Batch) -> StreamState:
        """The state with all that is kept of more samples, but for their sums."""
        n_seen, weight = self.n_seen + batch.weight.size, self.weight + self._weight_of(batch)
        state = replace(self, n_seen=n_seen, weight=weight)
        if self.shift.size:
            return state
        fresh = row_priorities(self.n_seen, batch.weight.size, self.seed)
        chosen = _least(fresh)
        fewer = batch.take(chosen)
        if not isinstance(fewer.X, np.ndarray):
            fewer = fewer._replace(X=fewer.X.toarray())
        known, more = (self.sample, self.priority), (fewer, fresh[chosen])
        sample, priority = merge_samples(known, more)
        return replace(state, sample=sample, priority=priority)

    def forget(self, batch: Batch) -> StreamState:
        """The state without samples that were learnt."""
        weight = self.weight - self._weight_of(batch)
        if self.sums is None or (weight < -SAME_WEIGHT * self.weight).any():
            raise ValueError(
                "The rows to forget are not among those that were learnt: of some class there are "
                "more of them."
            )
        weight = np.where(weight <= SAME_WEIGHT * self.weight, 0.0, weight)
        if not weight.any():
            raise ValueError("At least one row must remain; start anew with warm_up instead.")
        sums = remove_rows(self.sums, self.blocks(batch))
        return replace(self, sums=sums, weight=weight, factor=None)._without(batch)

    def grow(self, larger: BroadMap, batch: Batch) -> StreamState:
        """The state with a larger map; `batch` holds all samples that the state has learnt."""
        given = self._weight_of(batch)
        if not np.allclose(given, self.weight, rtol=SAME_WEIGHT, atol=0.0):
            raise ValueError(
                "grow needs all rows that were learnt, and no others: their weights sum to "
                f"{total(self.weight):g}, those of the rows given to {total(given):g}."
            )
        grown = replace(self, map=larger)
        kept = kept_enhancements(self.map.settings, larger.settings)
        n, k = larger.n_columns, batch.T.shape[1] + self.ones
        if self.sums is None or not kept.size:
            return replace(grown, sums=normal_equations(grown.blocks(batch), n + k), factor=None)
        r = larger.n_feature_columns
        old = np.concatenate([np.arange(r), r + kept])
        order = np.concatenate([old, np.setdiff1d(np.arange(n), old), np.arange(n, n + k)])
        leading = bool((order[:n] == np.arange(n)).all())
        blocks = ((rows if leading else rows[:, order], s) for rows, s in grown.blocks(batch))
        sums = appended = append_sums(self.sums, blocks, old.size, n - old.size, k)
        if not leading:
            sums = np.empty_like(appended)
            sums[np.ix_(order, order)] = appended
        return replace(grown, sums=sums, factor=self.factor if leading else None)

    def told(self, places: NDArray[np.intp], n_classes: int) -> StreamState:
        """The state with more classes or labels, of which no sample learnt was one.

        Those known so far are at `places` among all. What samples are scored against stays.
        """
        several, k = self.weight.ndim == 2, places.size
        weight, M = np.zeros((*self.weight.shape[:-1], n_classes)), np.eye(n_classes)[places]
        weight[..., places] = self.weight
        if several:
            # A label that no sample has is minus the column of ones.
            weight[0, weight.sum(axis=0) == 0.0] = total(self.weight)
            M = np.vstack(
                [np.eye(k, n_classes + 1), np.repeat([0.0, -1.0, 1.0], [k, n_classes - k, 1])]
            )
        elif k == 2:
            M = np.array([[-0.5, 0.5], [0.5, 0.5]]) @ M
        sums, sample, n = self.sums, self.sample, self.map.n_columns
        if sums is not None:
            if len(sums) != n + len(M):
                raise ValueError(
                    "This stream of two classes was begun by an earlier version, which kept no "
                    "sums that a third class needs; start anew with warm_up."
                )
            right = sums[:n, n:] @ M
            sums = np.block([[sums[:n, :n], right], [right.T, M.T @ sums[n:, n:] @ M]])
        if sample is not None:
            codes = np.eye(n_classes, dtype=np.intp)[places]
            codes = sample.codes @ codes if several else places[sample.codes]
            sample = sample._replace(codes=codes, T=encode_targets(codes, n_classes))
        return replace(self, weight=weight, sums=sums, sample=sample, ones=several)

    @property
    def constant_labels(self) -> Array | None:
        """-1 or 1 for labels that all samples learnt have alike, 0 for others; None for classes."""
        if self.weight.ndim == 1:
            return None
        without, having = self.weight
        return np.where(having == 0.0, -1.0, np.where(without == 0.0, 1.0, 0.0))

    def samples(self, batch: Batch) -> Samples:
        """The samples of a batch as scorers want them."""
        Z = check_range(self.standardization.affine(batch.X)[:, :-1])
        return Samples(Z, batch.codes, batch.weight, self.weight.size, self.seed)

    def scored(self, batch: Batch) -> tuple[Batch, Trust]:
        """A batch with its scores."""
        if self.geometry is None:
            return batch, Trust(None)
        samples = self.samples(batch)
        trust = self.geometry.trust(samples.Z, samples.codes)
        return batch._replace(score=trust.score), trust

    def blocks(self, batch: Batch) -> Iterator[Block]:
        """Rows ``[G, T]`` of a batch with their scores."""
        design = MappedSamples(self.map, batch.X, self.standardization)
        T = np.column_stack([batch.T, np.ones(len(batch.T))]) if self.ones else batch.T
        return design_blocks(design, T, batch.s)

    def _weight_of(self, batch: Batch) -> Array:
        if batch.codes.ndim == 2:
            return np.stack([batch.weight @ (1 - batch.codes), batch.weight @ batch.codes])
        sums: Array = np.zeros_like(self.weight)
        np.add.at(sums, batch.codes, batch.weight)
        return sums

    def _without(self, batch: Batch) -> StreamState:
        """The state with the samples of a batch taken out of its own."""
        if self.sample is None or self.priority is None:
            return self
        gone = Counter(_row_keys(batch, self.sample.X.dtype))
        stays = np.ones(self.sample.weight.size, dtype=bool)
        for i, key in enumerate(_row_keys(self.sample, self.sample.X.dtype)):
            if gone[key]:
                gone[key] -= 1
                stays[i] = False
        return replace(self, sample=self.sample.take(stays), priority=self.priority[stays])


def total(weight: Array) -> float:
    """Weight of all samples, from that of each class or of the samples without and with labels."""
    return float(weight.sum() if weight.ndim == 1 else weight[:, 0].sum())


Sample = tuple[Batch | None, NDArray[np.uint64] | None]


def merge_samples(a: Sample, b: Sample) -> Sample:
    """Those of least priority of two draws of samples, with their priorities."""
    (few, of_few), (more, of_more) = a, b
    if few is None or of_few is None or more is None or of_more is None:
        return b if few is None else a
    pairs = zip(few, more, strict=True)
    rows = Batch(*(None if p is None else np.concatenate([p, q]) for p, q in pairs))  # type: ignore[arg-type]
    priority = np.concatenate([of_few, of_more])
    chosen = _least(priority)
    return rows.take(chosen), priority[chosen]


def _least(priority: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Positions of least priority, in their order."""
    if priority.size <= MAX_SAMPLE:
        return np.arange(priority.size)
    return np.sort(np.argpartition(priority, MAX_SAMPLE)[:MAX_SAMPLE])


def _row_keys(batch: Batch, dtype: np.dtype[Any]) -> list[tuple[bytes, bytes]]:
    X: Any = batch.X
    if isinstance(X, np.ndarray):
        rows = iter(np.ascontiguousarray(X, dtype=dtype))
    else:
        rows = (X[[i]].toarray().astype(dtype, copy=False) for i in range(X.shape[0]))
    return [(row.tobytes(), code.tobytes()) for row, code in zip(rows, batch.codes, strict=True)]
