import numpy as np
import pytest

from broadlearn.random_features.activations import ACTIVATIONS

EXPECTED = {
    "identity": lambda u: u,
    "tanh": np.tanh,
    "sigmoid": lambda u: 1 / (1 + np.exp(-u)),
    "relu": lambda u: np.where(u > 0, u, 0),
    "sine": np.sin,
}


@pytest.mark.parametrize("name", sorted(ACTIVATIONS))
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_activations_work_in_place(name, dtype):
    u = np.linspace(-3, 3, 50, dtype=dtype)
    expected = EXPECTED[name](u.astype(float))
    result = ACTIVATIONS[name](u)
    assert result is u
    assert result.dtype == dtype
    np.testing.assert_allclose(result, expected, atol=1e-6)


def test_sine_is_exact_to_a_few_units_in_the_last_place():
    multiples = np.arange(-2000, 2000) * (np.pi / 2)
    small = np.random.default_rng(0).uniform(-1e-8, 1e-8, 1000)
    u = np.concatenate([multiples, np.nextafter(multiples, np.inf), multiples + 1e-9, 1e8 * small])
    np.testing.assert_allclose(ACTIVATIONS["sine"](u.copy()), np.sin(u), rtol=0, atol=1e-15)
    np.testing.assert_allclose(ACTIVATIONS["sine"](small.copy()), np.sin(small), rtol=1e-15)
