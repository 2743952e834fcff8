"""Pictures of an audit: suspicion by class, and a map of the rows with the suspects marked."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.auditing.findings import FINE, MISLABELLED
from broadlearn.utils import Array, label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from broadlearn.auditing.result import Audit

# Okabe and Ito's colours, without the yellow, which white swallows; grey for the rest.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7A5195", "#8A8A8A")
LINES = ("-", "--", "-.", ":")
N_BINS = 20
# More points than this hide each other.
MAX_POINTS = 4000
REST = "other classes"


class Group(NamedTuple):
    """A class, or the smallest ones together, and which rows have it as their label."""

    name: str
    members: NDArray[np.bool_]


def draw_audit(audit: Audit) -> Figure:
    """Two panels: suspicion by class, and the rows in two dimensions, suspects with a ring."""
    try:
        from broadlearn.auditing.shown_figure import ShownFigure
    except ImportError as error:
        raise ImportError('Pictures need matplotlib: pip install "broadlearn[study]".') from error
    groups = row_groups(audit)
    figure = ShownFigure(figsize=(11.0, 4.6), layout="constrained")
    histogram, places = figure.subplots(1, 2)
    edges = np.linspace(0.0, 1.0, N_BINS + 1).tolist()
    for group, color, line in zip(groups, COLORS, cycle(LINES), strict=False):
        values = audit.evidence.suspicion[group.members]
        style: dict[str, Any] = {"color": color, "linestyle": line, "linewidth": 1.5}
        histogram.hist(values, edges, histtype="step", log=True, label=label(group.name), **style)
    histogram.set(xlim=(0, 1), xlabel="probability that the label is wrong", ylabel="rows")
    histogram.yaxis.set_major_formatter("{x:,.0f}")
    histogram.set_title("Suspicion by class")
    _draw_places(places, audit, groups)
    handles, names = histogram.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=4, frameon=False)
    return figure


def _draw_places(axes: Axes, audit: Audit, groups: list[Group]) -> None:
    places = map_places(audit.evidence.projection)
    suspects = np.flatnonzero(row_verdicts(audit) != FINE)
    drawn = thinned(len(places))
    for group, color in zip(groups, COLORS, strict=False):
        style: dict[str, Any] = {"color": color, "rasterized": True}
        x, y = places[drawn[group.members[drawn]]].T
        axes.scatter(x, y, s=9, alpha=0.45, linewidths=0, **style)
        x, y = places[suspects[group.members[suspects]]].T
        axes.scatter(x, y, s=26, edgecolors="black", zorder=3, **style)
    axes.set(xticks=[], yticks=[], xlabel="first principal component")
    axes.set(ylabel="second principal component")
    axes.set_title("Rows (ringed: suspect)")


def row_groups(audit: Audit) -> list[Group]:
    """The classes; where there are many, the smallest share a group."""
    rows = audit.evidence.rows
    if rows.is_regression:
        return [Group("all rows", np.ones(rows.codes.size, dtype=bool))]
    order = np.argsort(-np.bincount(rows.codes, minlength=rows.classes.size), kind="stable")
    n_single = order.size if order.size <= len(COLORS) else len(COLORS) - 1
    single = np.sort(order[:n_single])
    groups = [Group(str(rows.classes[c]), rows.codes == c) for c in single]
    if single.size < order.size:
        groups.append(Group(REST, ~np.isin(rows.codes, single)))
    return groups


def suspicion_counts(audit: Audit, group: Group) -> tuple[list[int], list[int]]:
    """Rows of a group by suspicion, in equal bins of [0, 1]: all, and those likely mislabelled."""
    bins = np.minimum((audit.evidence.suspicion * N_BINS).astype(np.intp), N_BINS - 1)
    both = (group.members, group.members & (row_verdicts(audit) == MISLABELLED))
    every, some = (np.bincount(bins[rows], minlength=N_BINS).tolist() for rows in both)
    return every, some


def row_verdicts(audit: Audit) -> NDArray[np.object_]:
    """Verdicts in the order of X."""
    verdicts = np.empty(len(audit.table), dtype=object)
    verdicts[audit.table["position"]] = audit.table["verdict"]
    return verdicts


def thinned(n_rows: int) -> NDArray[np.intp]:
    """At most `MAX_POINTS` rows, evenly spread over the table."""
    return np.linspace(0, n_rows - 1, min(n_rows, MAX_POINTS)).astype(np.intp)


def map_places(projection: Array) -> Array:
    """Where rows are on a map of width and height 1; the few far out are drawn on its edge."""
    low, high = np.quantile(projection, [0.005, 0.995], axis=0)
    width = np.where(high > low, high - low, 1.0)
    return np.clip((projection - low) / width * 0.8 + 0.1, 0.0, 1.0)
