"""What every estimator must do to be a citizen of scikit-learn."""

import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csc_array, csc_matrix, csr_array, csr_matrix
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import make_blobs
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    BroadEnsembleClassifier,
    BroadEnsembleRegressor,
    BroadFeatures,
    CascadeBLSClassifier,
    ELMClassifier,
    FuzzyBLSClassifier,
    GraphBLSClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    NeuroFuzzyBLSClassifier,
    RowStandardizer,
    RVFLClassifier,
    StackedBLSClassifier,
)
from broadlearn.utils import check_weights

BLS_MODELS = [
    BLSClassifier,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
    BLSRegressor,
]
RIDGE_MODELS = [
    *BLS_MODELS,
    ELMClassifier,
    HierarchicalELMClassifier,
    NeuroFuzzyBLSClassifier,
    CascadeBLSClassifier,
    RVFLClassifier,
]
TWIN_MODELS = [
    IntuitionisticFuzzyTwinSVC,
    partial(IntuitionisticFuzzyTwinSVC, kernel="rbf", n_basis_rows=30),
]
MODELS = [*RIDGE_MODELS, *TWIN_MODELS]
RESIDUAL_SCORES = ("correntropy", "huber", "residual_density")
SMALL = {"n_feature_groups": 2, "n_feature_nodes": 3, "n_enhancement_nodes": 20}
# The lasso of its auto-encoders takes most of the time of a fit.
FEW_NODES = {"n_autoencoder_nodes": 10}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [
        *(model(**SMALL, C=100.0, random_state=0) for model in BLS_MODELS),
        BLSClassifier(n_enhancement_nodes="infinite", random_state=0),
        ELMClassifier(20, random_state=0),
        HierarchicalELMClassifier(20, n_autoencoder_nodes=5, random_state=0),
        NeuroFuzzyBLSClassifier(2, 3, 20, random_state=0),
        *(BLSClassifier(**SMALL, sample_scores=name, random_state=0) for name in RESIDUAL_SCORES),
        BLSRegressor(**SMALL, C=100.0, sample_scores="huber", random_state=0),
        CascadeBLSClassifier(2, 3, 2, 10, random_state=0),
        RVFLClassifier(20, random_state=0),
        GraphBLSClassifier(20, random_state=0),
        StackedBLSClassifier(2, 20, random_state=0),
        IntuitionisticFuzzyTwinSVC(random_state=0),
        BroadEnsembleClassifier(ensemble_size=2),
        BroadEnsembleRegressor(ensemble_size=2),
        BroadFeatures(**SMALL, random_state=0),
        RowStandardizer(),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(150, n_features=4, centers=3, cluster_std=3.0, random_state=0)


def name_of(model):
    return getattr(model, "__name__", "twin_rbf")


@pytest.fixture(
    params=[
        pytest.param(m, marks=pytest.mark.slow if m is HierarchicalELMClassifier else ())
        for m in MODELS
    ],
    ids=name_of,
)
def model(request):
    settings = {"C": 10.0} if request.param in RIDGE_MODELS else {}
    if request.param is HierarchicalELMClassifier:
        settings |= FEW_NODES
    return request.param(random_state=0, **settings)


def output(model, X):
    return model.decision_function(X) if is_classifier(model) else model.predict(X)


def test_kind(model):
    assert is_regressor(model) if isinstance(model, BLSRegressor) else is_classifier(model)


def test_clone_and_pickle_predict_the_same(model, blobs):
    X, y = blobs
    expected = output(model.fit(X, y), X)
    np.testing.assert_array_equal(output(clone(model).fit(X, y), X), expected)
    np.testing.assert_array_equal(output(pickle.loads(pickle.dumps(model)), X), expected)


def test_frames_of_pandas_and_polars(model, blobs):
    polars = pytest.importorskip("polars")
    X, y = blobs
    expected = output(model.fit(X, y), X)
    frame = pd.DataFrame(X, columns=list("abcd"))
    for table in (frame, polars.from_pandas(frame)):
        np.testing.assert_allclose(output(model.fit(table, y), table), expected, atol=1e-9)
        np.testing.assert_array_equal(model.feature_names_in_, list("abcd"))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["b", "a", "c", "d"]])
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["a", "b", "c"]])


