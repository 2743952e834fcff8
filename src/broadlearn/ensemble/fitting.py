"""The fit of an ensemble of infinite width, from arrays to the average of its members."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import cast

import numpy as np

from broadlearn.ensemble.candidates import (
    KERNELS,
    WEIGHTED_KERNELS,
    Candidate,
    FittedEnsemble,
    Problem,
    best_first,
    near_best,
)
from broadlearn.ensemble.exact import compare_kernels, fit_twice
from broadlearn.ensemble.kernel_average import samples_in
from broadlearn.ensemble.landmark_fit import SECOND_KERNELS, fit_landmarks
from broadlearn.ensemble.relevance import honest_losses, learn_relevance
from broadlearn.ensemble.weights import draw_heavy
from broadlearn.random_features import WEIGHTED, InputForms, learn_forms, learn_units
from broadlearn.utils import Array, Floats

# Samples on which all kernels are compared; the best of them are fitted to more.
MAX_COMPARED = 700
# Matrices of samples x samples that are there at a time, and bytes of them that need no word.
MATRICES, QUIET_BYTES = 5, 1.5e9


def count_steps(
    n_samples: int, size: int, max_exact: int, rescored: bool, weighted: bool = False
) -> int:
    """Steps that `fit_ensemble` reports; `weighted` where weights do not stand for copies."""
    compared = len(KERNELS) + weighted * len(WEIGHTED_KERNELS)
    if n_samples > max_exact:
        return compared + SECOND_KERNELS + 3
    return compared + min(size, len(KERNELS)) * (1 + rescored)


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
        Members of an ensemble on all samples.
    max_exact : int
        Samples up to which it is one; beyond, landmarks are taken.
    min_gain : float
        What a second fit, with other scores of the samples, must gain in held-out loss.
    seed : int
    step : callable
        Called after each of `count_steps` steps.
    """
    X, weight = problem.X, problem.weight
    memory = MATRICES * 8 * len(X) ** 2
    if len(X) <= max_exact and memory > QUIET_BYTES:
        warnings.warn(
            f"max_exact_samples={max_exact} lets {len(X)} samples be fitted with matrices of "
            f"samples x samples, some {memory / 1e9:.1f} GB in all.",
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
    candidates = compare_kernels(part, samples, units, step)
    if not problem.copies:
        forms, units, more = _compare_weighted(part, forms, units, samples, candidates, step)
        candidates = best_first([*candidates, *more])
    if len(X) <= max_exact:
        wanted = min(size, len(KERNELS))
        members = (candidates if problem.copies else near_best(candidates))[:wanted]
        for _ in range((wanted - len(members)) * (1 + (problem.rescore is not None))):
            step()
        return fit_twice(problem, members, forms, units, min_gain, step)
    return fit_landmarks(problem, candidates, forms, units, min_gain, generator, step)


def _compare_weighted(
    part: Problem,
    forms: InputForms,
    units: dict[str, float],
    samples: dict[str, Floats],
    plain: Sequence[Candidate],
    step: Callable[[], object],
) -> tuple[InputForms, dict[str, float], list[Candidate]]:
    """Kernels that see columns by how much they matter, with the forms and units that they need."""
    relevance = learn_relevance(part, samples)
    kernels = [k for k in WEIGHTED_KERNELS if k.inputs.removeprefix(WEIGHTED) in relevance]
    for _ in range(len(WEIGHTED_KERNELS) - len(kernels)):
        step()
    if not kernels:
        return forms, units, []
    forms = forms._replace(relevance={form: found.scale for form, found in relevance.items()})
    weighted = samples_in(forms, part.X.astype(np.float64, copy=False), kernels)
    units = units | learn_units(weighted, part.counted)
    more = compare_kernels(part, weighted, units, step, kernels)
    return forms, units, honest_losses(more, plain, relevance)
