"""Which settings are averaged."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    IntuitionisticFuzzyBLSClassifier,
    NeuroFuzzyBLSClassifier,
    PathSearchCV,
)
from broadlearn._ensemble_layers import trust_key
from broadlearn._search.grid import SubGrid
from broadlearn._search.members import check_search, choose_members
from broadlearn._search.results import LazySettings, parameter_columns
from broadlearn._search.scoring import MARGIN
from broadlearn.ensemble import BroadEnsembleClassifier

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


def ensemble_search(**parameters):
    grid = {"C": [0.01, 1.0, 100.0], "n_enhancement_nodes": [5, 20], "kernel_width": [2.0, 8.0]}
    model = IntuitionisticFuzzyBLSClassifier(1, 6, 1, 20, random_state=0)
    return PathSearchCV(model, grid, **{"cv": 3, "ensemble_size": 5, "n_draws": 2, **parameters})


def noisy_table(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    return X, np.where(rng.random(n) < 0.15, 1 - (X[:, 0] > 0), X[:, 0] > 0).astype(int)


def test_an_ensemble_averages_the_settings_with_the_best_margins():
    X, y = noisy_table()
    search = ensemble_search().fit(X, y)
    quality = search.cv_results_["mean_test_margin"]
    best = np.sort(quality)[::-1][:5]
    chosen = [{k: v for k, v in m.items() if k != "weight"} for m in search.ensemble_]
    positions = [list(search.cv_results_["params"]).index(setting) for setting in chosen]
    np.testing.assert_allclose(quality[positions], best)
    assert search.best_params_ == search.cv_results_["params"][search.best_index_]
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()
    alone = BroadEnsembleClassifier(search.best_estimator_.estimator, chosen, n_draws=2).fit(X, y)
    np.testing.assert_allclose(search.decision_function(X), alone.decision_function(X), atol=1e-10)


def test_the_margin_of_the_search_is_that_of_fitted_models():
    X, y = noisy_table()
    search = ensemble_search().fit(X, y)
    model = IntuitionisticFuzzyBLSClassifier(1, 6, 1, 20, random_state=0)
    plain = GridSearchCV(model, search.param_grid, scoring=MARGIN, cv=3, refit=False).fit(X, y)
    np.testing.assert_allclose(
        search.cv_results_["mean_test_margin"], plain.cv_results_["mean_test_score"], atol=1e-9
    )


def test_with_a_scoring_of_the_users_own_members_are_ranked_by_it():
    X, y = noisy_table()
    search = ensemble_search(scoring="roc_auc").fit(X, y)
    assert "mean_test_margin" not in search.cv_results_
    first = {k: v for k, v in search.ensemble_[0].items() if k != "weight"}
    assert first == search.best_params_


def test_an_ensemble_is_the_same_on_any_number_of_workers():
    X, y = noisy_table()
    one, two = ensemble_search().fit(X, y), ensemble_search(n_jobs=2).fit(X, y)
    assert one.ensemble_ == two.ensemble_
    np.testing.assert_allclose(one.decision_function(X), two.decision_function(X), atol=1e-12)


def test_rows_that_are_judged_never_choose_the_ensemble():
    X, y = noisy_table()
    train, test = np.arange(0, 100), np.arange(100, 150)
    chosen = []
    for seed in range(3):
        labels = y.copy()
        labels[test] = np.random.default_rng(seed).permutation(labels[test])
        search = ensemble_search().fit(X[train], labels[train])
        search.score(X[test], labels[test])
        chosen.append((search.ensemble_, search.predict(X[test]).tolist()))
    assert chosen[0] == chosen[1] == chosen[2]


def test_an_ensemble_needs_a_model_that_can_be_averaged():
    X, y = noisy_table()
    with pytest.raises(ValueError, match="refit must be True or the name of one"):
        ensemble_search(refit=lambda results: 0).fit(X, y)
    with pytest.raises(ValueError, match="not a BLSRegressor"):
        PathSearchCV(BLSRegressor(), {"C": [1.0]}, ensemble_size=2).fit(X, y)
    with pytest.raises(ValueError, match="take random_state out"):
        PathSearchCV(BLSClassifier(), {"random_state": [0, 1]}, ensemble_size=2).fit(X, y)
