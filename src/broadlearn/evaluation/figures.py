"""Names and formats of the metrics, for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Figure(NamedTuple):
    """How a metric is shown; shares are printed in percent."""

    title: str
    is_share: bool
    meaning: str


FIGURES = {
    "accuracy": Figure("accuracy", True, "share of correct rows"),
    "majority_share": Figure("most frequent class", True, "accuracy of always predicting it"),
    "balanced_accuracy": Figure("balanced accuracy", True, "mean recall of the classes"),
    "roc_auc": Figure("ROC AUC", False, "1 is perfect ranking, 0.5 is guessing"),
    "average_precision": Figure("average precision", False, "area under precision and recall"),
    "log_loss": Figure("log-loss", False, "of the probabilities; lower is better"),
    "r2": Figure("R²", False, "1 is perfect, 0 is predicting the mean"),
    "mean_absolute_error": Figure("mean absolute error", False, "in units of the target"),
    "root_mean_squared_error": Figure("RMS error", False, "in units of the target"),
    "coverage": Figure("coverage", True, "of the 90 % conformal sets or intervals"),
    "set_size": Figure("mean set size", False, "classes in a 90 % conformal set"),
    "interval_width": Figure("mean interval width", False, "of the 90 % conformal intervals"),
}


def figure_text(name: str, line: Mapping[str, float]) -> tuple[str, str]:
    """Format the ``value`` of a metric, and its interval from ``low`` to ``high``.

    Examples
    --------
    >>> figure_text("accuracy", {"value": 0.9, "low": 0.85, "high": 0.95})
    ('90.0 %', '85.0 to 95.0 %')
    >>> figure_text("mean_absolute_error", {"value": 1234.5, "low": 1000.0, "high": 2000.0})
    ('1,234', '1,000 to 2,000')
    """
    if FIGURES[name].is_share:
        value, low, high = (f"{100.0 * line[key]:.1f}" for key in ("value", "low", "high"))
        return f"{value} %", f"{low} to {high} %"
    value, low, high = (number_text(line[key]) for key in ("value", "low", "high"))
    return value, f"{low} to {high}"


def number_text(value: float) -> str:
    """Format a number with about four digits.

    Examples
    --------
    >>> [number_text(value) for value in (-0.12345, 12.3456, 12345.6, 1e-5, 1.2e12)]
    ['-0.123', '12.35', '12,346', '1e-05', '1.2e+12']
    """
    if 1e-3 <= abs(value) < 1.0:
        return f"{value:.3f}"
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e9 else f"{value:.4g}"
