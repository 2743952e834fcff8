"""How rows spread over the labels."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from broadlearn.auditing.checks.base import Evidence
from broadlearn.auditing.findings import Finding
from broadlearn.auditing.rows import Rows
from broadlearn.utils import counted, listed, percent

# Classes of at most this many rows cannot be in every fold.
MAX_TINY = 2
# Least ratio of the largest to the smallest class of an imbalanced table: a model that never
# predicts the smallest class still has an accuracy of 90 %.
IMBALANCE = 10.0


class Imbalance:
    """Classes that are too small, or far smaller than others.

    Each class of one or two rows costs a point; a ratio of the largest to the smallest other class
    of 10 and more costs 1.5 points for each power of ten.

    Examples
    --------
    >>> from broadlearn.auditing import audit
    >>> X, y = np.arange(60.0)[::-1, None], ["a"] * 55 + ["b"] * 4 + ["c"]
    >>> for finding in audit(X, y, checks=[Imbalance()]).health.findings:
    ...     print(finding.sentence)
    The largest class, 'a', has 55 rows (92 %), the smallest, 'b', 4 (6.7 %): judge models by class.
    1 class has one or two rows, too few to learn from: 'c'.
    """

    limit: ClassVar[float] = 5.0

    def find(self, rows: Rows, evidence: Evidence) -> list[Finding]:
        """Say how rows spread over the classes."""
        if rows.is_regression:
            return []
        counts, names = np.bincount(rows.codes), rows.classes.tolist()
        tiny, enough = np.flatnonzero(counts <= MAX_TINY), np.flatnonzero(counts > MAX_TINY)
        findings = []
        if tiny.size:
            sentence = (
                f"{counted(tiny.size, 'class', 'has')} one or two rows, too few to learn from: "
                f"{listed([names[c] for c in tiny])}."
            )
            where = np.flatnonzero(np.isin(rows.codes, tiny))
            findings.append(Finding("small classes", sentence, float(tiny.size), where))
        if enough.size > 1:
            large, small = enough[counts[enough].argmax()], enough[counts[enough].argmin()]
            ratio = counts[large] / counts[small]
            if ratio == 1.0:
                sentence = f"All classes have {counts[large]:,} rows."
                return [*findings, Finding("class balance", sentence)]
            sentence = (
                f"The largest class, '{names[large]}', has {counts[large]:,} rows "
                f"({percent(counts[large] / rows.size)}), the smallest, '{names[small]}', "
                f"{counts[small]:,} ({percent(counts[small] / rows.size)})"
            )
            if ratio < IMBALANCE:
                findings.append(Finding("class balance", f"{sentence}."))
            else:
                sentence = f"{sentence}: judge models by class."
                findings.append(Finding("class balance", sentence, 1.5 * float(np.log10(ratio))))
        return findings
