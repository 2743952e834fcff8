from xml.etree import ElementTree

import numpy as np
import pytest
from made_up_results import HOSTILE, MODELS, study

from broadlearn.study.report.drawing import to_svg
from broadlearn.study.report.figures import (
    critical_difference_figure,
    optimism_figure,
    seed_figure,
)
from broadlearn.study.report.pooling import accuracies, check_units, optimism, pool
from broadlearn.study.statistics import nemenyi

pytestmark = pytest.mark.slow

NOISES = ["variance:0.1:train", "variance:0.05:train", "labels:0.2:all"]
PROTOCOLS = ("paper", "paper-inside", "nested")


@pytest.fixture(scope="module")
def units():
    return check_units(
        study(
            ["x", "y", "z"],
            protocols=PROTOCOLS,
            noises=NOISES,
            noisy=["x", "y"],
            seeds=(0, 1, 2),
        )
    )


@pytest.fixture(scope="module")
def cells(units):
    return pool(units)


def texts(figure):
    found = [text.get_text() for text in figure.texts]
    for axes in figure.axes:
        found += [text.get_text() for text in axes.texts]
        found += [axes.get_title(loc="left")]
        found += [tick.get_text() for tick in axes.get_yticklabels()]
    return found + ([figure._suptitle.get_text()] if figure._suptitle else [])


def test_optimism_has_a_dot_a_data_set(cells):
    figure = optimism_figure(cells)
    points = optimism(cells)
    dots = figure.axes[0].collections[::2]
    for model, dot in zip(MODELS, dots, strict=True):
        np.testing.assert_allclose(dot.get_offsets()[:, 0], points[model])
    assert "protocols: paper less paper-inside" in texts(figure)


def test_variation_between_seeds(units):
    figure = seed_figure(units, "nested")
    means = units[(units["protocol"] == "nested") & (units["noise"] == "none")]
    bls = means[means["model"] == "BLS"].groupby("dataset")["mean"].std(ddof=1)
    np.testing.assert_allclose(figure.axes[0].collections[0].get_offsets()[:, 0], 100 * bls)
    assert "protocol: nested (honest)" in texts(figure)
    assert seed_figure(units, "paper") is None


def test_critical_difference_of_noisy_data_is_of_these_and_says_so(cells):
    noise = "labels:0.2:all"
    shown = texts(critical_difference_figure(cells, "nested", noise))
    result = nemenyi(accuracies(cells, "nested", noise))
    assert f"critical difference {result.critical_difference:.2f}" in shown
    assert any(text.endswith(f"noise: {noise}") for text in shown)
    assert "noise" not in " ".join(texts(critical_difference_figure(cells, "nested")))


def test_critical_difference_places_models_at_their_mean_ranks(cells):
    figure = critical_difference_figure(cells, "nested")
    result = nemenyi(accuracies(cells, "nested"))
    shown = " ".join(texts(figure))
    for model, rank in result.mean_ranks.items():
        assert f"{model}  {rank:.2f}" in shown or f"{rank:.2f}  {model}" in shown
    assert f"critical difference {result.critical_difference:.2f}" in shown
    assert "mean ranks on 3 data sets, protocol: nested (honest)" in shown
    thick = [line for line in figure.axes[0].lines if line.get_linewidth() == 4.0]
    assert len(thick) == len(result.cliques)


def test_two_models_and_two_data_sets_are_enough():
    cells = pool(check_units(study(["x", "y"], models=("BLS", "ELM"))))
    assert to_svg(critical_difference_figure(cells, "paper"), "cd")


def test_all_figures_with_hostile_names():
    frame = study(
        HOSTILE,
        HOSTILE,
        protocols=PROTOCOLS,
        noises=NOISES[:1],
        noisy=HOSTILE,
        seeds=(0, 1),
    )
    units = check_units(frame)
    cells = pool(units)
    figures = [
        optimism_figure(cells),
        seed_figure(units, "nested"),
        critical_difference_figure(cells, "nested"),
    ]
    for figure in figures:
        svg = to_svg(figure, "figure")
        ElementTree.fromstring(svg)
        assert "script" not in svg
