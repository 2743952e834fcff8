"""Random vector functional link: the closed form, written out."""

import numpy as np
from plain import plain_ridge
from sklearn.datasets import load_iris

from broadlearn import ELMClassifier, RVFLClassifier


def test_decisions_are_those_of_ridge_on_inputs_and_hidden_nodes():
    X, y = load_iris(return_X_y=True)
    y = y == 1
    model = RVFLClassifier(20, C=3.0, random_state=0).fit(X, y)
    Z = model._standardization.affine(X)[:, :-1]
    W = ELMClassifier(20, random_state=0).fit(X, y)._map.enhancement_weights
    G = np.hstack([Z, 1.0 / (1.0 + np.exp(-(Z @ W[:-1] + W[-1])))])
    expected = G @ plain_ridge(G, np.where(y, 1.0, -1.0)[:, None], 3.0)
    np.testing.assert_allclose(model.decision_function(X), expected.ravel(), atol=1e-8)
    assert model.output_weights_.shape == (24, 1)
