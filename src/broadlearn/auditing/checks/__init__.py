"""The checks of an audit, one class a file.

A check has a ``limit``, the most points that it can take from the health of a table, and
``find(rows, evidence)``, which returns its findings. To add one, write a file and add it to
`CHECKS`.
"""

from collections.abc import Callable

from broadlearn.auditing.checks.base import Check, Evidence
from broadlearn.auditing.checks.columns import Columns
from broadlearn.auditing.checks.drift import Drift
from broadlearn.auditing.checks.duplicates import Duplicates
from broadlearn.auditing.checks.imbalance import Imbalance
from broadlearn.auditing.checks.label_errors import LabelErrors
from broadlearn.auditing.checks.outliers import Outliers
from broadlearn.auditing.checks.slices import Slices

CHECKS: tuple[Callable[[], Check], ...] = (
    LabelErrors,
    Outliers,
    Duplicates,
    Columns,
    Imbalance,
    Drift,
    Slices,
)

__all__ = [
    "CHECKS",
    "Check",
    "Columns",
    "Drift",
    "Duplicates",
    "Evidence",
    "Imbalance",
    "LabelErrors",
    "Outliers",
    "Slices",
]
