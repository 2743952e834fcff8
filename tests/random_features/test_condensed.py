from dataclasses import replace

import numpy as np
import pytest

from broadlearn.random_features import MapSettings, common_span, condense, draw_map, interleave
from broadlearn.utils import learn_standardization, standardize_rows

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


def test_products_of_samples_are_those_of_the_design_matrix():
    plain, affine = drawn(SETTINGS)
    G, H = plain.design(affine), condense(plain).columns(affine)
    np.testing.assert_allclose(H @ H.T, G @ G.T, atol=1e-10)
    np.testing.assert_allclose(H[:, -10:], G[:, -10:], rtol=0, atol=1e-14)


@pytest.mark.parametrize("enhancement_inputs", [None, 2])
def test_samples_of_a_smaller_span_have_fewer_columns(enhancement_inputs):
    X = standardize_rows(np.random.default_rng(1).normal(size=(30, 4)))
    standardization = learn_standardization(X, None, False)
    settings = replace(SETTINGS, enhancement_inputs=enhancement_inputs)
    plain, affine = draw_map(settings, X, standardization, 0), standardization.affine(X)
    span = common_span(affine[:20], affine[20:])
    assert span.shape == (5, 4)
    small = condense(plain, span)
    assert small.n_columns == 3 * 5 + 10
    G, H = plain.design(affine), small.columns(affine)
    np.testing.assert_allclose(H @ H.T, G @ G.T, atol=1e-10)


def test_a_span_is_that_of_all_tables():
    rng = np.random.default_rng(0)
    few = rng.normal(size=(9, 2)) @ rng.normal(size=(2, 4))
    span = common_span(few)
    assert span.shape == (4, 2)
    np.testing.assert_allclose(few @ span @ span.T, few, atol=1e-12)
    np.testing.assert_allclose(span.T @ span, np.eye(2), atol=1e-12)
    assert common_span(few[:3], few[3:]) is not None
    assert common_span(few, rng.normal(size=(1, 4))) is None
    assert common_span(rng.normal(size=(9, 4))) is None
    assert common_span(rng.normal(size=(2, 4))).shape == (4, 2)
    assert common_span(np.zeros((3, 4))) is None


def test_columns_go_where_they_are_wanted_in_the_type_of_the_samples():
    plain, affine = drawn(SETTINGS, np.float32)
    small = condense(plain)
    out = np.empty((30, small.n_columns), dtype=np.float32)
    assert small.columns(affine, out) is out
    np.testing.assert_array_equal(small.columns(affine), out)


def test_order_of_enhancement_nodes_is_kept():
    plain, affine = drawn(SETTINGS)
    ordered = condense(interleave(plain)).columns(affine)
    expected = interleave(plain).design(affine)[:, -10:]
    np.testing.assert_allclose(ordered[:, -10:], expected, rtol=0, atol=1e-14)


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
