r"""How labels were corrupted, learnt from held-out probabilities, and what that makes of labels.

``T[t, g]`` is the probability that a row of class t was given the label g. Held-out probabilities p
of models that learnt from the given labels foretell *given* labels: for a row of which q holds the
probabilities of its true class, ``p = q T``. Two things follow:

- Rows of which a model is surest that they are t show the noise of class t: the labels that these
  rows were given are a sample of ``T[t]``. Where classes overlap no row is quite sure, and T is an
  upper bound.
- With T known, ``q = p T⁻¹``, and Bayes' rule gives the probability of each class to be the true
  one of a row with the label g: in proportion to ``q[t] T[t, g]``.

The iteration that alternates these two by posterior counts (EM) was tried and left: probabilities
that foretell given labels are explained best by no noise at all, to which it creeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from broadlearn.utils import Array, Floats

# Chosen on 14 data sets (benchmarks/audit.py): rows that show the noise of a class, as a part of
# its rows, and at least; how steeply they count less the less sure they are; rows that the mean
# noise of all classes counts for; and the part of T that is undone.
SURE_PART, MIN_SURE, SURENESS = 0.4, 10, 10.0
# They tell all that they can where they are this far on the way from the share of the class to
# certainty, and less by the square of it: without any signal, they tell nothing.
FULL_SIGNAL = 2 / 3
PRIOR_ROWS, UNDONE = 5.0, 0.98
# Noise before any row is seen, and for how many rows that counts.
FIRST_NOISE, FIRST_ROWS = 0.1, 20.0
MIN_PROBABILITY = 1e-3
# Models share at least so many rows among them when their weights are learnt.
POOLED_ROWS, POOLED_STEPS = 5.0, 100
# A flag is worth raising from this suspicion on.
MIN_THRESHOLD = 0.25
N_DRAWS, INTERVAL = 200, (5.0, 95.0)
# Rows from which the interval of the number of errors is learnt.
MAX_ROWS_TO_DRAW = 20_000

Codes = NDArray[np.intp]


class NoiseModel(NamedTuple):
    """How labels were corrupted.

    Attributes
    ----------
    T : ndarray of shape (n_classes, n_classes)
        Probability of a given label (column) for a true class (row).
    counts : ndarray of shape (n_classes, n_classes)
        Rows, prior ones included, that tell each entry of it.
    """

    T: Array
    counts: Array


def pool_weights(probas: Sequence[Floats], codes: Codes) -> Array:
    """Weights of models in a mean of their probabilities, by the likelihood of the labels.

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
    """The power of probabilities that makes the labels most likely.

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
    """Probabilities to a power, in proportion."""
    out = np.log(np.maximum(p, MIN_PROBABILITY)) * power
    out -= out.max(axis=1, keepdims=True)
    np.exp(out, out=out)
    out /= out.sum(axis=1, keepdims=True)
    return out


def learn_noise(p: Array, codes: Codes) -> NoiseModel:
    """Learn T from the labels of rows that models are sure of.

    Parameters
    ----------
    p : ndarray of shape (n_samples, n_classes)
        Held-out probabilities of the given labels.
    codes : ndarray of shape (n_samples,)
        Given class of each row.

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.r_[np.tile([0, 0, 0, 0, 1], 40), np.ones(200, dtype=int)]
    >>> p = np.repeat([[0.8, 0.2], [0.01, 0.99]], 200, axis=0)
    >>> learn_noise(p, codes).T.round(1)
    array([[0.8, 0.2],
           [0. , 1. ]])
    """
    n_rows, n_classes = p.shape
    counts = np.empty((n_classes, n_classes))
    for t, size in enumerate(np.bincount(codes, minlength=n_classes)):
        n_sure = min(max(MIN_SURE, int(SURE_PART * size)), n_rows)
        sure = p[:, t] >= np.partition(p[:, t], n_rows - n_sure)[n_rows - n_sure]
        weight = (p[sure, t] / max(p[:, t].max(), MIN_PROBABILITY)) ** SURENESS
        signal = (np.average(p[sure, t], weights=weight) - size / n_rows) / (1.0 - size / n_rows)
        weight *= np.clip(signal / FULL_SIGNAL, 0.0, 1.0) ** 2
        counts[t] = np.bincount(codes[sure], weight, minlength=n_classes)
    wrong = counts.sum() - np.trace(counts)
    noise = (wrong + FIRST_ROWS * FIRST_NOISE) / (counts.sum() + FIRST_ROWS)
    prior = np.full((n_classes, n_classes), noise / max(n_classes - 1, 1))
    np.fill_diagonal(prior, 1.0 - noise)
    counts += PRIOR_ROWS * prior
    return NoiseModel(counts / counts.sum(axis=1, keepdims=True), counts)


def true_classes(p: Array, codes: Codes, T: Array) -> Array:
    """Posterior probability of each class to be the true one, given label and features.

    Examples
    --------
    >>> import numpy as np
    >>> T = np.array([[0.9, 0.1], [0.0, 1.0]])
    >>> p = np.array([[0.88, 0.12], [0.88, 0.12]])
    >>> true_classes(p, np.array([0, 1]), T).round(2)
    array([[1. , 0. ],
           [0.8, 0.2]])
    """
    undo = np.linalg.pinv(UNDONE * T + (1.0 - UNDONE) * np.eye(len(T)))
    q = np.maximum(p @ undo, MIN_PROBABILITY)
    q *= T[:, codes].T
    q /= q.sum(axis=1, keepdims=True)
    return q


def suspicion_of(posterior: Array, codes: Codes) -> Array:
    """Probability that the label of each row is wrong."""
    return 1.0 - posterior[np.arange(codes.size), codes]


def flag(suspicion: Array, codes: Codes, n_classes: int) -> NDArray[np.bool_]:
    """Rows to be called mislabelled: in each class, those for which the F1 score is expected best.

    Suspicions are probabilities, so that the numbers of true and of false flags that a threshold
    gives are known in expectation. No row below a quarter is flagged.

    Examples
    --------
    >>> import numpy as np
    >>> flag(np.array([0.9, 0.8, 0.3, 0.0, 0.1]), np.zeros(5, dtype=int), 1).tolist()
    [True, True, False, False, False]
    """
    flagged = np.zeros(codes.size, dtype=bool)
    for c in range(n_classes):
        members = np.flatnonzero(codes == c)
        if not members.size:
            continue
        ordered = np.sort(suspicion[members])[::-1]
        found = np.cumsum(ordered)
        f1 = 2.0 * found / (np.arange(1, members.size + 1) + found[-1] + MIN_PROBABILITY)
        threshold = max(ordered[f1.argmax()], MIN_THRESHOLD)
        flagged[members] = suspicion[members] >= threshold
    return flagged


def expected_errors(posterior: Array, codes: Codes) -> Array:
    """Rows with a given label (row of the result) that are expected to be of another class."""
    n_classes = posterior.shape[1]
    expected = np.empty((n_classes, n_classes))
    for t in range(n_classes):
        expected[:, t] = np.bincount(codes, posterior[:, t], minlength=n_classes)
    np.fill_diagonal(expected, 0.0)
    return expected


def draw_errors(p: Array, codes: Codes, noise: NoiseModel, seed: int) -> Array:
    """Draws of the number of errors for every pair of labels, as `expected_errors` has them.

    T is drawn from what the rows tell of it, and the errors from their posterior.

    Returns
    -------
    ndarray of shape (n_draws, n_classes, n_classes)
    """
    generator = np.random.default_rng(seed)
    n_rows, n_classes = p.shape
    n_draws = max(20, min(N_DRAWS, 20_000_000 // (min(n_rows, MAX_ROWS_TO_DRAW) * n_classes)))
    some = np.arange(n_rows)
    if n_rows > MAX_ROWS_TO_DRAW:
        some = np.sort(generator.permutation(n_rows)[:MAX_ROWS_TO_DRAW])
    draws = np.empty((n_draws, n_classes, n_classes))
    for draw in draws:
        T = generator.gamma(noise.counts) + 1e-9
        T /= T.sum(axis=1, keepdims=True)
        expected = expected_errors(true_classes(p[some], codes[some], T), codes[some])
        draw[:] = generator.poisson(expected * (n_rows / some.size))
    return draws
