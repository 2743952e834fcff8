import numpy as np
import pytest

from broadlearn.random_features._standardize import (
    affine_block,
    identity_standardization,
    learn_robust_standardization,
    learn_standardization,
    row_slices,
    standardization_for,
)


def standardize(X, weight=None):
    return affine_block(X, slice(0, len(X)), learn_standardization(X, weight))


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
    found = learn_robust_standardization(X)
    np.testing.assert_allclose((found.mean, found.scale), plain_robust(X), rtol=1e-12)
    np.testing.assert_allclose(found.mean, X[clean].mean(axis=0), atol=0.05)
    np.testing.assert_allclose(found.scale, X[clean].std(axis=0), rtol=0.05)


def test_weights_equal_copies_in_robust_moments():
    X, _ = outlying(300, 0.1)
    weight = np.random.default_rng(1).integers(1, 4, 300)
    weighted = learn_robust_standardization(X, weight * 1.0)
    repeated = learn_robust_standardization(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(weighted.mean, repeated.mean, atol=1e-12)
    np.testing.assert_allclose(weighted.scale, repeated.scale, rtol=1e-12)


def test_robust_moments_of_extreme_and_nearly_constant_columns():
    X, _ = outlying(200, 0.1)
    X[:, 1] *= 1e300
    X[:, 2] = 5.0
    X[:, 3] = np.arange(200) == 7
    found = learn_robust_standardization(X)
    plain = learn_standardization(X)
    assert np.isfinite(found.scale).all()
    assert found.scale[2] == 1.0
    assert found.scale[3] >= plain.scale[3] / 4
    np.testing.assert_allclose(affine_block(X, slice(0, 200), found)[:, 2], 0.0)


def test_the_parameter_chooses_the_moments():
    X, _ = outlying(100, 0.2)
    np.testing.assert_array_equal(standardization_for(False, X).scale, 1.0)
    assert standardization_for(True, X).scale[0] == learn_standardization(X).scale[0]
    assert standardization_for("robust", X).scale[0] < 0.5 * learn_standardization(X).scale[0]


def test_identity_changes_nothing():
    X = np.arange(6.0).reshape(3, 2)
    Z = affine_block(X, slice(1, 3), identity_standardization(2))
    np.testing.assert_array_equal(Z, [[2, 3, 1], [4, 5, 1]])


def test_slices_cover_all_rows():
    slices = list(row_slices(10, 3, numbers=9))
    assert [(s.start, s.stop) for s in slices] == [(0, 3), (3, 6), (6, 9), (9, 10)]
    assert next(row_slices(3, 100, numbers=9)) == slice(0, 1)
