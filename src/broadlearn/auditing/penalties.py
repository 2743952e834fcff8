"""What each check can take from a health of 100."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from broadlearn.auditing.findings import Finding

# The most that each check can take, in points: 100 together.
LIMITS = {
    "label errors": 35.0,
    "leaking columns": 20.0,
    "contradicting duplicates": 10.0,
    "slices": 5.0,
    "duplicates": 5.0,
    "outlying rows": 5.0,
    "columns": 5.0,
    "missing values": 5.0,
    "classes": 5.0,
    "row order": 5.0,
}


def within_limit(check: str, findings: Sequence[Finding]) -> list[Finding]:
    """Findings of a check, with penalties that sum to no more than its limit.

    Examples
    --------
    >>> findings = [Finding("columns", "'id' is constant.", 4.0), Finding("columns", "...", 4.0)]
    >>> [finding.penalty for finding in within_limit("columns", findings)]
    [2.5, 2.5]
    """
    total = sum(finding.penalty for finding in findings)
    shrink = min(1.0, LIMITS[check] / total) if total else 1.0
    return [replace(finding, penalty=shrink * finding.penalty) for finding in findings]
