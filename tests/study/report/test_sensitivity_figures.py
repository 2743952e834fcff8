import numpy as np
import pytest
from made_up_results import HOSTILE, sensitivity

from broadlearn.study.report.drawing import to_svg
from broadlearn.study.report.sensitivity_figures import (
    check_sensitivity,
    setting_figure,
    surface_figure,
)


@pytest.fixture(scope="module")
def settings():
    return check_sensitivity(sensitivity(["x", "y"]))


def test_best_over_other_settings_with_its_deviation(settings):
    figure = setting_figure(settings, "C")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["x", "y"]
    chosen = settings[(settings["dataset"] == "y") & (settings["model"] == "IF-BLS")]
    best = chosen.loc[chosen.groupby("C")["mean"].idxmax()]
    bars = figure.axes[1].containers[1]
    assert bars.get_label() == "IF-BLS"
    line, _, (segments,) = bars.lines
    np.testing.assert_allclose(line.get_ydata().astype(float), 100 * best["mean"])
    np.testing.assert_allclose(line.get_xdata().astype(float), best["C"], rtol=0.5)
    heights = [np.ptp(segment[:, 1]) / 2 for segment in segments.get_segments()]
    np.testing.assert_allclose(heights, 100 * best["sd"])
    assert figure.axes[0].get_xscale() == "log"


def test_accuracy_against_nodes(settings):
    figure = setting_figure(settings, "n_feature_nodes")
    assert figure.axes[0].get_xscale() == "linear"
    assert [tick.get_text() for tick in figure.axes[0].get_xticklabels()] == ["5", "25", "50"]


def test_a_setting_with_one_value_is_not_drawn(settings):
    assert setting_figure(settings[settings["C"] == 1.0], "C") is None


def test_surfaces_for_several_numbers_of_groups(settings):
    figure = surface_figure(settings, "x", "IF-BLS")
    *maps, bar = figure.axes
    titles = [axes.get_title(loc="left") for axes in maps]
    assert [title.split(",")[0] for title in titles] == ["m = 1", "m = 9", "m = 13", "m = 21"]
    chosen = settings[(settings["dataset"] == "x") & (settings["model"] == "IF-BLS")]
    at_9 = chosen[chosen["n_feature_groups"] == 9]
    expected = at_9.groupby(["kernel_width", "C"])["mean"].max().unstack()
    np.testing.assert_allclose(maps[1].images[0].get_array(), 100 * expected)
    assert "2^{-5}" in maps[0].get_yticklabels()[0].get_text()
    assert bar.get_ylabel() == "accuracy, %"


def test_models_without_kernel_width_have_no_surface(settings):
    assert surface_figure(settings, "x", "BLS") is None


def test_missing_settings_leave_holes(settings):
    some = settings.drop(settings[(settings["C"] == 1.0) & (settings["kernel_width"] == 2)].index)
    holes = np.isnan(
        surface_figure(some, "x", "IF-BLS").axes[0].images[0].get_array().filled(np.nan)
    )
    assert holes.sum() == 1


@pytest.mark.slow
def test_hostile_names():
    settings = check_sensitivity(sensitivity(HOSTILE, widths=2, groups=(1,)))
    assert "script" not in to_svg(setting_figure(settings, "C"), "a")
    assert "script" not in to_svg(surface_figure(settings, HOSTILE[0], "IF-BLS"), "b")


def test_bad_frames_are_refused():
    frame = sensitivity(["x"], widths=2, groups=(1,))
    with pytest.raises(ValueError, match="'kernel_width' is not there"):
        check_sensitivity(frame.drop(columns="kernel_width"))
    with pytest.raises(ValueError, match="positive values of 'C'"):
        check_sensitivity(frame.assign(C=0.0))
