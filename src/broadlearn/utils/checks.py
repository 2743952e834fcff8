"""Checks of what users pass in; each raises one sentence that names the argument at fault."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from broadlearn.utils.arrays import Array, Floats
from broadlearn.utils.sklearn_compat import Options, StrOptions, check_sample_weight

# Squared distances of larger numbers overflow.
MAX_VALUE = 1e140

# What an estimator's parameter `standardize` may be.
STANDARDIZE: list[Any] = ["boolean", StrOptions({"robust"})]


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
            and all(isinstance(x, Real) and 0.0 < float(x) < np.inf for x in val)
        )

    def __str__(self) -> str:
        return "a list or tuple of one or more positive numbers"


def check_range(X: Floats) -> Floats:
    """Refuse values whose squared distances overflow."""
    if float(np.abs(X).max()) > MAX_VALUE:
        raise ValueError(
            f"X holds values beyond {MAX_VALUE:g}, whose squared distances overflow; scale its "
            "features first (the estimators do so with standardize=True)."
        )
    return X


def check_weights(sample_weight: ArrayLike | None, X: NDArray[Any]) -> Array:
    """Validate sample weights: finite, not negative, not all zero."""
    if sample_weight is not None and not np.asarray(sample_weight).any():
        raise ValueError(
            "sample_weight is zero for every row; at least one row must have a positive weight."
        )
    return check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
