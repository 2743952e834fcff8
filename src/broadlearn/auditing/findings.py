"""What an audit can say: verdicts on rows, and the health of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

MISLABELLED, CONTRADICTING, OUTLIER, DUPLICATE, AMBIGUOUS, FINE = VERDICTS = (
    "likely mislabelled",
    "contradicting duplicate",
    "outlier",
    "duplicate",
    "ambiguous",
    "fine",
)
# Lines of a list or table that a person reads at once; a page folds the rest away.
MAX_LINES = 10
# Verdicts on the label; others are on the row.
LABEL_VERDICTS = (MISLABELLED, CONTRADICTING, AMBIGUOUS)


@dataclass(frozen=True, eq=False)
class Finding:
    """What a check found.

    Attributes
    ----------
    check : str
        What it is about, such as "duplicates".
    sentence : str
        What was found, or that nothing was.
    penalty : float
        Points to take from a health of 100; 0 where nothing is wrong.
    rows : ndarray of shape (n_found,)
        Positions of the rows that it is about, the worst first.
    columns : sequence of str
        Names of the columns that it is about.
    verdict : str
        What to call these rows; empty if the finding is about the table only.
    reasons : sequence of str
        For each of `rows`, why it has that verdict.
    """

    check: str
    sentence: str
    penalty: float = 0.0
    rows: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    columns: Sequence[str] = ()
    verdict: str = ""
    reasons: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class Health:
    """How sound a table is.

    Attributes
    ----------
    findings : sequence of Finding
        The one that costs most points first.

    Examples
    --------
    >>> health = Health([Finding("duplicates", "3 of 50 rows are copies of others.", 2.0)])
    >>> health.score
    98.0
    """

    findings: Sequence[Finding]

    @property
    def score(self) -> float:
        """100 less all penalties, not below 0."""
        return max(0.0, 100.0 - sum(finding.penalty for finding in self.findings))

    def __str__(self) -> str:
        lines = [f"Health {self.score:.0f} of 100"]
        for finding in self.findings:
            points = f"-{finding.penalty:.0f}" if finding.penalty >= 0.5 else "0"
            lines.append(f"{points:>4}  {finding.check}: {finding.sentence}")
        return "\n".join(lines)
