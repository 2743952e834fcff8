import pickle

import numpy as np
import pytest
from plain import plain_ridge
from sklearn.datasets import load_breast_cancer, load_iris

from broadlearn import ELMClassifier, HierarchicalELMClassifier
from broadlearn.random_features.draws import draw_hidden_weights
from broadlearn.utils import draw_seed


def scaled(A):
    width = A.max(axis=0) - A.min(axis=0)
    return 2 * (A - A.min(axis=0)) / np.where(width > 0, width, 1.0) - 1


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_equals_the_layers_written_out(load):
    X, y = load(return_X_y=True)
    model = HierarchicalELMClassifier(
        50, 10.0, n_autoencoders=3, n_autoencoder_nodes=4, random_state=2
    ).fit(X, y)
    assert len(model.autoencoder_weights_) == 3
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    for weights in model.autoencoder_weights_:
        Z = scaled(np.column_stack([Z, np.ones(len(Z))]) @ weights)
    W = draw_hidden_weights(draw_seed(2), 50, 4)
    H = 1 / (1 + np.exp(-(Z @ W[:-1] + W[-1])))
    T = np.eye(3)[y] if y.max() == 2 else np.where(y == 1, 1.0, -1.0)[:, None]
    expected = H @ plain_ridge(H, T, 10.0)
    found = model.decision_function(X).reshape(expected.shape)
    np.testing.assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_weights_of_the_autoencoders_are_shown(dtype):
    X, y = load_iris(return_X_y=True)
    model = HierarchicalELMClassifier(20, n_autoencoder_nodes=5, random_state=0)
    assert not hasattr(model, "autoencoder_weights_")
    model.fit(X.astype(dtype), y)
    assert [weights.shape for weights in model.autoencoder_weights_] == [(5, 5), (6, 5)]
    assert all(weights.dtype == dtype for weights in model.autoencoder_weights_)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.autoencoder_weights_[1], model.autoencoder_weights_[1])
    with pytest.raises(AttributeError):
        model.autoencoder_weights_ = []


def test_without_autoencoders_it_is_the_extreme_learning_machine():
    X, y = load_iris(return_X_y=True)
    plain = ELMClassifier(30, random_state=0).fit(X, y)
    none = HierarchicalELMClassifier(30, n_autoencoders=0, random_state=0).fit(X, y)
    np.testing.assert_allclose(none.decision_function(X), plain.decision_function(X), atol=1e-12)
    assert none.autoencoder_weights_ == []
