import numpy as np
import pytest

from broadlearn.random_features._autoencoder import learn_autoencoders
from broadlearn.random_features._draws import draw_autoencoder_weights
from broadlearn.random_features._standardize import learn_standardization

PENALTY = 1e-3


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    return rng.normal(size=(80, 3)) @ rng.normal(size=(3, 6)) + 0.1 * rng.normal(size=(80, 6))


def learn(X, n_layers, weight=None):
    standardization = learn_standardization(X, weight)
    return learn_autoencoders(X, standardization, n_layers, 12, PENALTY, "tanh", 5, weight)


def scaled(A):
    return 2 * (A - A.min(axis=0)) / (A.max(axis=0) - A.min(axis=0)) - 1


def test_every_layer_is_the_lasso_optimum_on_the_layer_before(X):
    stack = learn(X, 3)
    inputs = (X - X.mean(axis=0)) / X.std(axis=0)
    for layer, weights in enumerate(stack.layers):
        inputs = np.column_stack([inputs, np.ones(len(X))])
        H = scaled(inputs @ draw_autoencoder_weights(5, layer, 12, inputs.shape[1] - 1))
        beta = weights.T
        slope = H.T @ (H @ beta - inputs) / len(X)
        assert np.abs(slope).max() <= PENALTY + 1e-9
        used = beta != 0
        np.testing.assert_allclose(slope[used], -PENALTY * np.sign(beta[used]), atol=1e-9)
        inputs = scaled(inputs @ weights)
    Z = np.column_stack([(X - X.mean(axis=0)) / X.std(axis=0), np.ones(len(X))])
    np.testing.assert_allclose(Z @ stack.collapsed[:, :-1], inputs, atol=1e-10)
    np.testing.assert_allclose(Z @ stack.collapsed[:, -1], 1.0)


def test_lower_layers_do_not_depend_on_how_many_follow(X):
    for short, long in zip(learn(X, 1).layers, learn(X, 2).layers, strict=False):
        np.testing.assert_array_equal(short, long)


def test_weights_count_as_copies(X):
    weight = np.random.default_rng(1).integers(1, 4, len(X)).astype(float)
    copies = np.repeat(X, weight.astype(int), axis=0)
    np.testing.assert_allclose(learn(X, 2, weight).collapsed, learn(copies, 2).collapsed, atol=1e-9)


def test_no_layer_is_the_identity(X):
    stack = learn(X, 0)
    np.testing.assert_array_equal(stack.collapsed, np.eye(7))
    W = np.random.default_rng(0).normal(size=(7, 4))
    np.testing.assert_array_equal(stack.cut(0, 0, W).enhancement_weights, W)
