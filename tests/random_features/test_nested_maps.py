from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from sklearn.linear_model import Lasso

from broadlearn.random_features import Standardization, learn_standardization, nested_maps
from broadlearn.random_features.activations import ACTIVATIONS
from broadlearn.random_features.draws import draw_feature_weights
from broadlearn.random_features.nested_maps import (
    SPARSE_PENALTY,
    MapSettings,
    NestedMaps,
    RelearntMaps,
    draw_map,
    node_quantiles,
    to_interval,
)

SETTINGS = MapSettings(4, 5, 2, 7, "tanh", "identity", "random", "node", 1.3, 2.5)
SMALL = MapSettings(2, 3, 2, 7, "tanh", "identity", "orthonormal", "node", 1.5)


@pytest.fixture
def rows():
    X = np.random.default_rng(0).normal(2, 3, (80, 6))
    standardization = learn_standardization(X)
    return X, standardization, standardization.affine(X)


@pytest.mark.parametrize(
    ("feature_weights", "feature_scaling", "feature_activation"),
    [
        *product(["orthonormal", "random"], ["node", "robust", "sample", None], ["identity"]),
        *product(["random"], ["node", "sample", None], ["tanh"]),
        ("sparse", "node", "identity"),
        ("sparse", "robust", "tanh"),
    ],
)
def test_cut_maps_are_those_learnt_alone(feature_weights, feature_scaling, feature_activation):
    X = np.random.default_rng(0).normal(size=(60, 5))
    standardization = learn_standardization(X)
    affine = standardization.affine(X)
    common = ("tanh", feature_activation, feature_weights, feature_scaling, 1.5)
    largest = MapSettings(6, 8, 2, 30, *common)
    maps = largest.learn(X, standardization, 7)
    assert isinstance(maps, RelearntMaps if feature_weights == "sparse" else NestedMaps)
    for m, p in [(1, 1), (3, 8), (6, 5)]:
        cut = maps.cut(m, p, largest.draw_layer(7, m * p, 5))
        alone = draw_map(MapSettings(m, p, 2, 30, *common), X, standardization, 7)
        np.testing.assert_allclose(cut.design(affine), alone.design(affine), atol=1e-12)


@pytest.mark.parametrize("inputs", [None, 3])
def test_smaller_maps_are_parts_of_larger_ones(rows, inputs):
    X, standardization, affine = rows
    common = {"enhancement_inputs": inputs, "enhancement_scale": (0.5, 1.0, 2.0)}
    larger = replace(SETTINGS, n_feature_groups=6, n_feature_nodes=8, **common)
    large = draw_map(larger, X, standardization, 3)
    small = draw_map(replace(SETTINGS, **common), X, standardization, 3)
    wider = replace(SETTINGS, n_enhancement_nodes=60, **common)
    wide = draw_map(wider, X, standardization, 3)
    F = large.features(affine)
    for i in range(4):
        np.testing.assert_allclose(
            small.features(affine)[:, 5 * i : 5 * i + 5], F[:, 8 * i : 8 * i + 5], atol=1e-14
        )
    G, wider = small.design(affine)[:, 20:], wide.design(affine)[:, 20:]
    for j in range(2):
        np.testing.assert_allclose(
            G[:, 7 * j : 7 * j + 7], wider[:, 60 * j : 60 * j + 7], atol=1e-14
        )


def test_every_sparse_group_is_the_lasso_that_rebuilds_the_samples(rows):
    X, standardization, affine = rows
    s = replace(SETTINGS, feature_weights="sparse", feature_scaling=None)
    A = draw_map(s, X, standardization, 3).feature_weights
    drawn = affine @ draw_feature_weights(3, 4, 5, 6)
    nodes = 2 * (drawn - drawn.min(axis=0)) / (drawn.max(axis=0) - drawn.min(axis=0)) - 1
    for i in range(4):
        group = slice(5 * i, 5 * i + 5)
        lasso = Lasso(SPARSE_PENALTY, fit_intercept=False, tol=1e-12, max_iter=100_000)
        lasso.fit(nodes[:, group], affine)
        np.testing.assert_allclose(A[:, group], lasso.coef_, atol=1e-5)


def test_weights_count_as_copies_in_robust_scaling_and_sparse_weights(rows):
    X, standardization, affine = rows
    weight = np.random.default_rng(1).integers(1, 4, 80)
    copies = np.repeat(X, weight, axis=0)
    s = replace(SETTINGS, feature_scaling="robust", feature_weights="sparse")
    weighted = draw_map(s, X, standardization, 3, weight * 1.0)
    repeated = draw_map(s, copies, standardization, 3)
    np.testing.assert_allclose(weighted.design(affine), repeated.design(affine), atol=1e-9)


def test_outlying_rows_drag_extremes_but_not_quantiles(rows):
    X, standardization, affine = rows
    spoilt = X.copy()
    spoilt[0] *= 1e4
    spread = {}
    for scaling in ("node", "robust"):
        s = replace(SETTINGS, feature_scaling=scaling)
        broad_map = draw_map(s, spoilt, standardization, 3)
        spread[scaling] = np.ptp(broad_map.features(affine[1:]), axis=0)
    assert spread["node"].max() < 0.1
    assert spread["robust"].min() > 1.0


def test_interval_is_reached_and_constants_go_to_zero():
    low, high = np.array([0.0, -4.0, 3.0]), np.array([2.0, 6.0, 3.0])
    scale, offset = to_interval(low, high)
    np.testing.assert_allclose(low * scale + offset, [-1, -1, 0])
    np.testing.assert_allclose(high * scale + offset, [1, 1, 0])


def quantiles_of(F, weight=None, activate=ACTIVATIONS["identity"]):
    """The robust quantiles of nodes that are just the columns of F."""
    copy = np.vstack([np.eye(F.shape[1]), np.zeros(F.shape[1])])
    return node_quantiles(F, Standardization.identity(F.shape[1]), copy, activate, weight)


@pytest.mark.parametrize("step", [1, 3, 10])
def test_quantiles_ignore_a_few_outliers(step, monkeypatch):
    monkeypatch.setattr(nested_maps, "BLOCK_NUMBERS", 2 * 2000 * step)
    F = np.random.default_rng(0).uniform(0, 1, size=(2000, 5))
    F[:20] = 1e6
    low, high = quantiles_of(F)
    np.testing.assert_allclose(low, 0.1, atol=0.03)
    np.testing.assert_allclose(high, 0.9, atol=0.03)
    np.testing.assert_array_equal(low, np.quantile(F, 0.1, axis=0, method="inverted_cdf"))
    np.testing.assert_array_equal(high, np.quantile(F, 0.9, axis=0, method="inverted_cdf"))


def test_quantiles_that_coincide_widen_to_the_extremes():
    F = np.zeros((100, 1))
    F[0], F[1] = -2.0, 5.0
    low, high = quantiles_of(F)
    assert (low[0], high[0]) == (-2.0, 5.0)
