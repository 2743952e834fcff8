"""Scores of classes of few samples: lifted by default, as published with `small_class=0`."""

import numpy as np
import pytest
from plain import plain_fuzzy_membership, plain_intuitionistic_scores

from broadlearn import FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier
from broadlearn.sample_scores import FuzzyScorer, IntuitionisticScorer, Samples
from broadlearn.sample_scores.scorer import class_floors


def small_classes(n_classes, n_rows, n_more=0):
    """Make separated classes of few samples, and two of `n_more`."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(n_classes + 2, 10))
    centres *= 10.0 / np.linalg.norm(centres, axis=1, keepdims=True)
    y = np.repeat(np.arange(n_classes + 2), [n_rows] * n_classes + [n_more, n_more])
    return centres[y] + rng.normal(size=(y.size, 10)), y


@pytest.mark.parametrize("n_rows", range(1, 10))
def test_scores_of_small_classes(n_rows):
    X, y = small_classes(3, n_rows, 20)
    samples = Samples(X, y, np.ones(y.size), 5)
    floor = np.where(y < 3, 1.0 - n_rows / 10, 0.0)
    plain = plain_fuzzy_membership(X, y)
    np.testing.assert_allclose(FuzzyScorer(small_class=0).score(samples).score, plain, atol=1e-12)
    np.testing.assert_allclose(FuzzyScorer().score(samples).score, np.maximum(plain, floor))
    plain = plain_intuitionistic_scores(X, y, 4.0)[3]
    found = IntuitionisticScorer(4.0, small_class=0).score(samples).score
    np.testing.assert_allclose(found, plain, atol=1e-12)
    np.testing.assert_allclose(
        IntuitionisticScorer(4.0).score(samples).score, np.maximum(plain, floor)
    )


def test_copies_and_samples_of_weight_0_do_not_count():
    X = np.repeat([[0.0], [1.0], [5.0], [6.0]], [30, 30, 1, 2], axis=0)
    weight = np.repeat([1.0, 0.0], [61, 2])
    samples = Samples(X, np.repeat([0, 1], [60, 3]), weight, 3)
    lifted = class_floors(samples, 10)
    np.testing.assert_allclose(lifted, np.repeat([0.8, 0.9], [60, 3]))


@pytest.mark.parametrize("model", [FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier])
@pytest.mark.parametrize("sizes", [(20, 2), (20, 3), (5, 2), (1, 2, 100)])
def test_small_classes_are_learnt(model, sizes):
    X, y = small_classes(*sizes)
    assert model(random_state=0).fit(X, y).score(X, y) == 1.0
