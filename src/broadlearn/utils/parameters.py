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
# Upper bounds refuse mistyped numbers before hours or all memory are spent on them. Groups are
# drawn one after the other.
COUNT = Interval(Integral, 1, 1_000_000, closed="both")
GROUPS = Interval(Integral, 1, 10_000, closed="both")
SCALE = Interval(Real, MIN_SCALE, MAX_SCALE, closed="both")
# Values of the parameter `standardize`.
STANDARDIZE: list[Any] = ["boolean", StrOptions({"bounded", "robust"})]
# Values of the parameter `class_weight`.
CLASS_WEIGHT: list[Any] = [dict, StrOptions({"balanced"}), None]
