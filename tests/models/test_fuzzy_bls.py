import numpy as np
import pytest
from plain import plain_fuzzy_membership, plain_ridge
from sklearn.datasets import load_iris

from broadlearn import BroadFeatures, FuzzyBLSClassifier


@pytest.mark.parametrize("n_nodes", [20, 300])
def test_is_the_published_model(n_nodes):
    X, y = load_iris(return_X_y=True)
    model = FuzzyBLSClassifier(3, 4, 1, n_nodes, C=10.0, delta=1e-3, random_state=0).fit(X, y)
    membership = plain_fuzzy_membership((X - X.mean(axis=0)) / X.std(axis=0), y, delta=1e-3)
    np.testing.assert_allclose(model.sample_scores_, membership, atol=1e-12)
    np.testing.assert_array_equal(model.membership_, model.sample_scores_)
    G = BroadFeatures(3, 4, 1, n_nodes, random_state=0).fit_transform(X)
    expected = G @ plain_ridge(G, np.eye(3)[y], 10.0, membership)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-9)


def test_values_too_large_to_measure_distances_are_named():
    X = np.array([[1e300], [2e300], [3e300]])
    with pytest.raises(ValueError, match="X holds values beyond 1e"):
        FuzzyBLSClassifier(standardize=False).fit(X, [0, 1, 1])
    FuzzyBLSClassifier().fit(X, [0, 1, 1])


def test_delta_is_checked():
    with pytest.raises(ValueError, match="delta"):
        FuzzyBLSClassifier(delta=0.0).fit([[0.0], [1.0]], [0, 1])
