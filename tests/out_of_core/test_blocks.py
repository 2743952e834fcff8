import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LogisticRegression

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    BroadFeatures,
    ELMClassifier,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
)
from broadlearn.out_of_core import fit_blocks

SIZES = {"n_feature_groups": 2, "n_feature_nodes": 5, "n_enhancement_nodes": 40}
MODELS = [BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier, BLSRegressor]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(2.0, 3.0, size=(500, 6))
    return X, (X[:, 0] > 2) + 2 * (X[:, 1] > 3)


@pytest.fixture(params=MODELS)
def model(request):
    return request.param(**SIZES, C=10.0, random_state=3)


def output(model, X):
    return model.predict_proba(X) if is_classifier(model) else model.predict(X)


@pytest.mark.parametrize("block_rows", [37, 500])
@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_equal_one_fit(model, rows, block_rows, weighted):
    X, y = rows
    weight = np.random.default_rng(1).integers(0, 3, 500) if weighted else None
    if weighted:
        weight[:80] = 0
    fitted = clone(model).fit(X, y, sample_weight=weight)
    fit_blocks(model, X, y, sample_weight=weight, block_rows=block_rows)
    np.testing.assert_allclose(output(model, X), output(fitted, X), rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    "settings",
    [
        {"standardize": False, "feature_scaling": None},
        {"feature_scaling": "sample", "feature_weights": "random"},
        {"feature_activation": "tanh", "n_enhancement_groups": 2},
        {"enhancement_inputs": 2, "enhancement_scale": (0.3, 2.0)},
    ],
)
def test_settings(rows, settings):
    X, y = rows
    model = BLSClassifier(**SIZES, random_state=0).set_params(**settings)
    expected = clone(model).fit(X, y).decision_function(X)
    found = fit_blocks(model, X, y, block_rows=99).decision_function(X)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("size", [1e3, 1e12, 1e300])
def test_gross_outliers(model, rows, size):
    X, y = rows[0].copy(), rows[1]
    X[123] = np.clip(X[123] * size, -1e307, 1e307)
    fitted = clone(model).fit(X, y)
    fit_blocks(model, X, y, block_rows=99)
    np.testing.assert_allclose(output(model, X), output(fitted, X), rtol=0, atol=1e-8)


@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_columns_of_extreme_size_are_refused(rows, scale):
    X, y = rows
    with pytest.raises(ValueError, match="Column 0 of X has values up to"):
        fit_blocks(BLSClassifier(**SIZES, random_state=0), X * scale, y, block_rows=99)


def test_float32_memory_map(rows, tmp_path):
    X, y = rows
    np.save(tmp_path / "x.npy", X.astype(np.float32))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    model = fit_blocks(BLSClassifier(**SIZES, random_state=0), mapped, y, block_rows=64)
    assert model.output_weights_.dtype == np.float32
    expected = clone(model).fit(X.astype(np.float32), y).decision_function(X)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-3)


def test_a_stream_goes_on(rows):
    X, y = rows
    plain = {"standardize": False, "feature_scaling": None, "random_state": 0}
    model = fit_blocks(BLSClassifier(**SIZES, **plain), X[:300], y[:300], block_rows=64)
    model.partial_fit(X[300:], y[300:])
    expected = clone(model).fit(X, y).decision_function(X)
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"feature_scaling": "robust"}, "feature_scaling='robust' needs all rows at once"),
        ({"feature_weights": "sparse"}, "feature_weights='sparse' needs all rows at once"),
        ({"standardize": "robust"}, "standardize='robust' needs all rows at once"),
        ({"C": -1.0}, "C"),
    ],
)
def test_bad_settings_are_named(rows, settings, message):
    with pytest.raises(ValueError, match=message):
        fit_blocks(BLSClassifier(**settings), *rows)


def test_a_refused_table_leaves_the_model_as_it_was(rows):
    X, y = rows
    model = BLSClassifier(**SIZES, random_state=0).fit(X, y)
    before = dict(vars(model))
    spoilt = X.copy()
    spoilt[450, 2] = np.inf
    for source, targets, known, message in [
        (spoilt, y, None, "infinity"),
        (X, y, [0, 1], "unknown labels"),
        (X, y * 0, None, "only one class"),
        (X[:0], y[:0], None, "source has no rows"),
        ([(X, y), (X[:, :5], y)], None, None, "5 features"),
        ([(X, y, np.zeros(500))], None, None, "no rows with a positive weight"),
    ]:
        with pytest.raises(ValueError, match=message):
            fit_blocks(model, source, targets, classes=known, block_rows=64)
    assert all(value is before[name] for name, value in vars(model).items())


def test_empty_blocks_are_passed_over(rows):
    X, y = rows
    model = BLSClassifier(**SIZES, random_state=0)
    expected = fit_blocks(clone(model), X, y).decision_function(X)
    fit_blocks(model, [(X[:0], y[:0]), (X[:200], y[:200]), (X[200:200], []), (X[200:], y[200:])])
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (ELMClassifier(), "with partial_fit, got ELMClassifier"),
        (IntuitionisticFuzzyTwinSVC(), "got IntuitionisticFuzzyTwinSVC"),
        (BroadFeatures(), "got BroadFeatures"),
        (BLSClassifier(sample_scores="fuzy"), "sample_scores"),
        (LogisticRegression(), "got LogisticRegression"),
        (
            BLSClassifier(sample_scores="held_out"),
            "HeldOutScorer compares all samples with each other",
        ),
    ],
)
def test_refused_models_are_named_with_the_reason(rows, model, message):
    with pytest.raises(ValueError, match=message):
        fit_blocks(model, *rows)


def test_nothing_stays_of_an_earlier_fit(rows):
    X, y = rows
    model = IntuitionisticFuzzyBLSClassifier(**SIZES, random_state=0).fit(X, y)
    fit_blocks(model, X, y, block_rows=99)
    assert {"kernel_width_", "neighborhood_radius_"} <= vars(model).keys()
    assert not {"sample_scores_", "membership_", "nonmembership_"} & vars(model).keys()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    fit_blocks(model.fit(frame, y), X, y)
    assert not hasattr(model, "feature_names_in_")
