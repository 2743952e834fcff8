import numpy as np
import pytest
from plain import plain_ridge
from sklearn.datasets import load_breast_cancer, load_iris

from broadlearn import ELMClassifier
from broadlearn.random_features.draws import draw_hidden_weights
from broadlearn.utils import draw_seed


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
@pytest.mark.parametrize("n_nodes", [20, 300])
@pytest.mark.parametrize("C", [1.0, 1e3])
def test_equals_the_closed_form(load, n_nodes, C):
    X, y = load(return_X_y=True)
    model = ELMClassifier(n_nodes, C, random_state=4).fit(X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    W = draw_hidden_weights(draw_seed(4), n_nodes, X.shape[1])
    H = 1 / (1 + np.exp(-(Z @ W[:-1] + W[-1])))
    T = np.eye(3)[y] if y.max() == 2 else np.where(y == 1, 1.0, -1.0)[:, None]
    expected = H @ plain_ridge(H, T, C)
    found = model.decision_function(X).reshape(expected.shape)
    np.testing.assert_allclose(found, expected, atol=1e-10)
    np.testing.assert_allclose(H @ model.output_weights_, expected, atol=1e-10)
