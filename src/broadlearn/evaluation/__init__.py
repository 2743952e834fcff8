"""Metrics of models on rows that they have not seen, decision thresholds, and a page of charts."""

from broadlearn.evaluation.evaluating import Evaluation, evaluate, evaluate_predictions
from broadlearn.evaluation.figures import FIGURES, figure_text
from broadlearn.evaluation.held_out import (
    cross_val_predictions,
    fit_held_out,
    leave_one_out_predictions,
    scorer_of,
)
from broadlearn.evaluation.metrics import (
    Predictions,
    class_table,
    label_predictions,
    metrics_table,
    rarer_class,
)
from broadlearn.evaluation.thresholds import (
    ModelParts,
    Threshold,
    best_threshold,
    choose_threshold,
    unwrap_model,
    with_threshold,
)

__all__ = [
    "FIGURES",
    "Evaluation",
    "ModelParts",
    "Predictions",
    "Threshold",
    "best_threshold",
    "choose_threshold",
    "class_table",
    "cross_val_predictions",
    "evaluate",
    "evaluate_predictions",
    "figure_text",
    "fit_held_out",
    "label_predictions",
    "leave_one_out_predictions",
    "metrics_table",
    "rarer_class",
    "scorer_of",
    "unwrap_model",
    "with_threshold",
]
