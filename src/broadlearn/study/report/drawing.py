"""What all figures share: style, colours that everyone can tell apart, and SVG for a page."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import Any

import matplotlib.style
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from broadlearn.study.report.pooling import in_order
from broadlearn.study.search_spaces import PUBLISHED_MODELS

PANELS_PER_ROW = 3
FIGURE_WIDTH = 8.4
LETTERS_PER_LEGEND_ROW = 110

# Okabe and Ito's colours, without the yellow, which is lost on white.
COLORS = ("#000000", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#0072B2", "#D55E00")
MARKERS = ("s", "^", "v", "X", "P", "D", "o", "<", ">", "p", "h")
DASHES: tuple[Any, ...] = ("--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (6, 2)), "-")

_STYLE = str(files(__package__) / "templates" / "study.mplstyle")


@contextmanager
def study_style(**settings: Any) -> Iterator[None]:
    """Matplotlib's defaults and the report's own style, whatever the user's settings are."""
    with matplotlib.style.context(["default", _STYLE, settings]):
        yield


def line_styles(models: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Colour, marker and dashes of each model; the published ones always have the same."""
    everyone = in_order({*PUBLISHED_MODELS, *models})
    return {
        model: {
            "color": COLORS[i % len(COLORS)],
            "marker": MARKERS[i % len(MARKERS)],
            "linestyle": DASHES[(i + i // len(DASHES)) % len(DASHES)],
        }
        for i, model in enumerate(everyone)
        if model in models
    }


def panels(n: int, *, height: float = 2.6) -> tuple[Figure, list[Axes]]:
    """A figure with `n` panels, at most three in a row; the rest of the last row stays empty."""
    n_columns = min(n, PANELS_PER_ROW)
    n_rows = -(-n // n_columns)
    figure = Figure(figsize=(FIGURE_WIDTH, height * n_rows + 0.9), layout="constrained")
    grid = figure.subplots(n_rows, n_columns, squeeze=False, sharex=True).ravel()
    for axes in grid[n:]:
        axes.remove()
    # Panels above an empty place are the lowest of their column and need their own numbers.
    for axes in grid[max(n - n_columns, 0) : n]:
        axes.xaxis.set_tick_params(labelbottom=True)
    return figure, list(grid[:n])


def finish(figure: Figure, axes: Sequence[Axes], title: str, xlabel: str, ylabel: str) -> None:
    """Add a title, names of the axes at the edges, and one legend for all panels."""
    handles, labels = axes[0].get_legend_handles_labels()
    fitting = max(LETTERS_PER_LEGEND_ROW // (max(map(len, labels)) + 6), 1)
    n_rows = -(-len(labels) // fitting)
    figure.legend(handles, labels, loc="outside lower center", ncols=-(-len(labels) // n_rows))
    for axis in axes[::PANELS_PER_ROW]:
        axis.set_ylabel(ylabel)
    for axis in axes[-PANELS_PER_ROW:]:
        axis.set_xlabel(xlabel)
    figure.suptitle(title, x=0.01, ha="left")


def to_svg(figure: Figure, name: str, description: str = "") -> Markup:
    """The figure as an SVG element for a page, the same text every time.

    Parameters
    ----------
    figure : Figure
    name : str
        Letters, digits, ``-`` and ``_``; prefixes every id, so that several figures on a page do
        not share shapes.
    description : str, default=""
        Read out by screen readers.

    Returns
    -------
    svg : Markup
        Safe to put in a page.
    """
    if not re.fullmatch(r"[A-Za-z][\w-]*", name, flags=re.ASCII):
        raise ValueError(
            f"name must be letters, digits, '-' and '_' and begin with a letter, got {name!r}."
        )
    stream = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with study_style(**{"svg.hashsalt": name}), warnings.catch_warnings():
        # Letters that the font lacks are drawn as boxes.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(stream, format="svg", metadata=nothing)
    svg = stream.getvalue()
    svg = re.sub(r"<!--.*?-->\s*", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = re.sub(r'(\bid="|\bhref="#|url\(#)', rf"\g<1>{name}-", svg)
    svg = svg.replace("*{stroke", f"#{name} *{{stroke", 1)
    opening = Markup('<svg id="{}" role="img" aria-label="{}"').format(name, description)
    return Markup(f"{opening}{svg.removeprefix('<svg').rstrip()}")
