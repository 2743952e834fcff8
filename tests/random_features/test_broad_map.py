import numpy as np
import pytest

from broadlearn.random_features import learn_standardization
from broadlearn.random_features.broad_map import MappedSamples, interleave, scale_rows_in_groups
from broadlearn.random_features.draws import (
    draw_enhancement_weights,
    draw_feature_weights,
    draw_input_weights,
)
from broadlearn.random_features.nested_maps import MapSettings, draw_map


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
    return X, standardization, standardization.affine(X)


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
    if s.feature_weights == "random":
        A[-1] *= 0.1
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
    broad_map = draw_map(s, X, standardization, 3)
    np.testing.assert_allclose(broad_map.design(affine), plain_design(affine, s, 3), atol=1e-12)


@pytest.mark.parametrize("feature_activation", ["identity", "tanh"])
@pytest.mark.parametrize("inputs", [None, 1, 3, 99])
@pytest.mark.parametrize("scale", [0.7, (0.5, 2.0), [0.1, 1.0, 4.0]], ids=str)
def test_scales_and_inputs_of_enhancement_nodes(rows, feature_activation, inputs, scale):
    X, standardization, affine = rows
    s = settings(
        feature_activation=feature_activation, enhancement_inputs=inputs, enhancement_scale=scale
    )
    broad_map = draw_map(s, X, standardization, 3)
    np.testing.assert_allclose(broad_map.design(affine), plain_design(affine, s, 3), atol=1e-12)


@pytest.mark.parametrize(
    "change",
    [{}, {"feature_weights": "sparse"}, {"feature_scaling": None}, {"enhancement_inputs": 2}],
)
def test_reduced_columns_are_a_rotation_of_the_full_ones(rows, change):
    X, standardization, affine = rows
    broad_map = draw_map(settings(**change), X, standardization, 3)
    G, H = broad_map.design(affine), broad_map.columns(affine)
    assert broad_map.affine
    assert H.shape[1] == broad_map.n_columns == 7 + 14 < G.shape[1]
    assert broad_map.n_feature_columns == 7
    np.testing.assert_allclose(H @ H.T, G @ G.T, atol=1e-11)
    w = np.random.default_rng(0).normal(size=(H.shape[1], 2))
    W = broad_map.node_weights(w)
    np.testing.assert_allclose(H @ w, G @ W, atol=1e-11)
    np.testing.assert_allclose(W.T @ W, w.T @ w, atol=1e-11)


@pytest.mark.parametrize(
    "change",
    [{"feature_scaling": "sample"}, {"feature_activation": "relu"}, {"n_feature_groups": 1}],
)
def test_no_rotation_where_it_would_be_wrong_or_useless(rows, change):
    X, standardization, affine = rows
    broad_map = draw_map(settings(**change), X, standardization, 3)
    assert broad_map.basis is None
    assert broad_map.n_feature_columns == broad_map.settings.n_features
    np.testing.assert_array_equal(broad_map.columns(affine), broad_map.design(affine))


@pytest.mark.parametrize("change", [{}, {"feature_activation": "relu"}])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_mapped_samples_are_the_columns_of_these_rows(rows, change, dtype):
    X, standardization, _ = rows
    X = X.astype(dtype)
    broad_map = draw_map(settings(**change), X, standardization, 3)
    design = MappedSamples(broad_map, X, standardization)
    assert (design.n_rows, design.n_columns) == (80, broad_map.n_columns)
    assert design.n_nodes == 4 * 5 + 2 * 7
    whole = broad_map.columns(standardization.affine(X))
    atol = 1e-13 if dtype == np.float64 else 1e-5
    for part in (slice(None), slice(3, 9), np.array([7, 2, 2])):
        found = design(part)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, whole[part], atol=atol)
    out = np.empty((6, design.n_columns + 2))
    design(slice(3, 9), out=out[:, :-2])
    np.testing.assert_allclose(out[:, :-2], whole[3:9], atol=atol)


def test_interleaved_nodes_are_ordered_by_their_number_within_a_group(rows):
    X, standardization, affine = rows
    whole = draw_map(settings(), X, standardization, 3)
    few = draw_map(settings(n_enhancement_nodes=3), X, standardization, 3)
    turned = interleave(whole).design(affine)
    np.testing.assert_allclose(turned[:, 20:26], interleave(few).design(affine)[:, 20:], atol=1e-14)
    order = np.arange(14).reshape(2, 7).T.ravel()
    np.testing.assert_allclose(turned[:, 20:], whole.design(affine)[:, 20 + order], atol=1e-14)
    one = draw_map(settings(n_enhancement_groups=1), X, standardization, 3)
    assert interleave(one) is one


def test_rows_are_scaled_within_each_group():
    F = np.array([[1.0, 3.0, 2.0, 10.0, 10.0, 10.0]])
    assert scale_rows_in_groups(F, 2) is F
    np.testing.assert_allclose(F, [[-1, 1, 0, 0, 0, 0]])
