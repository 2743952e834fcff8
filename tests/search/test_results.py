import numpy as np

from broadlearn.sample_scores import FuzzyScorer
from broadlearn.search.grid import SubGrid
from broadlearn.search.results import (
    best_first,
    parameter_columns,
    results_table,
)

GRIDS = [
    SubGrid(("C", "kernel_width"), ((1.0, 2.0), ("auto", 4.0, 8.0))),
    SubGrid(("C", "n_enhancement_nodes"), ((3.0,), (5, 10))),
]


def test_columns_are_masked_where_a_grid_has_no_such_name():
    columns = parameter_columns(GRIDS)
    candidates = [candidate for grid in GRIDS for candidate in grid.candidates()]
    for name in ("C", "kernel_width", "n_enhancement_nodes"):
        column = columns[f"param_{name}"]
        for i, candidate in enumerate(candidates):
            if name in candidate:
                assert column[i] == candidate[name]
            else:
                assert column[i] is np.ma.masked


def test_columns_hold_values_of_any_kind():
    values = {
        "C": (0.1, 1.0, 10.0),
        "enhancement_scale": ((0.5, 2.0), (0.1, 1.0)),
        "sample_scores": (FuzzyScorer(0.5), "held_out"),
    }
    grid = SubGrid(tuple(values), tuple(values.values()))
    columns = parameter_columns([grid])
    for i, candidate in enumerate(grid.candidates()):
        assert {name: columns[f"param_{name}"][i] for name in values} == candidate
    assert columns["param_C"].dtype == np.float64


def test_ranks_put_missing_scores_last():
    scores = np.array([[0.5, 0.7], [np.nan, 0.9], [0.8, 0.8], [0.6, 0.6]])
    errors = np.array(["", "lost", "", ""], dtype=object)
    grid = SubGrid(("C",), ((1.0, 2.0, 3.0, 4.0),))
    table = results_table([grid], np.stack([[scores, scores]]), errors, ["score"], 8.0)
    np.testing.assert_array_equal(table["rank_test_score"], [2, 4, 1, 2])
    np.testing.assert_allclose(table["mean_test_score"], [0.6, np.nan, 0.8, 0.6])
    np.testing.assert_allclose(table["std_test_score"], [0.1, np.nan, 0, 0], atol=1e-15)
    np.testing.assert_array_equal(table["split1_train_score"], scores[:, 1])
    np.testing.assert_array_equal(table["mean_fit_time"], 1.0)
    assert list(table["error"]) == ["", "lost", "", ""]
    assert "rank_train_score" not in table


def test_without_any_score_all_are_first():
    grid, lost = SubGrid(("C",), ((1.0, 2.0),)), np.full((1, 1, 2, 3), np.nan)
    table = results_table([grid], lost, np.array(["", ""]), ["score"], 1.0)
    np.testing.assert_array_equal(table["rank_test_score"], 1)


def test_ties_go_to_the_smallest_model():
    grid = SubGrid(("C", "n_enhancement_nodes"), ((1.0, 0.1), (20, 10)))
    columns = parameter_columns([grid])
    defaults = {"n_feature_groups": 1, "n_feature_nodes": 4, "n_enhancement_groups": 1}
    assert best_first(np.array([0.9, 0.9, 0.9, 0.9]), columns, defaults)[0] == 3
    assert best_first(np.array([0.9, 0.8, 0.9, 0.8]), columns, defaults)[0] == 2
    assert best_first(np.array([np.nan, 0.8, 0.7, 0.8]), columns, defaults)[0] == 3
    # What differs by rounding alone is a tie.
    assert best_first(np.array([0.9 + 1e-14, 0.9, 0.9, 0.9]), columns, defaults)[0] == 3


def test_the_undefined_are_never_among_the_best():
    columns = parameter_columns([SubGrid(("C1", "C2"), ((1.0, 0.5), (1.0, 0.2)))])
    order = best_first(np.array([0.5, np.nan, 0.5, 0.7]), columns, {})
    np.testing.assert_array_equal(order, [3, 2, 0])


def test_parameters_of_a_last_step_have_a_prefix():
    grid = SubGrid(("m__C", "scale__C"), ((2.0, 1.0), (1.0, 2.0)))
    mean = np.array([0.5, 0.5, 0.5, 0.5])
    order = best_first(mean, parameter_columns([grid]), {"m__n_enhancement_nodes": 3}, "m__")
    assert order.tolist() == [2, 3, 0, 1]


def test_columns_of_numbers_have_their_type_where_some_are_masked():
    grids = [SubGrid(("C", "standardize"), ((1, 10), (True, False))), SubGrid(("n",), ((3,),))]
    columns = parameter_columns(grids)
    types = {name: column.dtype for name, column in columns.items()}
    assert types == {"param_C": np.int64, "param_standardize": np.bool_, "param_n": np.int64}
    assert columns["param_C"].mask.tolist() == [False] * 4 + [True]
    mixed = parameter_columns([SubGrid(("C",), ((1,),)), SubGrid(("C",), ((0.5,),))])["param_C"]
    assert mixed.dtype == np.float64
