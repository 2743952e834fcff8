import numpy as np
import pytest

from broadlearn.random_features import Standardization, fuzzy_rules, learn_standardization
from broadlearn.random_features.fuzzy_rules import FuzzyRules, firing_strengths
from broadlearn.random_features.nested_maps import draw_map

WIDTH = 1.5


def recipe(n_groups, n_rules):
    return FuzzyRules(n_groups, n_rules, 7, "tanh", 1.5, WIDTH)


def maps(X, n_groups, n_rules, weight=None):
    return recipe(n_groups, n_rules).learn(X, Standardization.identity(X.shape[1]), 3, weight)


def cut(family, n_groups, n_rules):
    layer = family.recipe.draw_layer(3, n_groups * n_rules, family.X.shape[1])
    return family.cut(n_groups, n_rules, layer)


def affine(X):
    return np.column_stack([X, np.ones(len(X))])


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(90, 4))


def test_nodes_equal_the_rules_written_out(X):
    found = cut(maps(X, 2, 5), 2, 5)
    F = found.features(affine(X))
    sigma2 = WIDTH**2 * X.shape[1]
    for g in range(2):
        group = slice(5 * g, 5 * g + 5)
        centres = found.log_strengths[:-1, group].T * sigma2 / 2
        memberships = np.exp(-((X[:, None, :] - centres) ** 2) / sigma2)
        tau = memberships.prod(axis=2)
        said = affine(X) @ found.feature_weights[:, group]
        rules = tau / tau.sum(axis=1, keepdims=True) * said
        low, high = rules.min(axis=0), rules.max(axis=0)
        np.testing.assert_allclose(F[:, group], 2 * (rules - low) / (high - low) - 1, atol=1e-10)


@pytest.mark.parametrize("n_columns", [1, 500, 5000])
@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_firing_strengths_sum_to_one_for_any_number_of_columns(n_columns, scale):
    rng = np.random.default_rng(0)
    Z = scale * rng.normal(size=(50, n_columns))
    found = cut(maps(Z, 3, 8), 3, 8)
    far = affine(100 * scale * rng.normal(size=(50, n_columns)))
    for block in (affine(Z), far, far.astype(np.float32)):
        strengths = firing_strengths(block, found.log_strengths, 3).reshape(50, 3, 8)
        assert np.isfinite(strengths).all()
        np.testing.assert_allclose(strengths.sum(axis=2), 1.0, rtol=1e-5)
        assert np.isfinite(found.features(block)).all()


def test_fewer_groups_are_the_first_of_more(X):
    family = maps(X, 4, 6)
    large, small = cut(family, 4, 6), cut(family, 2, 6)
    alone = cut(maps(X, 2, 6), 2, 6)
    for other in (small, alone):
        np.testing.assert_array_equal(other.features(affine(X)), large.features(affine(X))[:, :12])


def test_fewer_distinct_rows_than_rules_share_centres():
    X = np.array([[0.0], [1.0], [2.0]])
    found = cut(maps(X, 1, 5), 1, 5)
    np.testing.assert_array_equal(found.log_strengths[:, 0], found.log_strengths[:, 3])
    assert not np.array_equal(found.feature_weights[:, 0], found.feature_weights[:, 3])
    assert np.isfinite(found.features(affine(X))).all()


def test_large_tables_are_clustered_on_a_draw_by_weight(X, monkeypatch):
    monkeypatch.setattr(fuzzy_rules, "MAX_CLUSTERED", 40)
    weight = np.where(np.arange(len(X)) < 45, 1.0, 1e-9)
    family = maps(X, 3, 4, weight)
    heavy = {tuple(row) for row in np.round(X[:45], 9)}
    drawn = [family._centres(i, 40) for i in range(3)]
    assert all(tuple(row) in heavy for centres in drawn for row in centres)
    assert not np.array_equal(drawn[0], drawn[1])


def test_drawn_rules_do_not_depend_on_copies_or_order():
    X = np.random.default_rng(0).normal(5.0, 3.0, (60, 3))
    weight = np.random.default_rng(1).integers(1, 4, 60)
    copies = np.random.default_rng(2).permutation(np.repeat(np.arange(60), weight))
    standardization = learn_standardization(X, weight * 1.0)
    weighted = draw_map(recipe(2, 6), X, standardization, 3, weight * 1.0)
    repeated = draw_map(recipe(2, 6), X[copies], standardization, 3)
    np.testing.assert_allclose(weighted.log_strengths, repeated.log_strengths, atol=1e-9)
    block = standardization.affine(X)
    np.testing.assert_allclose(weighted.design(block), repeated.design(block), atol=1e-9)
