from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from broadlearn.study.leaderboard_ranks import rank_among_published
from broadlearn.study.published_results import published_classifiers
from broadlearn.study.report.drawing import to_svg
from broadlearn.study.report.leaderboard_figures import REACH, dataset_figure, rank_figure

NAMES = ["iris", "pima", "zoo", "trains"]


def standing(quantile, model, names=NAMES):
    published = published_classifiers().loc[names]
    return rank_among_published(published.quantile(quantile, axis=1), model)


@pytest.fixture(scope="module")
def standings():
    return [standing(0.95, "mine"), standing(0.1, "<b>$x$</b>", NAMES[:3])]


def offsets(axes):
    return [
        np.asarray(points.get_offsets()) for points in axes.collections if len(points.get_offsets())
    ]


def test_every_classifier_has_a_point_and_the_best_have_names(standings):
    (axes,) = rank_figure(standings).axes
    published, *ours = [points for points in offsets(axes) if points.shape[1] == 2]
    assert len(published) == 179
    table = standings[0].table()
    assert ours[0].tolist() == [
        [table.index.get_loc("mine (run here)") + 1, table.loc["mine (run here)", "mean_rank"]]
    ]
    texts = [text.get_text() for text in axes.texts]
    assert len(texts) == 2 + 5
    assert any(text.startswith("mine, ") for text in texts)
    best = table.drop(index="mine (run here)").index[0]
    assert any(text.startswith(f"{best}, ") for text in texts)


def test_every_data_set_has_a_line_and_what_is_far_below_is_at_the_edge(standings):
    (axes,) = dataset_figure(standings).axes
    order = standings[0].ranks[standings[0].column].sort_values(kind="stable").index
    assert [tick.get_text() for tick in axes.get_yticklabels()] == list(order)
    points = [axes.collections[-2].get_offsets(), axes.collections[-1].get_offsets()]
    assert [len(found) for found in points] == [4, 3]
    assert (np.concatenate(points)[:, 0] >= -REACH).all()
    own = standings[0].accuracies
    gap = own[standings[0].column] - own.drop(columns=standings[0].column).max(axis=1)
    assert points[0][:, 0].tolist() == pytest.approx(gap.clip(lower=-REACH).tolist())


def test_figures_are_sound_svg(standings):
    for figure in (rank_figure(standings), dataset_figure(standings)):
        root = ElementTree.fromstring(str(to_svg(figure, "f", "d")))
        assert root.tag == "{http://www.w3.org/2000/svg}svg"


def test_one_data_set_is_enough():
    found = [rank_among_published(pd.Series({"iris": 100.0}), "mine")]
    assert rank_figure(found).axes
    assert dataset_figure(found).axes
