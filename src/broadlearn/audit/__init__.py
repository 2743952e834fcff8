"""Which rows of a table are suspect, and why."""

from broadlearn.audit.auditing import LANDMARKS, MAX_EXACT_ROWS, Audit, audit

__all__ = ["LANDMARKS", "MAX_EXACT_ROWS", "Audit", "audit"]
