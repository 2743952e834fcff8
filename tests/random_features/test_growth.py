from dataclasses import replace

import numpy as np
import pytest

from broadlearn.random_features._broad_map import MapSettings, learn_map
from broadlearn.random_features._growth import grow_map, kept_enhancements
from broadlearn.random_features._standardize import affine_block, learn_standardization

SMALL = MapSettings(2, 3, 2, 7, "tanh", "identity", "orthonormal", "node", 1.5)


@pytest.mark.parametrize(
    "change",
    [
        {"n_enhancement_nodes": 11},
        {"n_enhancement_groups": 3},
        {"n_feature_groups": 5},
        {"n_feature_groups": 3, "n_enhancement_groups": 3, "n_enhancement_nodes": 9},
    ],
)
@pytest.mark.parametrize(
    "kind",
    [
        {},
        {"feature_scaling": "sample"},
        {"feature_scaling": None, "feature_weights": "random"},
        {"feature_activation": "tanh"},
        {"feature_weights": "sparse", "feature_scaling": "robust"},
        {"enhancement_inputs": 2, "enhancement_scale": (0.5, 2.0)},
    ],
)
def test_grown_map_is_the_map_of_the_larger_size(change, kind):
    X = np.random.default_rng(0).normal(size=(60, 4))
    standardization = learn_standardization(X)
    old, new = replace(SMALL, **kind), replace(SMALL, **kind, **change)
    grown = grow_map(learn_map(X, standardization, old, 5), new, 5, X, standardization)
    fresh = learn_map(X, standardization, new, 5)
    rows = affine_block(X, slice(0, 60), standardization)
    np.testing.assert_allclose(grown.design(rows), fresh.design(rows), atol=1e-12)


def test_old_nodes_keep_their_scaling():
    X = np.random.default_rng(0).normal(size=(60, 4))
    standardization = learn_standardization(X)
    old = learn_map(X[:20], standardization, SMALL, 5)
    grown = grow_map(old, replace(SMALL, n_feature_groups=3), 5, X, standardization)
    np.testing.assert_array_equal(grown.feature_weights[:, :6], old.feature_weights)


def test_kept_enhancements():
    X = np.random.default_rng(0).normal(size=(60, 4))
    standardization = learn_standardization(X)
    new = replace(SMALL, n_enhancement_groups=3, n_enhancement_nodes=9)
    rows = affine_block(X, slice(0, 60), standardization)
    small = learn_map(X, standardization, SMALL, 5).design(rows)[:, 6:]
    large = learn_map(X, standardization, new, 5).design(rows)[:, 6:]
    np.testing.assert_allclose(large[:, kept_enhancements(SMALL, new)], small, atol=1e-13)
    assert kept_enhancements(SMALL, replace(SMALL, n_feature_groups=3)).size == 0
