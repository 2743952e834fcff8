"""The candidates of an ensemble of infinite width, and what they are judged by.

On which data families, widths and rules were chosen stands in docs/results/flagship.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.ensemble.kernel_average import KernelAverage
from broadlearn.random_features import LimitKernel
from broadlearn.solvers import LostPenaltyError, learn_slopes, probabilities
from broadlearn.utils import Array, Floats

# Half powers of ten, from the least to the largest.
PENALTIES: tuple[float, ...] = tuple(10.0 ** (k / 2) for k in range(-3, 11))
# The search of a penalty begins at C = 10 and goes downhill from there.
FIRST_PENALTY = PENALTIES.index(10.0)
# Losses that differ by less are equal: neither rounding nor next to nothing must choose.
TIE = 1e-4
# Samples whose halves show whether scores help.
MAX_HALVED = 1400


def _kernels() -> list[LimitKernel]:
    found = []
    for inputs in ("standardized", "normal_scores"):
        found += [LimitKernel("gaussian", inputs, g) for g in (1 / 16, 1 / 4, 1.0, 4.0)]
        found += [LimitKernel("arcsine", inputs, g) for g in (0.3, 1.0)]
    found += [LimitKernel("spherical_cauchy", "standardized", g) for g in (1 / 4, 1.0, 4.0)]
    for inputs in ("standardized", "ranks"):
        found += [LimitKernel("cauchy", inputs, g) for g in (1 / 4, 1.0, 4.0)]
    found += [LimitKernel("few_inputs", "ranks", g, k) for g in (0.1, 0.5, 2.0) for k in (2, 4)]
    return [*found, LimitKernel("linear", "standardized")]


KERNELS: tuple[LimitKernel, ...] = tuple(_kernels())

# Held-out predictions -> loss.
Loss = Callable[[Array], float]


class Problem(NamedTuple):
    """What an ensemble is fitted to.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    T : ndarray of shape (n_samples, n_targets)
    weight : ndarray of shape (n_samples,) or None
    make_loss : callable
        Positions of samples, their weights -> loss of held-out predictions for them.
    rescore : callable or None
        Positions of samples and their held-out predictions -> their scores, for a second fit.
    copies : bool
        Whether a weight w stands for w copies of a sample, of which one is held out; otherwise
        weights say how much samples matter, and each is held out with all its weight.
    loss_weight : ndarray of shape (n_samples,) or None
        How much samples count in losses, where weights do not stand for copies; None for alike.
    """

    X: Floats
    T: Array
    weight: Array | None
    make_loss: Callable[[NDArray[np.intp], Array | None], Loss]
    rescore: Callable[[NDArray[np.intp], Array], Array] | None
    copies: bool = True
    loss_weight: Array | None = None

    @property
    def counted(self) -> Array | None:
        """How much samples count in losses; None for alike."""
        return self.weight if self.copies else self.loss_weight

    def take(self, rows: NDArray[np.intp], share: Array | None = None) -> Problem:
        """The problem on some samples, each of which stands for a share of all if that is given."""
        make_loss, rescore = self.make_loss, self.rescore

        def taken(values: Array | None) -> Array | None:
            if values is None:
                return share
            return values[rows] if share is None else values[rows] * share

        return Problem(
            self.X[rows],
            self.T[rows],
            taken(self.weight),
            lambda r, w: make_loss(rows[r], w),
            None if rescore is None else lambda r, held_out: rescore(rows[r], held_out),
            self.copies,
            None if self.copies else taken(self.loss_weight),
        )


class Candidate(NamedTuple):
    """A mean of kernels with its best penalty, and its held-out loss."""

    kernels: tuple[LimitKernel, ...]
    C: float
    loss: float


def first_guesses(means: Iterable[tuple[LimitKernel, ...]]) -> list[Candidate]:
    """Return candidates with the penalty that suits most kernels."""
    return [Candidate(kernels, PENALTIES[FIRST_PENALTY], np.inf) for kernels in means]


class FittedEnsemble(NamedTuple):
    """What a fit gives.

    Attributes
    ----------
    average : KernelAverage
    members : list of Candidate
    held_out : ndarray of shape (n_samples, n_targets)
        The average's predictions for samples that it was fitted without.
    score : ndarray of shape (n_samples,) or None
        Scores of the samples; None where all count alike.
    calibrating : ndarray of shape (n_samples, n_targets) or None
        Held-out predictions for calibration, where `held_out` must not serve for it: scores of the
        other samples were given in view of a sample's own label, so that they know it.
    """

    average: KernelAverage
    members: list[Candidate]
    held_out: Array
    score: Array | None
    calibrating: Array | None = None


def classification_loss(codes: NDArray[np.intp], weight: Array | None) -> Loss:
    """Log-loss of held-out decisions at the slope that suits them best."""
    every, tiny = np.arange(codes.size), np.finfo(np.float64).tiny

    def loss(held_out: Array) -> float:
        slope = float(learn_slopes(held_out[None], codes, weight)[0])
        own = probabilities(held_out, slope)[every, codes]
        return float(-np.average(np.log(np.maximum(own, tiny)), weights=weight))

    return loss


def squared_loss(T: Array, weight: Array | None) -> Loss:
    """Mean squared error of held-out predictions, each target in units of its own deviation."""
    # Targets of any size: their squares could be too large.
    size = np.abs(T).max(axis=0)
    size = np.where(size > 0.0, size, 1.0)
    total = np.average((T / size) ** 2, axis=0, weights=weight)
    scale = np.where(total > 0.0, total, 1.0)

    def loss(held_out: Array) -> float:
        error = (held_out - T) / size
        return float(np.mean(np.average(error**2, axis=0, weights=weight) / scale))

    return loss


def best_penalty(
    held_out: Callable[[float], Array], loss: Loss, start: int = FIRST_PENALTY
) -> tuple[int, float]:
    """The penalty of least held-out loss, downhill from a first guess, and that loss.

    One that is lost in rounding, as 1/C may be where samples are very near to each other beside
    some that are far, has an infinite loss.

    Parameters
    ----------
    held_out : callable
        C -> held-out predictions. May raise `LostPenaltyError`.
    loss : callable
    start : int
        Position in `PENALTIES`.
    """
    losses: dict[int, float] = {}

    def at(i: int) -> float:
        if not 0 <= i < len(PENALTIES):
            return np.inf
        if i not in losses:
            try:
                losses[i] = loss(held_out(PENALTIES[i]))
            except LostPenaltyError:
                losses[i] = np.inf
        return losses[i]

    best = start
    while best > 0 and at(best) == np.inf:
        best -= 1
    while True:
        lower = min((best - 1, best + 1), key=at)
        if at(lower) >= at(best) - TIE:
            return best, at(best)
        best = lower


def best_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates by their loss, in their own order where losses are equal."""
    return sorted(candidates, key=lambda candidate: round(candidate.loss / TIE))


