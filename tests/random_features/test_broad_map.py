import numpy as np
import pytest

from broadlearn.random_features._broad_map import MapSettings, learn_map, reduce_map
from broadlearn.random_features._draws import (
    draw_enhancement_weights,
    draw_feature_weights,
    draw_input_weights,
)
from broadlearn.random_features._standardize import affine_block, learn_standardization


def settings(**change):
    values = {
        "n_feature_groups": 4,
        "n_feature_nodes": 5,
        "n_enhancement_groups": 2,
        "n_enhancement_nodes": 7,
        "activation": "tanh",
        "feature_activation": "identity",
        "feature_weights": "random",
        "feature_scaling": "node",
        "enhancement_scale": 1.3,
        "enhancement_bias": 2.5,
    }
    return MapSettings(**{**values, **change})


@pytest.fixture
def rows():
    X = np.random.default_rng(0).normal(2, 3, (80, 6))
    standardization = learn_standardization(X)
    return X, standardization, affine_block(X, slice(0, 80), standardization)


def plain_design(affine, s, seed):
    """F and E written out, with each scaling learnt on the rows themselves."""
    functions = {
        "identity": lambda u: u,
        "tanh": np.tanh,
        "relu": lambda u: np.maximum(u, 0),
        "sine": np.sin,
        "sigmoid": lambda u: 1 / (1 + np.exp(-u)),
    }
    A = draw_feature_weights(seed, s.n_feature_groups, s.n_feature_nodes, affine.shape[1] - 1)
    F = functions[s.feature_activation](affine @ A)
    if s.feature_scaling == "node":
        F = 2 * (F - F.min(axis=0)) / (F.max(axis=0) - F.min(axis=0)) - 1
    if s.feature_scaling == "robust":
        low, high = np.quantile(F, [0.1, 0.9], axis=0, method="inverted_cdf")
        F = 2 * (F - low) / (high - low) - 1
    if s.feature_scaling == "sample":
        for i in range(s.n_feature_groups):
            part = F[:, i * s.n_feature_nodes : (i + 1) * s.n_feature_nodes]
            low, high = part.min(axis=1, keepdims=True), part.max(axis=1, keepdims=True)
            part[:] = 2 * (part - low) / (high - low) - 1
    sizes = (seed, s.n_enhancement_groups, s.n_enhancement_nodes)
    if s.enhancement_inputs is None:
        inputs, W = F, draw_enhancement_weights(*sizes, s.n_features)
        turn = 1
    else:
        inputs = affine[:, :-1]
        W, turn = draw_input_weights(*sizes, inputs.shape[1], s.enhancement_inputs), 2
    U = np.c_[inputs, np.full(len(F), s.enhancement_bias)] @ W
    scales = np.atleast_1d(s.enhancement_scale)
    for j in range(U.shape[1]):
        U[:, j] *= scales[j % s.n_enhancement_nodes // turn % len(scales)]
    return np.hstack([F, functions[s.activation](U)])


@pytest.mark.parametrize("feature_scaling", ["node", "robust", "sample", None])
@pytest.mark.parametrize("feature_activation", ["identity", "tanh"])
@pytest.mark.parametrize("activation", ["tanh", "sigmoid", "relu", "sine"])
def test_design_equals_the_formulas(rows, feature_scaling, feature_activation, activation):
    X, standardization, affine = rows
    s = settings(
        feature_scaling=feature_scaling,
        feature_activation=feature_activation,
        activation=activation,
    )
    broad_map = learn_map(X, standardization, s, seed=3)
    np.testing.assert_allclose(broad_map.design(affine), plain_design(affine, s, 3), atol=1e-12)


@pytest.mark.parametrize("feature_activation", ["identity", "tanh"])
@pytest.mark.parametrize("inputs", [None, 1, 3, 99])
@pytest.mark.parametrize("scale", [0.7, (0.5, 2.0), [0.1, 1.0, 4.0]], ids=str)
def test_scales_and_inputs_of_enhancement_nodes(rows, feature_activation, inputs, scale):
    X, standardization, affine = rows
    s = settings(
        feature_activation=feature_activation, enhancement_inputs=inputs, enhancement_scale=scale
    )
    broad_map = learn_map(X, standardization, s, seed=3)
    np.testing.assert_allclose(broad_map.design(affine), plain_design(affine, s, 3), atol=1e-12)


@pytest.mark.parametrize(
    "change",
    [{}, {"feature_weights": "sparse"}, {"feature_scaling": None}, {"enhancement_inputs": 2}],
)
def test_reduced_columns_are_a_rotation_of_the_full_ones(rows, change):
    X, standardization, affine = rows
    broad_map = learn_map(X, standardization, settings(**change), seed=3)
    reduced = reduce_map(broad_map)
    G, H = broad_map.design(affine), reduced(affine)
    assert H.shape[1] == 7 + 14 < G.shape[1]
    np.testing.assert_allclose(H @ H.T, G @ G.T, atol=1e-11)
    w = np.random.default_rng(0).normal(size=(H.shape[1], 2))
    np.testing.assert_allclose(H @ w, G @ reduced.full_weights(w), atol=1e-11)
    Q = reduced.rotation
    np.testing.assert_allclose(Q.T @ Q, np.eye(Q.shape[1]), atol=1e-13)


@pytest.mark.parametrize(
    "change",
    [{"feature_scaling": "sample"}, {"feature_activation": "relu"}, {"n_feature_groups": 1}],
)
def test_no_rotation_where_it_would_be_wrong_or_useless(rows, change):
    X, standardization, affine = rows
    broad_map = learn_map(X, standardization, settings(**change), seed=3)
    reduced = reduce_map(broad_map)
    assert reduced.rotation is None
    np.testing.assert_array_equal(reduced(affine), broad_map.design(affine))


@pytest.mark.parametrize("inputs", [None, 3])
def test_smaller_maps_are_parts_of_larger_ones(rows, inputs):
    X, standardization, affine = rows
    common = {"enhancement_inputs": inputs, "enhancement_scale": (0.5, 1.0, 2.0)}
    large = learn_map(
        X, standardization, settings(n_feature_groups=6, n_feature_nodes=8, **common), 3
    )
    small = learn_map(X, standardization, settings(**common), 3)
    wide = learn_map(X, standardization, settings(n_enhancement_nodes=60, **common), 3)
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


def test_sparse_weights_rebuild_the_rows_with_few_entries(rows):
    X, standardization, affine = rows
    dense = learn_map(X, standardization, settings(), 3)
    sparse = learn_map(X, standardization, settings(feature_weights="sparse"), 3)
    assert sparse.feature_weights.shape == dense.feature_weights.shape
    assert not np.allclose(sparse.feature_weights, dense.feature_weights)
    F = sparse.features(affine)
    assert F.min() >= -1 - 1e-12
    assert F.max() <= 1 + 1e-12


def test_weights_count_as_copies_in_robust_scaling_and_sparse_weights(rows):
    X, standardization, affine = rows
    weight = np.random.default_rng(1).integers(1, 4, 80)
    copies = np.repeat(X, weight, axis=0)
    s = settings(feature_scaling="robust", feature_weights="sparse")
    weighted = learn_map(X, standardization, s, 3, weight * 1.0)
    repeated = learn_map(copies, standardization, s, 3)
    np.testing.assert_allclose(weighted.design(affine), repeated.design(affine), atol=1e-9)


def test_outlying_rows_drag_extremes_but_not_quantiles(rows):
    X, standardization, affine = rows
    spoilt = X.copy()
    spoilt[0] *= 1e4
    spread = {}
    for scaling in ("node", "robust"):
        broad_map = learn_map(spoilt, standardization, settings(feature_scaling=scaling), 3)
        spread[scaling] = np.ptp(broad_map.features(affine[1:]), axis=0)
    assert spread["node"].max() < 0.1
    assert spread["robust"].min() > 1.0


def test_float32_rows_give_float32_nodes(rows):
    X, standardization, affine = rows
    broad_map = learn_map(X, standardization, settings(), 3)
    design = broad_map.design(affine.astype(np.float32))
    assert design.dtype == np.float32
    np.testing.assert_allclose(design, broad_map.design(affine), atol=1e-5)
