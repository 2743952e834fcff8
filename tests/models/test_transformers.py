import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline

from broadlearn import BLSClassifier, BroadFeatures, RowStandardizer

X, y = load_iris(return_X_y=True)


def test_features_are_named_groups_of_nodes():
    features = BroadFeatures(2, 3, 1, 5, random_state=0).fit(X)
    assert features.transform(X).shape == (150, 11)
    assert features.get_feature_names_out()[[0, -1]].tolist() == [
        "broadfeatures0",
        "broadfeatures10",
    ]
    assert isinstance(features.set_output(transform="pandas").transform(X), pd.DataFrame)
    assert features.set_output(transform="default").transform(X.astype(np.float32)).dtype == "f4"


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_have_mean_zero_and_deviation_one(dtype):
    rows = np.vstack([X, np.full(4, 7.0)]).astype(dtype)
    Z = RowStandardizer().transform(rows)
    assert Z.dtype == dtype
    expected = (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, ddof=1, keepdims=True)
    np.testing.assert_allclose(Z[:-1], expected, atol=1e-5 if dtype == np.float32 else 1e-12)
    np.testing.assert_array_equal(Z[-1], 0.0)
    with pytest.raises(ValueError, match="beyond 1e\\+140"):
        RowStandardizer().transform(X * 1e300)


def test_only_some_columns_may_be_curves():
    frame = pd.DataFrame(X, columns=list("abcd"))
    scale = make_column_transformer((RowStandardizer(), list("abc")), remainder="passthrough")
    model = make_pipeline(scale, BLSClassifier(random_state=0)).fit(frame, y)
    assert model.score(frame, y) > 0.9
    named = RowStandardizer().set_output(transform="pandas").fit_transform(frame)
    assert list(named) == list("abcd")


@pytest.mark.parametrize(
    ("rows", "message"),
    [([[1.0, np.nan]], "NaN"), ([["a", "b"]], "(?i)column 0|convert"), ([1.0, 2.0], "2D array")],
)
def test_bad_rows_are_named(rows, message):
    with pytest.raises(ValueError, match=message):
        RowStandardizer().fit(rows)
