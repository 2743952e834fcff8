"""Constraints on parameters of estimators, with bounds that keep arithmetic finite."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from broadlearn.utils.sklearn_compat import Interval, StrOptions

# Squares, products and ratios of numbers within these bounds stay finite. They are float64, because
# scikit-learn would compare a float32 parameter with rounded bounds otherwise.
MIN_SCALE, MAX_SCALE = np.float64(1e-100), np.float64(1e100)
POSITIVE = Interval(Real, 0, MAX_SCALE, closed="right")
COUNT = Interval(Integral, 1, None, closed="left")
SCALE = Interval(Real, MIN_SCALE, MAX_SCALE, closed="both")
# Values of the parameter `standardize`.
STANDARDIZE: list[Any] = ["boolean", StrOptions({"bounded", "robust"})]
# Values of the parameter `class_weight`.
CLASS_WEIGHT: list[Any] = [dict, StrOptions({"balanced"}), None]
