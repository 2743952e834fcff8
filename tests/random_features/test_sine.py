import numpy as np
import pytest

from broadlearn.random_features import sine as module
from broadlearn.random_features.sine import sine

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("size", [1e-300, 1e-8, 1.0, 10.0, 1e3, 9e5, 1e12])
def test_right_to_a_few_units_in_the_last_place(size):
    u = RNG.uniform(-size, size, 20_000)
    np.testing.assert_allclose(sine(u.copy()), np.sin(u), rtol=1e-15, atol=4e-16)


def test_near_multiples_of_half_pi():
    k = np.arange(-2000, 2000) * (np.pi / 2)
    u = np.concatenate([k, np.nextafter(k, np.inf), k + 1e-9])
    np.testing.assert_allclose(sine(u.copy()), np.sin(u), rtol=2e-12, atol=4e-16)


def test_nan_and_infinity():
    u = np.array([1.0, np.nan, np.inf, -np.inf, 0.0])
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(sine(u.copy()), np.sin(u), rtol=1e-15)


@pytest.mark.parametrize("shape", [(), (0,), (7,), (0, 3), (50, 3), (3, 100), (4, 5, 6)])
def test_any_shape_in_place(monkeypatch, shape):
    monkeypatch.setattr(module, "CHUNK", 16)
    u = np.asarray(RNG.normal(size=shape))
    expected = np.sin(u)
    assert sine(u) is u
    np.testing.assert_allclose(u, expected, rtol=1e-15, atol=4e-16)
