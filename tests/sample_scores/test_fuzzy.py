from functools import reduce

import numpy as np
import pytest
from plain import plain_fuzzy_membership

from broadlearn.sample_scores import FuzzyScorer, Samples, fuzzy_membership, learn_geometry
from broadlearn.sample_scores.fuzzy import Centres, class_memberships


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return rng.normal(size=(80, 5)), rng.integers(0, 4, 80)


def test_equals_the_equation(table):
    X, y = table
    np.testing.assert_allclose(
        fuzzy_membership(X, y), plain_fuzzy_membership(X, y), rtol=0, atol=1e-13
    )


def test_weight_equals_copies(table):
    X, y = table
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), weight)
    weighted = fuzzy_membership(X, y, sample_weight=weight)
    np.testing.assert_allclose(
        weighted[copies], fuzzy_membership(X[copies], y[copies]), rtol=0, atol=1e-13
    )
    assert ((weighted >= 0) & (weighted <= 1)).all()


def test_class_without_weight_gets_zero(table):
    X, y = table
    weight = (y != 2).astype(float)
    found = class_memberships(X, y, weight, 4, 1e-4)
    np.testing.assert_array_equal(found[y == 2], 0.0)
    kept = y != 2
    np.testing.assert_allclose(found[kept], plain_fuzzy_membership(X[kept], y[kept]), atol=1e-13)


# The scorer


def make(n=300, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    Z = rng.normal(size=(n, 4)) + codes[:, None]
    return Samples(Z, codes, rng.integers(1, 4, n).astype(float), 3)


def in_blocks(samples, size=64):
    Z, codes, weight, n_classes, seed, _ = samples
    parts = [slice(start, start + size) for start in range(0, len(codes), size)]
    blocks = [Samples(Z[p], codes[p], weight[p], n_classes, seed) for p in parts]
    return lambda part, merge: reduce(merge, map(part, blocks))


def test_scores_of_the_samples_learnt_from_are_the_memberships():
    samples = make()
    assert FuzzyScorer.streams
    trust = learn_geometry(FuzzyScorer(), in_blocks(samples)).trust(samples.Z, samples.codes)
    expected = FuzzyScorer().score(samples).score
    np.testing.assert_allclose(trust.score, expected, atol=1e-12)
    assert list(trust.attributes) == ["membership_"]
    assert trust.attributes["membership_"] is trust.score


def test_score_is_zero_beyond_the_radius():
    samples = make()
    geometry = learn_geometry(FuzzyScorer(), in_blocks(samples))
    found = geometry.trust(samples.Z[:5] + 100.0, samples.codes[:5])
    np.testing.assert_array_equal(found.score, 0.0)


def test_merged_sketches_are_the_sketch_of_all_samples():
    samples = make()
    whole = FuzzyScorer().sketch(samples)
    first = in_blocks(samples, 7)(FuzzyScorer().sketch, Centres.merge)
    np.testing.assert_allclose(first.sums, whole.sums, atol=1e-10)
    np.testing.assert_array_equal(first.class_weight, whole.class_weight)
    means = FuzzyScorer().geometry(whole).centres
    for c in range(3):
        own = samples.codes == c
        expected = np.average(samples.Z[own], axis=0, weights=samples.weight[own])
        np.testing.assert_allclose(means[c], expected, atol=1e-12)
