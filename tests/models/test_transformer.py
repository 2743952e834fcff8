import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline

from broadlearn import (
    PUBLISHED_FORM,
    BLSClassifier,
    BroadFeatures,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
)


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(60, 4))


def test_shape_names_and_pandas_output(X):
    names = [f"c{i}" for i in range(4)]
    features = BroadFeatures(2, 3, 2, 5, random_state=0).set_output(transform="pandas")
    G = features.fit_transform(pd.DataFrame(X, columns=names))
    assert G.shape == (60, 16)
    assert list(G.columns[:2]) == ["broadfeatures0", "broadfeatures1"]
    np.testing.assert_array_equal(features.feature_names_in_, names)


def test_polars_output(X):
    polars = pytest.importorskip("polars")
    features = BroadFeatures(2, 3, 1, 5, random_state=0).set_output(transform="polars")
    G = features.fit_transform(polars.DataFrame(X, schema=list("abcd")))
    assert isinstance(G, polars.DataFrame)
    np.testing.assert_allclose(
        G.to_numpy(), BroadFeatures(2, 3, 1, 5, random_state=0).fit_transform(X)
    )


def test_smaller_is_part_of_larger(X):
    large = BroadFeatures(5, 6, 1, 90, random_state=1).fit_transform(X)
    fewer_groups = BroadFeatures(2, 6, 1, 90, random_state=1).fit_transform(X)
    fewer_nodes = BroadFeatures(5, 4, 1, 90, random_state=1).fit_transform(X)
    fewer_enhancements = BroadFeatures(5, 6, 1, 13, random_state=1).fit_transform(X)
    np.testing.assert_allclose(fewer_groups[:, :12], large[:, :12], atol=1e-14)
    for i in range(5):
        np.testing.assert_allclose(
            fewer_nodes[:, 4 * i : 4 * i + 4], large[:, 6 * i : 6 * i + 4], atol=1e-14
        )
    np.testing.assert_allclose(fewer_enhancements, large[:, : 30 + 13], atol=1e-14)


def test_float32_is_kept(X):
    G = BroadFeatures(random_state=0).fit_transform(X.astype(np.float32))
    assert G.dtype == np.float32
    np.testing.assert_allclose(G, BroadFeatures(random_state=0).fit_transform(X), atol=1e-4)


def test_serves_any_linear_model(X):
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = make_pipeline(BroadFeatures(random_state=0), RidgeClassifier(0.1))
    assert model.fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_feature_groups": 0}, "n_feature_groups"),
        ({"n_enhancement_nodes": 2.5}, "n_enhancement_nodes"),
        ({"activation": "swish"}, "activation"),
        ({"feature_scaling": "none"}, "feature_scaling"),
        ({"enhancement_scale": 0.0}, "enhancement_scale"),
        ({"enhancement_bias": -1.0}, "enhancement_bias"),
    ],
)
def test_bad_parameters_are_named(X, change, message):
    with pytest.raises(ValueError, match=message):
        BroadFeatures(**change).fit(X)


def test_the_published_form_is_one_argument_away():
    X = np.random.default_rng(0).normal(size=(50, 4))
    features = BroadFeatures(2, 3, 1, 10, random_state=0, **PUBLISHED_FORM).fit(X)
    F = features.transform(X)[:, :6].reshape(50, 2, 3)
    np.testing.assert_allclose(F.min(axis=2), -1.0)
    np.testing.assert_allclose(F.max(axis=2), 1.0)
    assert features._map.enhancement_weights.shape == (7, 10)
    for model in (BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier):
        model(**PUBLISHED_FORM, random_state=0).fit(X, X[:, 0] > 0)


def test_infinitely_many_nodes_are_not_columns():
    with pytest.raises(ValueError, match="'n_enhancement_nodes' parameter of BroadFeatures must"):
        BroadFeatures(n_enhancement_nodes="infinite").fit(np.ones((5, 2)))
