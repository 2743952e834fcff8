"""The classifiers of scikit-learn that the study can be run with."""

import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline

from broadlearn.experiments.rivals import RIVALS, with_seed
from broadlearn.experiments.search_spaces import EXTRA_MODELS, find_model

X, y = load_iris(return_X_y=True)


@pytest.mark.parametrize("name", RIVALS)
def test_every_setting_of_a_rival_is_one_that_it_has(name):
    estimator, grid, cost = RIVALS[name]
    assert set(grid) <= set(estimator.get_params())
    assert cost > 0
    assert find_model(name) is EXTRA_MODELS[name]


@pytest.mark.parametrize("name", ["SVC", "LogisticRegression", "k-NN"])
def test_the_search_of_a_rival_is_scikit_learns(name):
    search = find_model(name).search("paper", StratifiedKFold(3), 0, refit=True)
    assert isinstance(search, GridSearchCV)
    assert search.fit(X, y).best_score_ > 0.9


@pytest.mark.parametrize("name", RIVALS)
def test_distances_are_those_of_standardised_columns(name):
    estimator = RIVALS[name][0]
    scaled = isinstance(estimator, Pipeline)
    assert scaled == (name in {"SVC", "LogisticRegression", "MLP", "k-NN"})


def test_a_seed_reaches_the_steps_and_leaves_the_rest():
    forest = with_seed(clone(RIVALS["RandomForest"][0]), 7)
    assert forest.random_state == 7
    neighbours = RIVALS["k-NN"][0]
    before = str(neighbours)
    assert str(with_seed(clone(neighbours), 7)) == before
