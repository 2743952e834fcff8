import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, f1_score

from broadlearn.evaluation.threshold import best_threshold


def made_up(n=300, share=0.1, seed=0):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < share
    return positive, 1 / (1 + np.exp(-rng.normal(2.0 * positive - 3.0)))


@pytest.mark.parametrize(
    ("name", "metric"), [("balanced_accuracy", balanced_accuracy_score), ("f1", f1_score)]
)
def test_no_threshold_is_better(name, metric):
    positive, proba = made_up(150)
    threshold, score = best_threshold(positive, proba, name)
    assert metric(positive, proba >= threshold) == pytest.approx(score)
    every = [metric(positive, proba >= t) for t in np.unique(proba)]
    assert score == pytest.approx(max(every))


def test_of_many_rows_the_places_near_the_rare_ones_are_tried():
    positive, proba = made_up(3000, share=0.01)
    threshold, score = best_threshold(positive, proba)
    values = np.sort(proba)
    every = [balanced_accuracy_score(positive, proba >= t) for t in values[::15]]
    assert score >= max(every) - 0.003
    assert threshold < 0.5


def test_a_scorer_of_probabilities_cannot_choose():
    with pytest.raises(ValueError, match="roc_auc looks at probabilities"):
        best_threshold(*made_up(), "roc_auc")


def test_half_is_kept_where_nothing_is_better():
    positive = np.array([False, True])
    assert best_threshold(positive, np.array([0.1, 0.9]))[0] == 0.5
