"""Which rows of a table are suspect, and why."""

from broadlearn.audit.auditing import audit
from broadlearn.audit.cleaning import decide
from broadlearn.audit.corrections import (
    Corrections,
    apply_corrections,
    corrections_table,
    read_corrections,
)
from broadlearn.audit.findings import FINE, VERDICTS, Finding, Health
from broadlearn.audit.result import Audit

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
