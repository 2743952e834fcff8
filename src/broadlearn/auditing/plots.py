"""A picture of an audit: suspicion by class, and a map of the rows with the suspects marked."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from broadlearn.auditing.findings import MISLABELLED
from broadlearn.utils import Array, label, spread_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from broadlearn.auditing.result import Audit

# Okabe and Ito's colours without yellow, which is hard to see on white; grey for other classes.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7A5195", "#8A8A8A")
LINES = ("-", "--", "-.", ":")
# More points than this hide each other.
MAX_POINTS = 4000


def draw_audit(audit: Audit) -> Figure:
    """Draw suspicion by class, and the rows in two dimensions, likely mislabelled ones ringed."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError('Pictures need matplotlib: pip install "broadlearn[study]".') from error
    figure = Figure(figsize=(11.0, 4.6), layout="constrained")
    histogram, places = figure.subplots(1, 2)
    x, y = _map(audit.rows.Z).T
    drawn = spread_rows(audit.rows.size, MAX_POINTS)
    flagged = np.zeros(audit.rows.size, dtype=bool)
    flagged[audit.table.loc[audit.table["verdict"] == MISLABELLED, "position"]] = True
    for (name, members), color, line in zip(_groups(audit), COLORS, cycle(LINES), strict=False):
        style: dict[str, Any] = {"color": color, "linestyle": line, "linewidth": 1.5}
        values = audit.evidence.suspicion[members]
        histogram.hist(values, range=(0, 1), histtype="step", log=True, label=label(name), **style)
        dots = drawn[members[drawn]]
        places.plot(x[dots], y[dots], ".", color=color, markersize=3, label=label(name))
        rings = members & flagged
        places.plot(x[rings], y[rings], "o", markerfacecolor="none", color=color, markersize=7)
    histogram.set(xlim=(0, 1), xlabel="probability that the label is wrong", ylabel="rows")
    histogram.yaxis.set_major_formatter("{x:,.0f}")
    places.set(xticks=[], yticks=[], xlabel="rows by principal components; rings: mislabelled")
    if not audit.rows.is_regression:
        figure.legend(*histogram.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def _groups(audit: Audit) -> list[tuple[str, NDArray[np.bool_]]]:
    """Return the largest classes with their rows, and the others together."""
    rows = audit.rows
    if rows.is_regression:
        return [("rows", np.ones(rows.size, dtype=bool))]
    order = np.argsort(-np.bincount(rows.codes), kind="stable")
    most = len(COLORS) if len(order) <= len(COLORS) else len(COLORS) - 1
    groups = [(str(rows.classes[c]), rows.codes == c) for c in order[:most]]
    if len(order) > most:
        groups.append(("other classes", np.isin(rows.codes, order[most:])))
    return groups


def _map(Z: Array) -> Array:
    """Return the first two principal components; the few far out are moved to the edge."""
    places = np.zeros((len(Z), 2))
    n_components = min(2, *Z.shape)
    if np.ptp(Z, axis=0).any():
        places[:, :n_components] = PCA(n_components, random_state=0).fit_transform(Z)
    low, high = np.quantile(places, [0.005, 0.995], axis=0)
    margin = 0.1 * (high - low)
    return np.clip(places, low - margin, high + margin)
