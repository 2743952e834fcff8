"""PathSearchCV over models with infinitely many enhancement nodes."""

import numpy as np
import pytest
from searches import both_searches, one_hot_like, several_classes, splits_of
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GridSearchCV

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    IntuitionisticFuzzyBLSClassifier,
    PathSearchCV,
)

pytestmark = pytest.mark.slow

MIXED = {
    "C": [1e-3, 1e4],
    "n_enhancement_nodes": [30, "infinite", 100],
    "n_feature_nodes": [3, 8],
}


@pytest.mark.parametrize("make", [one_hot_like, several_classes], ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    ("model", "more"),
    [
        (BLSClassifier(activation="sine"), {}),
        (IntuitionisticFuzzyBLSClassifier(enhancement_inputs=None), {"kernel_width": [1.0, 8.0]}),
        (BLSClassifier(feature_activation="tanh"), {"sample_scores": ["held_out", "fuzzy"]}),
    ],
    ids=["sine", "intuitionistic", "other scores"],
)
def test_infinitely_many_nodes_score_as_in_grid_search(make, model, more):
    X, y = make()
    grid = {**MIXED, **more}
    options = {"cv": 2, "scoring": ["accuracy", "neg_log_loss"], "refit": False}
    ours, theirs = both_searches(clone(model).set_params(random_state=0), grid, X, y, **options)
    found, expected = splits_of(ours.cv_results_), splits_of(theirs.cv_results_)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7)
    assert list(ours.cv_results_["params"]) == theirs.cv_results_["params"]


def test_infinitely_many_nodes_of_a_regressor_with_weights():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:150].astype(np.float32), (y[:150] - y.mean()) / y.std()
    weight = np.random.default_rng(0).integers(0, 3, 150) * 1.0
    model = BLSRegressor(n_enhancement_nodes="infinite", activation="relu", random_state=0)
    ours, theirs = (
        search(model, {"C": [1e-3, 1.0]}, cv=3, scoring="r2").fit(X, y, sample_weight=weight)
        for search in (PathSearchCV, GridSearchCV)
    )
    # The scorer of GridSearchCV is not given the weights.
    predicted = ours.best_estimator_.predict(X)
    np.testing.assert_allclose(predicted, theirs.best_estimator_.predict(X), atol=1e-5)
    unweighted, expected = both_searches(model, {"C": [1e-3, 1.0]}, X, y, cv=3)
    found, expected = splits_of(unweighted.cv_results_), splits_of(expected.cv_results_)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)
