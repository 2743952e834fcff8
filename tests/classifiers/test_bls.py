import numpy as np
import pytest
from plain import plain_ridge
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from broadlearn import BLSClassifier, BroadFeatures


def test_several_classes_solve_one_hot_targets():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = BLSClassifier(3, 4, 1, 20, C=10.0, random_state=0).fit(X, names)
    G = BroadFeatures(3, 4, 1, 20, random_state=0).fit_transform(X)
    expected = G @ plain_ridge(G, np.eye(3)[y], 10.0)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), model.classes_[expected.argmax(axis=1)])
    np.testing.assert_array_equal(model.sample_scores_, 1.0)


def test_one_column_decides_as_two_would():
    X, y = load_breast_cancer(return_X_y=True)
    model = BLSClassifier(3, 4, 1, 20, random_state=0).fit(X, y)
    G = BroadFeatures(3, 4, 1, 20, random_state=0).fit_transform(X)
    two = G @ plain_ridge(G, np.eye(2)[y], 1.0)
    np.testing.assert_allclose(model.decision_function(X), two[:, 1] - two[:, 0], atol=1e-9)


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e6])
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_probabilities_beat_the_prior(load, C):
    X, y = load(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, random_state=0, stratify=y)
    p = BLSClassifier(C=C, random_state=0).fit(X, y).predict_proba(X_test)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    prior = np.tile(np.bincount(y) / len(y), (len(y_test), 1))
    assert log_loss(y_test, p) < 0.9 * log_loss(y_test, prior)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="only one class: 'a'"):
        BLSClassifier().fit([[0.0], [1.0]], ["a", "a"])
    with pytest.raises(ValueError, match="sample_weight leaves rows of only one class"):
        BLSClassifier().fit([[0.0], [1.0]], ["a", "b"], sample_weight=[1, 0])


def test_one_row_a_class():
    model = BLSClassifier(random_state=0).fit([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]], [0, 1, 2])
    np.testing.assert_array_equal(model.predict([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]]), [0, 1, 2])


def test_learns_what_no_linear_model_can():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 2))
    y = X[:, 0] * X[:, 1] > 0
    model = BLSClassifier(C=1e4, random_state=0).fit(X[:500], y[:500])
    assert model.score(X[500:], y[500:]) > 0.95


def test_large_biases_learn_a_checkerboard():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (1200, 2))
    y = X[:, 0] * X[:, 1] > 0
    small, large = (
        BLSClassifier(1, 8, 1, 60, enhancement_bias=bias, random_state=0)
        .fit(X[:600], y[:600])
        .score(X[600:], y[600:])
        for bias in (0.0, 8.0)
    )
    assert small < 0.65 < 0.9 < large
