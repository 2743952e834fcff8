import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import broadlearn
from broadlearn import distributed

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

SMALL = {"n_feature_groups": 2, "n_feature_nodes": 3, "n_enhancement_nodes": 20, "random_state": 0}
NAMES = (
    "BLSClassifier",
    "FuzzyBLSClassifier",
    "IntuitionisticFuzzyBLSClassifier",
    "BLSRegressor",
)
MODELS = [getattr(distributed, name)(**SMALL, C=100.0) for name in NAMES]
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 4))
Y = (X[:, 0] > 0) + (X[:, 1] > 0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(MODELS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(params=MODELS, ids=NAMES)
def model(request):
    return clone(request.param)


def methods(model):
    return (
        ("predict", "decision_function", "predict_proba") if is_classifier(model) else ("predict",)
    )


@pytest.mark.parametrize("kind", ["array", "frame"])
def test_collections_give_the_plain_model(model, kind):
    rows, labels = da.from_array(X, chunks=(70, 4)), da.from_array(Y, chunks=50)
    if kind == "frame":
        rows = dd.from_pandas(pd.DataFrame(X), npartitions=3)
        labels = dd.from_pandas(pd.Series(Y), npartitions=3)
    plain = getattr(broadlearn, type(model).__name__)(**model.get_params()).fit(X, Y)
    assert model.fit(rows, labels) is model
    for method in methods(model):
        found = getattr(model, method)(rows)
        assert isinstance(found, da.Array)
        np.testing.assert_allclose(found.compute(), getattr(plain, method)(X), atol=1e-8)
        np.testing.assert_allclose(getattr(model, method)(X), getattr(plain, method)(X), atol=1e-8)
    assert model.score(rows, labels) == pytest.approx(plain.score(X, Y))
    weight = np.arange(200) % 3
    assert model.score(rows, labels, weight) == pytest.approx(plain.score(X, Y, weight))


def test_weights(model):
    weight = rng.integers(0, 3, 200)
    expected = clone(model).fit(X, Y, weight).predict(X)
    model.fit(da.from_array(X, chunks=(70, 4)), Y, sample_weight=da.from_array(weight, chunks=90))
    np.testing.assert_allclose(model.predict(X), expected, atol=1e-8)


def test_files_and_pickles(model, tmp_path):
    rows = da.from_array(X[:150], chunks=(70, 4))
    model.fit(rows, Y[:150])
    broadlearn.save(model, tmp_path / "model.blm")
    again = broadlearn.load(tmp_path / "model.blm")
    thawed = pickle.loads(pickle.dumps(model))
    model.partial_fit(X[150:], Y[150:])
    for other in (again, thawed):
        assert type(other) is type(model)
        other.partial_fit(X[150:], Y[150:])
        np.testing.assert_array_equal(other.predict(rows).compute(), model.predict(rows).compute())


def test_unlike_kinds_of_input_are_refused(model):
    rows, labels = da.from_array(X, chunks=(70, 4)), da.from_array(Y, chunks=50)
    with pytest.raises(ValueError, match="y is a Dask collection where X is not"):
        model.fit(X, labels)
    with pytest.raises(ValueError, match="sample_weight is a Dask collection where X is not"):
        model.fit(X, Y, labels)
    with pytest.raises(ValueError, match="is not fitted yet"):
        model.predict(rows)
