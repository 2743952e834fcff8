import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import get_scorer

from broadlearn.search.scoring import (
    Predictions,
    _one_by_one,
    batch_scorer,
    needs_labels_only,
    needs_probabilities,
)


def classification(k, weighted=False, labels=("a", "b", "c", "d"), n=40, candidates=5):
    rng = np.random.default_rng(0)
    decision = rng.normal(size=(n, candidates, 1 if k == 2 else k))
    y = np.array(labels)[rng.integers(0, k, n)]
    weight = rng.uniform(0, 2, n) if weighted else None
    classes = np.array(labels)[:k]
    return Predictions(decision, y, classes, np.zeros((n, 1)), np.full(candidates, 2.0), weight)


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy"])
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_classification_scores_equal_those_of_scikit_learn(name, k, weighted):
    predictions = classification(k, weighted)
    scorer = get_scorer(name)
    found = batch_scorer(scorer, classifier=True)(predictions)
    np.testing.assert_allclose(found, _one_by_one(scorer, predictions), rtol=1e-13)


@pytest.mark.parametrize("labels", [(0, 1), (-1, 1), (False, True)])
@pytest.mark.parametrize("weighted", [False, True])
def test_areas_under_the_curve_equal_those_of_scikit_learn(labels, weighted):
    predictions = classification(2, weighted, labels)
    predictions.decision = np.round(predictions.decision, 1)  # makes ties
    scorer = get_scorer("roc_auc")
    found = batch_scorer(scorer, classifier=True)(predictions)
    np.testing.assert_allclose(found, _one_by_one(scorer, predictions), rtol=1e-12)


@pytest.mark.parametrize("name", ["roc_auc", "f1_macro", "neg_log_loss"])
def test_any_scorer_sees_a_model_with_known_predictions(name):
    found = batch_scorer(get_scorer(name), classifier=True)(classification(2))
    assert found.shape == (5,)
    assert np.isfinite(found).all()


def test_a_scorer_that_fails_scores_nan():
    failing = get_scorer("f1")  # needs to be told which of two strings is positive
    with pytest.warns(UserWarning, match="Scoring failed on a fold"):
        found = batch_scorer(failing, classifier=True)(classification(2))
    assert np.isnan(found).all()
    with pytest.raises(ValueError, match="pos_label"):
        batch_scorer(failing, classifier=True, error_score="raise")(classification(2))


def test_a_class_that_training_samples_lack_is_never_right():
    for k in (2, 3):
        p = classification(k)
        foreign = Predictions(p.decision, np.full(40, "zebra"), p.classes, p.X)
        accuracy = batch_scorer(get_scorer("accuracy"), classifier=True)
        np.testing.assert_array_equal(accuracy(foreign), 0)


def test_what_a_scorer_needs():
    assert needs_probabilities(get_scorer("neg_log_loss"))
    assert not needs_probabilities(get_scorer("roc_auc"))
    assert needs_labels_only(get_scorer("f1"), classifier=True)
    assert not needs_labels_only(get_scorer("roc_auc"), classifier=True)
    assert not needs_labels_only(get_scorer("r2"), classifier=False)


def test_a_class_of_weight_zero_is_absent():
    predictions = classification(4, weighted=True)
    weight = np.where(predictions.y == "b", 0.0, predictions.weight)
    predictions, scorer = replace(predictions, weight=weight), get_scorer("balanced_accuracy")
    found = batch_scorer(scorer, classifier=True)(predictions)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        np.testing.assert_allclose(found, _one_by_one(scorer, predictions), rtol=1e-13)
