"""What every estimator must do to be a citizen of scikit-learn."""

import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import make_blobs
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    BroadFeatures,
    ELMClassifier,
    FuzzyBLSClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    NeuroFuzzyBLSClassifier,
    RowStandardizer,
)
from broadlearn.sample_scores import NeighborScorer

BLS_MODELS = [
    BLSClassifier,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
    BLSRegressor,
]
RIDGE_MODELS = [*BLS_MODELS, ELMClassifier, HierarchicalELMClassifier, NeuroFuzzyBLSClassifier]
TWIN_MODELS = [
    IntuitionisticFuzzyTwinSVC,
    partial(IntuitionisticFuzzyTwinSVC, kernel="rbf", n_basis_rows=30),
]
MODELS = [*RIDGE_MODELS, *TWIN_MODELS]
SMALL = {"n_feature_groups": 2, "n_feature_nodes": 3, "n_enhancement_nodes": 20}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [
        *(model(random_state=0) for model in TWIN_MODELS),
        *(model(**SMALL, C=100.0, random_state=0) for model in BLS_MODELS),
        BLSClassifier(**SMALL, feature_scaling="sample", random_state=0),
        BLSClassifier(n_enhancement_nodes="infinite", random_state=0),
        BLSRegressor(n_enhancement_nodes="infinite", enhancement_inputs=None, random_state=0),
        *(
            BLSClassifier(**SMALL, sample_scores=scores, random_state=0)
            for scores in ("fuzzy", "intuitionistic", NeighborScorer(3))
        ),
        ELMClassifier(20, standardize="robust", random_state=0),
        HierarchicalELMClassifier(20, n_autoencoders=3, n_autoencoder_nodes=5, random_state=0),
        NeuroFuzzyBLSClassifier(2, 3, 20, random_state=0),
        BroadFeatures(**SMALL, random_state=0),
        RowStandardizer(),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [
        *(model() for model in RIDGE_MODELS),
        BLSClassifier(feature_scaling="sample", random_state=0),
        BLSClassifier(feature_weights="sparse", feature_scaling="robust", random_state=0),
        *(
            model(
                enhancement_inputs=4,
                enhancement_scale=(0.25, 0.6, 1.5),
                standardize="robust",
                random_state=0,
            )
            for model in BLS_MODELS
        ),
        ELMClassifier(standardize="robust", random_state=0),
        BLSClassifier(**SMALL, sample_scores="held_out", random_state=0),
        *(
            model(n_enhancement_nodes="infinite", activation=activation)
            for model in BLS_MODELS
            for activation in ("sigmoid", "relu", "sine")
        ),
        BroadFeatures(),
    ]
)
def test_scikit_learn_checks_of_large_models(estimator, check):
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
    penalty = {"C": 10.0} if request.param in RIDGE_MODELS else {}
    return request.param(random_state=0, **penalty)


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
        ({"X": np.full((150, 4), np.nan)}, ValueError, "X contains NaN"),
        ({"X": np.full((150, 4), np.inf)}, ValueError, "X contains infinity"),
        ({"X": np.empty((0, 4)), "y": []}, ValueError, "0 sample"),
        ({"X": np.ones(150)}, ValueError, "Expected 2D array"),
        ({"X": np.ones((149, 4))}, ValueError, "inconsistent numbers of samples"),
        ({"X": csr_matrix(np.ones((150, 4)))}, TypeError, "dense data is required"),
        ({"sample_weight": np.zeros(150)}, ValueError, "sample_weight is zero for every row"),
        ({"sample_weight": -np.ones(150)}, ValueError, "sample_weight"),
        ({"sample_weight": np.ones(7)}, ValueError, "sample_weight"),
    ],
)
def test_bad_input_is_named(model, blobs, change, error, message):
    arguments = {"X": blobs[0], "y": blobs[1], **change}
    with pytest.raises(error, match=message):
        model.fit(**arguments)


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
