"""Charts of an evaluation as coordinates, for a template to draw as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from broadlearn.evaluation.curves import Bin, Curve
from broadlearn.utils import Array, spread_rows

WIDTH, HEIGHT = 400, 310
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 10, 44
# More points than this hide each other.
MAX_DOTS = 2000
N_TICKS = 5


class Line(NamedTuple):
    """A path with the class that colours it, and what a legend says of it, if anything."""

    style: str
    path: str
    name: str = ""
    figure: str = ""


class Chart(NamedTuple):
    """A chart: lines and dots between two axes with ticks (place and text)."""

    title: str
    x_label: str
    y_label: str
    x_ticks: list[tuple[float, str]]
    y_ticks: list[tuple[float, str]]
    lines: list[Line]
    dots: list[tuple[float, float, str]]
    caption: str


class Scale(NamedTuple):
    """The range of an axis, and where it is drawn."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, values: Array | float) -> Array:
        """Places of values, those beyond the range on its edge."""
        share = (np.asarray(values, dtype=np.float64) - self.low) / (self.high - self.low)
        return np.asarray(self.start + np.clip(share, 0.0, 1.0) * (self.end - self.start))

    def ticks(self) -> list[tuple[float, str]]:
        """Places and texts of round values."""
        return [(float(self(value)), f"{value:g}") for value in round_values(self.low, self.high)]


def x_scale(low: float, high: float) -> Scale:
    """The horizontal axis of a chart."""
    return Scale(low, high, LEFT, WIDTH - RIGHT)


def y_scale(low: float, high: float) -> Scale:
    """The vertical axis of a chart, upwards."""
    return Scale(low, high, HEIGHT - BOTTOM, TOP)


def round_values(low: float, high: float) -> list[float]:
    """Some round values in a range, at most six.

    Examples
    --------
    >>> round_values(0.0, 1.0), round_values(-3.2, 118.0)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 50.0, 100.0])
    """
    rough = (high - low) / N_TICKS
    power = 10.0 ** np.floor(np.log10(rough))
    step = power * next(m for m in (1.0, 2.0, 5.0, 10.0) if m * power >= 0.999 * rough)
    first = int(np.ceil(low / step - 1e-9))
    last = int(np.floor(high / step + 1e-9))
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def path_of(x: Array, y: Array) -> str:
    """A line through places.

    Examples
    --------
    >>> import numpy as np
    >>> path_of(np.array([0.0, 10.0]), np.array([5.0, 2.25]))
    'M0.0 5.0L10.0 2.2'
    """
    points = [f"{a:.1f} {b:.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    return "M" + "L".join(points)


def curve_chart(
    curves: Sequence[Curve], title: str, x_label: str, y_label: str, diagonal: bool, caption: str
) -> Chart:
    """Curves between 0 and 1, with what guessing gives as a dashed line."""
    across, up = x_scale(0.0, 1.0), y_scale(0.0, 1.0)
    corner = np.array([0.0, 1.0])
    lines = []
    for k, curve in enumerate(curves):
        guess = corner if diagonal else np.repeat(curve.base, 2)
        if not diagonal or not k:
            lines.append(Line(f"guess g{k}" if not diagonal else "guess", _path(corner, guess)))
    lines += [
        Line(f"curve g{k}", path_of(across(c.x), up(c.y)), c.name, f"{c.figure:.3f}")
        for k, c in enumerate(curves)
    ]
    return Chart(title, x_label, y_label, across.ticks(), up.ticks(), lines, [], caption)


def reliability_chart(bins: Sequence[Bin], title: str, x_label: str, caption: str) -> Chart:
    """Dots with their intervals beside the diagonal."""
    across, up = x_scale(0.0, 1.0), y_scale(0.0, 1.0)
    corner = np.array([0.0, 1.0])
    lines = [Line("guess", _path(corner, corner))]
    dots = []
    for each in bins:
        x = float(across(each.mean))
        lines.append(Line("reach", path_of(np.array([x, x]), up(np.array([each.low, each.high])))))
        says = f"{each.n_rows:,} rows: {each.mean:.3f} expected, {each.share:.3f} came true"
        dots.append((x, float(up(each.share)), says))
    means = np.array([each.mean for each in bins])
    shares = np.array([each.share for each in bins])
    lines.append(Line("curve g0", path_of(across(means), up(shares))))
    y_label = "share that came true"
    return Chart(title, x_label, y_label, across.ticks(), up.ticks(), lines, dots, caption)


def scatter_chart(
    x: Array,
    y: Array,
    guides: Sequence[tuple[str, Array, Array]],
    labels: tuple[str, str, str],
    caption: str,
    same_scale: bool = False,
) -> Chart:
    """Dots, some of them if there are many, and straight lines through values.

    `guides` are a style and the values at both ends; `labels` the title and those of the axes.
    """
    some = spread_rows(len(x), MAX_DOTS)
    horizontal, vertical = _range(x), _range(y)
    if same_scale:
        low, high = min(horizontal[0], vertical[0]), max(horizontal[1], vertical[1])
        horizontal = vertical = (low, high)
    across, up = x_scale(*horizontal), y_scale(*vertical)
    places = zip(across(x[some]).tolist(), up(y[some]).tolist(), strict=True)
    cloud = "".join(f"M{a:.1f} {b:.1f}h0" for a, b in places)
    lines = [Line("cloud", cloud)]
    lines += [Line(style, path_of(across(a), up(b))) for style, a, b in guides]
    return Chart(labels[0], labels[1], labels[2], across.ticks(), up.ticks(), lines, [], caption)


def _path(x: Array, y: Array) -> str:
    return path_of(x_scale(0.0, 1.0)(x), y_scale(0.0, 1.0)(y))


def _range(values: Array) -> tuple[float, float]:
    """Smallest and largest value with some room, never the same."""
    low, high = float(values.min()), float(values.max())
    room = 0.04 * (high - low) or 0.5 * max(abs(low), 1.0)
    return low - room, high + room
