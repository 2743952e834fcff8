"""How many labels are wrong: in all, by class, and by pair of labels, with intervals."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from broadlearn.auditing.noise import Judged
from broadlearn.utils import Array

# Probability that an interval holds the number.
LEVEL = 0.9


class Estimate(NamedTuple):
    """A number and the interval that holds it with a probability of 90 %.

    Examples
    --------
    >>> print(Estimate(12.3, 8.0, 17.0))
    12 (8 to 17)
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.0f} ({self.low:.0f} to {self.high:.0f})"


class ErrorCounts(NamedTuple):
    """How many labels are wrong.

    Attributes
    ----------
    total : Estimate
    pairs : pandas.DataFrame
        ``given``, ``likely``, ``expected``, ``low``, ``high``, ``flagged``; the largest first.
    by_class : pandas.DataFrame
        For each label ``rows``, ``flagged``, ``expected``, ``low``, ``high``.
    noise_matrix : pandas.DataFrame
        Probability of a given label (column) for a true class (row).
    """

    total: Estimate
    pairs: pd.DataFrame
    by_class: pd.DataFrame
    noise_matrix: pd.DataFrame


def count_errors(judged: Judged, classes: NDArray[Any], codes: NDArray[np.intp]) -> ErrorCounts:
    """Count the errors that are expected in labels, given as codes of classes, or in a quantity."""
    flagged, expected, draws = judged.flagged, judged.expected, judged.draws
    low, high = _interval(draws.sum(axis=(1, 2)), expected.sum(), judged.shown)
    total = Estimate(float(expected.sum()), float(low), float(high))
    n_classes = classes.size
    if not n_classes:
        pairs = pd.DataFrame(columns=["given", "likely", "expected", "low", "high", "flagged"])
        by_class = pd.DataFrame(columns=["rows", "flagged", "expected", "low", "high"])
        return ErrorCounts(total, pairs, by_class, pd.DataFrame())
    counts = np.zeros((n_classes, n_classes), dtype=np.intp)
    np.add.at(counts, (codes[flagged], judged.likely[flagged]), 1)
    low, high = _interval(draws, expected, judged.shown)
    listed = np.argwhere((np.round(expected) > 0) | (counts > 0))
    given, other = listed[:, 0], listed[:, 1]
    pairs = pd.DataFrame(
        {
            "given": classes[given],
            "likely": classes[other],
            "expected": expected[given, other],
            "low": low[given, other],
            "high": high[given, other],
            "flagged": counts[given, other],
        }
    ).sort_values("expected", ascending=False, ignore_index=True, kind="stable")
    of_class = expected.sum(axis=1)
    low, high = _interval(draws.sum(axis=2), of_class, judged.shown)
    by_class = pd.DataFrame(
        {
            "rows": np.bincount(codes, minlength=n_classes),
            "flagged": np.bincount(codes[flagged], minlength=n_classes),
            "expected": of_class,
            "low": low,
            "high": high,
        },
        index=pd.Index(classes, name="label"),
    )
    matrix = pd.DataFrame(
        judged.noise, pd.Index(classes, name="true"), pd.Index(classes, name="given")
    )
    return ErrorCounts(total, pairs, by_class, matrix)


def _interval(draws: Array, value: Any, shown: bool) -> tuple[Any, Any]:
    """Return the shortest interval that holds 90 % of the draws, and the value itself.

    Where the labels do not show that some are wrong, it begins at 0.
    """
    ordered = np.sort(draws, axis=0)
    n_inside = int(np.ceil(LEVEL * len(draws)))
    widths = ordered[n_inside - 1 :] - ordered[: len(draws) - n_inside + 1]
    first = widths.argmin(axis=0)[None]
    low = np.take_along_axis(ordered, first, axis=0)[0]
    high = np.take_along_axis(ordered, first + n_inside - 1, axis=0)[0]
    return np.minimum(low, value) * shown, np.maximum(high, value)
