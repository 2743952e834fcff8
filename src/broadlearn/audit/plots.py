"""Pictures of an audit: the plane of the scores, their histogram, and the rows projected."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from broadlearn.utils import Array, label

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, without the yellow, which white swallows.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "^", "s", "v", "D", "P", "X")
LINES = ("-", "--", "-.", ":")
POINTS: dict[str, Any] = {"alpha": 0.6, "linewidths": 0, "rasterized": True}
# More points than this hide each other.
MAX_POINTS = 4000
REST = "other classes"

Groups = Sequence[tuple[str, NDArray[np.bool_]]]


def draw_audit(table: pd.DataFrame, projection: Array) -> Figure:
    """Three panels: membership against non-membership, scores by class, rows in two dimensions.

    `projection` has the places of the rows in the order of X, not of `table`.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError('Pictures need matplotlib: pip install "broadlearn[study]".') from error
    groups = _groups(table["label"].to_numpy())
    shown = np.linspace(0, len(table) - 1, min(len(table), MAX_POINTS)).astype(np.intp)
    figure = Figure(figsize=(13.0, 4.4), layout="constrained")
    plane, histogram, places = figure.subplots(1, 3)
    _draw_plane(plane, table, groups, shown)
    _draw_histogram(histogram, table["score"].to_numpy(), groups)
    _draw_places(places, table, projection, shown)
    handles, labels = plane.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=8, frameon=False, markerscale=2.0
    )
    return figure


def _draw_plane(axes: Axes, table: pd.DataFrame, groups: Groups, shown: NDArray[np.intp]) -> None:
    axes.fill([0.0, 0.5, 0.0], [0.0, 0.5, 1.0], color="#DDDDDD", zorder=0, label="score 0: ν ≥ θ")
    axes.plot([0.0, 0.5], [0.0, 0.5], color="#777777", linewidth=0.8, zorder=1)
    theta, nu = table["membership"].to_numpy(), table["nonmembership"].to_numpy()
    for (name, members), color, marker in zip(groups, COLORS, MARKERS, strict=False):
        rows = shown[members[shown]]
        axes.scatter(theta[rows], nu[rows], 12, color, marker=marker, label=name, **POINTS)
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="membership θ", ylabel="non-membership ν")
    axes.set_title("Trust in each row")


def _draw_histogram(axes: Axes, score: Array, groups: Groups) -> None:
    edges = np.linspace(0.0, 1.0, 26).tolist()
    for (_, members), color, line in zip(groups, COLORS, cycle(LINES), strict=False):
        axes.hist(
            score[members], edges, histtype="step", color=color, linestyle=line, linewidth=1.5
        )
    axes.set(xlim=(0, 1), xlabel="score", ylabel="rows")
    axes.set_title("Scores by class")


def _draw_places(
    axes: Axes, table: pd.DataFrame, projection: Array, shown: NDArray[np.intp]
) -> None:
    # The least suspect rows first, so that they do not hide the others.
    rows = shown[::-1]
    x, y = projection[table.index.to_numpy()[rows]].T
    suspect = (table["verdict"] != "fine").to_numpy()[rows]
    points = axes.scatter(
        x,
        y,
        c=table["score"].to_numpy()[rows],
        s=14,
        cmap="cividis",
        vmin=0.0,
        vmax=1.0,
        linewidths=np.where(suspect, 0.8, 0.0).tolist(),
        edgecolors="#D55E00",
        rasterized=True,
    )
    axes.figure.colorbar(points, ax=axes, label="score")
    axes.set(xlabel="first principal component", ylabel="second principal component")
    axes.set_title("All columns in two (ringed: not fine)")


def _groups(labels: NDArray[Any]) -> list[tuple[str, NDArray[np.bool_]]]:
    """Names and rows of the classes; the smallest share a group where there are many."""
    classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    single = np.arange(classes.size)
    if classes.size > len(COLORS):
        single = np.sort(np.argsort(-counts, kind="stable")[: len(COLORS) - 1])
    groups = [(label(classes[c]), codes == c) for c in single]
    if single.size < classes.size:
        groups.append((REST, ~np.isin(codes, single)))
    return groups
