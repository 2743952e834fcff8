import numpy as np
import pytest
from made_up_results import MODELS, judged_cells

from broadlearn.study.report.reproduction_figure import MARKS, reproduction_figure
from broadlearn.study.reproduction import VERDICTS

pytestmark = pytest.mark.slow


def test_a_panel_for_each_model_and_a_dot_for_each_cell():
    judged = judged_cells()
    figure = reproduction_figure(judged, "paper")
    cells = judged[(judged["reading"] == "paper") & (judged["noise"] == "none")]
    for axes, model in zip(figure.axes, MODELS, strict=False):
        part = cells[cells["model"] == model]
        assert axes.get_title(loc="left") == (
            f"{model}: {part['difference'].abs().mean():.1f} points apart"
        )
        dots = np.concatenate([dots.get_offsets() for dots in axes.collections])
        expected = part[["printed", "ours"]].to_numpy()
        assert sorted(map(tuple, dots)) == sorted(map(tuple, expected))
    assert set(MARKS) == set(VERDICTS)


def test_the_legend_counts_the_verdicts_that_there_are():
    judged = judged_cells()
    figure = reproduction_figure(judged, "paper")
    legend = figure.axes[-1].get_legend()
    counts = judged[(judged["reading"] == "paper") & (judged["noise"] == "none")]
    counts = counts["verdict"].value_counts()
    shown = [text.get_text() for text in legend.get_texts()]
    assert len(shown) == len(counts)
    assert shown[0] == f"contradicted: print below all ({counts['contradicted']})"


def test_few_models_and_no_redraws():
    judged = judged_cells()
    judged = judged[judged["model"].isin(["BLS", "ELM"])].assign(verdict="not redrawn")
    figure = reproduction_figure(judged, "paper-columns")
    assert len(figure.axes) == 2
    assert "protocol: paper-columns" in figure.get_suptitle()
    # There is no empty place for it.
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["not redrawn (6)"]
