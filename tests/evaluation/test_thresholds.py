import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from broadlearn import BLSClassifier, BLSRegressor, IntuitionisticFuzzyTwinSVC
from broadlearn.evaluation import unwrap_model, with_threshold


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:150, :5], np.where(y[:150] == 1, "benign", "malignant")


def test_a_threshold_decides_and_probabilities_stay(cancer):
    X, y = cancer
    pipeline = make_pipeline(StandardScaler(), BLSClassifier(random_state=0)).fit(X, y)
    proba = pipeline.predict_proba(X)
    for label, column in (("benign", 0), ("malignant", 1)):
        decided = with_threshold(pipeline, label, 0.2)
        expected = np.where(proba[:, column] >= 0.2, label, pipeline.classes_[1 - column])
        np.testing.assert_array_equal(decided.predict(X), expected)
        np.testing.assert_array_equal(decided.predict_proba(X), proba)
    parts = unwrap_model(decided)
    assert parts.estimator is pipeline[-1]
    assert parts.threshold == ("malignant", 0.2)
    np.testing.assert_allclose(parts.prepare(X), StandardScaler().fit_transform(X))
    assert unwrap_model(make_pipeline(pipeline[-1])).preparation is None


def test_a_threshold_needs_two_classes_and_probabilities(cancer):
    X, y = cancer
    iris = BLSClassifier(random_state=0).fit(*load_iris(return_X_y=True))
    regressor = BLSRegressor(random_state=0).fit(X, y == "benign")
    for model in (iris, regressor):
        with pytest.raises(ValueError, match="needs a classifier with two classes"):
            with_threshold(model, 0, 0.5)
    twin = IntuitionisticFuzzyTwinSVC().fit(X, y)
    with pytest.raises(ValueError, match="IntuitionisticFuzzyTwinSVC has no predict_proba"):
        with_threshold(twin, "benign", 0.5)
