"""Figures of a study, drawn by Matplotlib, as SVG and PDF."""

from __future__ import annotations

import io
from collections.abc import Sequence
from importlib.resources import files

import matplotlib.style
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from broadlearn.study.protocols import PRINTED_GROUPS
from broadlearn.study.report.cells import NOISE_NAMES, Cells, in_order
from broadlearn.study.statistics import nemenyi
from broadlearn.utils import label

# Of a figure, in inches.
WIDTH = 12.0
SETTING_NAMES = {"C": "C", "n_feature_nodes": "feature nodes per group p"}
# The style of the report, whatever the user's settings are; as a decorator or a context.
STUDY_STYLE = matplotlib.style.context(
    ["default", str(files("broadlearn.study.report") / "templates" / "study.mplstyle")]
)


def _panels(n: int, height: float) -> tuple[Figure, list[Axes]]:
    """Make a figure with `n` panels, four in a row; the rest of the last row stays empty."""
    n_columns = min(n, 4)
    n_rows = -(-n // n_columns)
    figure = Figure(figsize=(WIDTH, height * n_rows + 0.9), layout="constrained")
    grid = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for axes in grid[n:]:
        axes.remove()
    return figure, list(grid[:n])


def _finish(figure: Figure, axes: Sequence[Axes], xlabel: str, ylabel: str) -> None:
    """Add names of the axes, and one legend for all panels."""
    handles, names = axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=min(len(names), 8))
    figure.supylabel(ylabel, fontsize="medium")
    for axis in axes:
        axis.set_xlabel(xlabel)


@STUDY_STYLE
def mean_curves_figure(cells: Cells) -> Figure | None:
    """Draw the mean over data sets against the level of noise, a panel per kind of noise.

    None if no data set has all levels.
    """
    curves = {}
    for kind, levels in cells.levels().items():
        tables, _ = cells.conditions(list(levels))
        curve = pd.DataFrame({levels[n]: table.mean() for n, table in tables.items()}).T.dropna()
        if len(curve) > 1:
            curves[kind] = curve
    if not curves:
        return None
    figure, axes = _panels(len(curves), height=3.4)
    for axis, ((noise, where), curve) in zip(axes, curves.items(), strict=True):
        for model in curve:
            axis.plot(curve.index, curve[model], label=label(model))
        axis.set_xticks(curve.index)
        axis.set_title(f"{'training ' if where == 'train' else ''}{NOISE_NAMES[noise]}")
    unit = ", %" if cells.metric.unit else ""
    _finish(figure, axes, "level of noise, %", f"mean {cells.metric.words}{unit}")
    return figure


@STUDY_STYLE
def critical_difference_figure(cells: Cells) -> Figure:
    """Draw mean ranks on a line, with bars over models that Nemenyi's test does not separate."""
    result = nemenyi(cells.merits())
    mean_ranks, width = result.mean_ranks, result.critical_difference
    k = len(mean_ranks)
    n_left = (k + 1) // 2
    # Heights in units of a line of text: the axis at 0, bars and names below, the scale above.
    first_name = 0.9 + 0.55 * len(result.cliques)
    bottom = first_name + n_left - 0.3
    figure = Figure(figsize=(WIDTH, 0.27 * (bottom + 2.5)), layout="constrained")
    axes = figure.subplots()
    axes.set_axis_off()
    margin = 0.25 * max(k - 1, 1)
    axes.set(xlim=(1 - margin, max(k, 1 + width) + margin), ylim=(bottom, -2.5))
    axes.hlines(0, 1, k, "black", linewidth=1.0)
    axes.vlines(range(1, k + 1), -0.2, 0, "black", linewidth=1.0)
    for tick in range(1, k + 1):
        axes.text(tick, -0.35, str(tick), ha="center", va="bottom")
    for i, (model, rank) in enumerate(mean_ranks.items()):
        on_left = i < n_left
        height = first_name + (i if on_left else k - 1 - i)
        edge = 1 - 0.08 * margin if on_left else k + 0.08 * margin
        axes.vlines(rank, 0, height, "black", linewidth=1.0)
        axes.hlines(height, rank, edge, "black", linewidth=1.0)
        axes.text(
            edge + (-0.03 if on_left else 0.03) * margin,
            height,
            f"{label(model)}  {rank:.2f}" if on_left else f"{rank:.2f}  {label(model)}",
            ha="right" if on_left else "left",
            va="center",
        )
    for i, clique in enumerate(result.cliques):
        reach = mean_ranks[list(clique)]
        height = 0.55 + 0.55 * i
        axes.hlines(height, reach.min() - 0.05, reach.max() + 0.05, "#D55E00", linewidth=4.0)
    axes.errorbar(1 + width / 2, -1.4, xerr=width / 2, color="black", fmt="none", capsize=3)
    axes.text(1, -1.7, f"critical difference {width:.2f}", va="bottom")
    return figure


