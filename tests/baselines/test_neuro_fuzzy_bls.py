import numpy as np
import pytest
from plain import plain_ridge
from sklearn.datasets import load_breast_cancer, load_iris

from broadlearn import NeuroFuzzyBLSClassifier


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
@pytest.mark.parametrize("n_nodes", [10, 700])
def test_output_weights_are_the_ridge_solution(load, n_nodes):
    X, y = load(return_X_y=True)
    model = NeuroFuzzyBLSClassifier(3, 6, n_nodes, 10.0, random_state=1).fit(X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    affine = np.column_stack([Z, np.ones(len(Z))])
    F = model._map.features(affine)
    W = model._map.enhancement_weights
    G = np.hstack([F, np.tanh(F @ W[:-1] + W[-1])])
    T = np.eye(3)[y] if y.max() == 2 else np.where(y == 1, 1.0, -1.0)[:, None]
    expected = G @ plain_ridge(G, T, 10.0)
    np.testing.assert_allclose(
        model.decision_function(X).reshape(expected.shape), expected, atol=1e-9
    )
    assert model.output_weights_.shape == (18 + n_nodes, T.shape[1])


def test_five_hundred_features():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = rng.normal(size=(300, 500)) + 0.4 * y[:, None]
    model = NeuroFuzzyBLSClassifier(random_state=0).fit(X[:200], y[:200])
    assert np.isfinite(model.decision_function(X)).all()
    assert model.score(X[200:], y[200:]) > 0.8
