"""Which settings are averaged."""

import numpy as np
import pytest

from broadlearn import BLSClassifier, IntuitionisticFuzzyBLSClassifier, NeuroFuzzyBLSClassifier
from broadlearn._ensemble_layers import trust_key
from broadlearn._search.grid import SubGrid
from broadlearn._search.members import check_search, choose_members
from broadlearn._search.results import LazySettings, parameter_columns

MODEL = BLSClassifier(1, 4, 1, 10)


def choose(values, quality, size, n_draws=1, estimator=MODEL, refused=()):
    names = tuple(sorted(values))
    grids = [SubGrid(names, tuple(tuple(values[name]) for name in names))]
    settings = LazySettings(grids)
    quality = np.asarray(quality, dtype=float)
    columns = parameter_columns(grids)
    chosen, draws = choose_members(
        quality, columns, settings, estimator, size, n_draws, refused=refused
    )
    assert 1 <= draws <= n_draws
    return [settings[i] for i in chosen]


def test_the_best_come_first_and_the_undefined_never():
    found = choose({"C": [1.0, 2.0, 3.0, 4.0]}, [0.2, np.nan, 0.9, 0.5], 3)
    assert [setting["C"] for setting in found] == [3.0, 4.0, 1.0]


def test_of_ties_the_smaller_model_is_taken():
    found = choose({"n_enhancement_nodes": [30, 10, 20]}, [0.5, 0.5, 0.5], 2)
    assert [setting["n_enhancement_nodes"] for setting in found] == [10, 20]


def test_distinct_nodes_stay_within_the_budget():
    # 10 nodes in the largest layer: 25 for all draws.
    scales = {"enhancement_scale": [1.0, 2.0, 3.0, 4.0]}
    assert len(choose(scales, [4, 3, 2, 1], 4)) == 2
    assert len(choose(scales, [4, 3, 2, 1], 4, n_draws=2)) == 1
    # Settings with the same nodes cost nothing more.
    assert len(choose({"C": [1.0, 2.0, 3.0, 4.0]}, [4, 3, 2, 1], 4, n_draws=3)) == 4


@pytest.mark.parametrize(("best", "draws"), [(10, 2), (8, 3), (6, 4), (1, 9)])
def test_large_layers_are_drawn_less_often(best, draws):
    grids = [SubGrid(("n_enhancement_nodes",), ((best, 10),))]
    columns, settings = parameter_columns(grids), LazySettings(grids)
    quality = np.array([2.0, 1.0])
    assert choose_members(quality, columns, settings, MODEL, 1, 9) == ([0], draws)


def test_members_agree_with_the_best_in_what_they_must():
    found = choose({"C": [1.0, 2.0], "activation": ["tanh", "relu"]}, [1, 4, 2, 3], 4)
    assert found == [{"C": 1.0, "activation": "relu"}, {"C": 2.0, "activation": "relu"}]


def test_scores_that_rows_refuse_are_left_out():
    model = IntuitionisticFuzzyBLSClassifier()
    refused = {trust_key(IntuitionisticFuzzyBLSClassifier(kernel_width=1.0))}
    found = choose({"kernel_width": [1.0, 2.0]}, [2, 1], 2, estimator=model, refused=refused)
    assert found == [{"kernel_width": 2.0}]


def test_what_cannot_be_averaged_is_refused_before_the_search():
    check_search(MODEL, {"C"})
    with pytest.raises(ValueError, match="not a NeuroFuzzyBLSClassifier"):
        check_search(NeuroFuzzyBLSClassifier(), {"C"})
    with pytest.raises(ValueError, match="take random_state out of param_grid"):
        check_search(MODEL, {"C", "random_state"})


def test_a_larger_budget_lets_more_nodes_in():
    grids = [SubGrid(("enhancement_scale",), ((1.0, 2.0, 3.0, 4.0),))]
    columns, settings = parameter_columns(grids), LazySettings(grids)
    quality = np.array([4.0, 3.0, 2.0, 1.0])
    for budget, expected in ((2.5, ([0], 2)), (4.0, ([0, 1], 2)), (8.0, ([0, 1, 2, 3], 2))):
        found = choose_members(quality, columns, settings, MODEL, 4, 2, budget)
        assert found == expected
