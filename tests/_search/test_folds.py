import numpy as np
import pytest
from sklearn.datasets import load_iris

from broadlearn import BLSRegressor, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier
from broadlearn._search.folds import prepare_fold


@pytest.fixture
def split():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    return X, y, order[:100], order[100:]


def test_scores_are_those_of_fit(split):
    X, y, train, test = split
    widths = ["auto", 0.5, 4.0]
    fold = prepare_fold(IntuitionisticFuzzyBLSClassifier(), X, y, None, train, test, widths)
    for width, scores in zip(widths, fold.scores, strict=True):
        model = IntuitionisticFuzzyBLSClassifier(kernel_width=width).fit(X[train], y[train])
        np.testing.assert_allclose(scores, model.sample_scores_, atol=1e-12)
    assert fold.valid == [0, 1, 2]
    np.testing.assert_array_equal(fold.y_test, y[test])


def test_rows_of_weight_zero_are_dropped(split):
    X, y, train, test = split
    weight = np.ones(150)
    weight[train[:10]] = 0.0
    fold = prepare_fold(FuzzyBLSClassifier(), X, y, weight, train, test, [None])
    assert fold.task.X.shape[0] == 90
    assert fold.scores[0].shape == (90,)
    np.testing.assert_array_equal(fold.test_weight, 1.0)


def test_regression_keeps_the_mean_apart(split):
    X, y, train, test = split
    fold = prepare_fold(BLSRegressor(), X, y * 1.0, None, train, test, [None])
    np.testing.assert_allclose(fold.intercept, y[train].mean())
    np.testing.assert_allclose(fold.task.T.mean(), 0, atol=1e-12)
    assert fold.classes is None


def test_what_cannot_be_fitted_is_told(split):
    X, y, train, test = split
    one = train[y[train] == 0]
    fold = prepare_fold(FuzzyBLSClassifier(), X, y, None, one, test, [None])
    assert fold.task is None
    assert "only one class" in fold.errors[0]
    assert fold.valid == []
