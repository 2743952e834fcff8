"""The figure of printed against our accuracies, a panel for each model."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from broadlearn.study.report.drawing import COLORS, study_style
from broadlearn.study.report.pooling import in_order
from broadlearn.study.reproduction import (
    CONTRADICTED,
    NOT_FITTED,
    NOT_REDRAWN,
    OUT_OF_REACH,
    WITHIN_REACH,
)
from broadlearn.utils import label

# Two panels in a row, and not wider: letters stay legible on a telephone.
WIDTH, PANELS_PER_ROW, PANEL_HEIGHT = 5.6, 2, 2.55
_BLACK, _ORANGE, _GREEN, _, _, _BLUE, _RED = COLORS
# In the order in which they are drawn: what matters most is on top.
MARKS: dict[str, dict[str, Any]] = {
    NOT_REDRAWN: {"marker": "o", "facecolors": "none", "edgecolors": "#888888", "linewidths": 0.9},
    WITHIN_REACH: {"marker": "o", "color": _GREEN, "linewidths": 0},
    NOT_FITTED: {"marker": "s", "color": _ORANGE, "linewidths": 0},
    OUT_OF_REACH: {"marker": "^", "color": _BLUE, "linewidths": 0},
    CONTRADICTED: {"marker": "X", "color": _RED, "linewidths": 0},
}
WORDS = {
    NOT_REDRAWN: "not redrawn",
    WITHIN_REACH: "within reach of redraws",
    NOT_FITTED: "printed settings cannot be fitted",
    OUT_OF_REACH: "out of reach: print above all",
    CONTRADICTED: "contradicted: print below all",
}


@study_style()
def reproduction_figure(judged: pd.DataFrame, reading: str) -> Figure:
    """Printed against our accuracies without noise, coloured by verdict.

    Parameters
    ----------
    judged : DataFrame
        From `judge_cells`.
    reading : str
        With one or more cells without noise.
    """
    cells = judged[(judged["reading"] == reading) & (judged["noise"] == "none")]
    models = in_order(set(cells["model"]))
    n_rows = -(-len(models) // PANELS_PER_ROW)
    size = (WIDTH, PANEL_HEIGHT * n_rows + 0.5)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(n_rows, PANELS_PER_ROW, squeeze=False).ravel()
    for axes, model in zip(grid, models, strict=False):
        _panel(axes, cells[cells["model"] == model], model)
    found = [verdict for verdict in reversed(MARKS) if verdict in set(cells["verdict"])]
    handles = [
        grid[0].scatter(
            [],
            [],
            s=34,
            label=f"{WORDS[verdict]} ({(cells['verdict'] == verdict).sum()})",
            **MARKS[verdict],
        )
        for verdict in found
    ]
    if len(models) < len(grid):
        grid[-1].set_axis_off()
        grid[-1].legend(handles=handles, loc="center", borderaxespad=0.0, fontsize=8.5)
    else:
        figure.legend(handles=handles, loc="outside lower left", fontsize=8.5)
    figure.suptitle(
        f"{len(cells)} printed accuracies and ours, protocol: {reading}", x=0.01, ha="left"
    )
    return figure


def _panel(axes: Axes, cells: pd.DataFrame, model: str) -> None:
    low = 10.0 * (cells[["ours", "printed"]].min(axis=None) // 10.0)
    axes.axline((low, low), slope=1.0, color="#777777", linewidth=0.9, zorder=1)
    for height, (verdict, marks) in enumerate(MARKS.items(), start=2):
        shown = cells[cells["verdict"] == verdict]
        axes.scatter(shown["printed"], shown["ours"], s=26, zorder=height, alpha=0.85, **marks)
    axes.set(xlim=(low, 102.0), ylim=(low, 102.0), aspect="equal")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MultipleLocator(10.0 if low >= 50.0 else 20.0))
    axes.set_title(f"{label(model)}: {cells['difference'].abs().mean():.1f} points apart")
    axes.set_xlabel("printed, %")
    axes.set_ylabel("ours, %")
