"""What every estimator must do to be a citizen of scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csc_matrix, csr_array, csr_matrix
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_blobs
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator
from small_models import CLASSES, NAMES, output, small_model

from broadlearn import BLSClassifier, BLSRegressor, BroadFeatures, RowStandardizer
from broadlearn.utils import check_weights

pytestmark = pytest.mark.usefixtures("few_kernels")
X, Y = make_blobs(150, n_features=4, centers=3, cluster_std=3.0, random_state=0)
ALL = pytest.mark.parametrize("model", [small_model(name) for name in NAMES], ids=NAMES)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize(
    "model",
    [*map(small_model, CLASSES), BroadFeatures(2, 3, 1, 20, random_state=0), RowStandardizer()],
    ids=lambda model: type(model).__name__,
)
def test_scikit_learn_checks(model):
    check_estimator(model)


@ALL
def test_class_weights_are_sample_weights(model):
    if not is_classifier(model):
        pytest.skip("a regressor has no classes")
    rows, y = X[:110], np.sort(Y)[:110]
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    class_weight = {0: 0.5, 2: 7.0}
    expected = clone(model).fit(rows, y, check_weights(weight, rows, class_weight, y))
    found = clone(model).set_params(class_weight=class_weight).fit(rows, y, weight)
    np.testing.assert_allclose(output(found, rows), output(expected, rows), atol=1e-11)
    if hasattr(model, "predict_proba"):
        p = found.predict_proba(rows)
        np.testing.assert_allclose(p, expected.predict_proba(rows), atol=1e-11)
    with pytest.raises(ValueError, match=r"class_weight contains unknown classes \[9\]"):
        clone(model).set_params(class_weight={9: 1.0}).fit(rows, y)


@ALL
def test_bad_weights_and_parameters_are_named(model):
    for weight, message in (
        (np.zeros(150), "sample_weight is zero for every sample"),
        (-np.ones(150), "sample_weight"),
        (np.ones(7), "sample_weight"),
    ):
        with pytest.raises(ValueError, match=message):
            clone(model).fit(X, Y, sample_weight=weight)
    for name, value in (
        ("standardize", "yes"),
        ("random_state", "seed"),
        ("C", 0.0),
        ("activation", "swish"),
        ("solver", "svd"),
    ):
        if name in model.get_params():
            with pytest.raises(ValueError, match=name):
                clone(model).set_params(**{name: value}).fit(X, Y)


def with_gaps(X):
    """X with missing values in the first and third column."""
    gaps = np.random.default_rng(0).random(X.shape) < [0.2, 0.0, 0.2, 0.0]
    return np.where(gaps, np.nan, X)


def assert_any_gap_is_filled(model):
    rows = with_gaps(X)
    found = output(clone(model).fit(rows, Y), rows)
    frame = pd.DataFrame(rows, columns=list("abcd"))
    np.testing.assert_allclose(output(clone(model).fit(frame, Y), frame), found, atol=1e-9)
    # Whatever a model has seen, it can predict for samples that lack any feature.
    nothing = np.full((2, 4), np.nan)
    for seen in (rows, X):
        assert np.isfinite(output(clone(model).fit(seen, Y), nothing)).all()


@ALL
def test_missing_values_are_means_with_indicators(model):
    assert get_tags(model).input_tags.allow_nan
    assert_any_gap_is_filled(model)


@pytest.mark.parametrize("standardize", ["bounded", "robust", False])
def test_missing_values_of_other_standardisations(standardize):
    assert_any_gap_is_filled(small_model("BLS").set_params(standardize=standardize))


@ALL
def test_missing_values_of_weighted_samples(model):
    rows = with_gaps(X)
    weight = np.random.default_rng(0).integers(0, 4, len(Y))
    copies = np.repeat(np.arange(len(Y)), weight)
    weighted = clone(model).fit(rows, Y, sample_weight=weight)
    repeated = clone(model).fit(rows[copies], Y[copies])
    np.testing.assert_allclose(output(weighted, rows), output(repeated, rows), atol=1e-8)


@pytest.mark.parametrize("name", ["BLS", "ELM", "NeuroFBLS", "RVFL", "Ensemble"])
def test_what_is_missing_can_tell_the_class(name):
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    rows[(y == 1) & (rng.random(200) < 0.8), 0] = np.nan
    assert small_model(name).fit(rows, y).score(rows, y) > 0.8


# Sparse samples


def few_entries(n=200, n_columns=30):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((n, n_columns)) < 0.1, rng.normal(3.0, 1.0, (n, n_columns)), 0.0)
    return X, (X[:, :5].sum(axis=1) > X[:, 5:10].sum(axis=1)).astype(int)


SPARSE = [name for name in NAMES if get_tags(small_model(name)).input_tags.sparse]


def test_which_models_take_sparse_samples():
    assert set(SPARSE) == {"BLS", "ELM", "CFBLS", "RVFL", "BLS regressor"}


@pytest.mark.parametrize(
    ("form", "dtype", "tolerance"),
    [(csr_array, np.float64, 1e-10), (csc_matrix, np.float32, 2e-3)],
)
@pytest.mark.parametrize("name", SPARSE)
def test_sparse_samples(name, form, dtype, tolerance):
    X, y = few_entries()
    dense = small_model(name).fit(X.astype(dtype), y)
    sparse = small_model(name).fit(form(X.astype(dtype)), y)
    assert output(sparse, form(X.astype(dtype))).dtype == dtype
    for fitted in (dense, sparse):
        for rows in (X, form(X)):
            np.testing.assert_allclose(output(fitted, rows), output(dense, X), atol=tolerance)


@pytest.mark.parametrize(
    "settings",
    [
        {"standardize": False},
        {"feature_scaling": "sample"},
        {"feature_scaling": "robust"},
        {"feature_activation": "tanh", "enhancement_inputs": None},
        {"class_weight": "balanced", "solver": "primal"},
    ],
)
def test_sparse_samples_of_other_maps(settings):
    X, y = few_entries()
    model = BLSClassifier(5, 10, 1, 50, random_state=0, **settings)
    expected = clone(model).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(
        model.fit(csr_array(X), y).predict_proba(csr_array(X)), expected, atol=1e-10
    )


@pytest.mark.parametrize("kind", [BLSClassifier, BLSRegressor])
def test_sparse_batches(kind):
    X, y = few_entries()
    found = []
    for rows in (X, csr_array(X)):
        model = kind(2, 5, 1, 50, random_state=0)
        model.warm_up(rows, y).partial_fit(rows[:120], y[:120]).partial_fit(rows[120:], y[120:])
        found.append(output(model.forget(rows[:20], y[:20]), rows))
    np.testing.assert_allclose(found[1], found[0], atol=1e-9)


def test_sparse_samples_are_mapped():
    X, _ = few_entries()
    dense, sparse = (BroadFeatures(random_state=0).fit_transform(r) for r in (X, csr_array(X)))
    np.testing.assert_allclose(sparse, dense, atol=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        *(small_model(name) for name in NAMES if name not in SPARSE),
        BLSClassifier(standardize="robust"),
        BLSRegressor(feature_weights="sparse"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_sparse_samples_are_refused_where_they_would_become_dense(model):
    X, y = few_entries()
    assert not get_tags(model).input_tags.sparse
    with pytest.raises(TypeError, match="dense data is required"):
        model.fit(csr_matrix(X), y)


def test_missing_values_of_sparse_samples_are_refused():
    X, y = few_entries()
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match=r"SimpleImputer\(add_indicator=True\)"):
        BLSClassifier().fit(csr_matrix(X), y)
