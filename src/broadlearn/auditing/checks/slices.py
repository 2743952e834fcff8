"""Parts of a table where out-of-sample predictions go wrong more than elsewhere."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control, mannwhitneyu

from broadlearn.auditing.checks.base import ALPHA, MIN_ROWS, Evidence
from broadlearn.auditing.checks.columns import id_columns
from broadlearn.auditing.findings import Finding
from broadlearn.auditing.rows import Rows, is_quantity
from broadlearn.utils import percent

# Numbers with more distinct values are cut at their quartiles; of text, the most frequent levels.
MAX_LEVELS = 6
# Least ratio of the errors inside and outside, and most slices listed. Of 65 slices found in halves
# of 31 data sets, 77 % reached this ratio in the other half.
WORSE, MAX_SLICES = 1.5, 5


class Slices:
    """Values of a column where out-of-sample errors are at least 1.5 times as large as elsewhere.

    Numbers are cut at their quartiles, text into its most frequent levels; missing values are a
    slice too. Slices are tested by ranks, with a false discovery rate of 1 %, and at most five are
    listed. Each costs a point.

    Examples
    --------
    >>> from broadlearn.auditing import audit
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame({"age": rng.uniform(20, 80, 300), "sex": ["f", "m"] * 150})
    >>> y = (X["age"] > 50) ^ ((rng.random(300) < 0.4) & (X["sex"] == "f"))
    >>> print(audit(X, y, checks=[Slices()]).health.findings[0].sentence[:26])
    Where sex is 'f' (150 rows
    """

    limit: ClassVar[float] = 5.0

    def find(self, rows: Rows, evidence: Evidence) -> list[Finding]:
        """List the slices with the largest errors."""
        loss = evidence.loss(rows)
        slices = {
            f"{name} {part}": (str(name), inside)
            for name, column in rows.frame.drop(columns=id_columns(rows.frame)).items()
            for part, inside in _parts(column).items()
            if MIN_ROWS <= inside.sum() <= len(inside) - MIN_ROWS
        }
        findings = []
        if slices:
            p = false_discovery_control(
                [
                    mannwhitneyu(loss[inside], loss[~inside], alternative="greater").pvalue
                    for _, inside in slices.values()
                ]
            )
            for chance, (where, (name, inside)) in zip(p, slices.items(), strict=True):
                own, other = float(loss[inside].mean()), float(loss[~inside].mean())
                if chance < ALPHA and own >= WORSE * other:
                    if rows.is_regression:
                        what = f"the mean absolute error is {own:.3g}, elsewhere {other:.3g}"
                    else:
                        what = f"{percent(own)} of out-of-sample predictions are wrong"
                        what += f", elsewhere {percent(other)}"
                    sentence = f"Where {where} ({inside.sum():,} rows), {what}."
                    finding = Finding("slices", sentence, 1.0, np.flatnonzero(inside), [name])
                    findings.append(((own - other) * inside.sum(), finding))
        if not findings:
            sentence = "Predictions are no worse in one part of the table than in others."
            return [Finding("slices", sentence)]
        findings.sort(key=lambda pair: -pair[0])
        return [finding for _, finding in findings[:MAX_SLICES]]


def _parts(column: pd.Series) -> dict[str, np.ndarray]:
    """Return the slices of a column, each as a mask."""
    missing = column.isna().to_numpy()
    parts = {"is missing": missing} if missing.any() else {}
    if is_quantity(column) and column.nunique() > MAX_LEVELS:
        cells = pd.qcut(column.astype(np.float64), 4, duplicates="drop", precision=2)
        for cell in cells.cat.categories:
            parts[f"in {cell}"] = (cells == cell).to_numpy()
    else:
        for level in column.value_counts().index[:MAX_LEVELS]:
            parts[f"is {level!r}" if isinstance(level, str) else f"is {level}"] = (
                (column == level).fillna(False).to_numpy(dtype=bool)
            )
    return parts
