"""Changes of a table that must not change a model, for every estimator of the package."""

from functools import cache

import numpy as np
import pytest
from sklearn.base import clone, is_regressor
from sklearn.datasets import make_blobs
from small_models import NAMES, output, small_model
from threadpoolctl import threadpool_limits

from broadlearn import BroadFeatures, PathSearchCV, RowStandardizer

X, LABELS = make_blobs(150, n_features=4, centers=3, cluster_std=2.5, random_state=0)
QUANTITY = np.sin(X[:, 0]) + X[:, 1] / 5.0
WEIGHT = np.random.default_rng(0).integers(0, 4, 150)
# Models without draws, which depend on the number and order of columns.
NOT_DRAWN = {"IF-TSVM", "Ensemble", "Ensemble regressor"}

SEARCH = PathSearchCV(
    small_model("IF-BLS"), {"C": [1e-3, 1.0, 1e3], "n_enhancement_nodes": [5, 20]}, cv="loo"
)
TRANSFORMERS = {
    "features": BroadFeatures(2, 3, 1, 20, feature_activation="tanh", random_state=0),
    "rows": RowStandardizer(),
}

pytestmark = pytest.mark.usefixtures("few_kernels")
EVERY = pytest.mark.parametrize("name", [*NAMES, "Search"])


def fitted(name, X=X, y=None, **arguments):
    model = clone(SEARCH) if name == "Search" else small_model(name)
    if y is None:
        y = QUANTITY if is_regressor(model) else LABELS
    return model.fit(X, y, **arguments)


@cache
def expected(name):
    with threadpool_limits(1, "blas"):
        return output(fitted(name), X)


def assert_similar(name, found):
    """Decisions of other draws: nearly the same labels or predictions."""
    if found.ndim == 1:
        assert np.corrcoef(found, expected(name))[0, 1] > 0.9
    else:
        assert np.mean(found.argmax(axis=1) == expected(name).argmax(axis=1)) > 0.9


@EVERY
def test_rows_in_another_order(name):
    order = np.random.default_rng(1).permutation(len(X))
    y = QUANTITY if expected(name).ndim == 1 else LABELS
    found = output(fitted(name, X[order], y[order]), X)
    np.testing.assert_allclose(found, expected(name), atol=1e-9)


@EVERY
def test_columns_in_another_order(name):
    table = X[:, [2, 0, 3, 1]]
    found = output(fitted(name, table), table)
    if name in NOT_DRAWN:
        np.testing.assert_allclose(found, expected(name), atol=1e-9)
    else:
        assert_similar(name, found)


@EVERY
def test_other_names_of_classes(name):
    if expected(name).ndim == 1:
        pytest.skip("a regressor has no classes")
    model = fitted(name, y=np.array(["z", "a", "m"])[LABELS])
    assert model.classes_.tolist() == ["a", "m", "z"]
    found = output(model, X)[:, [2, 0, 1]]
    if name == "Stacked BLS":  # Decisions of a block are columns of the next.
        assert_similar(name, found)
    else:
        np.testing.assert_allclose(found, expected(name), atol=1e-9)


@EVERY
def test_columns_in_other_units(name):
    table = X * [1e-3, 1.0, 7.0, 1e5] + [3.0, 0.0, -1.0, 10.0]
    found = output(fitted(name, table), table)
    np.testing.assert_allclose(found, expected(name), atol=1e-8)


@EVERY
def test_a_constant_column(name):
    tables = [np.column_stack([X, np.full(len(X), value)]) for value in (7.0, -1e6)]
    found = [output(fitted(name, table), table) for table in tables]
    np.testing.assert_allclose(found[1], found[0], atol=1e-9)
    if name.startswith("Ensemble"):
        np.testing.assert_allclose(found[0], expected(name), atol=1e-9)
    else:
        assert_similar(name, found[0])


@EVERY
def test_weights_are_copies(name):
    y = QUANTITY if expected(name).ndim == 1 else LABELS
    copies = np.repeat(np.arange(len(X)), WEIGHT)
    weighted = fitted(name, X, y, sample_weight=WEIGHT)
    copied = fitted(name, X[copies], y[copies])
    np.testing.assert_allclose(output(weighted, X), output(copied, X), atol=1e-8)
    if hasattr(weighted, "predict_proba"):
        found = weighted.predict_proba(X)
        np.testing.assert_allclose(found, copied.predict_proba(X), atol=1e-8)


@EVERY
def test_single_precision(name):
    table = X.astype(np.float32)
    model = fitted(name, table)
    found = output(model, table)
    assert found.dtype == np.float32
    assert getattr(model, "output_weights_", found).dtype == np.float32
    np.testing.assert_allclose(found, expected(name), atol=1e-3)


@EVERY
def test_two_threads(name):
    with threadpool_limits(2, "blas"):
        found = output(fitted(name), X)
    np.testing.assert_allclose(found, expected(name), atol=1e-9)


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_transformers(name):
    expected = clone(TRANSFORMERS[name]).fit_transform(X)
    order = np.random.default_rng(1).permutation(len(X))
    found = clone(TRANSFORMERS[name]).fit(X[order]).transform(X)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    # Columns of other scales are no change for features, and rows of other scales none for rows.
    table = X * [1e-3, 1.0, 7.0, 1e5] if name == "features" else X * np.arange(1, 151)[:, None]
    found = clone(TRANSFORMERS[name]).fit_transform(table)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    single = clone(TRANSFORMERS[name]).fit_transform(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, expected, atol=1e-4)
