"""The fit of an ensemble of infinite width, from arrays to the average of its members."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from broadlearn.ensemble.candidates import KERNELS, FittedEnsemble, Problem, first_guesses
from broadlearn.ensemble.exact import compare_kernels, fit_twice
from broadlearn.ensemble.kernel_average import samples_in
from broadlearn.ensemble.landmark_fit import MIXED, SECOND_KERNELS, fit_landmarks
from broadlearn.ensemble.trees import MIN_SAMPLES_OF_TREES, N_FOLDS
from broadlearn.ensemble.weights import draw_heavy
from broadlearn.random_features import learn_forms, learn_units
from broadlearn.utils import Array

# Largest number of samples for comparing kernels. On larger tables, only the best kernels on half
# of these samples are compared on all of them.
MAX_COMPARED, FINALISTS = 700, 12
# Largest number of kernel values that predict a sample, unless there are few kernels.
MAX_VALUES = 6000
# Number of matrices of samples x samples in memory at a time; total bytes that raise a warning.
MATRICES, QUIET_BYTES = 5, 1.5e9


def count_steps(n_samples: int, size: int, max_exact: int, rescored: bool) -> int:
    """Return the number of steps that `fit_ensemble` and the trees report."""
    n_steps = len(KERNELS) + (N_FOLDS if n_samples >= MIN_SAMPLES_OF_TREES else 0)
    if n_samples > max_exact:
        return n_steps + SECOND_KERNELS + 3
    return n_steps + count_members(n_samples, size) * (1 + rescored)


def count_members(n_samples: int, size: int) -> int:
    """Return the number of members on all samples: `size`, or fewer so that they predict fast.

    Examples
    --------
    >>> count_members(300, 12), count_members(1000, 12), count_members(10_000, 12)
    (12, 6, 3)
    """
    return min(size, len(KERNELS), max(MIXED, MAX_VALUES // n_samples))


def fit_ensemble(
    problem: Problem,
    size: int,
    max_exact: int,
    min_gain: float,
    seed: int,
    step: Callable[[], object],
) -> FittedEnsemble:
    """Compare kernels, fit the best ones, and average them.

    Parameters
    ----------
    problem : Problem
    size : int
        Largest number of kernels of an ensemble on all samples.
    max_exact : int
        Largest number of samples for such an ensemble; larger tables use landmarks.
    min_gain : float
        Smallest reduction of the held-out loss for which samples are reweighted.
    seed : int
    step : callable
        Called after each of `count_steps` steps.
    """
    X, weight = problem.X, problem.weight
    memory = MATRICES * 8 * len(X) ** 2
    if len(X) <= max_exact and memory > QUIET_BYTES:
        warnings.warn(
            f"max_exact_samples={max_exact} builds matrices of samples x samples for {len(X)} "
            f"samples, about {memory / 1e9:.1f} GB in total; a smaller value uses landmarks "
            "instead.",
            UserWarning,
            stacklevel=4,
        )
    generator = np.random.default_rng(seed)
    forms = learn_forms(X, problem.counted)
    part = problem
    if len(X) > MAX_COMPARED and problem.copies:
        part = problem.take(np.sort(generator.permutation(len(X))[:MAX_COMPARED]))
    elif len(X) > MAX_COMPARED:
        part = problem.take(*draw_heavy(cast(Array, weight), MAX_COMPARED, generator))
    samples = samples_in(forms, part.X.astype(np.float64, copy=False), KERNELS)
    units = learn_units(samples, part.counted)
    candidates = first_guesses((kernel,) for kernel in KERNELS)
    if len(X) > max_exact:
        return fit_landmarks(problem, candidates, forms, units, min_gain, generator, step)
    if len(part.X) < len(X):
        half = {form: Z[::2] for form, Z in samples.items()}
        first = part.take(np.arange(0, len(part.X), 2))
        candidates = compare_kernels(first, candidates, half, units, lambda: None)[:FINALISTS]
    for _ in range(len(KERNELS) - len(candidates)):
        step()
    candidates = compare_kernels(part, candidates, samples, units, step)
    members = candidates[: count_members(len(X), size)]
    return fit_twice(problem, members, forms, units, min_gain, step)


def step_reporter(estimator: Any, n_steps: int) -> Callable[[], None]:
    """Return a function to call after each of `n_steps` steps of a fit.

    If the estimator is verbose, it prints a line for every tenth of the steps.
    """
    done, start = 0, time.perf_counter()

    def step() -> None:
        nonlocal done
        done += 1
        if estimator.verbose and 10 * done // n_steps > 10 * (done - 1) // n_steps:
            seconds = time.perf_counter() - start
            print(f"[{type(estimator).__name__}] {done} of {n_steps} steps, {seconds:.1f} s")

    return step
