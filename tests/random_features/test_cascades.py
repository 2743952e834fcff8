"""Cascades of groups, against their equations."""

import numpy as np
import pytest
from plain_robust import plain_cascade

from broadlearn.random_features import (
    CascadeSettings,
    MappedSamples,
    draw_map,
    learn_standardization,
    sizes_nest,
)

X = np.random.default_rng(0).normal(size=(40, 4))
STANDARDIZATION = learn_standardization(X, None, True)
CASCADES = pytest.mark.parametrize("cascade", ["features", "enhancements", "both"])


def settings(cascade, m=3, p=5, groups=2, q=6):
    kinds = ("tanh", "tanh", "orthonormal", "node")
    return CascadeSettings(m, p, groups, q, *kinds, 1.5, cascade=cascade)


def groups_of(first, later, n_groups):
    """Weights of each group: those side by side are in one array."""
    if later:
        return [first, *later]
    return np.split(first, n_groups, axis=1)


@CASCADES
def test_every_group_follows_the_one_before_it(cascade):
    broad_map = draw_map(settings(cascade), X, STANDARDIZATION, seed=3)
    features = groups_of(broad_map.feature_weights, broad_map.feature_layers, 3)
    layers = groups_of(broad_map.enhancement_weights, broad_map.enhancement_layers, 2)
    expected = plain_cascade(STANDARDIZATION.affine(X)[:, :-1], features, layers, cascade)
    found = MappedSamples(broad_map, X, STANDARDIZATION)
    assert found.n_columns == found.n_nodes == 3 * 5 + 2 * 6
    np.testing.assert_allclose(found(slice(None)), expected, atol=1e-12)
    np.testing.assert_allclose(found(np.array([7, 2])), expected[[7, 2]], atol=1e-12)


@CASCADES
def test_fewer_feature_groups_are_the_first_of_more(cascade):
    small, large = (
        draw_map(settings(cascade, m), X, STANDARDIZATION, seed=3).features(
            STANDARDIZATION.affine(X)
        )
        for m in (2, 4)
    )
    np.testing.assert_array_equal(small, large[:, :10])


def test_sizes_nest_unless_enhancement_groups_follow_each_other():
    assert sizes_nest(settings("features"))
    assert sizes_nest(settings("both", groups=1))
    assert not sizes_nest(settings("both"))
