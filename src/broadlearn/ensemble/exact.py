"""An ensemble on all samples: compare kernels and fit them, by exact leave-one-out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from broadlearn.ensemble.candidates import (
    PENALTIES,
    Candidate,
    FittedEnsemble,
    Problem,
    best_first,
    best_penalty,
    gain_of_scores,
)
from broadlearn.ensemble.kernel_average import KernelAverage, mean_kernel, samples_in, shared_order
from broadlearn.random_features import InputForms, KernelBasis, LimitKernel, SamplePairs, Units
from broadlearn.solvers import LostPenaltyError, left_out_share, solve_gram
from broadlearn.utils import Array, Floats


def kernel_ridge(
    gram: Array,
    T: Array,
    C: float,
    score: Array | None,
    weight: Array | None,
    *,
    copies: bool = True,
) -> tuple[Array, Array]:
    """Return the coefficients of the samples, and leave-one-out predictions.

    With `copies`, one of the w copies of a sample of weight w is left out, otherwise all of it.
    """
    s = score if weight is None else np.sqrt(weight) * (1.0 if score is None else score)
    solution, every = solve_gram(gram, s, T, C), np.arange(len(T))
    share = left_out_share(weight) if copies and weight is not None else None
    return solution.weights, solution.held_out(gram, T, s, share, every)


def at_kept_penalty(
    fit: Callable[[float], tuple[Array, Array]], C: float
) -> tuple[float, Array, Array]:
    """Return C and the fit with it, or with the next smaller C if the penalty is lost in rounding.

    A penalty that is large enough for some samples may be too small for more of them.
    """
    for i in range(PENALTIES.index(C), 0, -1):
        with suppress(LostPenaltyError):
            return PENALTIES[i], *fit(PENALTIES[i])
    return PENALTIES[0], *fit(PENALTIES[0])


def compare_kernels(
    problem: Problem,
    candidates: Iterable[Candidate],
    samples: dict[str, Floats],
    units: Units,
    step: Callable[[], object],
) -> list[Candidate]:
    """Return candidates at their best penalties, the smallest loss first.

    Each search starts from the candidate's penalty. Candidates without a penalty that survives
    rounding are left out. `samples` are those of the problem in all forms.
    """
    _, T, weight, make_loss, _, copies, _ = problem
    pairs = SamplePairs(KernelBasis(samples))
    loss = make_loss(np.arange(len(T)), problem.counted)
    found = []
    for kernels, C, _ in sorted(candidates, key=lambda c: shared_order(c.kernels[0])):
        gram = mean_kernel(pairs, kernels, units)

        def held_out(C: float, gram: Any = gram) -> Array:
            return kernel_ridge(gram, T, C, None, weight, copies=copies)[1]

        best, value = best_penalty(held_out, loss, PENALTIES.index(C))
        if value < np.inf:
            found.append(Candidate(kernels, PENALTIES[best], value))
        step()
    return best_first(found)


def fit_exactly(
    problem: Problem,
    members: Sequence[Candidate],
    forms: InputForms,
    units: Units,
    score: Array | None,
    step: Callable[[], object],
) -> FittedEnsemble:
    """Fit members to all samples and average them."""
    X, T, weight, make_loss, _, copies, _ = problem
    every = [kernel for member in members for kernel in member.kernels]
    pairs = SamplePairs(KernelBasis(samples_in(forms, X.astype(np.float64, copy=False), every)))
    loss = make_loss(np.arange(len(X)), problem.counted)
    coefficients: dict[LimitKernel, Array] = {}
    held_out, judged = np.zeros_like(T), list(members)
    for i in sorted(range(len(members)), key=lambda i: shared_order(members[i].kernels[0])):
        kernels = members[i].kernels
        gram: Any = mean_kernel(pairs, kernels, units)

        def fit(C: float, gram: Any = gram) -> tuple[Array, Array]:
            return kernel_ridge(gram, T, C, score, weight, copies=copies)

        C, weights, without = at_kept_penalty(fit, members[i].C)
        coefficients |= dict.fromkeys(kernels, weights / (len(members) * len(kernels)))
        held_out += without / len(members)
        judged[i] = members[i]._replace(C=C, loss=loss(without))
        step()
    every.sort(key=shared_order)
    stacked = np.array([coefficients[kernel] for kernel in every])
    average = KernelAverage(forms, units, X, every, stacked)
    return FittedEnsemble(average, judged, held_out, score)


def fit_twice(
    problem: Problem,
    members: Sequence[Candidate],
    forms: InputForms,
    units: Units,
    min_gain: float,
    step: Callable[[], object],
) -> FittedEnsemble:
    """Fit members, then again with held-out scores of the samples if this reduces the loss."""
    first = fit_exactly(problem, members, forms, units, None, step)
    if problem.rescore is None:
        return first

    def fit(part: Problem, score: Array | None) -> tuple[Array, Callable[[Floats], Floats]]:
        fitted = fit_exactly(part, members, forms, units, score, lambda: None)
        return fitted.held_out, fitted.average

    if min_gain > -np.inf and gain_of_scores(problem, fit) < min_gain:
        for _ in members:
            step()
        return first
    score = problem.rescore(np.arange(len(problem.X)), first.held_out)
    second = fit_exactly(problem, members, forms, units, score, step)
    return second._replace(calibrating=first.held_out)
