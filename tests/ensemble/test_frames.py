"""Frames with text, categories and dates in the ensembles."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from broadlearn import (
    BroadEnsembleClassifier,
    BroadEnsembleRegressor,
    explain,
    importances,
    load,
    save,
)
from broadlearn.persistence import to_onnx
from broadlearn.tables import TablePreparation

pytestmark = pytest.mark.usefixtures("few_kernels")
RNG = np.random.default_rng(0)
N = 80
X = pd.DataFrame(
    {
        "age": RNG.integers(20, 80, N),
        "ward": pd.Categorical(RNG.choice([3, 1, 2], N)),
        "pain": RNG.choice(["low", "mid", "high"], N),
        "seen": pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(0, 300, N), "D"),
    }
)
Y = np.where((X["age"] > 50) ^ (X["pain"] == "high"), "ill", "well")


def test_columns_are_prepared_as_in_a_pipeline():
    plain = make_pipeline(TablePreparation({"ward": "category"}), BroadEnsembleClassifier())
    expected = plain.fit(X, Y).predict_proba(X)
    model = BroadEnsembleClassifier().fit(X, Y)
    np.testing.assert_array_equal(model.predict_proba(X), expected)
    assert model.n_features_in_ == 4
    assert model.feature_names_in_.tolist() == list(X)
    assert model.predict_set(X).shape == (N, 2)
    polars = pytest.importorskip("polars")
    frame = polars.from_pandas(X.astype({"ward": str}))
    text = BroadEnsembleClassifier().fit(frame, Y)
    assert (text.predict(frame) == model.predict(X)).mean() > 0.9
    assert cross_val_score(BroadEnsembleClassifier(), X, Y, cv=3).mean() > 0.6


def test_categories_differ_by_name_and_not_by_size():
    codes = np.arange(N) % 4
    y = np.where(codes % 2, 1.0, -1.0)
    frame = pd.DataFrame({"code": pd.Categorical(codes), "age": X["age"]})
    model = BroadEnsembleRegressor().fit(frame, y)
    assert np.abs(model.predict(frame) - y).max() < 0.2
    assert model.predict_interval(frame).shape == (N, 2)


def test_numbers_are_read_as_before():
    numbers = X[["age"]].assign(half=X["age"].astype(object) / 2, sure=X["age"] > 50)
    model = BroadEnsembleClassifier().fit(X, Y).fit(numbers, Y)
    expected = BroadEnsembleClassifier().fit(numbers.to_numpy(dtype=float), Y)
    np.testing.assert_array_equal(
        model.predict_proba(numbers), expected.predict_proba(numbers.to_numpy(dtype=float))
    )
    assert model.feature_names_in_.tolist() == ["age", "half", "sure"]


def test_other_columns_are_refused():
    model = BroadEnsembleClassifier().fit(X, Y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X[["age", "ward", "pain"]])
    with pytest.warns(UserWarning, match="new levels"):
        model.predict(X.head(3).assign(pain=["low", "mid", "odd"]))


def test_model_files_explanations_and_graphs(tmp_path):
    model = BroadEnsembleClassifier().fit(X, Y)
    save(model, tmp_path / "model.blm")
    np.testing.assert_array_equal(load(tmp_path / "model.blm").predict(X), model.predict(X))
    found = explain(model, X.head(2), X)
    total = found.contributions.sum(axis=1)
    np.testing.assert_allclose(total, found.output - found.base, atol=1e-12)
    assert set(importances(model, X).index) == set(X)
    with pytest.raises(ValueError, match="cannot prepare table columns"):
        to_onnx(model)
