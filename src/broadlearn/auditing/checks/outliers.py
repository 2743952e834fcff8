"""Rows that lie far from all others."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd

from broadlearn.auditing.checks.base import Evidence
from broadlearn.auditing.checks.label_errors import short
from broadlearn.auditing.findings import OUTLIER, Finding
from broadlearn.auditing.neighbours import Neighbours
from broadlearn.auditing.rows import Rows, is_quantity
from broadlearn.utils import Array, out_of, percent

# Tukey's outer fence, applied to logarithms because distances have a long tail.
FENCE = 3.0
# The fence is at least this many times the upper quartile, because distances may be nearly equal.
MIN_TIMES = 2.0
# Most columns that a sentence names, and least share of the distance of such a column.
MAX_COLUMNS, MIN_SHARE = 3, 0.1


class Outliers:
    """Rows whose mean distance to the nearest ten others is unusually large.

    Each percent of the rows costs a point.

    Examples
    --------
    >>> from broadlearn.auditing import audit
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> X[5, 2] = 30.0
    >>> audit(X, np.arange(100) % 2, checks=[Outliers()]).health.findings[0].rows
    array([5])
    """

    limit: ClassVar[float] = 5.0

    def find(self, rows: Rows, evidence: Evidence) -> list[Finding]:
        """List the outliers, the farthest first, with the columns that set them apart."""
        degree = outlier_degree(evidence.near)
        far = np.argsort(-degree, kind="stable")
        far = far[degree[far] > 1.0]
        if not far.size:
            return [Finding("outliers", "No row is far from all others.")]
        sentence = (
            f"{out_of(far.size, rows.size, 'row', 'is')} far from all others: check the values of "
            "the columns that set them apart."
        )
        reasons = _reasons(rows, column_shares(rows, evidence.near, far), far)
        points = 100.0 * far.size / rows.size
        return [Finding("outliers", sentence, points, far, verdict=OUTLIER, reasons=reasons)]


def outlier_degree(near: Neighbours) -> Array:
    """Return the mean distance of each row to its nearest ones, over what is far out."""
    if np.isnan(near.distance).all(axis=1).any():
        return np.zeros(len(near.distance))
    distance = np.nanmean(near.distance, axis=1)
    usual = distance[distance > 0.0]
    if not usual.size:
        return np.zeros(len(distance))
    low, high = np.log(np.quantile(usual, [0.25, 0.75]))
    return np.asarray(distance / np.exp(high + max(FENCE * (high - low), np.log(MIN_TIMES))))


def column_shares(rows: Rows, near: Neighbours, which: np.ndarray) -> Array:
    """Return the parts of the columns in the squared distance from the mean of the nearest rows.

    They sum to 1, or are all 0.
    """
    shares = np.zeros((which.size, rows.starts.size))
    for i, row in enumerate(which.tolist()):
        others = near.nearest[row]
        gap = rows.Z[row] - rows.Z[others[others >= 0]].mean(axis=0)
        shares[i] = np.add.reduceat(gap * gap, rows.starts)
    total = shares.sum(axis=1, keepdims=True)
    return np.asarray(shares / np.where(total > 0.0, total, 1.0))


def _reasons(rows: Rows, shares: Array, far: np.ndarray) -> list[str]:
    columns = {name: rows.frame[name] for name in rows.columns}
    reasons = []
    for row, share in zip(far.tolist(), shares, strict=True):
        most = np.argsort(-share, kind="stable")[:MAX_COLUMNS]
        names = [
            f"{short(rows.columns[j])} ({percent(share[j])})" for j in most if share[j] >= MIN_SHARE
        ]
        value = describe(columns[rows.columns[most[0]]], row)
        reasons.append(f"It is far from all others, mostly by {', '.join(names)}: {value}.")
    return reasons


def describe(column: pd.Series, row: int) -> str:
    """Say what a value is, and how usual that is in its column.

    Examples
    --------
    >>> describe(pd.Series([*range(20, 59), 610], name="age"), 39)
    'age is 610, usual is 22 to 57'
    >>> describe(pd.Series(["Ulm"] * 39 + ["Bonn"], name="town"), 39)
    "town is 'Bonn', as in 1 of 40 rows"
    """
    name, value = short(column.name), column.iloc[row]
    if pd.isna(value):
        return f"{name} is missing, as in {column.isna().sum():,} of {len(column):,} rows"
    if is_quantity(column):
        low, high = column.astype(np.float64).quantile([0.05, 0.95], interpolation="nearest")
        return f"{name} is {float(value):.6g}, usual is {low:.6g} to {high:.6g}"
    return f"{name} is {str(value)!r}, as in {(column == value).sum():,} of {len(column):,} rows"
