"""Constraints on parameters of estimators, with bounds that keep arithmetic finite."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from broadlearn.utils.sklearn_compat import Interval, Options, StrOptions


class PositiveNumbers(Options):
    """Constraint: a list or tuple of one or more positive numbers.

    Examples
    --------
    >>> PositiveNumbers().is_satisfied_by([0.5, 2]), PositiveNumbers().is_satisfied_by([1, "a"])
    (True, False)
    """

    def __init__(self) -> None:
        # scikit-learn takes constraints of its own kinds only; this one has no fixed options.
        super().__init__(tuple, set())

    def is_satisfied_by(self, val: Any) -> bool:
        """Return whether `val` satisfies the constraint."""
        return (
            isinstance(val, list | tuple)
            and len(val) > 0
            and all(POSITIVE.is_satisfied_by(x) for x in val)
        )

    def __str__(self) -> str:
        return "a list or tuple of one or more positive numbers"


# Squares, products and ratios of numbers within these bounds stay finite. They are float64, because
# scikit-learn would compare a float32 parameter with rounded bounds otherwise.
MIN_SCALE, MAX_SCALE = np.float64(1e-100), np.float64(1e100)
POSITIVE = Interval(Real, 0, MAX_SCALE, closed="right")
NOT_NEGATIVE = Interval(Real, 0, MAX_SCALE, closed="both")
COUNT = Interval(Integral, 1, None, closed="left")
SCALE = Interval(Real, MIN_SCALE, MAX_SCALE, closed="both")
# Values of the parameter `standardize`.
STANDARDIZE: list[Any] = ["boolean", StrOptions({"bounded", "robust"})]
# Values of the parameter `class_weight`.
CLASS_WEIGHT: list[Any] = [dict, StrOptions({"balanced"}), None]
# Number of processes, or -1 for all cores, -2 for all but one; joblib fails far beyond.
MOST_JOBS = 10_000
N_JOBS: list[Any] = [
    Interval(Integral, 1, MOST_JOBS, closed="both"),
    Interval(Integral, -MOST_JOBS, -1, closed="both"),
    None,
]
