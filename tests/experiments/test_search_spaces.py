import sys
from types import SimpleNamespace

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, ParameterGrid
from sklearn.naive_bayes import GaussianNB

from broadlearn import PathSearchCV
from broadlearn.experiments.published_results import published_accuracy, published_grids
from broadlearn.experiments.search_spaces import MODELS, find_model


def test_the_seven_models_are_those_of_the_published_table():
    assert list(MODELS) == list(published_accuracy().columns)


@pytest.mark.parametrize("name", list(MODELS))
def test_published_grids_are_those_of_the_supplement(name):
    search = find_model(name).search("paper", 3, 0, refit=False)
    assert isinstance(search, PathSearchCV)
    from broadlearn._search.grid import resolve_grids

    (found,) = resolve_grids(search.estimator, search.param_grid)
    published = published_grids()[name]
    assert set(found.names) == set(published)
    for values, axis in zip(found.values, found.names, strict=True):
        assert list(values) == pytest.approx(published[axis])


@pytest.mark.parametrize("name", list(MODELS))
def test_reduced_grids_are_smaller_but_real(name):
    spec = find_model(name)
    assert 20 <= len(ParameterGrid(spec.grids["reduced"])) <= 500


def test_a_model_of_ones_own(monkeypatch):
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]})
    monkeypatch.setitem(sys.modules, "mine", SimpleNamespace(tuned=search, plain=GaussianNB))
    tuned = find_model("mine:tuned")
    assert tuned.name == "tuned"
    assert tuned.search("paper", 3, 0, refit=True).param_grid == {"C": [0.1, 1.0]}
    assert isinstance(find_model("mine:plain").search("paper", 3, 0, refit=True), GridSearchCV)


def test_seeds_reach_the_model():
    assert find_model("BLS").search("paper", 3, 7, refit=False).estimator.random_state == 7
    assert find_model("BLS").estimator.random_state is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("XGBoost", "must be one of BLS"),
        ("no.such.module:x", "cannot be imported"),
        ("math:tau", "must be a scikit-learn estimator"),
    ],
)
def test_unknown_models_are_named(name, message):
    with pytest.raises(ValueError, match=message):
        find_model(name)


def test_the_ensemble_is_searched_with_all_kinds_of_scores():
    search = find_model("IF-BLS ensemble").search("paper", 3, 0, refit=True)
    assert search.param_grid == "robust"
    assert search.ensemble_size > 1
    assert search.n_draws > 1
