"""The noise in labels, learnt from out-of-sample probabilities, and what it makes of each label.

``T[t, g]`` is the probability that a row of class t was given the label g. With the out-of-sample
probabilities p of a row, Bayes' rule gives the probability of each class to be the true one of a
row with the label g, in proportion to ``p[t] T[t, g]``. T comes from a choice of few parameters:

1. How many labels are wrong follows from the rows that the models are surest of: their labels
   disagree with the models by the noise alone, those of other rows also where classes overlap.
2. So the disagreement is fitted as a constant plus a square of the models' doubt; the constant is
   the share of wrong labels. It is a guess where the surest rows are hardly surer than others, or
   where most disagreement is overlap, and then gives way to a prior.
3. By default all classes have this one rate, and rows are ranked by the probability of their label.
4. If among the sure rows one label is given wrongly four times as often as any other, errors go
   into that class; if one class is mislabelled four times as often as the others, they come from
   it: T has two rates then.
5. Nothing finer is learnt, and T is never inverted: labels cannot tell noise that differs between
   classes from overlap that does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar, nnls

from broadlearn.utils import Array, Floats

MIN_PROBABILITY = 1e-3
# Models share at least so many rows among them when their weights are learnt.
POOLED_ROWS, POOLED_STEPS = 5.0, 100
# Share of wrong labels before any is seen, with its deviation, and the part of the overlap that may
# be taken for noise (one deviation); the less signal, the more.
PRIOR_SHARE, PRIOR_DEVIATION, OVERLAP_ERROR = 0.07, 0.06, 0.2
# Rows that show the noise of a class, as a part of its rows, and at least; how steeply they count
# less the less sure they are; rows that the mean noise of all classes counts for.
SURE_PART, MIN_SURE, SURENESS, PRIOR_ROWS = 0.4, 10, 10.0, 8.0
# How many times as often a class must be hit as any other.
CLEARLY = 4.0
# A label is called wrong from this suspicion on.
MIN_FLAGGED = 0.5
N_DRAWS = 400

Codes = NDArray[np.intp]


class NoiseModel(NamedTuple):
    """How labels were corrupted.

    Attributes
    ----------
    name : str
        "one rate", "into a class", "from a class", or "as before" if it was given.
    T : ndarray of shape (n_classes, n_classes)
        Probability of a given label (column) for a true class (row).
    spread : tuple of two floats
        Relative deviation of the number of wrong labels, downwards and upwards.
    """

    name: str
    T: Array
    spread: tuple[float, float]


class JudgedLabels(NamedTuple):
    """What the models and the noise say of the labels; see `Evidence` for what is not said here.

    Attributes
    ----------
    expected : ndarray of shape (n_classes, n_classes)
        Rows with a given label (row) that are expected to be of another class (column).
    draws : ndarray of shape (n_draws, n_classes, n_classes)
        Draws of the same.
    """

    proba: Array
    suspicion: Array
    flagged: NDArray[np.bool_]
    likely: Codes
    expected: Array
    draws: Array
    noise: NoiseModel
    pool: dict[str, float]


def judge_labels(
    opinions: Mapping[str, Floats],
    codes: Codes,
    noise: NoiseModel | None = None,
    confirmed: Sequence[int] | NDArray[np.intp] = (),
    seed: int = 0,
) -> JudgedLabels:
    """Judge labels by the out-of-sample probabilities of several models.

    Parameters
    ----------
    opinions : mapping of str to ndarray of shape (n_samples, n_classes)
    codes : ndarray of shape (n_samples,)
        Given class of each row.
    noise : NoiseModel, default=None
        Learnt from the labels by default.
    confirmed : sequence of int, default=()
        Rows whose label is right.
    seed : int, default=0
        Draws the numbers of errors.

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.repeat([0, 1], 200)
    >>> p = np.where(codes == 0, 0.97, 0.03)[:, None]
    >>> given = codes.copy()
    >>> given[:20] = 1
    >>> judged = judge_labels({"model": np.hstack([p, 1 - p])}, given)
    >>> np.flatnonzero(judged.flagged).tolist() == list(range(20))
    True
    >>> judged.noise.name
    'into a class'
    """
    weights = pool_weights(list(opinions.values()), codes)
    proba = np.tensordot(weights, np.stack(list(opinions.values())), axes=1)
    proba = to_power(proba, calibration_power(proba, codes))
    if noise is None:
        noise = learn_noise(proba, codes)
    posterior = true_classes(proba, codes, noise.T)
    sure = np.asarray(confirmed, dtype=np.intp)
    posterior[sure] = np.eye(proba.shape[1])[codes[sure]]
    suspicion = 1.0 - posterior[np.arange(codes.size), codes]
    flagged = suspicion >= MIN_FLAGGED
    others = posterior.copy()
    others[flagged, codes[flagged]] = -1.0
    expected: Array = np.zeros((proba.shape[1], proba.shape[1]))
    np.add.at(expected, codes, posterior)
    np.fill_diagonal(expected, 0.0)
    return JudgedLabels(
        proba,
        suspicion,
        flagged,
        others.argmax(axis=1),
        expected,
        _draws(expected, noise.spread, codes.size, seed),
        noise,
        dict(zip(opinions, weights.tolist(), strict=True)),
    )


def pool_weights(probas: Sequence[Floats], codes: Codes) -> Array:
    """Return the weights of models in a mean of their probabilities, by the labels' likelihood.

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.tile([0, 1], 50)
    >>> sure, unsure = np.eye(2)[codes] * 0.8 + 0.1, np.full((100, 2), 0.5)
    >>> pool_weights([sure, unsure], codes).round(1)
    array([0.9, 0.1])
    """
    every = np.arange(codes.size)
    own = np.stack([np.maximum(p[every, codes], MIN_PROBABILITY) for p in probas], axis=1)
    weights = np.full(len(probas), 1.0 / len(probas))
    for _ in range(POOLED_STEPS):
        shares = own * weights
        shares /= shares.sum(axis=1, keepdims=True)
        weights = shares.sum(axis=0) + POOLED_ROWS
        weights /= weights.sum()
    return weights


def calibration_power(p: Array, codes: Codes) -> float:
    """Return the power of probabilities that makes the labels most likely.

    Means of models are less sure than they should be.

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.repeat([0, 1], [90, 10])
    >>> p = np.tile([0.6, 0.4], (100, 1))
    >>> to_power(p, calibration_power(p, codes))[0].round(2)
    array([0.86, 0.14])
    """
    every = np.arange(codes.size)
    logs = np.log(np.maximum(p, MIN_PROBABILITY))

    def loss(log_power: float) -> float:
        scaled = logs * np.exp(log_power)
        scaled -= scaled.max(axis=1, keepdims=True)
        likelihood = scaled[every, codes] - np.log(np.exp(scaled).sum(axis=1))
        return 2.0 * log_power * log_power - float(likelihood.sum())

    return float(np.exp(minimize_scalar(loss, bounds=(-1.5, 1.5), method="bounded").x))


def to_power(p: Array, power: float) -> Array:
    """Return probabilities to a power, in proportion."""
    out = np.log(np.maximum(p, MIN_PROBABILITY)) * power
    out -= out.max(axis=1, keepdims=True)
    np.exp(out, out=out)
    out /= out.sum(axis=1, keepdims=True)
    return out


def learn_noise(p: Array, codes: Codes) -> NoiseModel:
    """Choose a noise model, as the text above says.

    Parameters
    ----------
    p : ndarray of shape (n_samples, n_classes)
        Out-of-sample probabilities of the given labels.
    codes : ndarray of shape (n_samples,)
        Given class of each row.
    """
    share, down, up = wrong_share(p, codes)
    name, weights = _direction(count_sure(p, codes))

    def noise(log_rate: float) -> Array:
        T = np.exp(log_rate) * weights + np.eye(len(weights))
        return T / T.sum(axis=1, keepdims=True)

    def excess(log_rate: float) -> float:
        own = true_classes(p, codes, noise(log_rate))[np.arange(codes.size), codes]
        return 1.0 - float(own.mean()) - share

    # The rate with which as many labels are expected to be wrong.
    low, high = np.log([1e-6, 1e3])
    rate = low if excess(low) > 0.0 else high if excess(high) < 0.0 else brentq(excess, low, high)
    return NoiseModel(name, noise(rate), (down / share, up / share))


def wrong_share(p: Array, codes: Codes) -> tuple[float, float, float]:
    """Return the share of wrong labels, and its deviation downwards and upwards.

    What looks like noise may always be overlap, unless models are sure: downwards, the doubt counts
    by the fourth power of the signal.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x, given = rng.normal(size=(2, 2000))
    >>> p = 1.0 / (1.0 + np.exp(-4.0 * x))
    >>> given = (rng.random(2000) < 0.8 * p + 0.1).astype(int)
    >>> round(wrong_share(np.stack([1.0 - p, p], axis=1) * 0.8 + 0.1, given)[0], 2)
    0.12
    """
    disagrees = (p.argmax(axis=1) != codes).astype(np.float64)
    doubt = 1.0 - p.max(axis=1)
    A = np.stack([np.ones(codes.size), np.maximum(doubt - np.quantile(doubt, 0.02), 0.0) ** 2], 1)
    coefficients, _ = nnls(A, disagrees)
    share, fitted = float(coefficients[0]), np.clip(A @ coefficients, 0.01, 0.99)
    variance = float(np.linalg.pinv((A / (fitted * (1.0 - fitted))[:, None]).T @ A)[0, 0])
    # Without any signal, models err as often as a guess.
    chance = 1.0 - float(np.bincount(codes).max()) / codes.size
    signal = max(1.0 - share / max(chance, 1e-9), 0.02)
    overlap = OVERLAP_ERROR * max(float(disagrees.mean()) - share, 0.01)
    weight, prior = 1.0 / (variance + (overlap / signal) ** 2), PRIOR_DEVIATION**-2.0
    mean = (weight * share + prior * PRIOR_SHARE) / (weight + prior)
    low = max(0.0, share - 1.645 * (variance + (overlap / signal**4) ** 2) ** 0.5)
    # 1.4 for 1.645: the quantile of few draws must not be above the bound.
    return mean, max(mean - low, 0.0) / 1.4, (weight + prior) ** -0.5


def count_sure(p: Array, codes: Codes) -> Array:
    """Count the given labels (columns) of the rows that models are surest to be of each class.

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.r_[np.tile([0, 0, 0, 0, 1], 40), np.ones(200, dtype=int)]
    >>> p = np.repeat([[0.8, 0.2], [0.01, 0.99]], 200, axis=0)
    >>> count_sure(p, codes).round().astype(int)
    array([[160,  40],
           [  0, 200]])
    """
    n_rows, n_classes = p.shape
    counts = np.zeros((n_classes, n_classes))
    for t, size in enumerate(np.bincount(codes, minlength=n_classes)):
        n_sure = min(max(MIN_SURE, int(SURE_PART * size)), n_rows)
        sure = p[:, t] >= np.partition(p[:, t], n_rows - n_sure)[n_rows - n_sure]
        weight = (p[sure, t] / max(p[:, t].max(), MIN_PROBABILITY)) ** SURENESS
        counts[t] = np.bincount(codes[sure], weight, minlength=n_classes)
    return counts


def _direction(counts: Array) -> tuple[str, Array]:
    """Return which errors there are: all alike, or mostly into or from one class.

    The weights are rates of errors from a true class (row) to a given label, in any unit.
    """
    n_classes, rows, total = len(counts), counts.sum(axis=1), counts.sum()
    wrong = counts - np.diag(np.diag(counts))
    prior = PRIOR_ROWS * (wrong.sum() + 2.0) / (total + 20.0)
    into = (wrong.sum(axis=0) + prior / (n_classes - 1)) / (total - rows + PRIOR_ROWS)
    out = (wrong.sum(axis=1) + prior) / (rows + PRIOR_ROWS)
    name, weights, clearly = "one rate", np.ones((n_classes, n_classes)), CLEARLY
    for k in range(n_classes):
        others = np.arange(n_classes) != k
        if into[k] / into[others].max() > clearly:
            clearly = into[k] / into[others].max()
            rest = (wrong.sum() - wrong[:, k].sum() + prior) / (total + PRIOR_ROWS)
            name, weights = "into a class", np.full(wrong.shape, rest / (n_classes - 1))
            weights[:, k] = into[k]
        rest = (wrong.sum() - wrong[k].sum() + prior) / (total - rows[k] + PRIOR_ROWS)
        if n_classes > 2 and out[k] / rest > clearly:
            clearly = out[k] / rest
            name, weights = "from a class", np.full(wrong.shape, rest / (n_classes - 1))
            weights[k] = out[k] / (n_classes - 1)
    np.fill_diagonal(weights, 0.0)
    return name, weights


def true_classes(p: Array, codes: Codes, T: Array) -> Array:
    """Return the probability of each class to be the true one, given label and features.

    Examples
    --------
    >>> import numpy as np
    >>> T = np.array([[0.9, 0.1], [0.0, 1.0]])
    >>> p = np.array([[0.88, 0.12], [0.88, 0.12]])
    >>> true_classes(p, np.array([0, 1]), T).round(2)
    array([[1.  , 0.  ],
           [0.42, 0.58]])
    """
    posterior = p * T[:, codes].T
    posterior /= posterior.sum(axis=1, keepdims=True)
    return posterior


def _draws(expected: Array, spread: tuple[float, float], n_rows: int, seed: int) -> Array:
    """Draw numbers of errors: the noise rate, then the errors themselves."""
    generator = np.random.default_rng(seed)
    deviation = generator.normal(size=N_DRAWS)
    factor = np.maximum(1.0 + np.where(deviation < 0.0, *spread) * deviation, 0.0)
    draws = generator.poisson(expected * factor[:, None, None])
    return np.minimum(draws, n_rows)
