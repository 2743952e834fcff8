import numpy as np
import pytest

from broadlearn.models.row_standardizer import standardize_rows


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(5, 3, (200, 7))


@pytest.mark.parametrize("exponent", [-500, 500])
def test_rows_of_any_size_to_the_last_bit(exponent):
    X = np.random.default_rng(0).integers(-8, 8, (50, 5)) * 1.0
    np.testing.assert_array_equal(standardize_rows(np.ldexp(X, exponent)), standardize_rows(X))


@pytest.mark.parametrize("level", [1e15, -(2.0**52)])
def test_a_level_takes_no_digits_from_the_shape(X, level):
    steps = np.round(X)
    np.testing.assert_allclose(
        standardize_rows(level + steps), standardize_rows(steps), rtol=1e-12, atol=1e-15
    )
