"""Probabilities from decision values: one slope, learnt from leave-one-out decisions.

Targets are -1 and 1 (or 0 and 1). A decision far beyond them, such as that of an
overfitted model for an outlier, is no stronger evidence than one near them. So decisions d are
bounded first, to d / sqrt(1 + d²). With a positive slope the most probable class is the predicted
one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logsumexp, softmax

from broadlearn.utils import Array, Floats

# At these slopes probabilities are 0.5, or 0 and 1 for all but the smallest decisions.
SLOPE_RANGE = (1e-3, 1e4)
# Smallest decision taken for a probability: the logarithm diverges at 0.
MIN_SHARE = 0.01


def bounded(decision: Floats) -> Floats:
    """Return ``d / sqrt(1 + d²)``, between -1 and 1."""
    # Beyond 1e8 the result is 1 or -1; up to 1e8, d² is finite in float32.
    d = np.clip(decision, -1e8, 1e8)
    return np.asarray(d / np.sqrt(1 + d * d))


def probabilities(decision: Floats, slope: float) -> Floats:
    """Return ``softmax(slope * bounded(decision))``; one column means two classes.

    Examples
    --------
    >>> import numpy as np
    >>> probabilities(np.array([[0.0]]), 3.0)
    array([[0.5, 0.5]])
    """
    return shares(bounded(decision) * np.asarray(slope, dtype=decision.dtype))


def shares(scores: Floats) -> Floats:
    """Return softmax; one column means two classes."""
    if scores.shape[1] == 1:
        second = expit(scores)
        return np.concatenate([1 - second, second], axis=1)
    return np.asarray(softmax(scores, axis=1))


def evidence_of(decision: Floats) -> list[Floats]:
    """Return bounded decisions, and their logarithms as estimates of probabilities.

    Decisions of least squares on 0 and 1 (or -1 and 1) estimate probabilities, so their logarithm
    is the natural scale. For overfitted decisions, or those beyond 0 and 1, the bounded ones are.
    """
    if decision.shape[1] == 1:
        clipped = np.clip(decision, 2 * MIN_SHARE - 1, 1 - 2 * MIN_SHARE)
        return [bounded(decision), np.log((1 + clipped) / (1 - clipped))]
    return [bounded(decision), np.log(np.maximum(decision, MIN_SHARE))]


def combine(evidence: Sequence[Floats], slopes: Array) -> Floats:
    """Return the weighted sum of evidence, which `shares` turns into probabilities."""
    return np.asarray(np.tensordot(slopes.astype(evidence[0].dtype), np.stack(evidence), 1))


def link_probabilities(decision: Floats, slopes: Array) -> Floats:
    """Return class probabilities by the slopes of `evidence_of` decisions.

    Examples
    --------
    >>> import numpy as np
    >>> link_probabilities(np.array([[0.0]]), np.ones(2))
    array([[0.5, 0.5]])
    """
    return shares(combine(evidence_of(decision), slopes))


def learn_link(
    evidence: Sequence[Array], codes: NDArray[np.intp], weight: Array | None = None
) -> Array:
    """Return the non-negative slopes of evidence of the least weighted log-loss.

    Evidence is by held-out decisions. Targets are smoothed as in `learn_slopes`. The loss is
    convex.
    """
    known = np.stack(evidence)
    if known.shape[2] == 1:
        known = np.concatenate([np.zeros_like(known), known], axis=2)
    k = known.shape[2]
    weights = np.ones(codes.size) if weight is None else weight
    total = float(weights.sum())
    target = (total * np.eye(k)[codes] + 1.0) / (total + k) * weights[:, None] / total

    def loss(slopes: Array) -> tuple[float, Array]:
        scaled = np.tensordot(slopes, known, 1)
        difference = softmax(scaled, axis=1) * (weights / total)[:, None] - target
        value = weights @ logsumexp(scaled, axis=1) / total - np.vdot(target, scaled)
        return float(value), np.tensordot(known, difference, 2)

    # Logarithms of small decisions are all equal: the first slope keeps their order.
    bounds = [SLOPE_RANGE, *[(0.0, SLOPE_RANGE[1])] * (len(known) - 1)]
    optimum = minimize(loss, np.ones(len(known)), jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(optimum.x, dtype=np.float64)


def learn_offsets(decision: Array, codes: NDArray[np.intp], weight: Array) -> Array:
    """Return offsets of decisions with the least weighted log-loss of `probabilities`.

    A weighted least-squares model that fits closely moves decisions too little towards classes of
    large weight; held-out decisions show by how much. Targets are smoothed as in `learn_slopes`.

    Examples
    --------
    >>> import numpy as np
    >>> decision = np.array([[-0.9], [-0.8], [-0.7], [-0.5], [-0.4]])
    >>> learn_offsets(decision, np.array([0, 0, 0, 1, 1]), np.ones(5)).round(1)
    array([0.6])
    """
    n_columns = decision.shape[1]
    k, total = max(n_columns, 2), float(weight.sum())
    target = (total * np.eye(k)[codes] + 1.0) / (total + k) * weight[:, None] / total

    def loss(parameters: Array) -> tuple[float, Array]:
        slope, moved = parameters[0], decision + parameters[1:]
        root = 1.0 / np.sqrt(1.0 + moved * moved)
        linear = moved * root
        scaled = slope * linear
        if n_columns == 1:
            scaled = np.concatenate([np.zeros_like(scaled), scaled], axis=1)
        difference = softmax(scaled, axis=1) * (weight / total)[:, None] - target
        value = weight @ logsumexp(scaled, axis=1) / total - np.vdot(target, scaled)
        difference = difference[:, -n_columns:]
        gradient = slope * (difference * root**3).sum(axis=0)
        return float(value), np.append(np.vdot(difference, linear), gradient)

    # Targets, and so the mean decisions of classes, differ by at most 2.
    bounds = [SLOPE_RANGE, *[(-2.0, 2.0)] * n_columns]
    start = np.append(1.0, np.zeros(n_columns))
    optimum = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(optimum.x[1:], dtype=np.float64)


def learn_slopes(
    decisions: Array,
    codes: NDArray[np.intp],
    weight: Array | None = None,
    score: Array | None = None,
) -> Array:
    """Return the slopes of the least weighted log-loss of `probabilities`, for several models.

    Targets are smoothed by the rule of succession (one extra sample of every class), so the slope
    stays finite for separable classes. The loss is convex in the slope: Newton steps, or bisection
    when a step leaves the bracket, until convergence.

    Parameters
    ----------
    decisions : ndarray of shape (n_models, n_samples, n_classes) or (n_models, n_samples, 1)
    codes : ndarray of shape (n_samples,)
    weight, score : ndarray of shape (n_samples,) or None
        A sample counts by its weight times the square of its score, as in the fit.

    Returns
    -------
    ndarray of shape (n_models,)
    """
    values = (decisions / np.sqrt(1 + decisions * decisions)).astype(np.float64, copy=False)
    weights = np.ones(codes.size) if weight is None else weight
    if score is not None:
        weights = weights * score**2
    derivatives = _binary_derivatives if values.shape[2] == 1 else _derivatives
    low, high = (np.full(len(values), bound) for bound in SLOPE_RANGE)
    slope = np.ones(len(values))
    active = np.arange(len(values))
    # Bisection of the range to 1e-12 would take 44 steps; Newton steps are far fewer.
    for _ in range(60):
        at = slope[active]
        gradient, curvature = derivatives(values[active], at, codes, weights)
        high[active] = np.where(gradient > 0.0, at, high[active])
        low[active] = np.where(gradient > 0.0, low[active], at)
        step = np.divide(gradient, curvature, out=np.full_like(at, np.inf), where=curvature > 0.0)
        new = at - step
        outside = ~((low[active] < new) & (new < high[active]))
        new[outside] = np.sqrt(low[active] * high[active])[outside]
        slope[active] = new
        active = active[np.abs(new - at) > 1e-12 * at]
        if not active.size:
            break
    return slope


def _derivatives(
    values: Array, slope: Array, codes: NDArray[np.intp], weight: Array
) -> tuple[Array, Array]:
    """Return the first and second derivative of each model's loss in its slope."""
    total, k = float(weight.sum()), values.shape[2]
    own = values[:, np.arange(codes.size), codes]
    target = (total * own + values.sum(axis=2)) / (total + k)
    p = softmax(slope[:, None, None] * values, axis=2)
    mean = np.einsum("snk,snk->sn", p, values)
    spread = np.einsum("snk,snk,snk->sn", p, values, values) - mean**2
    return (mean - target) @ weight, spread @ weight


def _binary_derivatives(
    values: Array, slope: Array, codes: NDArray[np.intp], weight: Array
) -> tuple[Array, Array]:
    """Return the same for two classes and one column, where softmax is ``(1 + tanh) / 2``."""
    total = float(weight.sum())
    target = (total * (codes == 1) + 1.0) / (total + 2.0)
    column = values[:, :, 0]
    p = 0.5 + 0.5 * np.tanh(0.5 * slope[:, None] * column)
    return (column * (p - target)) @ weight, (column**2 * p * (1.0 - p)) @ weight
