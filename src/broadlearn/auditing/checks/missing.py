"""Missing values, and columns where they tell the target."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.stats import chi2_contingency, false_discovery_control, mannwhitneyu

from broadlearn.auditing.checks.base import Evidence
from broadlearn.auditing.findings import Finding
from broadlearn.auditing.rows import Rows
from broadlearn.utils import listed, out_of, percent

# False discovery rate, and the least difference of shares that is worth a sentence.
ALPHA, MIN_DIFFERENCE = 0.01, 0.1


class MissingValues:
    """How many values are missing, and where that tells the target.

    Each percent of all values costs 0.2 points, each column whose missing values tell the target 2.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.auditing import audit
    >>> X = pd.DataFrame({"age": np.arange(80.0), "dose": [1.0] * 40 + [None] * 30 + [2.0] * 10})
    >>> found = audit(X, ["well"] * 40 + ["ill"] * 40, checks=[MissingValues()])
    >>> for finding in found.health.findings:
    ...     print(finding.sentence)
    19 % of all values are missing, in 30 of 80 rows and 1 of 2 columns: 'dose'.
    'dose' is missing in 75 % of the rows of 'ill' and in 0 % of the others: find out why.
    """

    limit: ClassVar[float] = 5.0

    def find(self, rows: Rows, evidence: Evidence) -> list[Finding]:
        """Count missing values, and list columns where they tell the target."""
        gaps = rows.frame.isna()
        per_column = gaps.sum().sort_values(ascending=False, kind="stable")
        names = per_column.index[per_column > 0].tolist()
        if not names:
            return [Finding("missing values", "No value is missing.")]
        share = float(gaps.to_numpy().mean())
        in_rows = np.flatnonzero(gaps.any(axis=1))
        sentence = (
            f"{percent(share)} of all values are missing, in "
            f"{out_of(in_rows.size, rows.size, 'row')} and "
            f"{out_of(len(names), gaps.shape[1], 'column')}: {listed(names)}."
        )
        findings = [Finding("missing values", sentence, 20.0 * share, in_rows, names)]
        tested = [name for name in names if not gaps[name].all()]
        told = [_tell(rows, gaps[name].to_numpy()) for name in tested]
        p = false_discovery_control([p for p, _, _ in told]) if told else []
        for name, chance, (_, difference, what) in zip(tested, p, told, strict=True):
            if chance < ALPHA and difference >= MIN_DIFFERENCE:
                where = np.flatnonzero(gaps[name])
                sentence = f"'{name}' is missing {what}: find out why."
                findings.append(Finding("telling gaps", sentence, 2.0, where, [name]))
        return findings


def _tell(rows: Rows, missing: np.ndarray) -> tuple[float, float, str]:
    """Return a p-value, the effect, and what to say of it."""
    if rows.is_regression:
        inside, outside = rows.labels[missing], rows.labels[~missing]
        test = mannwhitneyu(inside, outside)
        effect = abs(test.statistic / (inside.size * outside.size) - 0.5)
        medians = np.median(inside), np.median(outside)
        return (
            test.pvalue,
            effect,
            f"where the median target is {medians[0]:.4g}, not {medians[1]:.4g}",
        )
    sizes = np.bincount(rows.codes)
    found = np.bincount(rows.codes[missing], minlength=sizes.size)
    inside = found / sizes
    outside = (found.sum() - found) / (sizes.sum() - sizes)
    most = int(np.abs(inside - outside).argmax())
    what = (
        f"in {percent(inside[most])} of the rows of '{rows.classes[most]}' and in "
        f"{percent(outside[most])} of the others"
    )
    p = chi2_contingency(np.array([found, sizes - found])).pvalue
    return p, float(abs(inside - outside)[most]), what
