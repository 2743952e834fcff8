"""Ridge problems with mean kernels between samples and landmarks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from broadlearn.ensemble.candidates import PENALTIES, Problem, best_penalty
from broadlearn.ensemble.kernel_average import mean_kernel, samples_in
from broadlearn.ensemble.weights import draw_heavy
from broadlearn.random_features import InputForms, KernelBasis, LimitKernel, SamplePairs, Units
from broadlearn.solvers import (
    LandmarkSolution,
    LandmarkSums,
    left_out_share,
    solve_landmarks,
    sum_landmarks,
)
from broadlearn.utils import BLOCK_NUMBERS, Array, Floats, row_slices, spread_rows

# Largest number of samples whose held-out predictions give the loss.
MAX_JUDGED = 1000


class LandmarkProblem:
    """Ridge problems with mean kernels between samples and landmarks."""

    def __init__(
        self,
        forms: InputForms,
        units: Units,
        problem: Problem,
        score: Array | None,
        landmarks: Floats,
        precision: type = np.float64,
    ) -> None:
        self.forms, self.units, self.score, self.landmarks = forms, units, score, landmarks
        self.precision = precision
        self.X, self.T, self.weight, self.make_loss = problem[:4]
        self.copies, self.counted = problem.copies, problem.counted
        self.s = score
        if self.weight is not None:
            self.s = np.sqrt(self.weight) * (1.0 if score is None else score)

    def kernel(
        self, kernels: Sequence[LimitKernel], rows: slice | NDArray[np.intp], basis: KernelBasis
    ) -> Floats:
        """Return the mean kernel between samples and landmarks."""
        dtype = next(iter(basis.samples.values())).dtype
        pairs = SamplePairs(basis, self._formed(self.X[rows], kernels, dtype))
        return mean_kernel(pairs, kernels, self.units)

    def basis(self, kernels: Sequence[LimitKernel]) -> KernelBasis:
        """Return the landmarks in the forms that some kernels need."""
        return KernelBasis(self._formed(self.landmarks, kernels, self.precision))

    def sums(self, kernels: Sequence[LimitKernel]) -> LandmarkSums:
        """Return the sums over all samples that a solution needs."""
        basis = self.basis(kernels)
        # Rounding to float32 would leave negative eigenvalues.
        exact = KernelBasis(self._formed(self.landmarks, kernels, np.float64))
        inner: Any = mean_kernel(SamplePairs(exact), kernels, self.units)

        def blocks() -> Iterator[tuple[Array, Array, Array | None]]:
            for rows in row_slices(len(self.X), len(self.landmarks), BLOCK_NUMBERS):
                K = self.kernel(kernels, rows, basis).astype(np.float64, copy=False)
                yield K, self.T[rows], None if self.s is None else self.s[rows]

        return sum_landmarks(blocks(), inner, self.T.shape[1])

    def influence(self, rows: slice | NDArray[np.intp]) -> Array | float:
        """Return the part of s² that is left out with each sample."""
        influence: Array | float = 1.0
        if self.weight is not None:
            share = left_out_share(self.weight)[rows] if self.copies else 1.0
            influence = self.weight[rows] * share
        if self.score is not None:
            influence = influence * self.score[rows] ** 2
        return influence

    def judged(self) -> tuple[NDArray[np.intp], Array | None]:
        """Return samples for the loss and their weights; heavy samples are more likely."""
        counted = self.counted
        if self.weight is None or self.copies or len(self.X) <= MAX_JUDGED:
            some = spread_rows(len(self.X), MAX_JUDGED)
            return some, None if counted is None else counted[some]
        some, share = draw_heavy(self.weight, MAX_JUDGED, np.random.default_rng(0))
        return some, share if counted is None else share * counted[some]

    def held_out(self, solution: LandmarkSolution, kernels: Sequence[LimitKernel]) -> Array:
        """Return leave-one-out predictions for all samples."""
        out, basis = np.empty_like(self.T), self.basis(kernels)
        for rows in row_slices(len(self.X), len(self.landmarks), BLOCK_NUMBERS):
            K = self.kernel(kernels, rows, basis)
            out[rows] = solution.held_out(K, self.T[rows], self.influence(rows))
        return out

    def _formed(
        self, X: Floats, kernels: Sequence[LimitKernel], dtype: DTypeLike
    ) -> dict[str, Floats]:
        """Return samples in the forms that some kernels need; X itself may overflow float32."""
        wide: Floats = X.astype(np.result_type(X.dtype, dtype), copy=False)
        formed = samples_in(self.forms, wide, kernels)
        return {form: Z.astype(dtype, copy=False) for form, Z in formed.items()}


def judge(
    problem: LandmarkProblem, kernels: Sequence[LimitKernel], start: int
) -> tuple[int, float, LandmarkSolution]:
    """Return the best penalty of a mean kernel, its held-out loss, and the solution."""
    sums = problem.sums(kernels)
    some, counted = problem.judged()
    K = problem.kernel(kernels, some, problem.basis(kernels))
    influence, loss = problem.influence(some), problem.make_loss(some, counted)

    def held_out(C: float) -> Array:
        return solve_landmarks(sums, C).held_out(K, problem.T[some], influence)

    best, value = best_penalty(held_out, loss, start)
    # Solve again instead of keeping the solutions: factors are large.
    return best, value, solve_landmarks(sums, PENALTIES[best])
