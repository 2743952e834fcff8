import numpy as np
import pytest

from broadlearn.random_features import learn_standardization
from broadlearn.random_features.draws import draw_hidden_weights
from broadlearn.random_features.hidden_layer import Autoencoders, HiddenLayer
from broadlearn.random_features.nested_maps import draw_map

PENALTY = 1e-3


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    return rng.normal(size=(80, 3)) @ rng.normal(size=(3, 6)) + 0.1 * rng.normal(size=(80, 6))


def recipe(n_layers, n_nodes=9):
    return Autoencoders(n_nodes, "tanh", n_layers, 12, PENALTY)


def learn(X, n_layers, weight=None):
    return recipe(n_layers).learn(X, learn_standardization(X, weight), 5, weight)


def scaled(A):
    return 2 * (A - A.min(axis=0)) / (A.max(axis=0) - A.min(axis=0)) - 1


def test_is_one_activated_product():
    rng = np.random.default_rng(0)
    affine, W = rng.normal(size=(9, 4)), rng.normal(size=(4, 6))
    found = HiddenLayer(6, "tanh").cut(0, 0, W)
    np.testing.assert_allclose(found.design(affine), np.tanh(affine @ W))
    np.testing.assert_allclose(found.columns(affine), np.tanh(affine @ W))
    assert (found.n_feature_columns, found.n_columns) == (0, 6)


def test_every_layer_is_the_lasso_optimum_on_the_layer_before(X):
    stack = learn(X, 3)
    inputs = (X - X.mean(axis=0)) / X.std(axis=0)
    for layer, weights in enumerate(stack.layers):
        inputs = np.column_stack([inputs, np.ones(len(X))])
        H = scaled(inputs @ draw_hidden_weights(5, 12, inputs.shape[1] - 1, layer))
        beta = weights.T
        slope = H.T @ (H @ beta - inputs) / len(X)
        assert np.abs(slope).max() <= PENALTY + 1e-9
        used = beta != 0
        np.testing.assert_allclose(slope[used], -PENALTY * np.sign(beta[used]), atol=1e-9)
        inputs = scaled(inputs @ weights)
    Z = np.column_stack([(X - X.mean(axis=0)) / X.std(axis=0), np.ones(len(X))])
    np.testing.assert_allclose(Z @ stack.collapsed[:, :-1], inputs, atol=1e-10)
    np.testing.assert_allclose(Z @ stack.collapsed[:, -1], 1.0)


def test_weights_count_as_copies(X):
    weight = np.random.default_rng(1).integers(1, 4, len(X)).astype(float)
    copies = np.repeat(X, weight.astype(int), axis=0)
    np.testing.assert_allclose(learn(X, 2, weight).collapsed, learn(copies, 2).collapsed, atol=1e-9)


@pytest.mark.parametrize("n_layers", [0, 1, 2])
def test_the_hidden_layer_lies_behind_the_last_autoencoder(X, n_layers):
    standardization = learn_standardization(X)
    found = draw_map(recipe(n_layers), X, standardization, 5)
    inputs = (X - X.mean(axis=0)) / X.std(axis=0)
    for weights in found.layers:
        inputs = scaled(np.column_stack([inputs, np.ones(len(X))]) @ weights)
    W = draw_hidden_weights(5, 9, inputs.shape[1])
    expected = np.tanh(np.column_stack([inputs, np.ones(len(X))]) @ W)
    np.testing.assert_allclose(found.design(standardization.affine(X)), expected, atol=1e-10)
    assert len(found.layers) == n_layers
