from dataclasses import replace

import numpy as np
import pytest

from broadlearn.random_features import (
    InfiniteMap,
    InfiniteNodes,
    MappedSamples,
    MapSettings,
    draw_map,
    infinite_map,
    learn_standardization,
)
from broadlearn.random_features.infinite_map import STRENGTH

SETTINGS = MapSettings(
    n_feature_groups=2,
    n_feature_nodes=4,
    n_enhancement_groups=3,
    n_enhancement_nodes="infinite",
    activation="sine",
    feature_activation="identity",
    feature_weights="orthonormal",
    feature_scaling="node",
    enhancement_scale=0.8,
    enhancement_bias=1.5,
    enhancement_inputs=4,
)
KINDS = {
    "inputs": {},
    "features": {"enhancement_inputs": None},
    "fewer features than inputs": {"enhancement_inputs": None, "n_feature_groups": 1},
    "tanh features": {"enhancement_inputs": None, "feature_activation": "tanh"},
    "scaled samples": {"enhancement_inputs": None, "feature_scaling": "sample"},
    "sparse": {"feature_weights": "sparse", "feature_scaling": "robust"},
    "several scales": {"enhancement_scale": [0.3, 1.0], "activation": "relu"},
}


def samples(n=30, d=6):
    X = np.random.default_rng(0).normal(3.0, 2.0, size=(n, d))
    return X, learn_standardization(X)


def infinite(X, standardization, **changed):
    return draw_map(InfiniteNodes(replace(SETTINGS, **changed)), X, standardization, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_columns_are_features_and_products_with_the_samples(kind):
    X, standardization = samples()
    found = infinite(X, standardization, **KINDS[kind])
    assert isinstance(found, InfiniteMap)
    Z = standardization.affine(X)
    F, kernel = found.features(Z), found.node_kernel()
    inputs = F if KINDS[kind].get("enhancement_inputs", 4) is None else Z[:, :-1]
    K = STRENGTH * kernel(inputs, inputs)
    np.testing.assert_allclose(found.design(Z[:7]), np.hstack([F, K])[:7], atol=1e-9)
    G = found.columns(Z)
    assert G.shape == (30, found.n_columns)
    n = found.n_feature_columns
    np.testing.assert_allclose(G[:, :n] @ G[:, :n].T, F @ F.T, atol=1e-9)
    np.testing.assert_allclose(G[:, n:], K, atol=1e-9)
    np.testing.assert_array_equal(
        MappedSamples(found, X, standardization)(np.array([3, 1])), G[[3, 1]]
    )


def test_feature_nodes_are_those_of_a_finite_map():
    X, standardization = samples()
    finite = draw_map(replace(SETTINGS, n_enhancement_nodes=5), X, standardization, 0)
    found = infinite(X, standardization)
    np.testing.assert_array_equal(found.feature_weights, finite.feature_weights)
    assert found.settings.n_enhancements == 30


def test_weights_of_a_node_behind_features_have_length_one():
    X, standardization = samples()
    kernel = infinite(X, standardization, enhancement_inputs=None).node_kernel()
    assert (kernel.n_weights, kernel.max_inputs, kernel.scales) == (9, None, (0.8,))
    kernel = infinite(X, standardization, enhancement_scale=(1, 2)).node_kernel()
    assert (kernel.n_weights, kernel.max_inputs, kernel.scales) == (6, 4, (1, 2))


def test_too_many_samples_are_refused(monkeypatch):
    X, standardization = samples()
    monkeypatch.setattr(infinite_map, "free_memory", lambda: 4 * 8 * 30**2 - 1)
    with pytest.raises(ValueError, match=r"30 x 30 samples, and .* are free"):
        infinite(X, standardization)
