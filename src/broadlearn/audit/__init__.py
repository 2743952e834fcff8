"""Which rows of a table are suspect, and why; how good a model is on rows."""

from broadlearn.audit.auditing import audit
from broadlearn.audit.cleaning import decide
from broadlearn.audit.corrections import (
    Corrections,
    apply_corrections,
    corrections_table,
    read_corrections,
)
from broadlearn.audit.evaluation import (
    Evaluation,
    Judged,
    best_threshold,
    class_metrics,
    classification_metrics,
    evaluate,
    judge_labels,
    missed_class,
)
from broadlearn.audit.findings import FINE, VERDICTS, Finding, Health
from broadlearn.audit.result import Audit

__all__ = [
    "FINE",
    "VERDICTS",
    "Audit",
    "Corrections",
    "Evaluation",
    "Finding",
    "Health",
    "Judged",
    "apply_corrections",
    "audit",
    "best_threshold",
    "class_metrics",
    "classification_metrics",
    "corrections_table",
    "decide",
    "evaluate",
    "judge_labels",
    "missed_class",
    "read_corrections",
]
