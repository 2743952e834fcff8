import numpy as np

from broadlearn import BLSClassifier, IntuitionisticFuzzyBLSClassifier
from broadlearn.classifiers._classifier import slopes_of_rows


def test_probabilities_follow_decisions():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 3)), rng.integers(0, 3, 90)
    model = IntuitionisticFuzzyBLSClassifier(random_state=0).fit(X, y)
    np.testing.assert_array_equal(
        model.predict_proba(X).argmax(axis=1), model.decision_function(X).argmax(axis=1)
    )


def test_slope_counts_rows_by_weight_and_score():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    weight = rng.integers(1, 4, 50) * 1.0
    task = BLSClassifier()._prepare(X, y, weight)
    decision, scores, rows = rng.normal(size=(50, 1)), rng.uniform(size=50), np.arange(50)
    copies = np.repeat(rows, weight.astype(int))
    repeated = BLSClassifier()._prepare(X[copies], y[copies], None)
    weighted = slopes_of_rows(task, scores, rows, decision[None])
    of_copies = slopes_of_rows(
        repeated, scores[copies], np.arange(copies.size), decision[copies][None]
    )
    np.testing.assert_allclose(weighted, of_copies)
