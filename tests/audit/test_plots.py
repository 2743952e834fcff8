import io

import numpy as np
import pandas as pd
import pytest

from broadlearn.audit import plots
from broadlearn.audit.plots import COLORS, REST, draw_audit


def table(labels, seed=0):
    rng = np.random.default_rng(seed)
    n = len(labels)
    theta = rng.random(n)
    return pd.DataFrame(
        {
            "label": labels,
            "score": rng.random(n),
            "membership": theta,
            "nonmembership": (1 - theta) * rng.random(n),
            "verdict": rng.choice(["fine", "both"], n),
        },
        index=pd.RangeIndex(n, name="row"),
    ).sample(frac=1.0, random_state=0)


def test_three_panels():
    audited = table(np.repeat(["a", "b"], 50))
    places = np.random.default_rng(1).normal(size=(100, 2))
    figure = draw_audit(audited, places)
    plane, histogram, projection, _ = figure.axes
    assert (plane.get_xlabel(), plane.get_ylabel()) == ("membership θ", "non-membership ν")
    corners = plane.patches[0].get_xy()[:3].tolist()
    assert corners == [[0.0, 0.0], [0.5, 0.5], [0.0, 1.0]]
    assert len(histogram.patches) == 2
    drawn = projection.collections[0]
    np.testing.assert_allclose(drawn.get_offsets(), places[audited.index[::-1]])
    np.testing.assert_allclose(drawn.get_array(), audited["score"].to_numpy()[::-1])
    figure.savefig(io.BytesIO(), format="png", dpi=30)


def test_many_classes_share_a_colour():
    figure = draw_audit(table([f"c{i % 12}" for i in range(120)]), np.zeros((120, 2)))
    _, labels = figure.axes[0].get_legend_handles_labels()
    assert len(labels) == 1 + len(COLORS)
    assert labels[-1] == REST


def test_many_rows_are_thinned(monkeypatch):
    monkeypatch.setattr(plots, "MAX_POINTS", 20)
    figure = draw_audit(table(np.repeat([0, 1], 50)), np.zeros((100, 2)))
    assert len(figure.axes[2].collections[0].get_offsets()) == 20


@pytest.mark.slow
@pytest.mark.parametrize("name", ["$x^2", "_hidden", "a\x00b\nc", "z" * 300, "<b>"])
def test_odd_labels(name):
    figure = draw_audit(table([name, "b"] * 10), np.zeros((20, 2)))
    assert len(figure.legends[0].get_texts()) == 3
    figure.savefig(io.BytesIO(), format="png", dpi=30)
