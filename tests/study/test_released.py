import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Lasso

from broadlearn.registry import entries_that
from broadlearn.study.released import (
    RELEASED,
    RELEASED_GRIDS,
    ReleasedHierarchicalELM,
    sparse_codes,
)


def test_all_but_one_of_the_published_models_are_known():
    published = {entry.name for entry in entries_that(study=True)}
    assert published - set(RELEASED) == {"NeuroFBLS"}
    for name, grid in RELEASED_GRIDS.items():
        assert set(grid) <= set(RELEASED[name].get_params())


@pytest.mark.parametrize("n_classes", [2, 3])
def test_h_elm_learns_and_repeats(n_classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < n_classes], y[y < n_classes]
    labels = np.array(["a", "b", "c"])[y]
    model = ReleasedHierarchicalELM(45, 0.01, random_state=0).fit(X, labels)
    assert np.mean(model.predict(X) == labels) > 0.85
    again = clone(model).fit(X, labels)
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))


def test_predictions_of_h_elm_depend_on_the_company():
    X, y = make_classification(100, 5, random_state=0)
    model = ReleasedHierarchicalELM(25, 0.01, random_state=0).fit(X, y)
    alone = model.decision_function(X[:30])
    assert not np.allclose(alone, model.decision_function(X)[:30])


def test_settings_and_training_labels_have_draws_of_their_own():
    X, y = make_classification(60, 5, random_state=0)
    model = ReleasedHierarchicalELM(5, 1.0, random_state=0)
    others = [clone(model).set_params(C=10.0).fit(X, y), clone(model).fit(X, 1 - y)]
    first = clone(model).fit(X, y)._layers[0]
    assert not any(np.allclose(first, other._layers[0]) for other in others)


def test_sparse_codes_are_those_of_the_lasso():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(50, 6)), rng.normal(size=(50, 2))
    expected = Lasso(alpha=5.0 / 50, fit_intercept=False, tol=1e-12).fit(A, B).coef_.T
    np.testing.assert_allclose(sparse_codes(A, B, 5.0, 2000), expected, atol=1e-8)


def test_the_twin_svm_predicts_the_most_frequent_class():
    X, y = make_classification(200, 5, weights=[0.7], random_state=0)
    model = clone(RELEASED["IF-TSVM"]).set_params(standardize=False, random_state=0)
    constant = DummyClassifier(strategy="most_frequent").fit(X[:150], y[:150])
    predicted = model.fit(X[:150], y[:150]).predict(X[150:])
    np.testing.assert_array_equal(predicted, constant.predict(X[150:]))