def gain_of_scores(
    problem: Problem,
    fit: Callable[[Problem, Array | None], tuple[Array, Callable[[Floats], Floats]]],
) -> float:
    """What scores save of the loss on samples that they were given without.

    Scores are given in view of all labels, so that held-out predictions of a scored fit know the
    label that is held out. So they are given, and the members fitted, on one half of the samples,
    and judged on the other. At most `MAX_HALVED` samples are used.

    Parameters
    ----------
    problem : Problem
    fit : callable
        A problem, scores of its samples or None -> its held-out predictions, and the function that
        predicts for other samples.
    """
    order = np.random.default_rng(0).permutation(len(problem.X))[:MAX_HALVED]
    halves = [np.sort(order[0::2]), np.sort(order[1::2])]
    gain = 0.0
    for train, test in (halves, halves[::-1]):
        part = problem.take(train)
        counted = None if problem.counted is None else problem.counted[test]
        loss, X = problem.make_loss(test, counted), problem.X[test].astype(np.float64, copy=False)
        held_out, plain = fit(part, None)
        if part.rescore is not None:
            scored = fit(part, part.rescore(np.arange(len(train)), held_out))[1]
            before, after = (loss(np.asarray(f(X), dtype=np.float64)) for f in (plain, scored))
            gain += (before - after) / len(halves)
    return gain
