"""Rows that are there more than once."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd

from broadlearn.auditing.checks.base import Evidence
from broadlearn.auditing.checks.columns import id_columns
from broadlearn.auditing.findings import CONTRADICTING, DUPLICATE, Finding
from broadlearn.auditing.rows import Rows
from broadlearn.utils import counted, out_of


class Duplicates:
    """Rows that equal another in all columns but those that look like an ID.

    Equal rows with different labels are always reported: each percent of such rows costs 2 points.
    Each percent of the rows that repeat another with the same label costs half a point, unless
    as many equal rows are expected by chance.

    Examples
    --------
    >>> from broadlearn.auditing import audit
    >>> X = pd.DataFrame({"height": np.linspace(1.5, 1.9, 20), "weight": range(60, 100, 2)})
    >>> X.iloc[7], X.iloc[9] = X.iloc[3], X.iloc[2]
    >>> found = audit(X, ["a", "b"] * 9 + ["a", "a"], checks=[Duplicates()])
    >>> for finding in found.health.findings:
    ...     print(finding.sentence.partition(":")[0])
    2 of 20 rows have another label than rows equal to them (1 group of equal rows)
    1 of 20 rows is a copy of another with the same label
    """

    limit: ClassVar[float] = 15.0

    def find(self, rows: Rows, evidence: Evidence) -> list[Finding]:
        """List rows that contradict rows equal to them, and copies."""
        frame = rows.frame.drop(columns=id_columns(rows.frame))
        if frame.shape[1] == 0:
            return [Finding("duplicates", "All columns look like an ID; rows were not compared.")]
        group = equal_rows(frame)
        wrong, agrees = _judge_quantity(rows, group) if rows.is_regression else _judge(rows, group)
        findings = []
        size = pd.Series(group).map(pd.Series(group).value_counts()).to_numpy()
        if wrong.any():
            findings.append(_contradictions(rows, np.flatnonzero(wrong), group, size))
        copy = agrees & pd.Series(group).duplicated().to_numpy()
        findings.append(_copies(frame, np.flatnonzero(copy), size))
        return findings


def equal_rows(frame: pd.DataFrame) -> np.ndarray:
    """Return the group of each row, the same for equal rows; missing values are equal.

    A row without any value is in a group of its own.
    """
    groups = frame.groupby(list(frame.columns), dropna=False, sort=False, observed=True)
    empty = frame.isna().all(axis=1).to_numpy()
    return np.where(empty, len(frame) + np.arange(len(frame)), groups.ngroup())


def expected_pairs(frame: pd.DataFrame) -> float:
    """Return the pairs of equal rows that independent columns would have.

    Examples
    --------
    >>> expected_pairs(pd.DataFrame({"a": [0, 1] * 10, "b": range(20)}))
    0.0
    """
    n = len(frame)
    counts = [column.value_counts(dropna=False) for _, column in frame.items()]
    chances = [float((count * (count - 1)).sum()) / (n * (n - 1)) for count in counts]
    return float(np.prod(chances)) * n * (n - 1) / 2.0


def _contradictions(rows: Rows, wrong: np.ndarray, group: np.ndarray, size: np.ndarray) -> Finding:
    sentence = (
        f"{out_of(wrong.size, rows.size, 'row', 'has')} another label than rows equal to "
        f"{'it' if wrong.size == 1 else 'them'} "
        f"({counted(np.unique(group[wrong]).size, 'group')} of equal rows): find out which label "
        "is right."
    )
    reasons = [
        f"It equals {counted(count - 1, 'other row')}, which "
        f"{'has' if count == 2 else 'mostly have'} another label."
        for count in size[wrong].tolist()
    ]
    points = min(10.0, 200.0 * wrong.size / rows.size)
    return Finding(
        "contradicting duplicates", sentence, points, wrong, verdict=CONTRADICTING, reasons=reasons
    )


def _copies(frame: pd.DataFrame, copies: np.ndarray, size: np.ndarray) -> Finding:
    n_rows, n_equal = len(frame), int((size > 1).sum())
    if not n_equal:
        return Finding("duplicates", "No two rows are equal.")
    pairs, expected = float((size - 1).sum()) / 2.0, expected_pairs(frame)
    if expected >= 0.5 * pairs:
        return Finding(
            "duplicates",
            f"{out_of(n_equal, n_rows, 'row', 'equals')} another: expected where columns have so "
            "few values.",
        )
    if not copies.size:
        return Finding("duplicates", "No row is a copy of another with the same label.")
    kind = "a copy of another" if copies.size == 1 else "copies of others"
    sentence = (
        f"{out_of(copies.size, n_rows, 'row', 'is')} {kind} with the same label: drop "
        f"{'it' if copies.size == 1 else 'them'}, or keep equal rows in the same fold."
    )
    reasons = ["It is a copy of another row with the same label."] * copies.size
    points = min(5.0, 50.0 * copies.size / n_rows)
    return Finding("duplicates", sentence, points, copies, verdict=DUPLICATE, reasons=reasons)


def _judge(rows: Rows, group: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows that are outvoted by their equals or in a tie, and rows of groups that agree."""
    codes = pd.Series(rows.codes)
    votes = codes.groupby([group, rows.codes]).transform("size")
    most = votes.groupby(group).transform("max")
    tied = (votes == most).groupby(group).transform("sum") > most
    agrees = codes.groupby(group).transform("nunique") == 1
    return ((votes < most) | tied).to_numpy(), agrees.to_numpy()


def _judge_quantity(rows: Rows, group: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows with a target far from the median of their equals, and rows of equal ones."""
    target = pd.Series(rows.labels)
    by_group = target.groupby(group)
    low, high = target.quantile([0.25, 0.75])
    far = (target - by_group.transform("median")).abs() > 0.5 * (high - low)
    return far.to_numpy(), (by_group.transform("nunique") == 1).to_numpy()
