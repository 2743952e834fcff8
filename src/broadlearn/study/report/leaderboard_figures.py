"""Figures of a leaderboard: mean ranks of all classifiers, and each data set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from broadlearn.study.leaderboard_ranks import Standing
from broadlearn.study.report.drawing import COLORS, FIGURE_WIDTH, MARKERS, study_style
from broadlearn.utils import label

# The published classifiers with the best mean ranks are named.
NAMED = 5
# Percentage points below the best published accuracy that are drawn.
REACH = 30.0
GREY = "#9AA1A8"


def _marks(standings: Sequence[Standing]) -> list[dict[str, Any]]:
    """Colour and marker of each model, the first the most striking."""
    colors, markers = COLORS[::-1], ("o", "D", *MARKERS)
    return [
        {"color": colors[i % len(colors)], "marker": markers[i % len(markers)]}
        for i in range(len(standings))
    ]


@study_style()
def rank_figure(standings: Sequence[Standing]) -> Figure:
    """Mean rank of all classifiers, the best first; the models run here stand out.

    The published ones are where they stand beside the first of `standings`.
    """
    figure = Figure(figsize=(FIGURE_WIDTH, 4.2), layout="constrained")
    axes = figure.subplots()
    table = standings[0].table()
    published = table.drop(index=standings[0].column)
    # Places in the table, which differ where positions tie.
    place = {name: i for i, name in enumerate(table.index, start=1)}
    axes.scatter(
        [place[name] for name in published.index], published["mean_rank"], s=9, color=GREY, lw=0
    )
    lines = []
    for standing, marks in zip(standings, _marks(standings), strict=True):
        own = standing.table()
        at, rank = own.index.get_loc(standing.column) + 1, own["mean_rank"][standing.column]
        axes.scatter(at, rank, s=64, zorder=4, edgecolors="white", lw=0.8, **marks)
        lines.append((at, rank, f"{label(standing.model)}, {rank:.1f}", marks["color"]))
    for name in published.index[:NAMED]:
        rank = published["mean_rank"][name]
        lines.append((place[name], rank, f"{label(name)}, {rank:.1f}", "#333333"))
    _name_points(axes, lines, len(table))
    axes.set(
        xlabel="place by mean rank",
        ylabel="mean rank",
        xlim=(-2, len(table) + 2),
        ylim=(0, float(table["mean_rank"].max()) * 1.04),
    )
    return figure


def _name_points(axes: Any, lines: list[tuple[int, float, str, str]], n_places: int) -> None:
    """Names in a list to the right of the curve's steep part, each joined to its point."""
    top = axes.get_ylim()[1]
    step = top / 16
    for i, (at, rank, text, color) in enumerate(sorted(lines)):
        axes.annotate(
            text,
            (at, rank),
            (0.36 * n_places, top * 0.03 + step * i * 0.8),
            color=color,
            va="center",
            fontweight="bold" if color != "#333333" else "normal",
            arrowprops={"arrowstyle": "-", "color": color, "lw": 0.6, "shrinkA": 2, "shrinkB": 3},
        )


@study_style()
def dataset_figure(standings: Sequence[Standing]) -> Figure:
    """Accuracy on each data set less the best published one, those with the best rank first."""
    first = standings[0]
    names = list(first.ranks[first.column].sort_values(kind="stable").index)
    places = {name: i for i, name in enumerate(names)}
    figure = Figure(figsize=(FIGURE_WIDTH, 0.19 * len(names) + 1.3), layout="constrained")
    axes = figure.subplots()
    published = first.accuracies.drop(columns=first.column)
    gaps = published.sub(published.max(axis=1), axis=0).loc[names]
    low, left, middle, right = np.quantile(gaps, [0.05, 0.25, 0.5, 0.75], axis=1)
    rows = np.arange(len(names))
    axes.hlines(rows, np.maximum(low, -REACH), 0, color="#D5D8DB", lw=1.0)
    left = np.maximum(left, -REACH)
    axes.barh(rows, np.maximum(right - left, 0), 0.5, left=left, color="#D5D8DB", lw=0)
    shown = middle >= -REACH
    axes.vlines(middle[shown], rows[shown] - 0.3, rows[shown] + 0.3, color="#777777", lw=1.2)
    for standing, marks in zip(standings, _marks(standings), strict=True):
        own = standing.accuracies[standing.column]
        theirs = standing.accuracies.drop(columns=standing.column).max(axis=1)
        points = (own - theirs)[[name for name in standing.accuracies.index if name in places]]
        axes.scatter(
            np.maximum(points, -REACH),
            [places[name] for name in points.index],
            s=22,
            zorder=4,
            lw=0,
            label=label(standing.model),
            **marks,
        )
    axes.axvline(0.0, color="#333333", lw=0.9)
    axes.set_yticks(rows, [label(name) for name in names], fontsize=7.5)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("accuracy less the best published one, percentage points")
    figure.legend(loc="outside upper left", ncols=4)
    return figure
