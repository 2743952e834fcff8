"""How good a model is on rows that it has not seen: figures, charts, a page."""

from broadlearn.audit.evaluation.evaluating import evaluate
from broadlearn.audit.evaluation.metrics import (
    Judged,
    class_metrics,
    classification_metrics,
    judge_labels,
    missed_class,
)
from broadlearn.audit.evaluation.result import Evaluation
from broadlearn.audit.evaluation.threshold import best_threshold

__all__ = [
    "Evaluation",
    "Judged",
    "best_threshold",
    "class_metrics",
    "classification_metrics",
    "evaluate",
    "judge_labels",
    "missed_class",
]
