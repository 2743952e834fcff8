from dataclasses import replace

import numpy as np
import pytest

from broadlearn.random_features import MapSettings, condense, draw_map, learn_standardization

SETTINGS = MapSettings(3, 12, 2, 5, "tanh", "identity", "random", "sample", 1.0)


def drawn(settings, dtype=np.float64, n_features=4):
    X = np.random.default_rng(0).normal(size=(30, n_features)).astype(dtype)
    standardization = learn_standardization(X, None, True)
    return draw_map(settings, X, standardization, 0), standardization.affine(X)


def predictions(G, C):
    T = np.sign(np.arange(20) % 3 - 0.5)
    W = np.linalg.solve(G[:20].T @ G[:20] + np.eye(G.shape[1]) / C, G[:20].T @ T)
    return G[20:] @ W


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_ridge_predictions_stay(C):
    plain, affine = drawn(SETTINGS)
    small = condense(plain)
    assert (small.n_columns, plain.n_columns) == (3 * 6 + 10, 3 * 12 + 10)
    columns = small.columns(affine)
    np.testing.assert_allclose(
        predictions(columns, C), predictions(plain.design(affine), C), atol=1e-8
    )


@pytest.mark.parametrize("enhancement_inputs", [None, 2])
def test_products_of_samples_are_those_of_the_design_matrix(enhancement_inputs):
    plain, affine = drawn(replace(SETTINGS, enhancement_inputs=enhancement_inputs))
    G, H = plain.design(affine), condense(plain).columns(affine)
    np.testing.assert_allclose(H @ H.T, G @ G.T, atol=1e-10)
    np.testing.assert_allclose(H[:, -10:], G[:, -10:], rtol=0, atol=1e-14)


def test_columns_go_where_they_are_wanted_in_the_type_of_the_samples():
    plain, affine = drawn(SETTINGS, np.float32)
    small = condense(plain)
    out = np.empty((30, small.n_columns), dtype=np.float32)
    assert small.columns(affine, out) is out
    np.testing.assert_array_equal(small.columns(affine), out)


def test_samples_of_constant_nodes_have_features_of_zero():
    plain, affine = drawn(SETTINGS)
    same = replace(plain, feature_weights=np.ones_like(plain.feature_weights))
    F = condense(same).columns(affine)[:, :18]
    np.testing.assert_allclose(F @ F.T, 0.0, atol=1e-12)


@pytest.mark.parametrize(
    "change",
    [
        {"n_feature_nodes": 6},
        {"feature_scaling": "node"},
        {"feature_scaling": None},
        {"feature_activation": "tanh"},
    ],
)
def test_other_maps_stay_as_they_are(change):
    plain, _ = drawn(replace(SETTINGS, **change))
    assert condense(plain) is plain
