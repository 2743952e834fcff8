"""Columns that differ from a reference, and rows that are sorted by the target."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd
from scipy.stats import chi2_contingency, false_discovery_control, ks_2samp

from broadlearn.auditing.checks.base import ALPHA, Evidence
from broadlearn.auditing.findings import Finding
from broadlearn.auditing.rows import Rows, is_quantity
from broadlearn.utils import percent

# Least difference of shares that is reported: with many rows, tests find differences that do not
# matter.
MIN_EFFECT = 0.1
# Number of most frequent levels of a text column that are compared.
MAX_LEVELS = 20
# Rows are sorted by the target if consecutive labels differ at most this often, relative to a
# random order.
SORTED = 0.1


class Drift:
    """Columns that differ between a reference and the audited rows; rows sorted by the target.

    Distributions of numbers, of their distances from the median, of the most frequent levels, and
    of missing values are compared (Kolmogorov-Smirnov and chi-squared tests, with a false discovery
    rate of 1 %); differences of shares below 0.1 are left out. Each column costs a point, rows
    sorted by the target 2.

    Examples
    --------
    >>> from broadlearn.auditing import audit
    >>> rng = np.random.default_rng(0)
    >>> train, new = rng.normal(size=(2, 300, 2))
    >>> found = audit(new * [1.0, 1.5], new[:, 0] > 0, reference=train, checks=[Drift()])
    >>> found.health.findings[0].sentence.partition(":")[0]
    "'column 1' has drifted from the reference"
    """

    limit: ClassVar[float] = 5.0

    def find(self, rows: Rows, evidence: Evidence) -> list[Finding]:
        """List columns that have changed, and say whether rows are sorted."""
        if _is_sorted(rows):
            sentence = "Rows are sorted by the target: shuffle them before they are cut into folds."
            findings = [Finding("row order", sentence, 2.0)]
        else:
            findings = [Finding("row order", "Rows are not sorted by the target.")]
        if evidence.reference is None:
            return findings
        nothing = Finding("drift", "No column has drifted from the reference.")
        return findings + (_compare(evidence.reference, rows.frame) or [nothing])


def _is_sorted(rows: Rows) -> bool:
    """Return whether the target is in an order."""
    if rows.is_regression:
        steps = np.diff(rows.labels)
        return bool((steps >= 0).all() or (steps <= 0).all())
    share = np.bincount(rows.codes) / rows.size
    changes = np.count_nonzero(np.diff(rows.codes))
    return bool(changes < SORTED * rows.size * (1.0 - (share**2).sum()))


def _compare(before: pd.DataFrame, now: pd.DataFrame) -> list[Finding]:
    tests = {str(name): _test(before[name], now[name]) for name in now}
    chances = false_discovery_control([p for p, _, _ in tests.values()])
    found = [
        (effect, name, said)
        for chance, (name, (_, effect, said)) in zip(chances, tests.items(), strict=True)
        if chance < ALPHA and effect >= MIN_EFFECT
    ]
    return [
        Finding("drift", f"'{name}' has drifted from the reference: {said}.", 1.0, columns=[name])
        for _, name, said in sorted(found, reverse=True)
    ]


def _test(before: pd.Series, now: pd.Series) -> tuple[float, float, str]:
    """Return the smallest p-value, corrected for the tests, the effect, and what to say."""
    gaps = before.isna(), now.isna()
    results = []
    shares = float(gaps[0].mean()), float(gaps[1].mean())
    counts = np.array([[part.sum(), (~part).sum()] for part in gaps])
    said = f"missing in {percent(shares[0])} before, {percent(shares[1])} now"
    results.append((_chi2(counts), abs(shares[0] - shares[1]), said))
    a, b = before[~gaps[0]], now[~gaps[1]]
    if len(a) and len(b):
        if is_quantity(a) and is_quantity(b):
            results += _test_numbers(a.to_numpy(np.float64), b.to_numpy(np.float64))
        else:
            results.append(_test_levels(a.astype(str), b.astype(str)))
    p, effect, said = min(results, key=lambda result: result[0])
    return min(1.0, p * len(results)), effect, said


def _test_numbers(a: np.ndarray, b: np.ndarray) -> list[tuple[float, float, str]]:
    """Compare values, and their distances from the median, which tell changes of the spread."""
    quartiles = [np.quantile(part, [0.25, 0.5, 0.75]) for part in (a, b)]
    (low, middle, high), (low_now, middle_now, high_now) = quartiles
    said = (
        f"median {middle:.3g} before, {middle_now:.3g} now; middle half {high - low:.3g} wide "
        f"before, {high_now - low_now:.3g} now"
    )
    both = np.median(np.r_[a, b])
    tests = [ks_2samp(a, b, method="asymp"), ks_2samp(abs(a - both), abs(b - both), method="asymp")]
    return [(float(test.pvalue), float(test.statistic), said) for test in tests]


def _test_levels(a: pd.Series, b: pd.Series) -> tuple[float, float, str]:
    levels = pd.concat([a, b]).value_counts().index[:MAX_LEVELS]
    counts = np.array([part.value_counts().reindex(levels, fill_value=0) for part in (a, b)])
    rest = np.array([len(a), len(b)]) - counts.sum(axis=1)
    share = counts / [[len(a)], [len(b)]]
    most = int(np.abs(share[1] - share[0]).argmax())
    said = f"'{levels[most]}' in {percent(share[0, most])} before, {percent(share[1, most])} now"
    return _chi2(np.c_[counts, rest]), float(np.abs(share[1] - share[0])[most]), said


def _chi2(counts: np.ndarray) -> float:
    counts = counts[:, counts.sum(axis=0) > 0]
    return float(chi2_contingency(counts).pvalue) if counts.shape[1] > 1 else 1.0
