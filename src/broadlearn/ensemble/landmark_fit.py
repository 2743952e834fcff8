"""An ensemble for large tables: one mean of kernels on landmarks, with nodes of several kinds.

Where no samples x samples matrix fits, kernels are compared in rounds: all of them on few samples,
the best on more samples with few landmarks, and the best of those become one kernel, their mean, on
as many landmarks as time allows. Its functions are sums of functions of its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from broadlearn.ensemble.candidates import (
    PENALTIES,
    Candidate,
    FittedEnsemble,
    Problem,
    best_first,
    best_penalty,
    gain_of_scores,
)
from broadlearn.ensemble.exact import fit_exactly
from broadlearn.ensemble.kernel_average import KernelAverage, mean_kernel, samples_in, shared_order
from broadlearn.ensemble.weights import draw_heavy, heavy_first
from broadlearn.random_features import InputForms, KernelBasis, LimitKernel, SamplePairs, Units
from broadlearn.solvers import (
    LandmarkSolution,
    LandmarkSums,
    left_out_share,
    solve_landmarks,
    sum_landmarks,
)
from broadlearn.utils import BLOCK_NUMBERS, Array, Floats, row_slices, spread_rows

# Samples, landmarks and kernels of the second round.
SECOND_SAMPLES, SECOND_LANDMARKS, SECOND_KERNELS = 10_000, 800, 10
# Kernels whose mean is taken in the end.
MIXED = 3
# Samples whose held-out predictions judge.
MAX_JUDGED = 2000
# Products of the Gram matrix that are affordable, and landmarks beyond which more do not help much.
MAX_PRODUCTS, MAX_LANDMARKS = 4e11, 5000


def n_landmarks(n_samples: int) -> int:
    """Landmarks that so many samples can afford.

    Examples
    --------
    >>> n_landmarks(10_000), n_landmarks(100_000)
    (5000, 2000)
    """
    return min(MAX_LANDMARKS, int(np.sqrt(MAX_PRODUCTS / n_samples)))


class LandmarkProblem:
    """Ridge problems with mean kernels between samples and landmarks."""

    def __init__(
        self,
        forms: InputForms,
        units: Units,
        problem: Problem,
        score: Array | None,
        landmarks: Floats,
    ) -> None:
        self.forms, self.units, self.score, self.landmarks = forms, units, score, landmarks
        self.X, self.T, self.weight, self.make_loss = problem[:4]
        self.copies, self.counted = problem.copies, problem.counted
        self.s = score
        if self.weight is not None:
            self.s = np.sqrt(self.weight) * (1.0 if score is None else score)

    def kernel(
        self, kernels: Sequence[LimitKernel], rows: slice | NDArray[np.intp], basis: KernelBasis
    ) -> Floats:
        """The mean kernel between samples and landmarks."""
        dtype = next(iter(basis.samples.values())).dtype
        pairs = SamplePairs(basis, self._formed(self.X[rows], kernels, dtype))
        return mean_kernel(pairs, kernels, self.units)

    def basis(self, kernels: Sequence[LimitKernel], dtype: type = np.float64) -> KernelBasis:
        """The landmarks in the forms that some kernels need."""
        return KernelBasis(self._formed(self.landmarks, kernels, dtype))

    def sums(self, kernels: Sequence[LimitKernel]) -> LandmarkSums:
        """Sums over all samples."""
        basis = self.basis(kernels)
        inner: Any = mean_kernel(SamplePairs(basis), kernels, self.units)

        def blocks() -> Iterator[tuple[Array, Array, Array | None]]:
            for rows in row_slices(len(self.X), len(self.landmarks), BLOCK_NUMBERS):
                K: Any = self.kernel(kernels, rows, basis)
                yield K, self.T[rows], None if self.s is None else self.s[rows]

        return sum_landmarks(blocks(), inner, self.T.shape[1])

    def influence(self, rows: slice | NDArray[np.intp]) -> Array | float:
        """The part of s² of some samples that is left out with them."""
        influence: Array | float = 1.0
        if self.weight is not None:
            share = left_out_share(self.weight)[rows] if self.copies else 1.0
            influence = self.weight[rows] * share
        if self.score is not None:
            influence = influence * self.score[rows] ** 2
        return influence

    def judged(self) -> tuple[NDArray[np.intp], Array | None]:
        """Some samples that judge, heavy ones more likely, and how much they count."""
        counted = self.counted
        if self.weight is None or self.copies or len(self.X) <= MAX_JUDGED:
            some = spread_rows(len(self.X), MAX_JUDGED)
            return some, None if counted is None else counted[some]
        some, share = draw_heavy(self.weight, MAX_JUDGED, np.random.default_rng(0))
        return some, share if counted is None else share * counted[some]

    def held_out(
        self, solution: LandmarkSolution, kernels: Sequence[LimitKernel], dtype: type
    ) -> Array:
        """Predictions for all samples by the model fitted without each of them."""
        out, basis = np.empty_like(self.T), self.basis(kernels, dtype)
        for rows in row_slices(len(self.X), len(self.landmarks), BLOCK_NUMBERS):
            K = self.kernel(kernels, rows, basis)
            out[rows] = solution.held_out(K, self.T[rows], self.influence(rows))
        return out

    def _formed(
        self, X: Floats, kernels: Sequence[LimitKernel], dtype: DTypeLike
    ) -> dict[str, Floats]:
        """Samples in the forms that some kernels need; these have room in float32, X may not."""
        wide: Floats = X.astype(np.result_type(X.dtype, dtype), copy=False)
        formed = samples_in(self.forms, wide, kernels)
        return {form: Z.astype(dtype, copy=False) for form, Z in formed.items()}


def judge(
    problem: LandmarkProblem, kernels: Sequence[LimitKernel], start: int
) -> tuple[int, float, LandmarkSolution]:
    """The best penalty of a mean kernel, its held-out loss, and the solution."""
    sums = problem.sums(kernels)
    some, counted = problem.judged()
    K = problem.kernel(kernels, some, problem.basis(kernels))
    influence, loss = problem.influence(some), problem.make_loss(some, counted)

    def held_out(C: float) -> Array:
        return solve_landmarks(sums, C).held_out(K, problem.T[some], influence)

    best, value = best_penalty(held_out, loss, start)
    # Solved once more rather than kept: factors are large.
    return best, value, solve_landmarks(sums, PENALTIES[best])


def compare_on_more(
    problem: Problem,
    candidates: Sequence[Candidate],
    forms: InputForms,
    units: Units,
    order: NDArray[np.intp],
    step: Callable[[], object],
) -> list[Candidate]:
    """The best candidates once more, on more samples than all were compared on."""
    part = problem.take(np.sort(order[:SECOND_SAMPLES]))
    if problem.weight is not None and not problem.copies and len(order) > SECOND_SAMPLES:
        rows, share = draw_heavy(problem.weight, SECOND_SAMPLES, np.random.default_rng(0))
        part = problem.take(rows, share)
    small = LandmarkProblem(forms, units, part, None, problem.X[order[:SECOND_LANDMARKS]])
    judged = []
    for candidate in candidates[:SECOND_KERNELS]:
        start = PENALTIES.index(candidate.C)
        best, value, _ = judge(small, candidate.kernels, start)
        judged.append(Candidate(candidate.kernels, PENALTIES[best], value))
        step()
    return best_first(judged)


def choose_scores(
    problem: Problem,
    first: Candidate,
    forms: InputForms,
    units: Units,
    order: NDArray[np.intp],
    min_gain: float,
) -> Array | None:
    """Scores of all samples by the best kernel on few landmarks, if it gains enough by them."""
    if problem.rescore is None:
        return None

    def fit(part: Problem, score: Array | None) -> tuple[Array, Callable[[Floats], Floats]]:
        fitted = fit_exactly(part, [first], np.ones(1), forms, units, score, lambda: None)
        return fitted.held_out, fitted.average

    if min_gain > -np.inf and gain_of_scores(problem, fit) < min_gain:
        return None
    landmarks = problem.X[order[:SECOND_LANDMARKS]]
    whole = LandmarkProblem(forms, units, problem, None, landmarks)
    solution = judge(whole, first.kernels, PENALTIES.index(first.C))[2]
    held_out = whole.held_out(solution, first.kernels, np.float64)
    return problem.rescore(np.arange(len(problem.X)), held_out)


def fit_landmarks(
    problem: Problem,
    candidates: Sequence[Candidate],
    forms: InputForms,
    units: Units,
    min_gain: float,
    generator: np.random.Generator,
    step: Callable[[], object],
) -> FittedEnsemble:
    """Compare the best candidates on more samples, and fit the mean of the best to all."""
    order = generator.permutation(len(problem.X))
    if problem.weight is not None and not problem.copies:
        order = heavy_first(problem.weight, generator)
    chosen = compare_on_more(problem, candidates, forms, units, order, step)[:MIXED]
    score = choose_scores(problem, chosen[0], forms, units, order, min_gain)
    step()
    kernels = sorted((member.kernels[0] for member in chosen), key=shared_order)
    basis = problem.X[np.sort(order[: n_landmarks(len(problem.X))])]
    whole = LandmarkProblem(forms, units, problem, score, basis)
    start = max(PENALTIES.index(member.C) for member in chosen)
    best, loss, solution = judge(whole, kernels, start)
    step()
    # Of a sample of large weight little is left without it: float32 would not know how much.
    precision = np.float32 if problem.copies else np.float64
    held_out, calibrating = whole.held_out(solution, kernels, precision), None
    if score is not None:
        plain = LandmarkProblem(forms, units, problem, None, basis)
        calibrating = plain.held_out(judge(plain, kernels, best)[2], kernels, precision)
    step()
    coefficients = np.repeat(solution.weights[None] / len(kernels), len(kernels), axis=0)
    average = KernelAverage(forms, units, basis, kernels, coefficients)
    member = Candidate(tuple(kernels), PENALTIES[best], loss)
    return FittedEnsemble(average, [member], np.ones(1), held_out, score, calibrating)
