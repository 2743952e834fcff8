"""TEMPORARY"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from broadlearn.utils import Array, Floats

MIN_PROBABILITY = 1e-3
POOLED_ROWS, POOLED_STEPS = 5.0, 100
N_DRAWS = 200
Codes = NDArray[np.intp]


class NoiseModel(NamedTuple):
    name: str
    T: Array


class JudgedLabels(NamedTuple):
    proba: Array
    suspicion: Array
    flagged: NDArray[np.bool_]
    likely: Codes
    expected: Array
    draws: Array
    noise: NoiseModel
    pool: dict[str, float]


def judge_labels(opinions: Mapping[str, Floats], codes: Codes, noise=None, confirmed=(), seed=0) -> JudgedLabels:
    said = list(opinions.values())
    weights = pool_weights(said, codes)
    proba = np.tensordot(weights, np.stack(said), axes=1)
    proba = to_power(proba, calibration_power(proba, codes))
    n, k = proba.shape
    if noise is None:
        T = np.full((k, k), 0.05 / (k - 1))
        np.fill_diagonal(T, 0.95)
        noise = NoiseModel("one rate", T)
    q = proba * noise.T[:, codes].T
    q /= q.sum(axis=1, keepdims=True)
    every = np.arange(n)
    q[np.asarray(confirmed, dtype=np.intp)] = np.eye(k)[codes[np.asarray(confirmed, dtype=np.intp)]]
    suspicion = 1 - q[every, codes]
    flagged = suspicion >= 0.5
    others = q.copy()
    others[flagged, codes[flagged]] = -1
    likely = others.argmax(axis=1)
    expected = np.array([np.bincount(codes, q[:, t], minlength=k) for t in range(k)]).T
    np.fill_diagonal(expected, 0.0)
    draws = np.random.default_rng(seed).poisson(expected, (N_DRAWS, k, k))
    return JudgedLabels(proba, suspicion, flagged, likely, expected, draws, noise, dict(zip(opinions, weights.tolist())))
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


