"""How much each column matters to a first model, as a scale on which kernels see the columns.

A kernel of all columns treats them alike, where trees take those that tell the classes apart. The
mean squared slope of a fitted model in a column says how much it matters; a model that sees columns
multiplied by its root has other slopes, and so on for a few rounds (the diagonal of the average
gradient outer product of Radhakrishnan et al., Science 383, 2024).

Slopes are learnt with all labels, so that held-out losses on this scale are too good. Whether it
helps, and after how many rounds, is therefore asked of halves of the samples: learnt on one, judged
on the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.ensemble.candidates import (
    FIRST_PENALTY,
    PENALTIES,
    WEIGHTED_FORMS,
    Problem,
    best_penalty,
)
from broadlearn.ensemble.exact import kernel_ridge
from broadlearn.random_features import KernelBasis, LimitKernel, SamplePairs, learn_units
from broadlearn.utils import Array, Floats

# At most.
ROUNDS = 3
# Samples of every class without which nothing is learnt.
MIN_CLASS = 8
# Share of the loss that must be saved on the other half: less may be chance.
MIN_SAVED = 0.02
# Of the Gaussian kernels of first models, in units of the mean distance.
WIDTHS = (1 / 4, 1.0)


class FirstModel(NamedTuple):
    """The best of a few kernel models on columns of some scale.

    Attributes
    ----------
    samples : ndarray of shape (n_samples, n_columns)
        On that scale.
    width : float
        g of ``exp(-g ‖a - b‖²)``.
    coefficients : ndarray of shape (n_samples, n_targets)
    """

    samples: Array
    width: float
    coefficients: Array

    def __call__(self, Z: Array) -> Array:
        """Predictions for samples on the same scale."""
        kernel = LimitKernel("gaussian", "scaled", self.width)
        pairs = SamplePairs(KernelBasis({"scaled": self.samples}), {"scaled": Z})
        K: Any = pairs.values(kernel, {"squared scaled": 1.0})
        return np.asarray((K + 1.0) @ self.coefficients)

    def squared_slopes(self) -> Array:
        """Mean square of the derivative in each column, over samples and targets; up to a factor.

        Examples
        --------
        >>> import numpy as np
        >>> model = FirstModel(np.eye(2), 1.0, np.array([[1.0], [0.0]]))
        >>> model.squared_slopes().round(4)
        array([0.0092, 0.0092])
        """
        Z = self.samples
        kernel = LimitKernel("gaussian", "scaled", self.width)
        K: Any = SamplePairs(KernelBasis({"scaled": Z})).values(kernel, {"squared scaled": 1.0})
        total = np.zeros(Z.shape[1])
        for a in self.coefficients.T:
            slopes = Z * (K @ a)[:, None] - K @ (a[:, None] * Z)
            total += np.mean(slopes**2, axis=0)
        return total


def first_model(problem: Problem, Z: Array) -> FirstModel:
    """The best Gaussian kernel model of samples Z by its held-out loss."""
    _, T, weight, make_loss, _, copies, _ = problem
    loss = make_loss(np.arange(len(T)), problem.counted)
    unit = learn_units({"scaled": Z}, problem.counted)["squared scaled"]
    pairs, found, start = SamplePairs(KernelBasis({"scaled": Z})), [], FIRST_PENALTY
    for width in WIDTHS:
        rate = width / unit**2
        gram: Any = pairs.values(LimitKernel("gaussian", "scaled", rate), {"squared scaled": 1.0})
        gram = gram + 1.0

        def held_out(C: float, gram: Any = gram) -> Array:
            return kernel_ridge(gram, T, C, None, weight, copies=copies)[1]

        start, value = best_penalty(held_out, loss, start)
        found.append((value, rate, start, gram))
    _, rate, best, gram = min(found, key=lambda model: model[0])
    weights = kernel_ridge(gram, T, PENALTIES[best], None, weight, copies=copies)[0]
    return FirstModel(Z, rate, weights)


def follow_relevance(problem: Problem, Z: Array, rounds: int) -> Iterator[tuple[Array, FirstModel]]:
    """What to multiply columns by after 0, 1, ... rounds, and first models on that scale.

    Parameters
    ----------
    problem : Problem
    Z : ndarray of shape (n_samples, n_columns)
        Its samples in some form.
    rounds : int
    """
    scale = np.ones(Z.shape[1])
    for _ in range(rounds + 1):
        model = first_model(problem, Z * scale)
        yield scale, model
        slopes = model.squared_slopes() * scale**2
        if slopes.max() > 0.0:
            scale = np.sqrt(slopes / slopes.max())


def halves(T: Array) -> list[NDArray[np.intp]]:
    """Positions of two halves of the samples in no order, with as many of every class."""
    order = np.random.default_rng(0).permutation(len(T))
    order = order[np.lexsort(T[order].T)]
    return [np.sort(order[::2]), np.sort(order[1::2])]


def count_rounds(problem: Problem, Z: Array) -> int:
    """The last round after which models of one half predict the other one clearly better.

    Not the best: all samples, which are twice as many, can bear more rounds.
    """
    losses, parts = np.zeros(ROUNDS + 1), halves(problem.T)
    for own, other in (parts, parts[::-1]):
        half, counted = problem.take(own), problem.counted
        loss = problem.make_loss(other, None if counted is None else counted[other])
        for i, (scale, model) in enumerate(follow_relevance(half, Z[own], ROUNDS)):
            losses[i] += loss(model(Z[other] * scale))
    better = losses < (1.0 - MIN_SAVED) * losses[0]
    return int(np.flatnonzero(better)[-1]) if better.any() else 0


def learn_relevance(problem: Problem, samples: dict[str, Floats]) -> dict[str, Array]:
    """What to multiply columns by, 1 for the one that matters most, in the forms where it helps.

    Parameters
    ----------
    problem : Problem
    samples : dict
        Samples of the problem in several forms.
    """
    found = {}
    fewest = min(np.unique(problem.T, axis=0, return_counts=True)[1])
    for form in WEIGHTED_FORMS:
        Z: Any = samples[form]
        rounds = count_rounds(problem, Z) if Z.shape[1] > 1 and fewest >= MIN_CLASS else 0
        if rounds:
            *_, (found[form], _) = follow_relevance(problem, Z, rounds)
    return found
