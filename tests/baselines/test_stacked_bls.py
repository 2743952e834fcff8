"""Stacked broad learning: every block is fitted to what is left."""

import numpy as np
import pytest
from plain_robust import plain_stacked
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV

from broadlearn import BroadFeatures, PathSearchCV, StackedBLSClassifier

X, y = load_iris(return_X_y=True)


def test_every_block_is_fitted_to_the_residual_of_those_before():
    model = StackedBLSClassifier(3, 30, C=2.0, random_state=0).fit(X, y)
    designs = [
        BroadFeatures(n_enhancement_nodes=30, random_state=block.random_state).fit_transform
        for block in model.blocks_
    ]
    expected = plain_stacked(X, np.eye(3)[y], 2.0, designs)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-8)


def test_more_blocks_begin_with_those_of_fewer():
    one, two = (StackedBLSClassifier(n, 30, random_state=0).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.blocks_[0].predict(X), two.blocks_[0].predict(X))
    errors = [np.abs(np.eye(3)[y] - m.decision_function(X)).mean() for m in (one, two)]
    assert errors[1] < errors[0]


@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize(
    ("load", "scoring"), [(load_iris, "accuracy"), (load_breast_cancer, "roc_auc")]
)
def test_a_search_scores_fits_one_by_one(load, scoring, class_weight):
    samples, labels = load(return_X_y=True)
    samples[0, 0], labels[::9] = np.nan, 0
    grid = {"n_blocks": [3, 1], "n_enhancement_nodes": [5, 150], "C": [0.1, 1e4]}
    model = StackedBLSClassifier(class_weight=class_weight, random_state=0)
    weight = np.random.default_rng(0).integers(0, 4, len(labels))
    found, expected = (
        kind(model, grid, cv=2, scoring=scoring, refit=False)
        .fit(samples, labels, sample_weight=weight)
        .cv_results_
        for kind in (PathSearchCV, GridSearchCV)
    )
    assert found["params"] == expected["params"]
    for split in range(2):
        name = f"split{split}_test_score"
        np.testing.assert_allclose(found[name], expected[name], atol=1e-9)


def test_a_search_prefers_few_blocks():
    search = PathSearchCV(StackedBLSClassifier(random_state=0), {"n_blocks": [2, 1]}, cv=2)
    assert search.fit(X[:100], y[:100]).best_params_ == {"n_blocks": 1}


def test_a_search_with_probabilities_is_refused():
    with pytest.raises(ValueError, match="StackedBLSClassifier does not have"):
        PathSearchCV(StackedBLSClassifier(), {}, scoring="neg_log_loss").fit(X, y)
