import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from broadlearn import BroadEnsembleClassifier, BroadEnsembleRegressor
from broadlearn.evaluation import decide_by
from broadlearn.evaluation.held_out import cross_val_predictions, leave_one_out_predictions


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.iloc[:200, :4], np.where(y[:200] == 1, "benign", "malignant")


def test_out_of_fold_predictions_are_those_of_scikit_learn(cancer):
    X, y = cancer
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    found = cross_val_predictions(GaussianNB(), X, y, folds)
    expected = cross_val_predict(GaussianNB(), X, y, cv=folds, method="predict_proba")
    np.testing.assert_allclose(found.proba, expected)
    svc = LinearSVC(random_state=0)
    found = cross_val_predictions(svc, X, y, folds)
    assert found.proba is None
    labels = found.decoded(found.predicted)
    np.testing.assert_array_equal(labels, cross_val_predict(svc, X, y, cv=folds))
    X, y = load_diabetes(return_X_y=True)
    found = cross_val_predictions(LinearRegression(), X, y, KFold(3))
    expected = cross_val_predict(LinearRegression(), X, y, cv=KFold(3))
    np.testing.assert_allclose(found.predicted, expected)
    assert found.classes is None


def test_a_class_that_a_fold_lacks_has_no_probability_there(cancer):
    X, y = cancer[0], cancer[1].astype(object)
    y[7] = "rare"
    with pytest.warns(RuntimeWarning, match="Number of classes in training fold"):
        found = cross_val_predictions(GaussianNB(), X, y, KFold(3))
    assert found.proba.shape == (200, 3)
    assert found.proba[7, 2] == 0.0
    np.testing.assert_allclose(found.proba.sum(axis=1), 1.0)


def test_an_ensemble_has_its_own_leave_one_out_predictions(cancer):
    X, y = cancer
    model = BroadEnsembleClassifier(ensemble_size=2).fit(X, y)
    found = leave_one_out_predictions(model, y)
    np.testing.assert_array_equal(found.proba, model.leave_one_out_proba_)
    X, y = load_diabetes(return_X_y=True)
    model = BroadEnsembleRegressor(ensemble_size=2).fit(X[:80], y[:80])
    found = leave_one_out_predictions(model, y[:80])
    np.testing.assert_array_equal(found.predicted, model.leave_one_out_prediction_)


def test_a_threshold_is_that_of_the_rarer_class(cancer):
    X, y = cancer
    found = cross_val_predictions(GaussianNB(), X, y, KFold(3))
    threshold, decided = decide_by(found, 0.3)
    rare = min(set(y), key=y.tolist().count)
    assert threshold == (rare, 0.3)
    probable = found.proba[:, found.classes.tolist().index(rare)] >= 0.3
    np.testing.assert_array_equal(decided.decoded(decided.predicted) == rare, probable)
    with pytest.raises(ValueError, match="two classes and a model with probabilities"):
        decide_by(found._replace(proba=None), 0.3)
