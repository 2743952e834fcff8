import numpy as np
import pytest

from broadlearn.random_features._scaling import (
    node_extremes,
    node_quantiles,
    scale_rows_in_groups,
    to_interval,
)


def test_interval_is_reached_and_constants_go_to_zero():
    low, high = np.array([0.0, -4.0, 3.0]), np.array([2.0, 6.0, 3.0])
    scale, offset = to_interval(low, high)
    np.testing.assert_allclose(low * scale + offset, [-1, -1, 0])
    np.testing.assert_allclose(high * scale + offset, [1, 1, 0])


def test_extremes_over_blocks():
    F = np.random.default_rng(0).normal(size=(30, 4))
    low, high = node_extremes([F[:10], F[10:]], 4)
    np.testing.assert_array_equal(low, F.min(axis=0))
    np.testing.assert_array_equal(high, F.max(axis=0))


@pytest.mark.parametrize("step", [1, 3, 10])
def test_quantiles_ignore_a_few_outliers(step):
    F = np.random.default_rng(0).uniform(0, 1, size=(2000, 5))
    F[:20] = 1e6
    low, high = node_quantiles(lambda part: F[:, part], 5, step, None)
    np.testing.assert_allclose(low, 0.1, atol=0.03)
    np.testing.assert_allclose(high, 0.9, atol=0.03)


def test_quantiles_of_weights_equal_those_of_copies():
    rng = np.random.default_rng(0)
    F, weight = rng.normal(size=(50, 3)), rng.integers(1, 4, 50)
    copies = np.repeat(F, weight, axis=0)
    weighted = node_quantiles(lambda part: F[:, part], 3, 2, weight * 1.0)
    repeated = node_quantiles(lambda part: copies[:, part], 3, 2, None)
    np.testing.assert_array_equal(weighted, repeated)


def test_quantiles_that_coincide_widen_to_the_extremes():
    F = np.zeros((100, 1))
    F[0], F[1] = -2.0, 5.0
    low, high = node_quantiles(lambda part: F[:, part], 1, 1, None)
    assert (low[0], high[0]) == (-2.0, 5.0)


def test_rows_are_scaled_within_each_group():
    F = np.array([[1.0, 3.0, 2.0, 10.0, 10.0, 10.0]])
    scale_rows_in_groups(F, 2)
    np.testing.assert_allclose(F, [[-1, 1, 0, 0, 0, 0]])
