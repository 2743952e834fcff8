import numpy as np
import pytest

from broadlearn.random_features.activations import ACTIVATIONS

EXPECTED = {
    "identity": lambda u: u,
    "tanh": np.tanh,
    "sigmoid": lambda u: 1 / (1 + np.exp(-u)),
    "relu": lambda u: np.where(u > 0, u, 0),
    "sine": np.sin,
    "numpy_sine": np.sin,
}


@pytest.mark.parametrize("name", sorted(ACTIVATIONS))
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_in_place_and_right(name, dtype):
    u = np.linspace(-3, 3, 50, dtype=dtype)
    expected = EXPECTED[name](u.astype(float))
    result = ACTIVATIONS[name](u)
    assert result is u
    assert result.dtype == dtype
    np.testing.assert_allclose(result, expected, atol=1e-6)
