"""The classifier on cascades, and its search."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV

from broadlearn import CascadeBLSClassifier, PathSearchCV

X, y = load_iris(return_X_y=True)


@pytest.mark.parametrize("cascade", ["features", "enhancements", "both"])
def test_a_search_scores_the_models_that_are_fitted(cascade):
    grid = {
        "C": [0.01, 1.0],
        "n_feature_groups": [1, 3],
        "n_enhancement_groups": [1, 3],
        "n_enhancement_nodes": [5, 40],
        "sample_scores": ["fuzzy", "huber"],
    }
    model = CascadeBLSClassifier(n_feature_nodes=5, cascade=cascade, random_state=0)
    found, expected = (
        kind(model, grid, cv=2, scoring="neg_log_loss", refit=False).fit(X, y).cv_results_
        for kind in (PathSearchCV, GridSearchCV)
    )
    np.testing.assert_allclose(found["mean_test_score"], expected["mean_test_score"], atol=1e-9)


def test_a_cascade_of_affine_groups_is_affine():
    model = CascadeBLSClassifier(feature_activation="identity", random_state=0).fit(X, y)
    F = model._map.features(model._standardization.affine(X))
    assert np.linalg.matrix_rank(F) <= X.shape[1] + 1
