import warnings
from functools import partial

import numpy as np
import pytest
from scipy.sparse import csr_array

from broadlearn.random_features.fences import draw_fence_rows, learn_fences
from broadlearn.random_features.standardization import learn_standardization
from broadlearn.utils.arrays import row_slices


def standardize(X, weight=None):
    return learn_standardization(X, weight).affine(X)


@pytest.mark.parametrize("size", [1e130, 1e-130])
def test_columns_of_any_size(size):
    base = np.random.default_rng(0).normal(1, 1, (50, 2))
    np.testing.assert_allclose(standardize(base * size), standardize(base), rtol=1e-10)


@pytest.mark.parametrize("size", [3e38, 1e-37])
def test_float32_columns_of_any_size(size):
    base = np.clip(np.random.default_rng(0).normal(0, 0.5, (50, 2)), -1, 1)
    single = (base * size).astype(np.float32)
    np.testing.assert_allclose(standardize(single), standardize(base), atol=1e-4)


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_columns_of_extreme_size_are_refused(kind, size):
    X = np.random.default_rng(0).normal(size=(50, 2)) * [1.0, size]
    with pytest.raises(ValueError, match="Column 1 of X has values up to"):
        learn_standardization(kind(X))


def test_constant_column_becomes_zero():
    X = np.column_stack([np.full(5, 0.1), np.arange(5.0), np.full(5, 1e100)])
    Z = standardize(X)
    np.testing.assert_allclose(Z[:, [0, 2]], 0, atol=1e-12)


