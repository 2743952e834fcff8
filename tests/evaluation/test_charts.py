import re

import numpy as np
import pytest

from broadlearn.evaluation.charts import (
    BOTTOM,
    HEIGHT,
    LEFT,
    MAX_DOTS,
    RIGHT,
    TOP,
    WIDTH,
    curve_chart,
    reliability_chart,
    round_values,
    scatter_chart,
    x_scale,
    y_scale,
)
from broadlearn.evaluation.curves import Bin, Curve


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-3.2, 118.0), (1e-5, 4e-5), (-1e9, 2e9)])
def test_ticks_are_few_round_and_within(low, high):
    found = round_values(low, high)
    assert 2 <= len(found) <= 6
    assert low - 1e-9 * abs(low) <= found[0]
    assert found[-1] <= high * (1 + 1e-9)
    assert all(len(f"{value:g}") <= 7 for value in found)


def test_scales_end_where_the_frame_does():
    assert x_scale(2.0, 4.0)(np.array([2.0, 3.0, 4.0, 9.0])).tolist() == [
        LEFT,
        (LEFT + WIDTH - RIGHT) / 2,
        WIDTH - RIGHT,
        WIDTH - RIGHT,
    ]
    assert y_scale(0.0, 1.0)(np.array([0.0, 1.0])).tolist() == [HEIGHT - BOTTOM, TOP]


def test_curves_have_a_legend_and_guesses():
    x = np.linspace(0.0, 1.0, 5)
    curves = [Curve(name, x, x**2, 0.33, 0.2) for name in "ab"]
    roc = curve_chart(curves, "ROC", "x", "y", True, "caption")
    assert [line.style for line in roc.lines] == ["guess", "curve g0", "curve g1"]
    assert [(line.name, line.figure) for line in roc.lines[1:]] == [("a", "0.330"), ("b", "0.330")]
    other = curve_chart(curves, "PR", "x", "y", False, "caption")
    assert [line.style.split()[0] for line in other.lines] == ["guess", "guess", "curve", "curve"]


def test_a_reliability_chart_has_a_dot_and_an_interval_for_each_bin():
    bins = [Bin(0.1, 0.2, 0.1, 0.3, 10), Bin(0.9, 0.8, 0.7, 0.9, 1000)]
    chart = reliability_chart(bins, "Reliability", "probability", "caption")
    assert [line.style for line in chart.lines] == ["guess", "reach", "reach", "curve g0"]
    assert chart.dots[1][2] == "1,000 rows: 0.900 expected, 0.800 came true"


@pytest.mark.parametrize("n", [1, 30, 5000])
def test_a_scatter_has_a_dot_for_each_row_or_for_some(n):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, n))
    chart = scatter_chart(x, y, [("guess", x[[0, -1]], y[[0, -1]])], ("a", "b", "c"), "caption")
    places = re.findall(r"M([\d.]+) ([\d.]+)h0", chart.lines[0].path)
    assert len(places) == min(n, MAX_DOTS)
    across = [float(a) for a, _ in places]
    assert LEFT <= min(across)
    assert max(across) <= WIDTH - RIGHT
