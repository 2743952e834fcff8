import numpy as np
import pandas as pd
import pytest

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    ELMClassifier,
    FuzzyBLSClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    NeuroFuzzyBLSClassifier,
    PathSearchCV,
)
from broadlearn.out_of_core import predict

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 4))
TWO, THREE = X[:, 0] > 0, np.array(["one", "two", "three"])[rng.integers(0, 3, 200)]
CHUNKS = (50, 0, 30, 120)
ROWS = da.from_array(X, chunks=(CHUNKS, (3, 1)))
COLUMNS = list("abcd")
TABLE = pd.DataFrame(X, columns=COLUMNS)
FRAME = dd.from_pandas(TABLE, npartitions=3)


@pytest.mark.parametrize("y", [TWO, THREE])
@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_classifiers(y, method):
    model = BLSClassifier(2, 3, 1, 20, random_state=0).fit(X, y)
    found, expected = predict(model, ROWS, method), getattr(model, method)(X)
    assert isinstance(found, da.Array)
    assert found.chunks[0] == CHUNKS
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    values = found.compute()
    assert values.dtype == expected.dtype
    if method == "predict":
        np.testing.assert_array_equal(values, expected)
    else:
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        FuzzyBLSClassifier(2, 3, 1, 20),
        IntuitionisticFuzzyBLSClassifier(2, 3, 1, 20),
        BLSClassifier(2, 3, 1, 20, sample_scores="held_out"),
        ELMClassifier(20),
        HierarchicalELMClassifier(20, n_autoencoder_nodes=5),
        NeuroFuzzyBLSClassifier(2, 2, 20),
        IntuitionisticFuzzyTwinSVC(),
        PathSearchCV(BLSClassifier(2, 3, 1, 20), {"C": [0.1, 1.0]}, cv=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_all_models(model):
    model.fit(X, TWO)
    np.testing.assert_array_equal(predict(model, ROWS).compute(), model.predict(X))


@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_dataframes(method):
    model = BLSClassifier(2, 3, 1, 20, random_state=0).fit(TABLE, pd.Series(THREE))
    some = FRAME[FRAME["a"] > 1.0]
    found = predict(model, some, method)
    assert found.npartitions == 3
    expected = getattr(model, method)(TABLE[TABLE["a"] > 1.0])
    assert (found.dtype, found.ndim) == (expected.dtype, expected.ndim)
    values = found.compute()
    if method == "predict":
        np.testing.assert_array_equal(values, expected)
    else:
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)
    none = predict(model, FRAME[FRAME["a"] > 1e9], method).compute()
    assert none.shape == (0, *expected.shape[1:])


def test_nothing_is_computed_before_it_is_asked_for():
    def fail(block):
        raise RuntimeError("computed")

    model = BLSClassifier(2, 3, 1, 20).fit(X, TWO)
    lazy = predict(model, ROWS.map_blocks(fail, dtype=float, meta=np.empty((0, 0))))
    with pytest.raises(RuntimeError, match="computed"):
        lazy.compute()


@pytest.mark.parametrize(
    ("model", "rows", "message"),
    [
        (BLSClassifier(), ROWS, "is not fitted yet"),
        (BLSClassifier(1, 2, 1, 9).fit(X, TWO), X, "X must be a Dask array or dataframe"),
        (BLSClassifier(1, 2, 1, 9).fit(X, TWO), ROWS[:, :3], "3 features"),
        (BLSClassifier(1, 2, 1, 9).fit(TABLE, TWO), FRAME[list("bacd")], "feature names"),
        (BLSRegressor(1, 2, 1, 9).fit(X, TWO), None, "BLSRegressor has no predict_proba"),
    ],
)
def test_bad_input_is_refused_at_once(model, rows, message):
    with pytest.raises(ValueError, match=message):
        predict(model, ROWS, "predict_proba") if rows is None else predict(model, rows)
