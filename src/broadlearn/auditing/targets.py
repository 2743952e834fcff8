"""Regression targets that do not fit their rows, by out-of-sample residuals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls
from scipy.stats import t as student

from broadlearn.auditing.noise import EM_STEPS, MIN_FLAGGED, N_DRAWS, Judged
from broadlearn.utils import Array, Floats

# Residuals of correct targets follow Student's t with 5 degrees of freedom, which has longer tails
# than the normal distribution; those of wrong targets are 12 times as wide.
DEGREES, WIDER = 5.0, 12.0
# The prior of the share of wrong targets is one among this many.
PRIOR_ROWS = 100.0


def judge_targets(
    opinions: Mapping[str, Floats],
    y: Array,
    nearest: NDArray[np.intp],
    confirmed: Sequence[int] | NDArray[np.intp] = (),
    seed: int = 0,
) -> Judged:
    """Judge targets by the pooled out-of-sample predictions of several models."""
    weights = pool_predictions(list(opinions.values()), y)
    guess = np.hstack(list(opinions.values())) @ weights
    suspicion = suspicion_of_targets(y - guess, nearest)
    suspicion[np.asarray(confirmed, dtype=np.intp)] = 0.0
    draws = np.random.default_rng(seed).binomial(1, suspicion, (N_DRAWS, y.size)).sum(axis=1)
    return Judged(
        guess[:, None],
        suspicion,
        suspicion >= MIN_FLAGGED,
        np.zeros(y.size, dtype=np.intp),
        suspicion.sum(keepdims=True)[None],
        draws[:, None, None],
        np.empty((0, 0)),
        dict(zip(opinions, weights.tolist(), strict=True)),
        True,
    )


def pool_predictions(predictions: Sequence[Floats], y: Array) -> Array:
    """Return the weights of the mean of predictions that has the least squared error.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([1.0, 2.0, 3.0])
    >>> pool_predictions([y[:, None], -y[:, None]], y).round(9)
    array([1., 0.])
    """
    centre = y.mean()
    stacked = np.hstack(list(predictions)) - centre
    weights, _ = nnls(stacked, y - centre)
    if not weights.sum():
        weights = np.ones(len(predictions))
    return np.asarray(weights / weights.sum())


def suspicion_of_targets(residual: Array, nearest: NDArray[np.intp]) -> Array:
    """Return the probability that the target of each row is wrong.

    A mixture of two distributions of residuals, a narrow and a wide one, is fitted by EM. Residuals
    are measured by those of the nearest rows, as they are larger in some regions than in others.

    Parameters
    ----------
    residual : ndarray of shape (n_samples,)
        Target less out-of-sample prediction.
    nearest : ndarray of shape (n_samples, n_near)
        Positions of the nearest rows; -1 where there is none.

    Examples
    --------
    >>> import numpy as np
    >>> residual = np.r_[np.random.default_rng(0).normal(size=99), 30.0]
    >>> nearest = (np.arange(100)[:, None] + np.arange(1, 6)) % 100
    >>> suspicion_of_targets(residual, nearest).argmax()
    np.int64(99)
    """
    size = np.abs(residual)
    usual = max(float(np.median(size)), 1e-12 * float(size.max(initial=1.0)), 1e-300)
    there = nearest >= 0
    around = np.where(there, np.minimum(size[nearest], 5.0 * usual), 0.0).sum(axis=1)
    # The scale of all residuals counts as much as that of the nearest rows.
    n_near = nearest.shape[1]
    scale = (around + n_near * usual) / (there.sum(axis=1) + n_near)
    z = residual / (scale / student.ppf(0.75, DEGREES))
    narrow, wide = student.pdf(z, DEGREES), student.pdf(z / WIDER, DEGREES) / WIDER
    share = 1.0 / PRIOR_ROWS
    for _ in range(EM_STEPS):
        wrong = share * wide / (share * wide + (1.0 - share) * narrow)
        share = (wrong.sum() + 1.0) / (wrong.size + PRIOR_ROWS)
    return wrong
