"""An ensemble for large tables: one mean of kernels on landmarks.

Kernels are compared in rounds: all of them on few samples and landmarks, the best ones on more. The
mean of the best ones is then fitted on as many landmarks as time allows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from broadlearn.ensemble.candidates import (
    PENALTIES,
    Candidate,
    FittedEnsemble,
    Problem,
    best_first,
    gain_of_scores,
)
from broadlearn.ensemble.exact import fit_exactly
from broadlearn.ensemble.kernel_average import KernelAverage, shared_order
from broadlearn.ensemble.landmark_problem import LandmarkProblem, judge
from broadlearn.ensemble.weights import draw_heavy, heavy_first
from broadlearn.random_features import InputForms, Units
from broadlearn.utils import Array, Floats

# Numbers of samples and landmarks of the rounds of the comparison; kernels of the second round.
ROUNDS = ((1000, 200), (3000, 400))
SECOND_KERNELS = 10
# Number of kernels of the final mean.
MIXED = 3
# Largest number of products in the Gram matrix; number of landmarks beyond which more hardly help.
MAX_PRODUCTS, MAX_LANDMARKS = 5e10, 1500


def n_landmarks(n_samples: int) -> int:
    """Return the number of landmarks for a number of samples.

    Examples
    --------
    >>> n_landmarks(10_000), n_landmarks(100_000)
    (1500, 707)
    """
    return min(MAX_LANDMARKS, int(np.sqrt(MAX_PRODUCTS / n_samples)))


def compare_on_landmarks(
    problem: Problem,
    candidates: Sequence[Candidate],
    forms: InputForms,
    units: Units,
    order: NDArray[np.intp],
    sizes: tuple[int, int],
    step: Callable[[], object],
) -> list[Candidate]:
    """Return candidates at their best penalties, the smallest loss first.

    `sizes` are the numbers of samples and landmarks, the first ones in `order`.
    """
    n_samples, n_landmarks = sizes
    part = problem.take(np.sort(order[:n_samples]))
    if problem.weight is not None and not problem.copies and len(order) > n_samples:
        rows, share = draw_heavy(problem.weight, n_samples, np.random.default_rng(0))
        part = problem.take(rows, share)
    small = LandmarkProblem(forms, units, part, None, problem.X[order[:n_landmarks]])
    judged = []
    for candidate in candidates:
        best, value, _ = judge(small, candidate.kernels, PENALTIES.index(candidate.C))
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
    """Return scores of samples by the best kernel on few landmarks; None if they gain little."""
    if problem.rescore is None:
        return None

    def fit(part: Problem, score: Array | None) -> tuple[Array, Callable[[Floats], Floats]]:
        fitted = fit_exactly(part, [first], forms, units, score, lambda: None)
        return fitted.held_out, fitted.average

    if min_gain > -np.inf and gain_of_scores(problem, fit) < min_gain:
        return None
    landmarks = problem.X[order[: ROUNDS[-1][1]]]
    whole = LandmarkProblem(forms, units, problem, None, landmarks)
    solution = judge(whole, first.kernels, PENALTIES.index(first.C))[2]
    held_out = whole.held_out(solution, first.kernels)
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
    """Compare candidates in rounds, and fit the mean of the best to all samples."""
    order = generator.permutation(len(problem.X))
    if problem.weight is not None and not problem.copies:
        order = heavy_first(problem.weight, generator)
    first = compare_on_landmarks(problem, candidates, forms, units, order, ROUNDS[0], step)
    finalists = first[:SECOND_KERNELS]
    chosen = compare_on_landmarks(problem, finalists, forms, units, order, ROUNDS[1], step)[:MIXED]
    score = choose_scores(problem, chosen[0], forms, units, order, min_gain)
    step()
    kernels = sorted((member.kernels[0] for member in chosen), key=shared_order)
    basis = problem.X[np.sort(order[: n_landmarks(len(problem.X))])]
    start = max(PENALTIES.index(member.C) for member in chosen)
    # What remains without a sample of large weight may be too small for float32.
    precision = np.float32 if problem.copies else np.float64

    def fit(score: Array | None) -> tuple[KernelAverage, Candidate, Array]:
        whole = LandmarkProblem(forms, units, problem, score, basis, precision)
        best, loss, solution = judge(whole, kernels, start)
        coefficients = np.repeat(solution.weights[None] / len(kernels), len(kernels), axis=0)
        average = KernelAverage(forms, units, basis, kernels, coefficients)
        member = Candidate(tuple(kernels), PENALTIES[best], loss)
        return average, member, whole.held_out(solution, kernels)

    average, member, held_out = fit(score)
    step()
    calibrating = None if score is None else fit(None)[2]
    step()
    return FittedEnsemble(average, [member], held_out, score, calibrating)
