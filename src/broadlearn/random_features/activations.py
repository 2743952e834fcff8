"""Activations, each applied in place to an array."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit

from broadlearn.random_features.sine import sine
from broadlearn.utils import Floats

InPlace = Callable[[Floats], Floats]

ACTIVATIONS: dict[str, InPlace] = {
    "identity": lambda u: u,
    "tanh": lambda u: np.tanh(u, out=u),
    "sigmoid": lambda u: expit(u, out=u),
    "relu": lambda u: np.maximum(u, 0.0, out=u),
    "sine": sine,
    # For ill-conditioned problems, which show a unit in the last place.
    "numpy_sine": lambda u: np.sin(u, out=u),
}