def test_float32_is_kept(model, blobs):
    X, y = blobs
    single = clone(model).fit(X.astype(np.float32), y.astype(np.float32))
    assert output(single, X.astype(np.float32)).dtype == np.float32
    fitted = "output_weights_" if hasattr(single, "output_weights_") else "coef_"
    assert getattr(single, fitted).dtype == np.float32
    np.testing.assert_allclose(
        output(single, X.astype(np.float32)), output(model.fit(X, y), X), atol=0.05
    )


def test_weights_equal_copies(model, blobs):
    X, y = blobs
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), weight)
    weighted = clone(model).fit(X, y, sample_weight=weight)
    repeated = clone(model).fit(X[copies], y[copies])
    np.testing.assert_allclose(output(weighted, X), output(repeated, X), atol=1e-8)
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-8)


def test_logarithms_of_probabilities(model, blobs):
    X, y = blobs
    assert hasattr(model, "predict_log_proba") == hasattr(model, "predict_proba")
    if hasattr(model, "predict_proba"):
        model.fit(X, y)
        np.testing.assert_allclose(model.predict_log_proba(X), np.log(model.predict_proba(X)))


@pytest.mark.parametrize("class_weight", ["balanced", {0: 0.5, 2: 7.0}])
def test_class_weights_are_sample_weights(model, blobs, class_weight):
    if is_regressor(model):
        pytest.skip("a regressor has no classes")
    X, y = blobs[0][:110], np.sort(blobs[1])[:110]
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    expected = clone(model).fit(X, y, check_weights(weight, X, class_weight, y))
    model.set_params(class_weight=class_weight).fit(X, y, weight)
    np.testing.assert_array_equal(output(model, X), output(expected, X))
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [({9: 1.0}, r"class_weight names \[9\]"), ("equal", "class_weight"), ({0: -1.0}, "negative")],
)
def test_bad_class_weights_are_named(model, blobs, class_weight, message):
    if is_regressor(model):
        pytest.skip("a regressor has no classes")
    with pytest.raises(ValueError, match=message):
        model.set_params(class_weight=class_weight).fit(*blobs)


def test_labels_may_be_strings(model, blobs):
    if is_regressor(model):
        pytest.skip("a regressor has no labels")
    X, y = blobs
    expected = model.fit(X, y).predict(X)
    names = np.array(["one", "three", "two"])
    for labels in (names[y], pd.Series(names[y], dtype="object"), names[y].tolist()):
        np.testing.assert_array_equal(clone(model).fit(X, labels).predict(X), names[expected])


@pytest.mark.slow
def test_in_a_pipeline_under_cross_validation(model, blobs):
    X, y = blobs
    pipeline = make_pipeline(StandardScaler(), model)
    assert cross_val_score(pipeline, X, y, cv=3, error_score="raise").shape == (3,)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"X": np.full((150, 4), np.inf)}, ValueError, "X contains infinity"),
        ({"X": np.empty((0, 4)), "y": []}, ValueError, "0 sample"),
        ({"X": np.ones(150)}, ValueError, "Expected 2D array"),
        ({"X": np.ones((149, 4))}, ValueError, "inconsistent numbers of samples"),
        ({"sample_weight": np.zeros(150)}, ValueError, "sample_weight is zero for every row"),
        ({"sample_weight": -np.ones(150)}, ValueError, "sample_weight"),
        ({"sample_weight": np.ones(7)}, ValueError, "sample_weight"),
    ],
)
def test_bad_input_is_named(model, blobs, change, error, message):
    arguments = {"X": blobs[0], "y": blobs[1], **change}
    with pytest.raises(error, match=message):
        model.fit(**arguments)


