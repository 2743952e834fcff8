"""Accuracy against the level of noise: the mean over data sets, and data set by data set."""

from __future__ import annotations

from itertools import cycle

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.isotonic import isotonic_regression

from broadlearn.study.metrics import Metric
from broadlearn.study.noise import parse_noise
from broadlearn.study.report.drawing import COLORS, finish, line_styles, panels, study_style
from broadlearn.study.report.pooling import (
    accuracies,
    conditions,
    in_order,
    metric_of,
    noises_of,
)
from broadlearn.study.report.protocol_words import PROTOCOL_TITLES
from broadlearn.utils import label

# Always in colour, besides the model that is first at any level: what this library recommends, and
# what the published study does.
OURS = {"Ensemble": "#0072B2", "IF-BLS": "#D55E00"}
LEADERS = tuple(color for color in COLORS if color not in OURS.values())
GREY = "#8A8A8A"
CURVE_NAMES = {
    "labels": "labels flipped",
    "class-labels": "labels of each class flipped",
    "outliers": "rows outlying",
    "rows": "rows replaced by noise",
    "variance": "rows with noise, by variance",
    "deviation": "rows with noise, by deviation",
}
# Inches: width of a panel, its frame above and below the curves, and the height of a name.
PANEL_WIDTH, MARGIN, NAME_HEIGHT = 4.2, 0.75, 0.17


def noise_kinds(cells: pd.DataFrame, protocol: str) -> list[tuple[str, str]]:
    """Kinds of noise of a protocol and where they were added, each a figure of its own."""
    noises = map(parse_noise, noises_of(cells, protocol))
    return sorted({(noise.kind, noise.where) for noise in noises if noise.kind != "none"})


def title(kind: str, where: str) -> str:
    """What a kind of noise is, as headings say it.

    Examples
    --------
    >>> title("labels", "train")
    'Training labels flipped'
    """
    name = f"training {CURVE_NAMES[kind]}" if where == "train" else CURVE_NAMES[kind]
    return name[0].upper() + name[1:]


def mean_curves(cells: pd.DataFrame, protocol: str, kind: str, where: str) -> pd.DataFrame:
    """Mean accuracy over data sets, levels in percent × models, over what all of them have.

    Level 0 is the data as they are, where they were tried. Empty if no data set has all.
    """
    levels = _levels(cells, protocol, kind, where)
    tables, _ = conditions(cells, protocol, list(levels))
    curves = pd.DataFrame({levels[noise]: table.mean() for noise, table in tables.items()}).T
    return curves.dropna()


@study_style()
def mean_curves_figure(
    cells: pd.DataFrame, protocol: str, kind: str, where: str, limits: tuple[float, float]
) -> Figure | None:
    """The mean curves of one kind of noise, each with its name; None below two levels.

    Parameters
    ----------
    cells : DataFrame
        From `pool`.
    protocol : str
    kind, where : str
        Of the noise.
    limits : tuple of float
        Of the accuracy, see `curve_limits`: the same for all kinds, so that they can be compared.
    """
    curves = mean_curves(cells, protocol, kind, where)
    if len(curves) < 2:
        return None
    models = curves.columns[curves.iloc[-1].argsort(kind="stable")]
    metric = metric_of(cells)
    colors = _colors(metric.sign * curves)
    height = max(2.6, NAME_HEIGHT * len(models))
    figure = Figure(figsize=(PANEL_WIDTH, height + MARGIN), layout="constrained")
    axes = figure.subplots()
    for model in models:
        ours = model in colors
        axes.plot(
            curves.index,
            curves[model],
            color=colors.get(model, GREY),
            linewidth=2.2 if ours else 1.1,
            marker="o",
            markersize=5 if ours else 3,
            zorder=3 if ours else 2,
            label=label(model),
        )
    axes.set(xlim=(curves.index[0], curves.index[-1]), ylim=limits)
    axes.set_xticks(curves.index, [f"{level:g}" for level in curves.index])
    axes.set_xlabel(f"{title(kind, where).lower()}, %")
    axes.set_ylabel(f"mean {_axis(metric)}")
    axes.grid(axis="x", visible=False)
    _name(axes, curves[models].iloc[-1], colors, (limits[1] - limits[0]) * NAME_HEIGHT / height)
    return figure


