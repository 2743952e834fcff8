"""How good a model is on rows that it has not seen: figures, charts, a page."""

from broadlearn.evaluation.evaluating import evaluate
from broadlearn.evaluation.metrics import (
    Judged,
    class_metrics,
    classification_metrics,
    judge_labels,
    missed_class,
)
from broadlearn.evaluation.result import Evaluation
from broadlearn.evaluation.threshold import best_threshold
from broadlearn.evaluation.thresholds import Threshold, UnwrappedModel, unwrap_model, with_threshold

__all__ = [
    "Evaluation",
    "Judged",
    "Threshold",
    "UnwrappedModel",
    "best_threshold",
    "class_metrics",
    "classification_metrics",
    "evaluate",
    "judge_labels",
    "missed_class",
    "unwrap_model",
    "with_threshold",
]
