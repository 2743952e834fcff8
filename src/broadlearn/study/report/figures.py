"""Figures of a study's results: optimism, critical difference, seeds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from broadlearn.study.report.drawing import FIGURE_WIDTH, line_styles, study_style
from broadlearn.study.report.pooling import in_order, merits, metric_of, optimism
from broadlearn.study.report.protocol_words import PROTOCOL_TITLES, protocols_to_subtract
from broadlearn.study.statistics import nemenyi
from broadlearn.utils import Array, label


@study_style()
def optimism_figure(cells: pd.DataFrame) -> Figure:
    """How much more accurate each model looks with settings chosen on the test folds."""
    outside, inside = protocols_to_subtract()
    points = optimism(cells)
    figure = _strips(
        {model: points[model].dropna().to_numpy() for model in points.columns},
        f"accuracy under {outside} less that under {inside}, percentage points",
    )
    figure.axes[0].axvline(0.0, color="#555555", linewidth=1.0)
    figure.suptitle(f"protocols: {outside} less {inside}", x=0.01, ha="left")
    return figure


@study_style()
def seed_figure(units: pd.DataFrame, protocol: str) -> Figure | None:
    """How much the accuracy of a model on a data set varies between seeds; None with one seed."""
    chosen = units[units["done"] & (units["protocol"] == protocol) & (units["noise"] == "none")]
    spread = chosen.groupby(["model", "dataset"])["mean"].std(ddof=1).dropna()
    if spread.empty:
        return None
    metric = metric_of(units)
    spread *= metric.scale
    models = in_order(set(spread.index.get_level_values("model")))
    figure = _strips(
        {model: spread[model].to_numpy() for model in models},
        f"standard deviation of the {metric.words} between seeds"
        + (", percentage points" if metric.percent else ""),
    )
    figure.suptitle(PROTOCOL_TITLES[protocol], x=0.01, ha="left")
    return figure


def _strips(values: Mapping[str, Array], xlabel: str) -> Figure:
    """One line per model: a dot per data set, the quartiles as a box, the mean as a diamond."""
    figure = Figure(figsize=(FIGURE_WIDTH, 0.42 * len(values) + 1.3), layout="constrained")
    axes = figure.subplots()
    styles = line_styles(list(values))
    for i, (model, points) in enumerate(values.items()):
        if points.size == 0:
            continue
        # Dots of neighbouring value are drawn at different heights.
        order = np.argsort(np.argsort(points, kind="stable"))
        heights = i + 0.24 * np.array([-1.0, 0.0, 1.0, -0.5, 0.5])[order % 5]
        left, middle, right = np.quantile(points, [0.25, 0.5, 0.75])
        axes.barh(i, right - left, 0.66, left=left, color="#E8E8E8", edgecolor="#888888", lw=0.7)
        axes.plot([middle, middle], [i - 0.33, i + 0.33], color="#444444", lw=1.6)
        axes.scatter(points, heights, s=13, color=styles[model]["color"], alpha=0.75, lw=0)
        axes.scatter(
            points.mean(), i, s=42, marker="D", color="white", edgecolors="black", lw=1.1, zorder=4
        )
    axes.set_yticks(range(len(values)), [label(model) for model in values])
    axes.set_ylim(len(values) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(xlabel)
    return figure


@study_style()
def critical_difference_figure(cells: pd.DataFrame, protocol: str, noise: str = "none") -> Figure:
    """Mean ranks on a line, with bars over models that Nemenyi's test does not tell apart.

    Parameters
    ----------
    cells : DataFrame
        From `pool`.
    protocol : str
    noise : str, default="none"
    """
    result = nemenyi(merits(cells, protocol, noise))
    mean_ranks = result.mean_ranks
    k = len(mean_ranks)
    n_left = (k + 1) // 2
    n_bars = len(result.cliques)
    # Heights in units of a line of text: the axis at 0, bars and names below, the scale above.
    first_name = 0.9 + 0.55 * n_bars
    bottom = first_name + n_left - 0.3
    figure = Figure(figsize=(FIGURE_WIDTH, 0.27 * (bottom + 2.5)), layout="constrained")
    axes = figure.subplots()
    axes.set_axis_off()
    margin = 0.32 * max(k - 1, 1)
    width = result.critical_difference
    axes.set(xlim=(1 - margin, max(k, 1 + width) + margin), ylim=(bottom, -2.5))
    line: dict[str, Any] = {"color": "black", "linewidth": 1.0, "solid_capstyle": "butt"}
    axes.plot([1, k], [0, 0], **line)
    for tick in range(1, k + 1):
        axes.plot([tick, tick], [-0.2, 0], **line)
        axes.text(tick, -0.35, str(tick), ha="center", va="bottom")
    for i, (model, rank) in enumerate(mean_ranks.items()):
        on_left = i < n_left
        height = first_name + (i if on_left else k - 1 - i)
        edge = 1 - 0.08 * margin if on_left else k + 0.08 * margin
        axes.plot([rank, rank, edge], [0, height, height], **line)
        axes.text(
            edge + (-0.03 if on_left else 0.03) * margin,
            height,
            f"{label(model)}  {rank:.2f}" if on_left else f"{rank:.2f}  {label(model)}",
            ha="right" if on_left else "left",
            va="center",
        )
    for i, clique in enumerate(result.cliques):
        reach = mean_ranks[list(clique)]
        axes.plot(
            [reach.min() - 0.05, reach.max() + 0.05],
            [0.55 + 0.55 * i] * 2,
            color="#D55E00",
            linewidth=4.0,
            solid_capstyle="butt",
        )
    axes.errorbar(1 + width / 2, -1.4, xerr=width / 2, color="black", capsize=3, linewidth=1.0)
    axes.text(1, -1.7, f"critical difference {width:.2f}", va="bottom")
    noisy = "" if noise == "none" else f", noise: {noise}"
    figure.suptitle(
        f"mean ranks on {result.n_datasets} data sets, {PROTOCOL_TITLES[protocol]}{noisy}",
        x=0.01,
        ha="left",
    )
    return figure