def curve_limits(cells: pd.DataFrame, protocol: str) -> tuple[float, float]:
    """Lowest and highest mean accuracy of all kinds of noise, with some room."""
    found = [mean_curves(cells, protocol, *kind) for kind in noise_kinds(cells, protocol)]
    values = np.concatenate([curves.to_numpy().ravel() for curves in found])
    low, high = (values.min(), values.max()) if values.size else (0.0, 100.0)
    room = max(0.04 * (high - low), 0.005 * metric_of(cells).scale)
    return float(low - room), float(high + room)


def _axis(metric: Metric) -> str:
    return f"{metric.words}, %" if metric.percent else metric.words


def _colors(curves: pd.DataFrame) -> dict[str, str]:
    """Ours, and those that are first at some level, by the order of the columns."""
    first = curves.round(10).eq(curves.round(10).max(axis=1), axis=0).any()
    colors = {model: OURS[model] for model in curves.columns if model in OURS}
    others = [model for model in curves.columns if first[model] and model not in OURS]
    return colors | dict(zip(others, cycle(LEADERS), strict=False))


def _name(axes: Axes, ends: pd.Series, colors: dict[str, str], gap: float) -> None:
    """Write names beside the ends of curves, from the lowest up, apart by at least a line."""
    steps = gap * np.arange(len(ends))
    heights = isotonic_regression(ends.to_numpy() - steps) + steps
    # Names neither leave the panel at the top nor, unless they must, at the bottom.
    low, high = axes.get_ylim()
    heights -= max(heights[-1] - high, 0.0)
    heights += max(low - heights[0], 0.0)
    left, right = axes.get_xlim()
    start, stop = right + 0.02 * (right - left), right + 0.07 * (right - left)
    for (model, end), height in zip(ends.items(), heights, strict=True):
        color = colors.get(model, GREY)
        axes.plot([start, stop], [end, height], color=color, linewidth=0.7, clip_on=False)
        axes.text(
            right + 0.085 * (right - left),
            height,
            label(model),
            color=color if model in colors else "#555555",
            weight="bold" if model in colors else "normal",
            va="center",
        )


@study_style()
def noise_figure(cells: pd.DataFrame, protocol: str, kind: str, where: str) -> Figure:
    """Accuracy of each model against the level of noise, 0 for none; one panel per data set."""
    levels = {
        level: accuracies(cells, protocol, noise)
        for noise, level in _levels(cells, protocol, kind, where).items()
    }
    noisy = [table for level, table in levels.items() if level]
    datasets = sorted({dataset for table in noisy for dataset in table.index})
    models = in_order({model for table in noisy for model in table.columns})
    styles = line_styles(models)
    figure, axes = panels(len(datasets))
    for axis, dataset in zip(axes, datasets, strict=True):
        for model in models:
            curve = {
                level: table.loc[dataset, model]
                for level, table in levels.items()
                if dataset in table.index and model in table.columns
            }
            axis.plot(list(curve), list(curve.values()), label=label(model), **styles[model])
        axis.set_title(label(dataset))
    rows = "training rows" if where == "train" else "all rows"
    title = f"{kind} noise on {rows}, {PROTOCOL_TITLES[protocol]}"
    finish(figure, axes, title, "noise, %", _axis(metric_of(cells)))
    return figure


def _levels(cells: pd.DataFrame, protocol: str, kind: str, where: str) -> dict[str, float]:
    """Noises of one kind with their levels in percent, lowest first; none is 0."""
    parsed = {noise: parse_noise(noise) for noise in noises_of(cells, protocol)}
    return {
        text: 100 * noise.level
        for text, noise in parsed.items()
        if noise.kind == "none" or (noise.kind, noise.where) == (kind, where)
    }