@STUDY_STYLE
def setting_figure(sensitivity: pd.DataFrame, setting: str) -> Figure | None:
    """Draw the best accuracy for each value of a setting, one panel per data set.

    None if no model has two values of the setting.
    """
    varied = sensitivity[sensitivity[setting].notna()]
    varied = varied[varied.groupby(["dataset", "model"])[setting].transform("nunique") > 1]
    if varied.empty:
        return None
    best = varied.loc[varied.groupby(["dataset", "model", setting])["mean"].idxmax()]
    datasets = sorted(set(best["dataset"]))
    figure, axes = _panels(len(datasets), height=3.0)
    for axis, dataset in zip(axes, datasets, strict=True):
        for model in in_order(best["model"]):
            curve = best[(best["dataset"] == dataset) & (best["model"] == model)]
            axis.errorbar(
                curve[setting],
                100 * curve["mean"],
                yerr=100 * curve["sd"].fillna(0.0),
                label=label(model),
                capsize=2.0,
                elinewidth=0.8,
            )
        axis.set_xscale("log" if setting == "C" else "linear")
        axis.set_title(label(dataset))
    _finish(figure, axes, SETTING_NAMES[setting], "accuracy, %")
    return figure


@STUDY_STYLE
def surface_figure(sensitivity: pd.DataFrame) -> Figure | None:
    """Draw the accuracy over kernel width and C, one map per number of groups.

    None unless there are two kernel widths and two values of C.
    """
    rows = sensitivity.dropna(subset=["kernel_width", "C"]).fillna({"n_feature_groups": 0.0})
    if rows["kernel_width"].nunique() < 2 or rows["C"].nunique() < 2:
        return None
    best = 100 * rows.groupby(["n_feature_groups", "kernel_width", "C"])["mean"].max()
    numbers = best.index.levels[0]
    groups = [m for m in numbers if m in PRINTED_GROUPS] or list(numbers[: len(PRINTED_GROUPS)])
    limits = {"vmin": best[groups].min(), "vmax": best[groups].max()}
    figure = Figure(figsize=(WIDTH, 3.3), layout="constrained")
    axes = figure.subplots(1, len(groups), squeeze=False, sharex=True, sharey=True)[0]
    for axis, m in zip(axes, groups, strict=True):
        surface = best[m].unstack("C")
        x, y = np.log10(surface.columns), np.log2(surface.index)
        image = axis.pcolormesh(x, y, surface.to_numpy(), cmap="cividis", **limits)
        axis.set_facecolor("#BBBBBB")
        axis.grid(visible=False)
        width, C = best[m].idxmax()
        ring = {"marker": "o", "ms": 9, "mfc": "none"}
        axis.plot(np.log10(C), np.log2(width), mec="white", mew=2.4, **ring)
        axis.plot(np.log10(C), np.log2(width), mec="black", mew=1.0, **ring)
        axis.locator_params(integer=True)
        axis.set_xlabel("log₁₀ C")
        axis.set_title(f"m = {m:g}, best {best[m].max():.1f} %" if m else "")
    figure.colorbar(image, ax=list(axes), label="accuracy, %", pad=0.02)
    axes[0].set_ylabel("log₂ of the kernel width μ")
    return figure


@STUDY_STYLE
def saved(figure: Figure, form: str) -> bytes:
    """Return the figure as a file, "svg" or "pdf", with the same bytes every time."""
    stream = io.BytesIO()
    date = {"svg": "Date", "pdf": "CreationDate"}[form]
    figure.savefig(stream, format=form, metadata={date: None})
    return stream.getvalue()
