"""p-values of many tests at once."""

from __future__ import annotations

import numpy as np

from broadlearn.utils import Array


def holm(p_values: Array) -> Array:
    """p-values corrected by Holm's method for their number.

    Examples
    --------
    >>> holm(np.array([0.01, 0.5, 0.02])).tolist()
    [0.03, 0.5, 0.04]
    """
    order = np.argsort(p_values)
    corrected = np.empty(p_values.size)
    steps = p_values[order] * np.arange(p_values.size, 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected
