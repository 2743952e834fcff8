import numpy as np
import pandas as pd

from broadlearn._search.grid import SubGrid
from broadlearn._search.results import (
    LazySettings,
    best_first,
    parameter_columns,
    score_columns,
)

GRIDS = [
    SubGrid(("C", "kernel_width"), ((1.0, 2.0), ("auto", 4.0, 8.0))),
    SubGrid(("C", "n_enhancement_nodes"), ((3.0,), (5, 10))),
]


def test_settings_are_made_when_looked_at():
    settings = LazySettings(GRIDS)
    assert len(settings) == 8
    assert settings[4] == {"C": 2.0, "kernel_width": 4.0}
    assert settings[-1] == {"C": 3.0, "n_enhancement_nodes": 10}
    assert settings[6:] == list(settings)[6:]
    assert "8 settings" in repr(settings)
    assert list(pd.DataFrame({"params": settings})["params"]) == list(settings)


def test_columns_are_masked_where_a_grid_has_no_such_name():
    columns = parameter_columns(GRIDS)
    settings = list(LazySettings(GRIDS))
    for name in ("C", "kernel_width", "n_enhancement_nodes"):
        column = columns[f"param_{name}"]
        for i, setting in enumerate(settings):
            if name in setting:
                assert column[i] == setting[name]
            else:
                assert column[i] is np.ma.masked


def test_ranks_put_missing_scores_last():
    scores = np.array([[0.5, 0.7], [np.nan, 0.9], [0.8, 0.8], [0.6, 0.6]])
    columns = score_columns("score", "test", scores)
    np.testing.assert_array_equal(columns["rank_test_score"], [2, 4, 1, 2])
    np.testing.assert_allclose(columns["mean_test_score"], [0.6, np.nan, 0.8, 0.6])
    np.testing.assert_allclose(columns["std_test_score"], [0.1, np.nan, 0, 0], atol=1e-15)
    assert "rank_train_score" not in score_columns("score", "train", scores)


def test_ties_go_to_the_smallest_model():
    grid = SubGrid(("C", "n_enhancement_nodes"), ((1.0, 0.1), (20, 10)))
    columns = parameter_columns([grid])
    defaults = {"n_feature_groups": 1, "n_feature_nodes": 4, "n_enhancement_groups": 1}
    assert best_first(np.array([0.9, 0.9, 0.9, 0.9]), columns, defaults)[0] == 3
    assert best_first(np.array([0.9, 0.8, 0.9, 0.8]), columns, defaults)[0] == 2
    assert best_first(np.array([np.nan, 0.8, 0.7, 0.8]), columns, defaults)[0] == 3
