"""Which rows of a table are suspect, why, and what to do about it."""

from broadlearn.auditing.auditing import audit
from broadlearn.auditing.changes import RowChanges
from broadlearn.auditing.checks import (
    CHECKS,
    Check,
    Columns,
    Drift,
    Duplicates,
    Evidence,
    Imbalance,
    LabelErrors,
    Outliers,
    Slices,
)
from broadlearn.auditing.cleaning import decide
from broadlearn.auditing.corrections import (
    Corrections,
    corrections_table,
    read_corrections,
)
from broadlearn.auditing.findings import FINE, LABEL_VERDICTS, VERDICTS, Finding, Health
from broadlearn.auditing.result import Audit
from broadlearn.auditing.rows import Rows

__all__ = [
    "CHECKS",
    "FINE",
    "LABEL_VERDICTS",
    "VERDICTS",
    "Audit",
    "Check",
    "Columns",
    "Corrections",
    "Drift",
    "Duplicates",
    "Evidence",
    "Finding",
    "Health",
    "Imbalance",
    "LabelErrors",
    "Outliers",
    "RowChanges",
    "Rows",
    "Slices",
    "audit",
    "corrections_table",
    "decide",
    "read_corrections",
]
