import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from broadlearn import BLSClassifier, RowStandardizer
from broadlearn.utils import standardize_rows


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(60, 4))


def test_gives_standardised_rows_fitted_or_not(X):
    for rows in (X, X.astype(np.float32)):
        Z = RowStandardizer().fit_transform(rows)
        assert Z.dtype == rows.dtype
        np.testing.assert_array_equal(Z, standardize_rows(rows))
        np.testing.assert_array_equal(RowStandardizer().transform(rows), Z)
        np.testing.assert_array_equal(RowStandardizer().fit(rows).transform(rows[5:6]), Z[5:6])


def test_is_stateless():
    tags = get_tags(RowStandardizer())
    assert not tags.requires_fit
    assert not tags.input_tags.sparse
    assert not tags.input_tags.allow_nan


def test_frames_of_pandas(X):
    frame = pd.DataFrame(X, columns=list("abcd"), index=range(7, 67))
    model = RowStandardizer().set_output(transform="pandas")
    Z = model.fit_transform(frame)
    assert Z.index.equals(frame.index)
    assert list(Z.columns) == list("abcd")
    np.testing.assert_array_equal(Z, standardize_rows(X))
    np.testing.assert_array_equal(model.get_feature_names_out(), list("abcd"))
    with pytest.raises(ValueError, match="feature names should match"):
        model.transform(frame[["b", "a", "c", "d"]])


def test_frames_of_polars(X):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(X, schema=list("abcd"))
    Z = RowStandardizer().set_output(transform="polars").fit_transform(frame)
    assert isinstance(Z, polars.DataFrame)
    assert Z.columns == list("abcd")
    np.testing.assert_array_equal(Z.to_numpy(), standardize_rows(X))


def test_some_columns_may_be_curves_and_others_not(X):
    both = make_column_transformer((RowStandardizer(), [0, 1, 2]), remainder="passthrough")
    np.testing.assert_array_equal(both.fit_transform(X), np.c_[standardize_rows(X[:, :3]), X[:, 3]])


def test_clone_and_pickle(X):
    model = RowStandardizer().fit(X)
    for again in (clone(model).fit(X), pickle.loads(pickle.dumps(model))):
        assert again.n_features_in_ == 4
        np.testing.assert_array_equal(again.transform(X), model.transform(X))


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        (np.full((9, 4), np.nan), ValueError, "X contains NaN"),
        (np.full((9, 4), np.inf), ValueError, "X contains infinity"),
        (csr_matrix(np.ones((9, 4))), TypeError, "dense data is required"),
        (np.ones(9), ValueError, "Expected 2D array"),
        (np.ones((9, 3)), ValueError, "X has 3 features, but RowStandardizer is expecting 4"),
    ],
)
def test_bad_input_is_named(X, rows, error, message):
    with pytest.raises(error, match=message):
        RowStandardizer().fit(X).transform(rows)


def test_a_search_finds_whether_levels_matter():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=120)
    shapes = np.sin(np.linspace(0, 3, 8) * (1 + y[:, None])) + 0.3 * rng.normal(size=(120, 8))
    levels = 30 * rng.normal(size=(120, 1))
    model = Pipeline([("rows", RowStandardizer()), ("bls", BLSClassifier(random_state=0))])
    grid = {"rows": [RowStandardizer(), "passthrough"]}
    for X, chosen in ((levels + shapes, RowStandardizer), (shapes + 3 * y[:, None], str)):
        search = GridSearchCV(model, grid, cv=3).fit(X, y)
        assert isinstance(search.best_params_["rows"], chosen)
