import numpy as np

from broadlearn.random_features._hidden_layer import HiddenLayers


def test_is_one_activated_product():
    rng = np.random.default_rng(0)
    affine, W = rng.normal(size=(9, 4)), rng.normal(size=(4, 6))
    np.testing.assert_allclose(
        HiddenLayers("tanh").cut(0, 0, W).design(affine), np.tanh(affine @ W)
    )
