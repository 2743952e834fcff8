"""State of a model that learns batch by batch: its map, sums over samples and a random sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.models.base import MAX_HELD_OUT
from broadlearn.random_features import BroadMap, MappedSamples, Standardization
from broadlearn.sample_scores import Geometry, Samples, Trust
from broadlearn.solvers import (
    Block,
    PrimalSolution,
    design_blocks,
    learn_slopes,
    left_out_share,
    normal_equations,
    remove_rows,
    rows_residual,
    solve_sums,
)
from broadlearn.utils import Array, Floats, check_range, encode_targets, row_priorities

# Size of the random sample for the slope of probabilities, which is kept in memory and in files.
MAX_SAMPLE = 512
# Relative difference up to which two sums of weights are equal: rounding of ten million terms.
SAME_WEIGHT = 1e-9

# ``GᵗS²(T - GW)`` of all samples, for the mean of real targets (None for classes) and W.
Residual = Callable[[Array | None, Array], Array]


class Batch(NamedTuple):
    """Validated samples of positive weight, drawn by `priority`, a random number for each."""

    X: Floats
    T: Array
    codes: NDArray[np.intp]  # class of each sample; zeros for regression
    weight: Array
    score: Array | None = None
    priority: NDArray[np.uint64] | None = None

    @property
    def s(self) -> Array | None:
        """Diagonal of S; None if it is all ones."""
        if self.score is None and (self.weight == 1.0).all():
            return None
        root: Array = np.sqrt(self.weight)
        return root if self.score is None else root * self.score

    def take(self, rows: NDArray[Any]) -> Batch:
        """Return the samples at some positions."""
        return Batch(*(None if part is None else part[rows] for part in self))  # type: ignore[arg-type]

    def of_least_priority(self) -> Batch:
        """Return at most MAX_SAMPLE samples, those of least priority, in their order."""
        if self.priority is None or self.priority.size <= MAX_SAMPLE:
            return self
        return self.take(np.sort(np.argpartition(self.priority, MAX_SAMPLE)[:MAX_SAMPLE]))


@dataclass(frozen=True)
class StreamState:
    """State of a stream.

    `shift` is the mean of the first real targets, which is subtracted before they are summed (None
    for classes), and `weight` the total weight of the samples learnt of each class (one number for
    regression). `sums` are ``[G, T]ᵗ S² [G, T]``, where the last column of real T is 1. `sample` is
    a random sample for the slope of probabilities. Integer weights are numbers of `copies`, unless
    class weights are among them.
    """

    seed: int
    dtype: np.dtype[Any]  # of the first samples
    standardization: Standardization
    map: BroadMap
    classes: NDArray[Any] | None  # None for regression
    shift: Array | None
    weight: Array
    copies: bool = True
    geometry: Geometry | None = None  # centres and radii of the classes, for scores
    sums: Array | None = None  # None before the first sample
    n_seen: int = 0  # samples learnt, forgotten ones included
    sample: Batch | None = None

    def encode(self, X: Floats, targets: NDArray[Any], weight: Array) -> Batch:
        """Return samples with encoded targets, not scored."""
        if self.classes is None:
            if self.shift is None or targets.shape[1] != self.shift.size:
                raise ValueError(f"y has {targets.shape[1]} targets, unlike the first batch.")
            T = np.column_stack([targets - self.shift, np.ones(len(targets))])
            return Batch(X, T, np.zeros(len(targets), dtype=np.intp), weight)
        codes = np.searchsorted(self.classes, targets)
        return Batch(X, encode_targets(codes, self.classes.size), codes, weight)

    def samples(self, batch: Batch) -> Samples:
        """Return a batch in the form that scorers take."""
        Z = check_range(self.standardization.affine(batch.X)[:, :-1])
        return Samples(Z, batch.codes, batch.weight, self.weight.size, self.seed)

    def scored(self, batch: Batch) -> tuple[Batch, Trust]:
        """Return a batch with its scores."""
        if self.geometry is None:
            return batch, Trust(None)
        samples = self.samples(batch)
        trust = self.geometry.trust(samples.Z, samples.codes)
        return batch._replace(score=trust.score), trust

    def blocks(self, batch: Batch) -> Iterator[Block]:
        """Yield rows ``[G, T]`` of a batch with their scores."""
        design = MappedSamples(self.map, batch.X, self.standardization)
        return design_blocks(design, batch.T, batch.s)

    def learn(self, batch: Batch) -> StreamState:
        """Return the state with more samples."""
        sums = normal_equations(self.blocks(batch), self.map.n_columns + batch.T.shape[1])
        if self.sums is not None:
            sums += self.sums
        return replace(self.counted(batch), sums=sums)

    def counted(self, batch: Batch) -> StreamState:
        """Return the state with more samples, without their sums."""
        n_seen, weight = self.n_seen + batch.weight.size, self.weight + self._weight_of(batch)
        state = replace(self, n_seen=n_seen, weight=weight)
        if self.classes is None:
            return state
        priority = row_priorities(self.n_seen, batch.weight.size, self.seed)
        drawn = batch._replace(priority=priority).of_least_priority()
        if not isinstance(drawn.X, np.ndarray):
            drawn = drawn._replace(X=drawn.X.toarray())
        return replace(state, sample=merge_samples(self.sample, drawn))

    def forget(self, batch: Batch) -> StreamState:
        """Return the state without samples that were learnt."""
        weight = self.weight - self._weight_of(batch)
        if self.sums is None or (weight < -SAME_WEIGHT * self.weight).any():
            raise ValueError("Cannot forget more samples of a class than were learnt.")
        weight = np.where(weight <= SAME_WEIGHT * self.weight, 0.0, weight)
        if not weight.any():
            raise ValueError("Cannot forget all samples; call warm_up to start again.")
        sums = remove_rows(self.sums, self.blocks(batch))
        return replace(self, sums=sums, weight=weight)._without(batch)

    def solve(
        self, C: float, residual: Residual | None = None
    ) -> tuple[PrimalSolution, dict[str, Any]]:
        """Return the solution, and the intercept or the slope of probabilities by name.

        `residual` revisits the samples, if they are at hand, to refine the solution.
        """
        n, sums = self.map.n_columns, self.sums
        if sums is None:
            raise ValueError("No sample has a positive weight.")
        if self.shift is None:
            visit = None if residual is None else partial(residual, None)
            solution = solve_sums(sums, n, C, residual=visit)
            return solution, {"proba_slope_": self._slope(solution)}
        mean = sums[-1, n:-1] / sums[-1, -1]
        centred = sums[:-1, :-1].copy()
        centred[:n, n:] -= sums[:n, -1:] * mean
        visit = None if residual is None else partial(residual, mean)
        intercept = (self.shift + mean).astype(self.dtype, copy=False)
        return solve_sums(centred, n, C, residual=visit), {"intercept_": intercept}

    def residual(self, batch: Batch, mean: Array | None, W: Array) -> Array:
        """Return ``GᵗS²(T - GW)`` of a batch; the mean is subtracted from real targets."""

        def centred() -> Iterator[Block]:
            for rows, s in self.blocks(batch):
                if mean is not None:
                    rows[:, W.shape[0] : sum(W.shape)] -= mean
                yield rows[:, : sum(W.shape)], s

        return rows_residual(W, centred())

    def _slope(self, solution: PrimalSolution) -> float:
        """Learn the slope of probabilities from the random sample."""
        sample = self.sample
        if sample is None or not sample.weight.size:
            return 1.0
        positions = np.arange(sample.weight.size)
        G = MappedSamples(self.map, sample.X, self.standardization)(positions)
        share = left_out_share(sample.weight) if self.copies else None
        held_out = solution.held_out(G, sample.T, sample.s, share, positions)
        # A fit would use up to MAX_HELD_OUT samples: the slope depends on their total weight.
        stands_for = float(self.weight.sum() / sample.weight.sum())
        weight = sample.weight * min(stands_for, MAX_HELD_OUT / positions.size)
        return float(learn_slopes(held_out[None], sample.codes, weight, sample.score)[0])

    def _weight_of(self, batch: Batch) -> Array:
        """Return the weight of a batch's samples of each class."""
        return np.bincount(batch.codes, batch.weight, self.weight.size).astype(np.float64)

    def _without(self, batch: Batch) -> StreamState:
        """Return the state with the samples of a batch removed from its random sample."""
        if self.sample is None:
            return self
        gone = Counter(_row_keys(batch, self.sample.X.dtype))
        stays = np.ones(self.sample.weight.size, dtype=bool)
        for i, key in enumerate(_row_keys(self.sample, self.sample.X.dtype)):
            if gone[key]:
                gone[key] -= 1
                stays[i] = False
        return replace(self, sample=self.sample.take(stays))


def merge_samples(a: Batch | None, b: Batch | None) -> Batch | None:
    """Merge two random samples: keep the samples of least priority."""
    if a is None or b is None:
        return b if a is None else a
    pairs = zip(a, b, strict=True)
    both = (None if p is None else np.concatenate([p, q]) for p, q in pairs)
    return Batch(*both).of_least_priority()  # type: ignore[arg-type]


def _row_keys(batch: Batch, dtype: np.dtype[Any]) -> list[tuple[bytes, int]]:
    X: Any = batch.X
    rows = np.ascontiguousarray(X if isinstance(X, np.ndarray) else X.toarray(), dtype=dtype)
    return [(row.tobytes(), code) for row, code in zip(rows, batch.codes.tolist(), strict=True)]
