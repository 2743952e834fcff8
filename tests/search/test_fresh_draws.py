import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import KFold, StratifiedKFold

from broadlearn import (
    PUBLISHED_FORM,
    BLSClassifier,
    BLSRegressor,
    ELMClassifier,
    FuzzyBLSClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    NeuroFuzzyBLSClassifier,
    PathSearchCV,
)
from broadlearn.random_features.draws import draw_feature_weights
from broadlearn.search import engine
from broadlearn.search.engine import fresh_states
from broadlearn.utils import draw_seed

CS = [1e-6, 1e-2, 1e2, 1e6]
WIDTHS = [2.0**-5, 0.25, 2.0, 32.0]
SIZES = {
    "n_feature_groups": [1, 3],
    "n_feature_nodes": [5, 30],
    "n_enhancement_nodes": [5, 45, 105],
}
FUZZY = {"n_fuzzy_groups": [1, 3], "n_fuzzy_rules": [3, 7], "n_enhancement_nodes": [5, 25]}
HIDDEN = {"n_hidden_nodes": [5, 45, 205]}
SEARCHES = [
    (BLSClassifier(**PUBLISHED_FORM), SIZES),
    (BLSClassifier(), {"n_enhancement_nodes": [20, 300]}),
    (FuzzyBLSClassifier(**PUBLISHED_FORM), SIZES),
    (IntuitionisticFuzzyBLSClassifier(**PUBLISHED_FORM), {**SIZES, "kernel_width": WIDTHS}),
    (IntuitionisticFuzzyBLSClassifier(landmarks=20), {"kernel_width": [1.0, "auto"]}),
    (ELMClassifier(), HIDDEN),
    (HierarchicalELMClassifier(n_autoencoder_nodes=6), HIDDEN),
    (NeuroFuzzyBLSClassifier(), FUZZY),
]
IDS = [f"{type(model).__name__}-{k}" for k, (model, _) in enumerate(SEARCHES)]


@pytest.fixture(scope="module", params=[2, 3], ids=["two classes", "three classes"])
def table(request):
    return make_classification(
        200, 8, n_informative=5, n_classes=request.param, flip_y=0.1, random_state=0
    )


def quietly(search, X, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitFailedWarning)
        return search.fit(X, y, **options)


def plain_score(model, results, i, fold, X, y, train, test):
    state = int(results[f"split{fold}_random_state"][i])
    single = clone(model).set_params(**results["params"][i], random_state=state)
    try:
        return single.fit(X[train], y[train]).score(X[test], y[test])
    except ValueError:
        return np.nan


@pytest.mark.parametrize(("model", "grid"), SEARCHES, ids=IDS)
def test_scores_are_those_of_plain_fits_with_the_same_draws(table, model, grid):
    X, y = table
    search = PathSearchCV(model, {"C": CS, **grid}, cv=2, refit=False, draws="fresh")
    results = quietly(search, X, y).cv_results_
    splits = list(StratifiedKFold(2).split(X, y))
    rng = np.random.default_rng(0)
    for i in rng.choice(len(results["params"]), 6):
        fold = int(rng.integers(2))
        expected = plain_score(model, results, i, fold, X, y, *splits[fold])
        np.testing.assert_equal(results[f"split{fold}_test_score"][i], expected)


def test_no_two_maps_share_a_draw():
    X, y = make_classification(60, 4, random_state=0)
    grid = {"C": CS, **SIZES, "kernel_width": WIDTHS}
    model = IntuitionisticFuzzyBLSClassifier(random_state=3, **PUBLISHED_FORM)
    search = PathSearchCV(model, grid, cv=3, refit=False, draws="fresh")
    results = quietly(search, X, y).cv_results_
    seeds: dict[int, set] = {}
    for i, params in enumerate(results["params"]):
        size = tuple(params[name] for name in SIZES)
        for fold in range(3):
            seed = draw_seed(int(results[f"split{fold}_random_state"][i]))
            seeds.setdefault(seed, set()).add((*size, fold))
    assert all(len(users) == 1 for users in seeds.values())
    assert len(seeds) == 12 * 3
    weights = {draw_feature_weights(seed, 1, 1, 4).tobytes() for seed in seeds}
    assert len(weights) == len(seeds)


def test_states_have_different_seeds_even_where_many_would_be_equal(monkeypatch):
    monkeypatch.setattr(engine, "draw_seed", lambda state: draw_seed(state) % 300)
    states = fresh_states(0, (20, 10))
    assert len({draw_seed(state) % 300 for state in states.ravel().tolist()}) == 200
    np.testing.assert_array_equal(states, fresh_states(0, (20, 10)))
    assert not np.array_equal(states, fresh_states(1, (20, 10)))


def test_the_refitted_model_has_the_seed_of_the_estimator():
    X, y = make_classification(80, 5, random_state=0)
    model = BLSClassifier(random_state=5, **PUBLISHED_FORM)
    search = PathSearchCV(model, {"n_enhancement_nodes": [5, 25]}, cv=3, draws="fresh").fit(X, y)
    alone = clone(model).set_params(**search.best_params_).fit(X, y)
    np.testing.assert_array_equal(search.decision_function(X), alone.decision_function(X))


def test_probabilities_weights_and_training_samples_are_scored():
    X, y = make_classification(120, 5, flip_y=0.2, random_state=0)
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    model = IntuitionisticFuzzyBLSClassifier(1, 10, random_state=0)
    grid = {"C": [1.0], "n_enhancement_nodes": [20, 150], "kernel_width": [1.0, 2.0, 4.0, 8.0]}
    options = {"cv": 3, "draws": "fresh", "return_train_score": True, "refit": False}
    search = PathSearchCV(model, grid, scoring="neg_log_loss", **options)
    results = quietly(search, X, y, sample_weight=weight).cv_results_
    assert np.isfinite(results["mean_test_score"]).all()
    assert (results["mean_train_score"] > results["mean_test_score"]).all()


def test_targets_of_a_regressor():
    X, y = load_diabetes(return_X_y=True)
    grid = {"C": [0.1, 1.0], "n_enhancement_nodes": [20, 60]}
    search = PathSearchCV(BLSRegressor(random_state=0), grid, cv=3, draws="fresh").fit(X, y)
    results = search.cv_results_
    train, test = list(_plain_folds(len(y)))[1]
    state = int(results["split1_random_state"][2])
    alone = BLSRegressor(random_state=state).set_params(**results["params"][2])
    expected = alone.fit(X[train], y[train]).score(X[test], y[test])
    assert results["split1_test_score"][2] == pytest.approx(expected, abs=1e-9)


def _plain_folds(n):
    return KFold(3).split(np.zeros(n))


def test_what_cannot_be_drawn_anew_is_refused():
    X, y = make_classification(60, 4, random_state=0)
    twin = PathSearchCV(IntuitionisticFuzzyTwinSVC(), {"C1": [1.0]}, draws="fresh")
    with pytest.raises(ValueError, match='draws must be "nested" for IntuitionisticFuzzyTwinSVC'):
        twin.fit(X, y)
