import numpy as np
import pytest

from broadlearn.random_features._broad_map import MapSettings, learn_map
from broadlearn.random_features._draws import draw_enhancement_weights
from broadlearn.random_features._nested_maps import learn_nested_maps
from broadlearn.random_features._standardize import affine_block, learn_standardization


@pytest.mark.parametrize("feature_weights", ["orthonormal", "random", "sparse"])
@pytest.mark.parametrize("feature_scaling", ["node", "robust", "sample", None])
@pytest.mark.parametrize("feature_activation", ["identity", "tanh"])
def test_cut_maps_are_those_learnt_alone(feature_weights, feature_scaling, feature_activation):
    X = np.random.default_rng(0).normal(size=(60, 5))
    standardization = learn_standardization(X)
    affine = affine_block(X, slice(0, 60), standardization)
    common = ("tanh", feature_activation, feature_weights, feature_scaling, 1.5)
    maps = learn_nested_maps(X, standardization, MapSettings(6, 8, 2, 30, *common), 7)
    for m, p in [(1, 1), (3, 8), (6, 5)]:
        cut = maps.cut(m, p, draw_enhancement_weights(7, 2, 30, m * p))
        alone = learn_map(X, standardization, MapSettings(m, p, 2, 30, *common), 7)
        np.testing.assert_allclose(cut.design(affine), alone.design(affine), atol=1e-12)
