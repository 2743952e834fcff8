"""How many labels are wrong: in all, by class, and by pair of labels, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import poisson

from broadlearn.auditing.noise_model import INTERVAL, draw_errors, expected_errors
from broadlearn.auditing.opinions import Opinion
from broadlearn.auditing.rows import Rows
from broadlearn.io import import_pandas
from broadlearn.utils import Array

if TYPE_CHECKING:
    import pandas as pd

# Pairs of labels with fewer expected errors than this, and no flag, are not listed.
MIN_EXPECTED = 0.5


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


def count_errors(
    rows: Rows, opinion: Opinion, flagged: NDArray[np.bool_], seed: int
) -> ErrorCounts:
    """Count errors by the posterior of each row; `flagged` are the rows called mislabelled."""
    pandas = import_pandas()
    if opinion.noise is None:
        value = float(opinion.suspicion.sum())
        low, high = poisson.ppf([INTERVAL[0] / 100, INTERVAL[1] / 100], max(value, 1e-9))
        return ErrorCounts(Estimate(value, float(low), float(high)), *_no_classes())
    expected = expected_errors(opinion.posterior, rows.codes)
    draws = draw_errors(opinion.proba, rows.codes, opinion.noise, seed)
    n_classes, likely = rows.classes.size, opinion.likely
    counts = np.zeros((n_classes, n_classes), dtype=np.intp)
    np.add.at(counts, (rows.codes[flagged], likely[flagged]), 1)
    low, high = _interval(draws, expected)
    listed = np.argwhere((expected >= MIN_EXPECTED) | (counts > 0))
    given, other = listed[:, 0], listed[:, 1]
    pairs = pandas.DataFrame(
        {
            "given": rows.classes[given],
            "likely": rows.classes[other],
            "expected": expected[given, other],
            "low": low[given, other],
            "high": high[given, other],
            "flagged": counts[given, other],
        }
    ).sort_values("expected", ascending=False, ignore_index=True, kind="stable")
    of_class = expected.sum(axis=1)
    low, high = _interval(draws.sum(axis=2), of_class)
    by_class = pandas.DataFrame(
        {
            "rows": np.bincount(rows.codes, minlength=n_classes),
            "flagged": np.bincount(rows.codes[flagged], minlength=n_classes),
            "expected": of_class,
            "low": low,
            "high": high,
        },
        index=pandas.Index(rows.classes, name="label"),
    )
    every = np.array(expected.sum())
    ends = _interval(draws.sum(axis=(1, 2)), every)
    total = Estimate(float(every), float(ends[0]), float(ends[1]))
    matrix = pandas.DataFrame(
        opinion.noise.T,
        index=pandas.Index(rows.classes, name="true"),
        columns=pandas.Index(rows.classes, name="given"),
    )
    return ErrorCounts(total, pairs, by_class, matrix)


def _interval(draws: Array, value: Array) -> tuple[Array, Array]:
    """An interval from draws that holds the value itself."""
    low, high = np.percentile(draws, INTERVAL, axis=0)
    return np.minimum(low, value), np.maximum(high, value)


def _no_classes() -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    pandas = import_pandas()
    pairs = pandas.DataFrame(columns=["given", "likely", "expected", "low", "high", "flagged"])
    by_class = pandas.DataFrame(columns=["rows", "flagged", "expected", "low", "high"])
    return pairs, by_class, pandas.DataFrame()
