import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    BroadEnsembleClassifier,
    IntuitionisticFuzzyTwinSVC,
    load,
    save,
)
from broadlearn.evaluation import unwrap_model, with_threshold
from broadlearn.io import to_onnx


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
        assert decided.classes_.tolist() == ["benign", "malignant"]


def test_parts_of_models(cancer):
    X, y = cancer
    alone = BLSClassifier(random_state=0).fit(X, y)
    assert unwrap_model(alone) == (None, alone, None)
    pipeline = make_pipeline(StandardScaler(), BLSClassifier(random_state=0)).fit(X, y)
    parts = unwrap_model(with_threshold(pipeline, "malignant", 0.25))
    assert parts.estimator is pipeline[-1]
    assert parts.threshold == ("malignant", 0.25)
    np.testing.assert_allclose(parts.prepared(X), StandardScaler().fit_transform(X))
    assert unwrap_model(make_pipeline(alone)).preparation is None


def test_a_threshold_is_stored_in_a_file(cancer, tmp_path):
    X, y = cancer
    model = BroadEnsembleClassifier(ensemble_size=2).fit(X, y)
    pipeline = make_pipeline(StandardScaler().fit(X), model)
    decided = with_threshold(pipeline, "malignant", 0.3)
    save(decided, tmp_path / "m.blm")
    again = load(tmp_path / "m.blm")
    np.testing.assert_array_equal(again.predict(X), decided.predict(X))
    parts = unwrap_model(again)
    assert parts.threshold == ("malignant", 0.3)
    np.testing.assert_array_equal(parts.estimator.predict_set(X), model.predict_set(X))


def test_a_threshold_needs_two_classes_and_probabilities(cancer):
    X, y = cancer
    iris = BLSClassifier(random_state=0).fit(*load_iris(return_X_y=True))
    with pytest.raises(ValueError, match="needs a classifier of two classes"):
        with_threshold(iris, 0, 0.5)
    regressor = BLSRegressor(random_state=0).fit(X, y == "benign")
    with pytest.raises(ValueError, match="needs a classifier of two classes"):
        with_threshold(regressor, 0, 0.5)
    twin = IntuitionisticFuzzyTwinSVC().fit(X, y)
    with pytest.raises(ValueError, match="IntuitionisticFuzzyTwinSVC gives no probabilities"):
        with_threshold(twin, "benign", 0.5)


def test_a_model_with_a_threshold_is_not_exported(cancer):
    pytest.importorskip("skl2onnx")
    X, y = cancer
    decided = with_threshold(BLSClassifier(random_state=0).fit(X, y), "benign", 0.2)
    with pytest.raises(
        ValueError, match="a graph has no decision threshold; export the model within"
    ):
        to_onnx(decided)
