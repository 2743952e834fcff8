"""Regression targets that do not fit their rows, by held-out residuals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls
from scipy.stats import t as student

from broadlearn.utils import Array, Floats

# Residuals are Student's t with these degrees of freedom where targets are right, and so many times
# as wide where they are wrong.
DEGREES, WIDER = 5.0, 12.0
# Share of wrong targets before any row is seen, for how many rows that counts, and steps of EM.
FIRST_SHARE, FIRST_ROWS, STEPS = 0.01, 20.0, 50
# Residuals of so many other rows make up the scale of all for the scale of a row.
SCALE_ROWS = 15.0


def pool_predictions(predictions: Sequence[Floats], y: Array) -> Array:
    """Weights of the mean of held-out predictions that has the least squared error.

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
    """Probability that the target of each row is wrong.

    A mixture of two distributions of residuals, a narrow and a wide one, is fitted by EM. Residuals
    are measured by those of the nearest rows, as they are larger in some regions than in others.

    Parameters
    ----------
    residual : ndarray of shape (n_samples,)
        Target less held-out prediction.
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
    scale = (around + SCALE_ROWS * usual) / (there.sum(axis=1) + SCALE_ROWS)
    z = residual / (scale / student.ppf(0.75, DEGREES))
    narrow, wide = student.pdf(z, DEGREES), student.pdf(z / WIDER, DEGREES) / WIDER
    share = FIRST_SHARE
    for _ in range(STEPS):
        wrong = share * wide / (share * wide + (1.0 - share) * narrow)
        share = (wrong.sum() + FIRST_ROWS * FIRST_SHARE) / (wrong.size + FIRST_ROWS)
    return wrong
