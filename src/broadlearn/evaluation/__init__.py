"""Metrics of models on rows that they have not seen, decision thresholds, and a page of charts."""

from broadlearn.evaluation.evaluating import Evaluation, evaluate, evaluate_predictions
from broadlearn.evaluation.explaining import Explanation, explain, importances
from broadlearn.evaluation.figures import FIGURES, figure_text
from broadlearn.evaluation.held_out import fit_held_out
from broadlearn.evaluation.metrics import Predictions
from broadlearn.evaluation.thresholds import Threshold, decide_by, unwrap_model, with_threshold

__all__ = [
    "FIGURES",
    "Evaluation",
    "Explanation",
    "Predictions",
    "Threshold",
    "decide_by",
    "evaluate",
    "evaluate_predictions",
    "explain",
    "figure_text",
    "fit_held_out",
    "importances",
    "unwrap_model",
    "with_threshold",
]
