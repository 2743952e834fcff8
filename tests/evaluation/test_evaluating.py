import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from broadlearn import BLSClassifier, BroadEnsembleClassifier, BroadEnsembleRegressor, evaluate
from broadlearn.evaluation import with_threshold


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.iloc[:, :6], np.where(y == 1, "benign", "malignant")


def test_what_is_said_of_a_classifier(cancer):
    X, y = cancer
    model = make_pipeline(StandardScaler(), BLSClassifier(random_state=0)).fit(X[:300], y[:300])
    found = evaluate(model, X[300:], y[300:])
    right = model.predict(X[300:]) == y[300:]
    assert found.metrics.loc["accuracy", "value"] == pytest.approx(right.mean())
    assert (found.metrics["low"] <= found.metrics["value"]).all()
    assert (found.metrics["value"] <= found.metrics["high"]).all()
    assert "coverage" not in found.metrics.index
    confusion = pd.crosstab(y[300:], model.predict(X[300:])).to_numpy()
    np.testing.assert_array_equal(found.confusion.to_numpy(), confusion)
    assert found.by_class.index.tolist() == ["benign", "malignant"]
    assert found.worst["loss"].is_monotonic_decreasing
    first = found.worst.iloc[0]
    column = list(model.classes_).index(first["label"])
    proba = model.predict_proba(X[300:])[first["position"], column]
    assert first["probability"] == pytest.approx(proba)
    assert repr(found) == f"<Evaluation on 269 rows: accuracy {right.mean():.4g}>"
    assert found.importance is None
    again = evaluate(model, X[300:], y[300:])
    pd.testing.assert_frame_equal(found.metrics, again.metrics)


def test_conformal_sets_are_judged_where_a_model_has_them(cancer):
    X, y = cancer
    scale = StandardScaler().fit(X)
    model = BroadEnsembleClassifier(ensemble_size=3).fit(scale.transform(X)[:150], y[:150])
    found = evaluate(make_pipeline(scale, model), X[150:], y[150:])
    sets = model.predict_set(scale.transform(X)[150:])
    assert found.metrics.loc["set_size", "value"] == pytest.approx(sets.sum(axis=1).mean())
    held = sets[np.arange(len(sets)), (y[150:] == "malignant").astype(int)]
    assert found.metrics.loc["coverage", "value"] == pytest.approx(held.mean())


def test_labels_that_the_model_does_not_know(cancer):
    X, y = cancer
    model = GaussianNB().fit(X, y)
    labels = y.astype(object)
    labels[[3, 4]] = "other"
    found = evaluate(model, X, labels, importance=True)
    assert found.n_unknown == 2
    assert found.confusion.shape == (3, 2)
    assert found.worst["label"].tolist()[:2] == ["other", "other"]
    assert np.isinf(found.worst["loss"].iloc[0])
    assert len(found.importance) == 6


def test_models_without_probabilities_or_with_a_threshold(cancer):
    X, y = cancer
    found = evaluate(LinearSVC().fit(X, y), X, y)
    assert np.isnan(found.metrics.loc["log_loss", "value"])
    wrong = found.worst["label"] != found.worst["prediction"]
    assert wrong.all()
    model = with_threshold(BLSClassifier(random_state=0).fit(X, y), "malignant", 0.01)
    found = evaluate(model, X, y)
    assert found.parts.threshold == ("malignant", 0.01)
    assert found.by_class.loc["malignant", "recall"] > 0.99


def test_what_is_said_of_a_regressor():
    X, y = load_diabetes(return_X_y=True)
    found = evaluate(LinearRegression().fit(X[:300], y[:300]), X[300:], y[300:], importance=True)
    assert found.metrics.index.tolist() == ["r2", "mean_absolute_error", "root_mean_squared_error"]
    assert found.judged is None
    assert found.n_unknown == 0
    assert len(found.importance) == 10
    distance = np.abs(found.prediction - found.target)
    assert found.worst["loss"].iloc[0] == pytest.approx(distance.max())
    model = BroadEnsembleRegressor(ensemble_size=2).fit(X[:100], y[:100])
    found = evaluate(model, X[300:], y[300:])
    low, high = model.predict_interval(X[300:]).T
    held = ((low <= y[300:]) & (y[300:] <= high)).mean()
    assert found.metrics.loc["coverage", "value"] == pytest.approx(held)


def test_bad_input():
    X, y = load_diabetes(return_X_y=True)
    several = LinearRegression().fit(X, np.c_[y, y])
    with pytest.raises(ValueError, match="this one predicts several"):
        evaluate(several, X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        evaluate(several, X, y[:5])


def test_stages_are_told(cancer):
    X, y = cancer
    told = []
    model = GaussianNB().fit(X, y)
    evaluate(model, X, y, importance=True, progress=lambda stage, share: told.append(stage))
    assert told == ["predictions", "intervals", "columns"]
