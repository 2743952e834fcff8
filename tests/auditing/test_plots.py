import io

import numpy as np
import pandas as pd
import pytest
from made_up_audit import blood, made_up_audit, quantity, wide

from broadlearn.auditing import plots
from broadlearn.auditing.plots import (
    COLORS,
    REST,
    draw_audit,
    map_places,
    row_groups,
    suspicion_counts,
)


def test_two_panels():
    audit = blood()
    figure = draw_audit(audit)
    histogram, places = figure.axes
    assert histogram.get_yscale() == "log"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["donated", "not donated"]
    ringed = sum(len(places.collections[k].get_offsets()) for k in (1, 3))
    assert ringed == (audit.table["verdict"] != "fine").sum()
    figure.savefig(io.BytesIO(), format="png", dpi=30)


def test_many_classes_share_a_group():
    groups = row_groups(wide())
    assert len(groups) == len(COLORS)
    assert groups[-1].name == REST
    np.testing.assert_array_equal(sum(group.members.astype(int) for group in groups), 1)
    assert groups[0].members.sum() >= 30


def test_a_quantity_has_one_group():
    (group,) = row_groups(quantity())
    assert group.members.all()


def test_counts_by_suspicion():
    audit = blood()
    table = audit.table[audit.table["label"] == "donated"]
    every, flagged = suspicion_counts(audit, row_groups(audit)[0])
    assert every == np.histogram(table["suspicion"], 20, (0, 1))[0].tolist()
    assert sum(flagged) == (table["verdict"] == "likely mislabelled").sum()


def test_many_rows_are_thinned(monkeypatch):
    monkeypatch.setattr(plots, "MAX_POINTS", 20)
    _, places = draw_audit(blood()).axes
    assert sum(len(places.collections[k].get_offsets()) for k in (0, 2)) == 20


def test_one_far_row_does_not_shrink_the_map():
    places = np.random.default_rng(0).normal(size=(1000, 2))
    places[0] = [1e6, -1e6]
    on_map = map_places(places)
    assert on_map[0].tolist() == [1.0, 0.0]
    assert (on_map.std(axis=0) > 0.1).all()
    assert (map_places(np.ones((5, 2))) == 0.1).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["$x^2", "_hidden", "a\x01b\nc", "z" * 300, "<b>"])
def test_odd_labels(name):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 2)))
    figure = draw_audit(made_up_audit(X, np.array([name, "b"] * 10)))
    assert len(figure.legends[0].get_texts()) == 2
    figure.savefig(io.BytesIO(), format="png", dpi=30)
