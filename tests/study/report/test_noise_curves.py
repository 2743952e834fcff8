from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from made_up_results import HOSTILE, MODELS, lost, study, unit

from broadlearn.study.report.drawing import to_svg
from broadlearn.study.report.noise_curves import (
    GREY,
    OURS,
    curve_limits,
    mean_curves,
    mean_curves_figure,
    noise_figure,
    noise_kinds,
)
from broadlearn.study.report.pooling import accuracies, check_units, pool

pytestmark = pytest.mark.slow

NOISES = ["variance:0.1:train", "variance:0.05:train", "labels:0.2:all"]
VARIANCE = ("variance", "train")


def pooled(rows):
    return pool(check_units(pd.DataFrame(rows)))


@pytest.fixture(scope="module")
def cells():
    return pooled(study(["x", "y", "z"], noises=NOISES, noisy=["x", "y"]))


def named_lines(axes):
    return {line.get_label(): line for line in axes.lines if not line.get_label().startswith("_")}


def test_noise_kinds(cells):
    assert noise_kinds(cells, "paper") == [("labels", "all"), ("variance", "train")]


def test_means_are_over_the_data_sets_that_have_all_levels(cells):
    curves = mean_curves(cells, "nested", *VARIANCE)
    assert list(curves.index) == [0, 5, 10]
    for level, noise in zip(curves.index, ("none", *sorted(NOISES[:2])), strict=True):
        expected = accuracies(cells, "nested", noise).loc[["x", "y"]].mean()
        np.testing.assert_allclose(curves.loc[level, list(MODELS)], expected[list(MODELS)])


def test_a_data_set_that_lost_a_model_takes_no_part():
    rows = [
        unit(dataset, model, "nested", noise=noise, mean=0.7 + 0.1 * (dataset == "x"))
        for dataset in "xy"
        for model in ("A", "B")
        for noise in ("none", "labels:0.1:train")
    ]
    rows[-1] |= lost()
    cells = pooled(rows)
    np.testing.assert_allclose(mean_curves(cells, "nested", "labels", "train"), 80.0)
    nothing = pooled([unit("x", "A", "nested", noise="labels:0.1:train", **lost())])
    assert mean_curves(nothing, "nested", "labels", "train").empty
    assert curve_limits(nothing, "nested")[0] < curve_limits(nothing, "nested")[1]
    limits = curve_limits(cells, "nested")
    assert mean_curves_figure(nothing, "nested", "labels", "train", limits) is None


def test_one_level_is_no_curve():
    cells = pooled([unit("x", "A", "nested", noise="labels:0.1:train")])
    assert mean_curves_figure(cells, "nested", "labels", "train", (0.0, 100.0)) is None


def test_ours_and_the_first_are_in_colour():
    means = {"Ensemble": 0.8, "IF-BLS": 0.7, "SVC": 0.9, "ELM": 0.6}
    cells = pooled(
        unit("x", model, "nested", noise=noise, mean=mean)
        for model, mean in means.items()
        for noise in ("none", "outliers:0.2:train")
    )
    limits = curve_limits(cells, "nested")
    figure = mean_curves_figure(cells, "nested", "outliers", "train", limits)
    (axes,) = figure.axes
    lines = named_lines(axes)
    assert set(lines) == set(means)
    assert {model: lines[model].get_color() for model in OURS} == OURS
    assert lines["SVC"].get_color() not in (GREY, *OURS.values())
    assert lines["ELM"].get_color() == GREY
    assert axes.get_xlabel() == "training rows outlying, %"
    assert axes.get_ylim() == limits


def test_names_are_in_the_order_of_the_ends_and_do_not_overlap(cells):
    limits = curve_limits(cells, "nested")
    figure = mean_curves_figure(cells, "nested", *VARIANCE, limits)
    (axes,) = figure.axes
    ends = mean_curves(cells, "nested", *VARIANCE).iloc[-1].sort_values()
    assert [text.get_text() for text in axes.texts] == list(ends.index)
    to_svg(figure, "curves")
    boxes = [text.get_window_extent() for text in axes.texts]
    for lower, upper in pairwise(boxes):
        assert upper.y0 >= lower.y0 + 0.7 * lower.height
    assert all(box.x1 <= figure.bbox.x1 for box in boxes)


def test_limits_are_those_of_all_kinds(cells):
    low, high = curve_limits(cells, "nested")
    for kind in noise_kinds(cells, "nested"):
        curves = mean_curves(cells, "nested", *kind)
        assert low < curves.min(axis=None) <= curves.max(axis=None) < high


def test_noise_curves_show_the_means(cells):
    figure = noise_figure(cells, "paper", *VARIANCE)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["x", "y"]
    for axes, dataset in zip(figure.axes, ["x", "y"], strict=True):
        assert [line.get_label() for line in axes.lines] == list(MODELS)
        for line in axes.lines:
            np.testing.assert_allclose(line.get_xdata(), [0, 5, 10])
            expected = [
                accuracies(cells, "paper", noise).loc[dataset, line.get_label()]
                for noise in ("none", "variance:0.05:train", "variance:0.1:train")
            ]
            np.testing.assert_allclose(line.get_ydata(), expected)
    title = figure._suptitle.get_text()
    assert title == "variance noise on training rows, protocol: paper (optimistic)"


def test_noise_curves_without_clean_results_or_with_lost_ones():
    rows = [
        unit("x", "BLS", "nested", noise="rows:0.1:all"),
        unit("x", "BLS", "nested", noise="rows:0.2:all", **lost()),
        unit("y", "BLS", "nested", noise="rows:0.2:all"),
    ]
    figure = noise_figure(pooled(rows), "nested", "rows", "all")
    (line,) = figure.axes[0].lines
    np.testing.assert_allclose(line.get_ydata(), [80.0, np.nan])


def test_hostile_names():
    cells = pooled(study(HOSTILE, HOSTILE, noises=NOISES[:1], noisy=HOSTILE))
    limits = curve_limits(cells, "nested")
    for figure in (
        noise_figure(cells, "paper", *VARIANCE),
        mean_curves_figure(cells, "nested", *VARIANCE, limits),
    ):
        svg = to_svg(figure, "figure")
        ElementTree.fromstring(svg)
        assert "script" not in svg
