"""What commands say of how good a model is: figures, and recall and precision of each class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from broadlearn.cli.console import printable

if TYPE_CHECKING:
    from rich.table import Table

# Classes that are listed; of more, those that are found least.
MAX_CLASSES = 10
# Names of figures as they are printed, and whether they are shares.
NAMES = {
    "accuracy": ("accuracy", True),
    "majority_share": ("most frequent class", True),
    "balanced_accuracy": ("balanced accuracy", True),
    "roc_auc": ("ROC AUC", False),
    "average_precision": ("average precision", False),
    "log_loss": ("log-loss", False),
    "r2": ("R²", False),
    "mean_absolute_error": ("mean absolute error", False),
    "root_mean_squared_error": ("root mean sq. error", False),
    "coverage": ("coverage of 90 %", True),
    "set_size": ("mean set size", False),
    "interval_width": ("mean interval width", False),
}


def metric_facts(
    metrics: Mapping[str, float], ends: Mapping[str, tuple[float, float]] | None = None
) -> dict[str, str]:
    """Figures that are defined, with their intervals if there are any, as `print_facts` wants them.

    Examples
    --------
    >>> metric_facts({"accuracy": 0.9, "log_loss": float("nan")}, {"accuracy": (0.85, 0.95)})
    {'accuracy': '90.00 % (85.00 to 95.00 %)'}
    """
    facts = {}
    for key, value in metrics.items():
        if value != value:
            continue
        name, is_share = NAMES[key]
        text = f"{100 * value:.2f} %" if is_share else _number(value)
        if ends is not None:
            low, high = ends[key]
            shown = f"{100 * low:.2f} to {100 * high:.2f} %"
            text += f" ({shown if is_share else f'{_number(low)} to {_number(high)}'})"
        facts[name] = text
    return facts


def plain_values(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Figures for machines, None where one is undefined or infinite."""
    return {
        name: None if isinstance(value, float) and not abs(value) < float("inf") else value
        for name, value in figures.items()
    }


def class_listing(rows: Sequence[Mapping[str, Any]]) -> Table:
    """A table of recall and precision; of many classes those that are found least."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    listed = sorted(rows, key=lambda row: (row["recall"] != row["recall"], row["recall"]))
    title = None
    if len(rows) > MAX_CLASSES:
        title = f"{MAX_CLASSES} of {len(rows)} classes, the least found"
        rows = listed[:MAX_CLASSES]
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left")
    table.add_column("class", overflow="fold")
    for name in ("rows", "predicted", "recall", "precision"):
        table.add_column(name, justify="right")
    for row in rows:
        shares = [_share(row["recall"]), _share(row["precision"])]
        counts = [f"{row[name]:,}" for name in ("rows", "predicted")]
        table.add_row(Text(printable(str(row["label"]))), *counts, *shares)
    return table


def missed_note(
    missed: Mapping[str, Any] | None, accuracy: float, *, weighted: bool, decided: bool, two: bool
) -> str | None:
    """A sentence on a class that is often missed, and what can be done; None if there is none."""
    if missed is None:
        return None
    remedies = [] if weighted else ["--class-weight balanced weighs the classes alike"]
    if two and not decided:
        remedies.append("--threshold auto decides for it at a lower probability")
    what = f": {', and '.join(remedies)}" if remedies else ""
    return (
        f"Of the {missed['rows']:,} rows of class {str(missed['label'])!r} only "
        f"{_share(missed['recall'])} are found, though {_share(accuracy)} of all rows are "
        f"right{what}."
    )


def _share(value: float) -> str:
    return "-" if value != value else f"{100 * value:.1f} %"


def _number(value: float) -> str:
    return f"{value:.4f}" if abs(value) < 10 else f"{value:.6g}"
