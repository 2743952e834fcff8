from functools import partial

import numpy as np
import pytest

from broadlearn.utils.arrays import row_slices
from broadlearn.utils.standardization import Standardization, learn_standardization


def standardize(X, weight=None):
    return learn_standardization(X, weight).affine(X)


def test_mean_zero_deviation_one_and_a_column_of_ones():
    X = np.random.default_rng(0).normal(5, 3, (200, 4))
    Z = standardize(X)
    np.testing.assert_allclose(Z[:, :4].mean(axis=0), 0, atol=1e-13)
    np.testing.assert_allclose(Z[:, :4].std(axis=0), 1)
    np.testing.assert_array_equal(Z[:, 4], 1)


@pytest.mark.parametrize("size", [1e300, 1e-300, 1.0])
def test_columns_of_any_size(size):
    base = np.random.default_rng(0).normal(1, 1, (50, 2))
    np.testing.assert_allclose(standardize(base * size), standardize(base), rtol=1e-10)


@pytest.mark.parametrize("size", [3e38, 1e-37])
def test_float32_columns_of_any_size(size):
    base = np.clip(np.random.default_rng(0).normal(0, 0.5, (50, 2)), -1, 1)
    single = (base * size).astype(np.float32)
    np.testing.assert_allclose(standardize(single), standardize(base), atol=1e-4)


def test_constant_column_becomes_zero():
    X = np.column_stack([np.full(5, 0.1), np.arange(5.0), np.full(5, 1e300)])
    Z = standardize(X)
    np.testing.assert_allclose(Z[:, [0, 2]], 0, atol=1e-12)


def test_weights_equal_copies_whatever_the_blocks():
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(300_000, 2)), rng.integers(1, 3, 300_000)
    weighted = learn_standardization(X, weight * 1.0)
    repeated = learn_standardization(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(weighted.mean, repeated.mean, atol=1e-12)
    np.testing.assert_allclose(weighted.scale, repeated.scale, rtol=1e-12)


def test_float32_rows_stay_float32_with_float64_moments():
    X = np.random.default_rng(0).normal(1e4, 1, (1000, 2)).astype(np.float32)
    Z = standardize(X)
    assert Z.dtype == np.float32
    np.testing.assert_allclose(Z[:, :2].mean(axis=0), 0, atol=1e-3)


def plain_robust(X):
    """Means and deviations of rows within thrice the median distance, judged three times."""
    whole = X.std(axis=0)
    mean, scale = X.mean(axis=0), whole
    for _ in range(3):
        Z = np.clip((X - mean) / scale, -10, 10)
        distance = np.sqrt((Z**2).mean(axis=1))
        near = X[distance <= 3 * np.quantile(distance, 0.5, method="inverted_cdf")]
        mean, scale = near.mean(axis=0), np.maximum(near.std(axis=0), whole / 4)
    return mean, scale


def outlying(n, share, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(2, 3, (n, 4))
    far = rng.choice(n, round(share * n), replace=False)
    X[far] = 2 + 3 * rng.uniform(5, 10, (far.size, 4)) * rng.choice([-1, 1], (far.size, 4))
    return X, np.setdiff1d(np.arange(n), far)


@pytest.mark.parametrize("share", [0.0, 0.05, 0.2])
def test_outlying_rows_do_not_drag_robust_moments(share):
    X, clean = outlying(2000, share)
    found = learn_standardization(X, standardize="robust")
    np.testing.assert_allclose((found.mean, found.scale), plain_robust(X), rtol=1e-12)
    np.testing.assert_allclose(found.mean, X[clean].mean(axis=0), atol=0.05)
    np.testing.assert_allclose(found.scale, X[clean].std(axis=0), rtol=0.05)


def test_weights_equal_copies_in_robust_moments():
    X, _ = outlying(300, 0.1)
    weight = np.random.default_rng(1).integers(1, 4, 300)
    weighted = learn_standardization(X, weight * 1.0, "robust")
    repeated = learn_standardization(np.repeat(X, weight, axis=0), None, "robust")
    np.testing.assert_allclose(weighted.mean, repeated.mean, atol=1e-12)
    np.testing.assert_allclose(weighted.scale, repeated.scale, rtol=1e-12)


def test_robust_moments_of_extreme_and_nearly_constant_columns():
    X, _ = outlying(200, 0.1)
    X[:, 1] *= 1e300
    X[:, 2] = 5.0
    X[:, 3] = np.arange(200) == 7
    found = learn_standardization(X, standardize="robust")
    plain = learn_standardization(X)
    assert np.isfinite(found.scale).all()
    assert found.scale[2] == 1.0
    assert found.scale[3] >= plain.scale[3] / 4
    np.testing.assert_allclose(found.affine(X)[:, 2], 0.0)


def test_the_parameter_chooses_the_moments():
    X, _ = outlying(100, 0.2)
    plain = learn_standardization(X)
    np.testing.assert_allclose(plain.mean, X.mean(axis=0))
    np.testing.assert_allclose(plain.scale, X.std(axis=0))
    untouched = learn_standardization(X, standardize=False)
    np.testing.assert_array_equal(untouched.mean, 0.0)
    np.testing.assert_array_equal(untouched.scale, 1.0)
    assert untouched.exponent is None
    assert learn_standardization(X, standardize="robust").scale[0] < 0.5 * plain.scale[0]


@pytest.mark.parametrize("standardize", [True, "robust"])
def test_blocks_do_not_show(standardize, monkeypatch):
    X, _ = outlying(500, 0.1)
    # Whole blocks are outlying.
    X = X[np.argsort(-np.abs(X - 2).max(axis=1))]
    weight = np.random.default_rng(1).uniform(0.5, 2.0, 500)
    whole = learn_standardization(X, weight, standardize)
    small = partial(row_slices, numbers=28)
    monkeypatch.setattr("broadlearn.utils.standardization.row_slices", small)
    found = learn_standardization(X, weight, standardize)
    np.testing.assert_allclose(found.mean, whole.mean, rtol=1e-12)
    np.testing.assert_allclose(found.scale, whole.scale, rtol=1e-12)


def test_identity_changes_nothing():
    X = np.arange(6.0).reshape(3, 2)
    identity = Standardization.identity(2)
    np.testing.assert_array_equal(identity.affine(X, slice(1, 3)), [[2, 3, 1], [4, 5, 1]])
    np.testing.assert_array_equal(identity.affine(X, np.array([2, 0])), [[4, 5, 1], [0, 1, 1]])
    np.testing.assert_array_equal(X, np.arange(6.0).reshape(3, 2))
