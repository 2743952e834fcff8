"""The candidates of an ensemble of infinite width, and their losses.

docs/results/flagship.md names the data on which families, widths and rules were chosen.
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

# Half powers of ten, in increasing order.
PENALTIES: tuple[float, ...] = tuple(10.0 ** (k / 2) for k in range(-3, 11))
# The search of a penalty begins at C = 10 and goes downhill from there.
FIRST_PENALTY = PENALTIES.index(10.0)
# Losses that differ by less are ties, so that rounding does not choose.
TIE = 1e-4
# Largest number of samples for measuring whether scores help.
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

# Maps held-out predictions to a loss.
Loss = Callable[[Array], float]


class Problem(NamedTuple):
    """Samples, targets, weights and loss of an ensemble.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    T : ndarray of shape (n_samples, n_targets)
    weight : ndarray of shape (n_samples,) or None
    make_loss : callable
        Maps positions of samples and their weights to the loss of held-out predictions.
    rescore : callable or None
        Maps positions of samples and their held-out predictions to scores for a second fit.
    copies : bool
        Whether a weight w stands for w copies of a sample, one of which is held out. Otherwise a
        sample is held out with all its weight.
    loss_weight : ndarray of shape (n_samples,) or None
        Weights of samples in losses if weights are not copies; None if all are equal.
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
        """Weights of samples in losses; None if all are equal."""
        return self.weight if self.copies else self.loss_weight

    def take(self, rows: NDArray[np.intp], share: Array | None = None) -> Problem:
        """Return the problem on some samples, with weights multiplied by `share`."""
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
    """A fitted ensemble with its held-out predictions.

    Attributes
    ----------
    average : KernelAverage
    members : list of Candidate
    held_out : ndarray of shape (n_samples, n_targets)
        Predictions of the average for each sample by a fit without it.
    score : ndarray of shape (n_samples,) or None
        Scores of the samples; None if all are equal.
    calibrating : ndarray of shape (n_samples, n_targets) or None
        Held-out predictions for calibration, if samples were reweighted: the scores of the other
        samples then depend on a sample's own label, so `held_out` is too optimistic.
    """

    average: KernelAverage
    members: list[Candidate]
    held_out: Array
    score: Array | None
    calibrating: Array | None = None


def classification_loss(codes: NDArray[np.intp], weight: Array | None) -> Loss:
    """Return the log-loss of held-out decisions at their best slope, as a function of them."""
    every, tiny = np.arange(codes.size), np.finfo(np.float64).tiny

    def loss(held_out: Array) -> float:
        slope = float(learn_slopes(held_out[None], codes, weight)[0])
        own = probabilities(held_out, slope)[every, codes]
        return float(-np.average(np.log(np.maximum(own, tiny)), weights=weight))

    return loss


def squared_loss(T: Array, weight: Array | None) -> Loss:
    """Return the mean squared error of held-out predictions, as a function of them.

    Each target is scaled by its deviation.
    """
    # Squares of large targets could overflow.
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
    """Return the penalty with the smallest held-out loss, by descent from a first guess.

    A penalty 1/C that is lost in rounding has an infinite loss.

    Parameters
    ----------
    held_out : callable
        Maps C to held-out predictions. May raise `LostPenaltyError`.
    loss : callable
    start : int
        Position in `PENALTIES`.

    Returns
    -------
    best : int
        Position in `PENALTIES`.
    loss : float
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
    """Sort candidates by loss; ties keep their order."""
    return sorted(candidates, key=lambda candidate: round(candidate.loss / TIE))


def gain_of_scores(
    problem: Problem,
    fit: Callable[[Problem, Array | None], tuple[Array, Callable[[Floats], Floats]]],
) -> float:
    """Return by how much scores reduce the loss on samples that they were not learnt from.

    Scores depend on all labels, so held-out predictions of a scored fit know the held-out label.
    Therefore one half of the samples is scored and fitted, and the loss is that on the other half.
    At most `MAX_HALVED` samples are used.

    Parameters
    ----------
    problem : Problem
    fit : callable
        Maps a problem and scores of its samples, or None, to its held-out predictions and a
        function that predicts other samples.
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
