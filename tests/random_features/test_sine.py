import numpy as np
import pytest

from broadlearn.random_features import sine as module
from broadlearn.random_features.sine import (
    fastest_method,
    sine,
    sine_by_polynomial,
    sine_by_tangent,
)

METHODS = [sine_by_tangent, sine_by_polynomial]
RNG = np.random.default_rng(0)


def with_room(method, u):
    u = u.copy()
    method(u, np.empty_like(u), np.empty_like(u))
    return u


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [1e-300, 1e-8, 1.0, 10.0, 1e3, 9e5, 1e12])
def test_right_to_a_few_units_in_the_last_place(method, size):
    u = RNG.uniform(-size, size, 20_000)
    found, expected = with_room(method, u), np.sin(u)
    np.testing.assert_allclose(found, expected, rtol=1e-15, atol=4e-16)


@pytest.mark.parametrize("method", METHODS)
def test_near_multiples_of_half_pi(method):
    k = np.arange(-2000, 2000) * (np.pi / 2)
    u = np.concatenate([k, np.nextafter(k, np.inf), k + 1e-9])
    np.testing.assert_allclose(with_room(method, u), np.sin(u), rtol=2e-12, atol=4e-16)


@pytest.mark.parametrize("method", METHODS)
def test_numbers_that_are_none(method):
    u = np.array([1.0, np.nan, np.inf, -np.inf, 0.0])
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(with_room(method, u), np.sin(u), rtol=1e-15)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(), (0,), (7,), (0, 3), (50, 3), (3, 100), (4, 5, 6)])
def test_any_shape_in_place(monkeypatch, method, shape):
    monkeypatch.setattr(module, "fastest_method", lambda: method)
    monkeypatch.setattr(module, "CHUNK", 16)
    u = RNG.normal(size=shape)
    u = np.asarray(u)
    expected = np.sin(u)
    assert sine(u) is u
    np.testing.assert_allclose(u, expected, rtol=1e-15, atol=4e-16)


@pytest.mark.parametrize(("tangent", "expected"), [(1.0, METHODS[0]), (9.0, METHODS[1])])
def test_the_method_is_chosen_by_the_time_that_tangents_take(monkeypatch, tangent, expected):
    times = {np.tan: tangent, np.sin: 8.0}
    monkeypatch.setattr(module, "_least_time", lambda function, u: times[function])
    assert fastest_method.__wrapped__() is expected
