"""Probabilities from decision values: one slope, learnt from leave-one-out decisions.

Targets are -1 and 1 (or 0 and 1): a decision far beyond them, as an overfitted model gives for
outlying rows, is no more evidence than one near them. So decisions pass through tanh first. That
and a positive slope keep their order: the most probable class is the predicted one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

Array = NDArray[np.float64]

SLOPE_RANGE = (1e-3, 1e4)
MAX_STEPS = 60


def probabilities(decision: NDArray[np.floating], slope: float) -> NDArray[np.floating]:
    """Class probabilities, ``softmax(slope * tanh(decision))``; one column means two classes.

    Parameters
    ----------
    decision : ndarray of shape (n_samples, n_classes) or (n_samples, 1)
    slope : float

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    Examples
    --------
    >>> import numpy as np
    >>> probabilities(np.array([[0.0]]), 3.0)
    array([[0.5, 0.5]])
    """
    scaled = np.tanh(decision) * decision.dtype.type(slope)
    if decision.shape[1] == 1:
        second = expit(scaled)
        return np.concatenate([1 - second, second], axis=1)
    result: NDArray[np.floating] = softmax(scaled, axis=1)
    return result


def learn_slope(decision: Array, codes: NDArray[np.intp], weight: Array) -> float:
    """Slope that minimises the weighted log-loss of `probabilities`.

    Targets are smoothed by the rule of succession (one extra row of every class), so the slope
    stays finite where every row is on the right side. The loss is convex in the slope: Newton
    steps, halving a bracket where they leave it.

    Parameters
    ----------
    decision : ndarray of shape (n_samples, n_classes) or (n_samples, 1)
        Decision values of rows that did not take part in them.
    codes : ndarray of shape (n_samples,)
        Class of each row.
    weight : ndarray of shape (n_samples,)

    Returns
    -------
    float
    """
    decision = np.tanh(decision)
    if decision.shape[1] == 1:
        decision = np.concatenate([-decision, decision], axis=1) / 2.0
    total, k = float(weight.sum()), decision.shape[1]
    own = decision[np.arange(codes.size), codes]
    target = (total * own + decision.sum(axis=1)) / (total + k)
    low, high = SLOPE_RANGE
    slope = 1.0
    for _ in range(MAX_STEPS):
        p = softmax(slope * decision, axis=1)
        mean = np.einsum("ij,ij->i", p, decision)
        gradient = float(weight @ (mean - target))
        curvature = float(weight @ (np.einsum("ij,ij,ij->i", p, decision, decision) - mean**2))
        if gradient > 0.0:
            high = slope
        else:
            low = slope
        new = slope - gradient / curvature if curvature > 0.0 else low
        if not low < new < high:
            new = float(np.sqrt(low * high))
        if abs(new - slope) <= 1e-12 * slope:
            return new
        slope = new
    return slope
