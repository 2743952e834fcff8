"""How much each column matters to a first model, as a scale on which kernels see the columns.

A kernel of all columns treats them alike, where trees take those that tell the classes apart. The
mean squared slope of a fitted model in a column says how much it matters; a model that sees columns
multiplied by its root has other slopes, and so on for a few rounds (the diagonal of the average
gradient outer product of Radhakrishnan et al., Science 383, 2024). Rounds begin with columns that
are all alike, or with how much each tells by itself: of many columns of which few matter, a first
model on all may see nothing.

Scales are learnt with all labels, so that held-out losses on them are too good. Whether they help,
where to begin and how many rounds are therefore asked of halves of the samples: learnt on one,
judged on the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.ensemble.candidates import (
    FIRST_PENALTY,
    PENALTIES,
    WEIGHTED_FORMS,
    Candidate,
    Problem,
    best_penalty,
)
from broadlearn.ensemble.exact import kernel_ridge
from broadlearn.random_features import WEIGHTED, KernelBasis, LimitKernel, SamplePairs, learn_units
from broadlearn.utils import Array, Floats

# Rounds at most that begin with columns alike, and with what they tell by themselves.
ROUNDS = (3, 1)
# Parts of a column, with as many samples each, in which classes are counted.
N_BINS = 8
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


def tell_alone(Z: Array, T: Array) -> Array:
    """How much each column tells of the targets by itself, 1 for the one that tells most.

    That is the root of how much the means of the targets differ between parts of the column, in
    units of chance, less what chance gives.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(-1, 1, 40)
    >>> tell_alone(np.c_[x, np.tile([1.0, -1.0], 20), x**2], np.sign(x)[:, None]).round(2)
    array([1., 0., 0.])
    """
    deviation = T.std(axis=0)
    centred = (T - T.mean(axis=0)) / np.where(deviation > 0.0, deviation, 1.0)
    found = np.zeros(Z.shape[1])
    for j, column in enumerate(Z.T):
        ends = np.unique(np.quantile(column, np.arange(1, N_BINS) / N_BINS))
        part = np.searchsorted(ends, column)
        counts = np.bincount(part, minlength=ends.size + 1)
        sums = [np.bincount(part, weights=t, minlength=counts.size) for t in centred.T]
        held = counts > 0
        differ = (np.square(sums)[:, held] / counts[held]).sum()
        found[j] = max(differ - (held.sum() - 1) * T.shape[1], 0.0)
    return np.sqrt(found / found.max()) if found.max() > 0.0 else np.ones_like(found)


def follow_relevance(
    problem: Problem, Z: Array, rounds: int, *, alone: bool = False
) -> Iterator[tuple[Array, FirstModel]]:
    """What to multiply columns by after 0, 1, ... rounds, and first models on that scale.

    Parameters
    ----------
    problem : Problem
    Z : ndarray of shape (n_samples, n_columns)
        Its samples in some form.
    rounds : int
    alone : bool, default=False
        Whether they begin with what columns tell by themselves.
    """
    scale = tell_alone(Z, problem.T) if alone else np.ones(Z.shape[1])
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


class Course(NamedTuple):
    """Where rounds begin, how many there are, and the share of the loss that is left by them."""

    alone: bool
    rounds: int
    left: float


def choose_course(problem: Problem, Z: Array) -> Course | None:
    """The rounds after which models of one half predict the other one clearly better, if any.

    Of those that begin alike, the last round that is: all samples, which are twice as many, can
    bear more rounds than the best.
    """
    losses = [np.zeros(n + 1) for n in ROUNDS]
    parts = halves(problem.T)
    for own, other in (parts, parts[::-1]):
        half, counted = problem.take(own), problem.counted
        loss = problem.make_loss(other, None if counted is None else counted[other])
        for alone, n in enumerate(ROUNDS):
            course = follow_relevance(half, Z[own], n, alone=bool(alone))
            for i, (scale, model) in enumerate(course):
                losses[alone][i] += loss(model(Z[other] * scale))
    found, most = [], (1.0 - MIN_SAVED) * losses[0][0]
    for alone, values in enumerate(losses):
        better = np.flatnonzero(values < most)
        if better.size:
            left = float(values[better].min() / losses[0][0])
            found.append(Course(bool(alone), int(better[-1]), left))
    return min(found, key=lambda course: course.left) if found else None


class Relevance(NamedTuple):
    """What to multiply columns by, 1 for the one that matters most, and the loss that is left."""

    scale: Array
    left: float


def learn_relevance(problem: Problem, samples: dict[str, Floats]) -> dict[str, Relevance]:
    """How much columns matter, in the forms where it helps to know.

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
        course = choose_course(problem, Z) if Z.shape[1] > 1 and fewest >= MIN_CLASS else None
        if course is not None:
            *_, (scale, _) = follow_relevance(problem, Z, course.rounds, alone=course.alone)
            found[form] = Relevance(scale, course.left)
    return found


def honest_losses(
    weighted: Sequence[Candidate], plain: Sequence[Candidate], relevance: dict[str, Relevance]
) -> list[Candidate]:
    """Candidates that see columns by how much they matter, with losses as halves say they are.

    The least loss in each form is not below what halves have left of that of Gaussian kernels
    which see all columns alike; the others keep their share of it.
    """
    found = []
    for form, (_, left) in relevance.items():
        own = [one for one in weighted if one.kernel.inputs == WEIGHTED + form]
        alike = [
            one.loss
            for one in plain
            if one.kernel.family == "gaussian" and one.kernel.inputs == form
        ]
        if own and alike:
            least = min(one.loss for one in own)
            factor = max(1.0, left * min(alike) / least) if least > 0.0 else 1.0
            own = [one._replace(loss=one.loss * factor) for one in own]
        found += own
    return found
