"""What parameters of estimators may be, beyond scikit-learn's own constraints."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from broadlearn.utils.sklearn_compat import Interval, Options, StrOptions


class PositiveNumbers(Options):
    """One or more finite positive numbers in a list or tuple.

    Examples
    --------
    >>> PositiveNumbers().is_satisfied_by([0.5, 2]), PositiveNumbers().is_satisfied_by([1, "a"])
    (True, False)
    """

    def __init__(self) -> None:
        # scikit-learn takes constraints of its own kinds only; this one has no fixed options.
        super().__init__(tuple, set())

    def is_satisfied_by(self, val: Any) -> bool:
        """Whether `val` is one."""
        return (
            isinstance(val, list | tuple)
            and len(val) > 0
            and all(POSITIVE.is_satisfied_by(x) for x in val)
        )

    def __str__(self) -> str:
        return "a list or tuple of one or more positive numbers"


POSITIVE = Interval(Real, 0, None, closed="neither")
NOT_NEGATIVE = Interval(Real, 0, None, closed="left")
COUNT = Interval(Integral, 1, None, closed="left")
# Squares and ratios of numbers within these stay numbers. In double precision, lest they be cast.
MIN_SCALE, MAX_SCALE = np.float64(1e-100), np.float64(1e100)
SCALE = Interval(Real, MIN_SCALE, MAX_SCALE, closed="both")
# What an estimator's parameter `standardize` may be.
STANDARDIZE: list[Any] = ["boolean", StrOptions({"bounded", "robust"})]
# What a classifier's parameter `class_weight` may be.
CLASS_WEIGHT: list[Any] = [dict, StrOptions({"balanced"}), None]
# Processes: a number, or from -1 down all cores but some. joblib knows no more.
MOST_JOBS = 10_000
N_JOBS: list[Any] = [
    Interval(Integral, 1, MOST_JOBS, closed="both"),
    Interval(Integral, -MOST_JOBS, -1, closed="both"),
    None,
]