def test_weights_equal_copies_whatever_the_blocks():
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(300_000, 2)), rng.integers(1, 3, 300_000)
    weighted = learn_standardization(X, weight * 1.0)
    repeated = learn_standardization(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(weighted.mean, repeated.mean, atol=1e-12)
    np.testing.assert_allclose(weighted.scale, repeated.scale, rtol=1e-12)


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
    X[:, 1] *= 1e130
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
    assert learn_standardization(X, standardize="robust").scale[0] < 0.5 * plain.scale[0]


@pytest.mark.parametrize("standardize", [True, "robust"])
def test_blocks_do_not_show(standardize, monkeypatch):
    X, _ = outlying(500, 0.1)
    # Whole blocks are outlying.
    X = X[np.argsort(-np.abs(X - 2).max(axis=1))]
    weight = np.random.default_rng(1).uniform(0.5, 2.0, 500)
    whole = learn_standardization(X, weight, standardize)
    small = partial(row_slices, numbers=28)
    monkeypatch.setattr("broadlearn.random_features.standardization.row_slices", small)
    found = learn_standardization(X, weight, standardize)
    np.testing.assert_allclose(found.mean, whole.mean, rtol=1e-12)
    np.testing.assert_allclose(found.scale, whole.scale, rtol=1e-12)


def with_gaps(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(2, 3, (n, 4))
    X[rng.random(n) < 0.2, 1] = np.nan
    X[rng.random(n) < 0.5, 3] = np.nan
    return X


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_missing_values_are_means_with_indicators(dtype):
    X = with_gaps().astype(dtype)
    found = learn_standardization(X)
    np.testing.assert_allclose(found.mean, np.nanmean(X, axis=0), rtol=1e-5)
    np.testing.assert_allclose(found.scale, np.nanstd(X, axis=0), rtol=1e-5)
    np.testing.assert_array_equal(found.missing, [1, 3])
    Z = found.affine(X)
    assert Z.dtype == dtype
    gaps = np.isnan(X)
    np.testing.assert_array_equal(Z[:, :4][gaps], 0.0)
    indicators = 0.5 * (gaps[:, [1, 3]] - gaps[:, [1, 3]].mean(axis=0))
    np.testing.assert_allclose(Z[:, 4:6], indicators, atol=1e-6)
    np.testing.assert_array_equal(Z[:, 6], 1.0)


def test_means_stand_for_missing_values_of_features_as_they_are():
    X = with_gaps()
    found = learn_standardization(X, standardize=False)
    Z = found.affine(X)
    np.testing.assert_allclose(Z[:, :4], np.where(np.isnan(X), np.nanmean(X, axis=0), X))
    whole = learn_standardization(X[:, [0]], standardize=False)
    np.testing.assert_allclose(whole.affine(np.array([[np.nan]])), [[X[:, 0].mean(), 1.0]])
    huge = learn_standardization(np.full((9, 1), 1e308), standardize=False)
    assert huge.affine(np.array([[np.nan]]))[0, 0] == 0.0


@pytest.mark.parametrize("standardize", [True, "bounded", "robust", False])
def test_a_feature_that_all_samples_lack_says_nothing(standardize):
    X = with_gaps()
    X[:, 0] = np.nan
    X[:, 2] *= 1e130
    found = learn_standardization(X, standardize=standardize)
    later = np.where(np.isnan(X), 1e10, X)
    np.testing.assert_array_equal(found.affine(X)[:, 0], 0.0)
    np.testing.assert_array_equal(found.affine(later)[:, 0], 0.0)
    assert np.isfinite(found.affine(X)).all()


@pytest.mark.parametrize("standardize", [True, "bounded", False])
@pytest.mark.parametrize("size", [1.0, 1e130])
def test_sparse_samples_have_the_moments_of_dense_ones(standardize, size):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((100, 5)) < 0.3, rng.normal(2, 1, (100, 5)), 0.0) * size
    X[:, 4] = 0.0
    weight, W = rng.uniform(0.5, 2.0, 100), rng.normal(size=(6, 3))
    dense = learn_standardization(X, weight, standardize)
    sparse = learn_standardization(csr_array(X), weight, standardize)
    np.testing.assert_allclose(sparse.mean, dense.mean, rtol=1e-13)
    np.testing.assert_allclose(sparse.scale, dense.scale, rtol=1e-13)
    largest = np.abs(dense.affine(X) @ W).max()
    found = sparse.affine(csr_array(X), slice(10, 40)) @ W
    np.testing.assert_allclose(found, dense.affine(X)[10:40] @ W, atol=1e-13 * largest)


def test_rounding_leaves_no_negative_variance_of_weighted_samples():
    X = np.full((60, 2), 1e9, dtype=np.float32)
    weight = np.where(np.arange(60) < 6, 5.0, 5 / 9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = learn_standardization(X, weight, "robust")
    assert np.isfinite(found.scale).all()
    assert (found.scale > 0).all()


def plain_bounded(X, fences):
    """Means, deviations and bounds, column by column."""
    columns = []
    for x, low, high in zip(X.T, *fences, strict=True):
        inside = x[(x >= low) & (x <= high)]
        low = inside.min() if (x < low).any() else low
        high = inside.max() if (x > high).any() else high
        held = np.clip(x, low, high)
        columns.append((held.mean(), held.std(), low, high))
    return np.array(columns).T


def test_ordinary_columns_are_not_changed_by_bounds():
    X = np.random.default_rng(0).standard_t(5, (300, 4))
    X[:, 3] = np.arange(300) < 9
    plain, bounded = (learn_standardization(X, standardize=s) for s in (True, "bounded"))
    np.testing.assert_array_equal(bounded.mean, plain.mean)
    np.testing.assert_array_equal(bounded.scale, plain.scale)
    np.testing.assert_array_equal(bounded.affine(X), plain.affine(X))


@pytest.mark.parametrize("size", [1e2, 1e6, 1e12, 1e200])
@pytest.mark.parametrize("as_matrix", [np.asarray, csr_array])
def test_gross_outliers_count_as_the_last_value_within_the_fences(size, as_matrix):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((200, 3)) < [1.0, 0.3, 0.02], rng.normal(1, 1, (200, 3)), 0.0)
    X[7] = [size, -size, size]
    found = learn_standardization(as_matrix(X), standardize="bounded")
    mean, scale, low, high = plain_bounded(X, learn_fences(draw_fence_rows(X, None)))
    np.testing.assert_allclose(found.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(found.scale, scale, rtol=1e-12)
    if as_matrix is np.asarray:
        np.testing.assert_array_equal(found.bounds, [low, high])
    expected = (np.clip(X, low, high) - mean) / scale
    np.testing.assert_allclose(found.affine(as_matrix(X)) @ np.eye(4)[:, :3], expected, atol=1e-12)


def test_bounds_of_huge_columns_of_few_numbers_and_of_float32():
    X = np.random.default_rng(0).normal(1, 1, (100, 2))
    X[3] *= 1e6
    Z = learn_standardization(X, standardize="bounded").affine(X)
    huge = X * [[1e130, 1e-130]]
    found = learn_standardization(huge, standardize="bounded").affine(huge)
    np.testing.assert_allclose(found, Z, rtol=1e-9)
    single = (X * 1e31).astype(np.float32)
    found = learn_standardization(single, standardize="bounded").affine(single)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, Z, atol=1e-4)
