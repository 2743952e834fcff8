"""Checks that both score functions share."""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.validation import _check_sample_weight

# Squared distances of larger numbers overflow.
LARGEST_VALUE = 1e140


class ScoreInputs(NamedTuple):
    """Checked input: rows, class codes, weights, class labels."""

    X: NDArray[np.floating]
    codes: NDArray[np.intp]
    weight: NDArray[np.float64]
    classes: NDArray[Any]


def check_score_inputs(
    X: ArrayLike, y: ArrayLike, delta: float, sample_weight: ArrayLike | None
) -> ScoreInputs:
    """Validate what the score functions are given, or raise naming the argument at fault."""
    rows = check_array(X, dtype=[np.float64, np.float32], input_name="X")
    labels = column_or_1d(y, warn=True)
    check_consistent_length(rows, labels)
    check_range(rows)
    if not isinstance(delta, Real) or not 0.0 < delta < np.inf:
        raise ValueError(f"delta must be a positive number, got {delta!r}.")
    classes, codes = np.unique(labels, return_inverse=True)
    weight = check_weights(sample_weight, rows)
    return ScoreInputs(rows, codes.ravel(), weight, classes)


def check_range(X: NDArray[np.floating]) -> None:
    """Refuse values whose squared distances overflow."""
    if float(np.abs(X).max()) > LARGEST_VALUE:
        raise ValueError(
            f"X holds values beyond {LARGEST_VALUE:g}, whose squared distances overflow; scale its "
            "columns first (the estimators do so with standardize=True)."
        )


def check_weights(sample_weight: ArrayLike | None, X: NDArray[Any]) -> NDArray[np.float64]:
    """Validate row weights: finite, not negative, not all zero."""
    if sample_weight is not None and not np.asarray(sample_weight).any():
        raise ValueError(
            "sample_weight is zero for every row; at least one row must have a positive weight."
        )
    weight: NDArray[np.float64] = _check_sample_weight(
        sample_weight, X, dtype=np.float64, ensure_non_negative=True
    )
    return weight
