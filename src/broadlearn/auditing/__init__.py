"""Which rows of a table are suspect, why, and what to do about it."""

from broadlearn.auditing.auditing import audit
from broadlearn.auditing.cleaning import decide
from broadlearn.auditing.corrections import (
    Corrections,
    apply_corrections,
    corrections_table,
    read_corrections,
)
from broadlearn.auditing.findings import FINE, VERDICTS, Finding, Health
from broadlearn.auditing.result import Audit

__all__ = [
    "FINE",
    "VERDICTS",
    "Audit",
    "Corrections",
    "Finding",
    "Health",
    "apply_corrections",
    "audit",
    "corrections_table",
    "decide",
    "read_corrections",
]
