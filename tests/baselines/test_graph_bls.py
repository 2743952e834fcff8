"""Graph-regularised broad learning: the closed form, edge by edge."""

import numpy as np
import pytest
from plain_robust import plain_graph_ridge
from sklearn.model_selection import GridSearchCV

from broadlearn import BLSClassifier, BroadFeatures, GraphBLSClassifier, PathSearchCV

X = np.random.default_rng(0).normal(size=(50, 4))
y = (X[:, 0] * X[:, 1] > 0).astype(int)


def test_decisions_are_those_of_ridge_with_a_row_for_each_edge():
    model = GraphBLSClassifier(20, 3.0, graph_penalty=0.7, graph_neighbors=4, random_state=0)
    model.fit(X, y)
    G = BroadFeatures(n_enhancement_nodes=20, random_state=0).fit_transform(X)
    Z = model._standardization.affine(X)[:, :-1]
    T = np.where(y, 1.0, -1.0)[:, None]
    expected = G @ plain_graph_ridge(G, T, 3.0, 0.7, Z, 4)
    np.testing.assert_allclose(model.decision_function(X), expected.ravel(), atol=1e-8)


def test_without_a_penalty_it_is_a_broad_learning_system():
    graph = GraphBLSClassifier(30, graph_penalty=0.0, random_state=0).fit(X, y)
    plain = BLSClassifier(n_enhancement_nodes=30, random_state=0).fit(X, y)
    np.testing.assert_allclose(graph.predict_proba(X), plain.predict_proba(X), atol=1e-8)


def test_equal_samples_are_one_vertex():
    once = GraphBLSClassifier(30, random_state=0).fit(X, y, sample_weight=np.full(50, 2.0))
    twice = GraphBLSClassifier(30, random_state=0).fit(np.tile(X, (2, 1)), np.tile(y, 2))
    np.testing.assert_allclose(once.predict_proba(X), twice.predict_proba(X), atol=1e-8)


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss"])
def test_a_search_scores_fits_one_by_one(scoring):
    grid = {"C": [0.1, 1e6], "n_enhancement_nodes": [5, 90], "graph_penalty": [0.0, 2.0]}
    weight = np.random.default_rng(0).integers(1, 4, 50)
    found, expected = (
        kind(GraphBLSClassifier(random_state=0), grid, cv=3, scoring=scoring, refit=False)
        .fit(X, y, sample_weight=weight)
        .cv_results_
        for kind in (PathSearchCV, GridSearchCV)
    )
    for split in range(3):
        name = f"split{split}_test_score"
        np.testing.assert_allclose(found[name], expected[name], atol=1e-6)
