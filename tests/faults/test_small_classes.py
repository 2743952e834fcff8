"""Classes of two or three rows keep their say; large ones are scored as published."""

import numpy as np
import pytest

from broadlearn import (
    BLSClassifier,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
    PathSearchCV,
)
from broadlearn.out_of_core import fit_blocks
from broadlearn.sample_scores import (
    FuzzyScorer,
    IntuitionisticScorer,
    Samples,
    fuzzy_membership,
    intuitionistic_scores,
)
from broadlearn.sample_scores.scorer import class_floors

SCORED = [FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier]


def small_classes(n_classes, n_rows, n_more=0, seed=0):
    """Separated classes of few rows, and two of a hundred rows."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(n_classes + 2, 10))
    centres *= 10.0 / np.linalg.norm(centres, axis=1, keepdims=True)
    y = np.repeat(np.arange(n_classes + 2), [n_rows] * n_classes + [n_more, n_more])
    return centres[y] + rng.normal(size=(y.size, 10)), y


@pytest.mark.parametrize("model", SCORED)
@pytest.mark.parametrize("sizes", [(20, 2), (20, 3), (5, 2), (1, 2, 100)])
def test_training_accuracy_is_that_of_plain_models(model, sizes):
    X, y = small_classes(*sizes)
    assert model(random_state=0).fit(X, y).score(X, y) == 1.0
    predicted = model(random_state=0).fit(X, y).predict(X)
    np.testing.assert_array_equal(predicted, BLSClassifier(random_state=0).fit(X, y).predict(X))


@pytest.mark.parametrize("n_rows", [2, 5, 9, 10, 30])
def test_scores_are_those_published_above_a_floor(n_rows):
    X, y = small_classes(3, n_rows, 20)
    samples, weight = Samples(X, y, np.ones(y.size), 5), np.ones(y.size)
    floors = class_floors(X, y, weight, 5)
    np.testing.assert_allclose(floors, [max(0.0, 1.0 - n_rows / 10)] * 3 + [0.0] * 2)
    found = FuzzyScorer().score(samples)
    np.testing.assert_allclose(found.attributes["membership_"], fuzzy_membership(X, y))
    np.testing.assert_allclose(found.score, np.maximum(fuzzy_membership(X, y), floors[y]))
    plain = intuitionistic_scores(X, y, kernel_width=4.0).score
    found = IntuitionisticScorer(4.0).score(samples)
    np.testing.assert_allclose(found.score, np.maximum(plain, floors[y]))


def test_copies_make_no_class_large_and_rows_of_weight_0_none():
    X = np.repeat([[0.0], [1.0], [5.0], [6.0]], [30, 30, 1, 2], axis=0)
    y = np.repeat([0, 1], [60, 3])
    weight = np.ones(63)
    weight[-2:] = 0.0
    np.testing.assert_allclose(class_floors(X, y, weight, 3), [0.8, 0.9, 0.0])


@pytest.mark.parametrize("model", SCORED)
def test_searches_streams_and_passes_score_alike(model):
    X, y = small_classes(3, 3, 40)
    sizes = {"n_feature_nodes": 5, "n_enhancement_nodes": 20, "random_state": 0}
    fitted = model(**sizes).fit(X, y)
    expected = fitted.decision_function(X)
    search = PathSearchCV(model(**sizes), {"C": [1.0]}, cv=3).fit(X, y)
    np.testing.assert_allclose(search.decision_function(X), expected, atol=1e-9)
    stream = model(**sizes).warm_up(X, y).partial_fit(X, y)
    np.testing.assert_allclose(stream.sample_scores_, fitted.sample_scores_, atol=1e-9)
    np.testing.assert_allclose(stream.decision_function(X), expected, atol=1e-7)
    passes = fit_blocks(model(**sizes), X, y, block_rows=20)
    np.testing.assert_allclose(passes.decision_function(X), expected, atol=1e-7)
