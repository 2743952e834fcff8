"""Which candidates are averaged."""

import numpy as np
import pytest

from broadlearn import BLSClassifier, IntuitionisticFuzzyBLSClassifier
from broadlearn.ensemble.choice import ROBUST_GRID, choose_members, draw_states
from broadlearn.sample_scores import NeighborScorer, as_scorer
from broadlearn.search.grid import SubGrid, resolve_grids
from broadlearn.search.results import results_table

MODEL = BLSClassifier(1, 4, 1, 10)


def table(values, quality, name="score"):
    """Results of a search in which candidates have this mean score."""
    names = tuple(sorted(values))
    grid = SubGrid(names, tuple(tuple(values[name]) for name in names))
    scores = np.asarray(quality, dtype=float).reshape(1, 1, -1, 1)
    return results_table([grid], scores, np.full(grid.size, ""), [name], 1.0)


def choose(values, quality, size, n_draws=1, estimator=MODEL, budget=2.5, refused=()):
    results = table(values, quality)
    chosen, draws = choose_members(results, estimator, size, n_draws, budget, refused)
    assert 1 <= draws <= n_draws
    return [results["params"][i] for i in chosen]


def test_the_best_come_first_and_the_undefined_never():
    found = choose({"C": [1.0, 2.0, 3.0, 4.0]}, [0.2, np.nan, 0.9, 0.5], 3)
    assert [candidate["C"] for candidate in found] == [3.0, 4.0, 1.0]
    assert choose({"C": [1.0, 2.0]}, [np.nan, np.nan], 2) == []


def test_margins_rank_where_there_are_any():
    results = table({"C": [1.0, 2.0, 3.0]}, [0.9, 0.8, 0.7])
    results["mean_test_margin"] = np.array([0.1, 0.2, 0.3])
    assert choose_members(results, MODEL, 2, 1, 2.5) == ([2, 1], 1)


def test_of_ties_the_smaller_model_is_taken():
    found = choose({"n_enhancement_nodes": [30, 10, 20]}, [0.5, 0.5, 0.5], 2)
    assert [candidate["n_enhancement_nodes"] for candidate in found] == [10, 20]


def test_distinct_nodes_stay_within_the_budget():
    # 10 nodes in the largest layer: 25 for all draws.
    scales = {"enhancement_scale": [1.0, 2.0, 3.0, 4.0]}
    assert len(choose(scales, [4, 3, 2, 1], 4)) == 2
    assert len(choose(scales, [4, 3, 2, 1], 4, n_draws=2)) == 1
    # Candidates with the same nodes cost nothing more.
    assert len(choose({"C": [1.0, 2.0, 3.0, 4.0]}, [4, 3, 2, 1], 4, n_draws=3)) == 4


@pytest.mark.parametrize(("best", "draws"), [(10, 2), (8, 3), (6, 4), (1, 9)])
def test_large_layers_are_drawn_less_often(best, draws):
    results = table({"n_enhancement_nodes": [best, 10]}, [2.0, 1.0])
    assert choose_members(results, MODEL, 1, 9, 2.5) == ([0], draws)


def test_a_larger_budget_lets_more_nodes_in():
    results = table({"enhancement_scale": [1.0, 2.0, 3.0, 4.0]}, [4.0, 3.0, 2.0, 1.0])
    for budget, expected in ((2.5, ([0], 2)), (4.0, ([0, 1], 2)), (8.0, ([0, 1, 2, 3], 2))):
        assert choose_members(results, MODEL, 4, 2, budget) == expected


def test_members_agree_with_the_best_in_what_they_must():
    found = choose({"C": [1.0, 2.0], "activation": ["tanh", "relu"]}, [1, 4, 2, 3], 4)
    assert found == [{"C": 1.0, "activation": "relu"}, {"C": 2.0, "activation": "relu"}]
    found = choose({"C": [1.0, 2.0], "standardize": [True, "robust"]}, [1, 4, 2, 3], 4)
    assert {candidate["standardize"] for candidate in found} == {"robust"}


def test_scores_that_samples_refuse_are_left_out():
    model = IntuitionisticFuzzyBLSClassifier()
    refused = {repr(IntuitionisticFuzzyBLSClassifier(kernel_width=1.0).scorer())}
    found = choose({"kernel_width": [1.0, 2.0]}, [2, 1], 2, estimator=model, refused=refused)
    assert found == [{"kernel_width": 2.0}]
    assert choose({"C": [1.0, 2.0]}, [2, 1], 2, refused={0}) == [{"C": 2.0}]


def test_the_default_grid_holds_the_kinds_of_scores_that_earn_their_place():
    (grid,) = resolve_grids(BLSClassifier(), ROBUST_GRID)
    assert grid.size == 145
    kinds = grid.values[grid.names.index("sample_scores")]
    assert [as_scorer(kind) for kind in kinds] == [
        as_scorer("uniform"),
        as_scorer("held_out"),
        NeighborScorer(10),
        NeighborScorer(20),
        as_scorer("intuitionistic"),
    ]


def test_draws_are_the_same_however_many_follow():
    states = draw_states(5, 6)
    assert states[0] == 5
    assert draw_states(5, 3) == states[:3]
    assert len(set(states)) == 6
    assert all(0 <= state < 2**31 for state in states)
    assert set(states[1:]).isdisjoint(draw_states(6, 6))