def with_gaps(X, columns=(0, 2), share=0.2, seed=0):
    """X with missing values in some columns."""
    gaps = np.zeros(X.shape, dtype=bool)
    gaps[:, columns] = np.random.default_rng(seed).random((len(X), len(columns))) < share
    return np.where(gaps, np.nan, X)


@pytest.mark.parametrize("standardize", [True, "bounded", "robust", False])
def test_missing_values_are_means_with_indicators(model, blobs, standardize):
    X, y = with_gaps(blobs[0]), blobs[1]
    found = output(model.set_params(standardize=standardize).fit(X, y), X)
    assert np.isfinite(found).all()
    frame = pd.DataFrame(X, columns=list("abcd"))
    np.testing.assert_allclose(output(clone(model).fit(frame, y), frame), found, atol=1e-9)
    # Whatever a model has seen, it can predict for samples that lack any feature.
    nothing = np.full((2, 4), np.nan)
    assert np.isfinite(output(model, nothing)).all()
    assert np.isfinite(output(model.fit(blobs[0], y), nothing)).all()


def test_missing_values_of_weighted_samples(model, blobs):
    X, y = with_gaps(blobs[0]), blobs[1]
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), weight)
    weighted = clone(model).fit(X, y, sample_weight=weight)
    repeated = clone(model).fit(X[copies], y[copies])
    np.testing.assert_allclose(output(weighted, X), output(repeated, X), atol=1e-8)


def test_what_is_missing_can_tell_the_class(model):
    if not hasattr(model, "C") or is_regressor(model):
        pytest.skip("a regressor has no classes, and planes are too stiff for a single column")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    X[(y == 1) & (rng.random(200) < 0.8), 0] = np.nan
    assert model.fit(X, y).score(X, y) > 0.8


SPARSE = [BLSClassifier, BLSRegressor, ELMClassifier, RVFLClassifier, CascadeBLSClassifier]


@pytest.mark.parametrize("form", [csr_matrix, csc_matrix, csr_array, csc_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", SPARSE)
def test_sparse_samples(kind, dtype, form):
    X, y = few_entries()
    dense = kind(random_state=0).fit(X.astype(dtype), y)
    sparse = kind(random_state=0).fit(form(X.astype(dtype)), y)
    assert output(sparse, form(X.astype(dtype))).dtype == dtype
    tolerance = 1e-10 if dtype == np.float64 else 2e-3
    for fitted in (dense, sparse):
        for rows in (X, form(X)):
            np.testing.assert_allclose(output(fitted, rows), output(dense, X), atol=tolerance)


def few_entries(n=200, n_columns=30):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((n, n_columns)) < 0.1, rng.normal(3.0, 1.0, (n, n_columns)), 0.0)
    return X, (X[:, :5].sum(axis=1) > X[:, 5:10].sum(axis=1)).astype(int)


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
        *(kind() for kind in MODELS if kind not in SPARSE),
        BLSClassifier(sample_scores="fuzzy"),
        BLSClassifier(n_enhancement_nodes="infinite"),
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


@pytest.mark.parametrize(("name", "value"), [("standardize", "yes"), ("random_state", "seed")])
def test_bad_parameters_are_named(model, blobs, name, value):
    with pytest.raises(ValueError, match=name):
        model.set_params(**{name: value}).fit(*blobs)


@pytest.mark.parametrize(
    ("name", "value"), [("C", 0.0), ("C", "1"), ("activation", "swish"), ("solver", "svd")]
)
@pytest.mark.parametrize("kind", RIDGE_MODELS)
def test_bad_parameters_of_ridge_models_are_named(kind, blobs, name, value):
    with pytest.raises(ValueError, match=name):
        kind(**{name: value}).fit(*blobs)


def test_unfitted(model, blobs):
    with pytest.raises(ValueError, match="is not fitted yet"):
        model.predict(blobs[0])
