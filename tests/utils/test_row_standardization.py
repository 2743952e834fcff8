from functools import partial

import numpy as np
import pytest
from scipy.stats import zscore

from broadlearn.utils.arrays import row_slices
from broadlearn.utils.row_standardization import standardize_rows


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(5, 3, (200, 7))


def test_mean_zero_deviation_one(X):
    before = X.copy()
    Z = standardize_rows(X)
    np.testing.assert_allclose(Z.mean(axis=1), 0, atol=1e-15)
    np.testing.assert_allclose(Z.std(axis=1, ddof=1), 1)
    np.testing.assert_allclose(Z, zscore(X, axis=1, ddof=1), rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("exponent", [-1060, -500, 500, 1019])
def test_rows_of_any_size_to_the_last_bit(exponent):
    # Few digits, so that numbers too small for all of theirs lose none.
    X = np.random.default_rng(0).integers(-8, 8, (50, 5)) * 1.0
    np.testing.assert_array_equal(standardize_rows(np.ldexp(X, exponent)), standardize_rows(X))


def test_the_largest_numbers_there_are():
    most = np.finfo(np.float64).max
    np.testing.assert_array_equal(standardize_rows(np.array([[-most, 0.0, most]])), [[-1, 0, 1]])


@pytest.mark.parametrize("level", [1e15, -(2.0**52)])
def test_a_level_takes_no_digits_from_the_shape(X, level):
    steps = np.round(X)
    np.testing.assert_allclose(
        standardize_rows(level + steps), standardize_rows(steps), rtol=1e-12, atol=1e-15
    )


@pytest.mark.parametrize("value", [0.0, 0.1, -7.0, 1e300, 1e-320])
@pytest.mark.parametrize("n_columns", [1, 2, 7])
def test_constant_rows_and_single_columns_become_zero(value, n_columns):
    Z = standardize_rows(np.full((3, n_columns), value))
    np.testing.assert_array_equal(Z, np.zeros((3, n_columns)))


def test_float32_is_kept_and_computed_in_float64():
    single = np.random.default_rng(0).normal(1e4, 1, (100, 6)).astype(np.float32)
    Z = standardize_rows(single)
    assert Z.dtype == np.float32
    np.testing.assert_array_equal(Z, standardize_rows(single.astype(np.float64)).astype(np.float32))
    largest = np.array([[-3e38, 0, 3e38], [-1e-44, 0, 1e-44]], dtype=np.float32)
    np.testing.assert_array_equal(standardize_rows(largest), [[-1, 0, 1]] * 2)


def test_integers_give_float64():
    np.testing.assert_array_equal(standardize_rows(np.array([[1, 2, 3]])), [[-1.0, 0.0, 1.0]])


def test_neither_blocks_nor_memory_order_show(X, monkeypatch):
    whole = standardize_rows(X)
    np.testing.assert_array_equal(standardize_rows(np.asfortranarray(X)), whole)
    np.testing.assert_array_equal(standardize_rows(X[::-1])[::-1], whole)
    for numbers in (1, 30):
        small = partial(row_slices, numbers=numbers)
        monkeypatch.setattr("broadlearn.utils.row_standardization.row_slices", small)
        np.testing.assert_array_equal(standardize_rows(X), whole)
