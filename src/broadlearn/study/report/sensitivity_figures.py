"""Figures of how accuracy depends on the settings: C, the kernel width, the size of the map."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from broadlearn.study.protocols import SETTINGS
from broadlearn.study.report.drawing import FIGURE_WIDTH, finish, line_styles, panels, study_style
from broadlearn.study.report.pooling import in_order
from broadlearn.utils import Array, label

COLUMNS = ("dataset", "model", *SETTINGS, "mean", "sd")
MAX_SURFACES = 4
LOG_BASES = {"C": 10, "kernel_width": 2}
NAMES = {
    "C": "C",
    "kernel_width": "kernel width μ",
    "n_feature_groups": "feature groups m",
    "n_feature_nodes": "feature nodes per group p",
}
TITLE = "every setting scored on the test folds (protocol: paper)"


def check_sensitivity(frame: pd.DataFrame) -> pd.DataFrame:
    """A copy with plain text names and float settings, or a ValueError that says what is wrong."""
    absent = [column for column in COLUMNS if column not in frame.columns]
    if absent:
        raise ValueError(
            f"sensitivity must have the columns {', '.join(COLUMNS)}; {absent[0]!r} is not there."
        )
    checked = frame[list(COLUMNS)].reset_index(drop=True)
    for column in ("dataset", "model"):
        checked[column] = checked[column].astype(str).astype(object)
    for column in (*SETTINGS, "mean", "sd"):
        checked[column] = pd.to_numeric(checked[column]).astype(np.float64)
    for setting in SETTINGS:
        if (checked[setting] <= 0.0).any():
            raise ValueError(f"sensitivity must have positive values of {setting!r}.")
    known = checked[checked["mean"].notna()]
    return known.sort_values(["dataset", "model", *SETTINGS], ignore_index=True)


@study_style()
def setting_figure(sensitivity: pd.DataFrame, setting: str) -> Figure | None:
    """Accuracy against one setting with error bars, the best of all others; one panel per data set.

    None if no model has two values of the setting.
    """
    known = sensitivity[sensitivity[setting].notna()]
    known = known[known.groupby(["dataset", "model"])[setting].transform("nunique") > 1]
    if known.empty:
        return None
    best = known.loc[known.groupby(["dataset", "model", setting])["mean"].idxmax()]
    datasets = sorted(set(best["dataset"]))
    models = in_order(set(best["model"]))
    styles = line_styles(models)
    base = LOG_BASES.get(setting)
    figure, axes = panels(len(datasets), height=3.0)
    for axis, dataset in zip(axes, datasets, strict=True):
        for i, model in enumerate(models):
            curve = best[(best["dataset"] == dataset) & (best["model"] == model)]
            axis.errorbar(
                _beside(curve[setting], best[setting], base, (i + 0.5) / len(models) - 0.5),
                100 * curve["mean"],
                yerr=100 * curve["sd"].fillna(0.0),
                label=label(model),
                capsize=2.0,
                elinewidth=0.8,
                **styles[model],
            )
        if base:
            axis.set_xscale("log", base=base)
        ticks = _some(sorted(best[setting].unique()))
        axis.set_xticks(ticks, [_power(tick, base) for tick in ticks])
        axis.set_xticks([], minor=True)
        axis.set_title(label(dataset))
    finish(figure, axes, TITLE, NAMES[setting], "accuracy, %")
    return figure


def _beside(values: pd.Series, everyone: pd.Series, base: int | None, share: float) -> Array:
    """Values shifted by a share of a fifth of their least distance, so that bars do not overlap."""
    distinct = np.sort(everyone.unique())
    if base is None:
        return np.asarray(values + share * np.diff(distinct).min() / 5)
    return np.asarray(values * np.exp(share * np.diff(np.log(distinct)).min() / 5))


@study_style()
def surface_figure(sensitivity: pd.DataFrame, dataset: str, model: str) -> Figure | None:
    """Accuracy over kernel width × C as heat maps for several numbers of feature groups.

    None unless the model has two kernel widths and two values of C there.
    """
    chosen = (sensitivity["dataset"] == dataset) & (sensitivity["model"] == model)
    axes_of = ["n_feature_groups", "kernel_width", "C"]
    known = sensitivity[chosen].dropna(subset=["kernel_width", "C"]).fillna({axes_of[0]: 0.0})
    if known["kernel_width"].nunique() < 2 or known["C"].nunique() < 2:
        return None
    best = 100 * known.groupby(axes_of)["mean"].max()
    groups = sorted(known["n_feature_groups"].unique())
    if len(groups) > MAX_SURFACES:
        picked = np.linspace(0, len(groups) - 1, MAX_SURFACES).round().astype(int)
        groups = [groups[i] for i in picked]
    widths, Cs = sorted(known["kernel_width"].unique()), sorted(known["C"].unique())
    surfaces = [best[m].unstack("C").reindex(index=widths, columns=Cs).to_numpy() for m in groups]
    lowest, highest = np.nanmin(surfaces), np.nanmax(surfaces)
    figure = Figure(figsize=(FIGURE_WIDTH, 3.3), layout="constrained")
    axes = figure.subplots(1, len(groups), squeeze=False, sharey=True)[0]
    for axis, m, surface in zip(axes, groups, surfaces, strict=True):
        image = axis.imshow(
            surface, cmap="cividis", vmin=lowest, vmax=highest, origin="lower", aspect="auto"
        )
        axis.set_facecolor("#BBBBBB")
        axis.grid(visible=False)
        row, column = np.unravel_index(np.nanargmax(surface), surface.shape)
        axis.plot(column, row, marker="o", ms=9, mfc="none", mec="white", mew=2.4)
        axis.plot(column, row, marker="o", ms=9, mfc="none", mec="black", mew=1.0)
        ticks = _some(Cs, most=5)
        axis.set_xticks([Cs.index(C) for C in ticks], [_power(C, 10) for C in ticks])
        axis.set_yticks(range(len(widths)), [_power(width, 2) for width in widths])
        axis.set_xlabel(NAMES["C"])
        axis.set_title(f"m = {m:g}, best {np.nanmax(surface):.1f} %" if m else "")
    figure.colorbar(image, ax=list(axes), label="accuracy, %", pad=0.02)
    axes[0].set_ylabel(NAMES["kernel_width"])
    figure.suptitle(f"{label(model)} on {label(dataset)}, {TITLE}", x=0.01, ha="left")
    return figure


def _some(values: list[float], most: int = 6) -> list[float]:
    """Every value, or every second, third, ... so that no more than `most` remain."""
    return values[:: -(-len(values) // most)]


def _power(value: float, base: int | None) -> str:
    """A value as a power of the base where it is one."""
    exponent = round(math.log(value, base)) if base else 0
    if base and math.isclose(value, base**exponent):
        return f"${base}^{{{exponent}}}$"
    return f"{value:g}"
