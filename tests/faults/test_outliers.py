"""One row of 200 that is grossly out of scale must not cost anybody else their prediction."""

import numpy as np
import pytest

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    BroadEnsembleClassifier,
    ELMClassifier,
    FuzzyBLSClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    NeuroFuzzyBLSClassifier,
    PathSearchCV,
    audit,
)

pytestmark = pytest.mark.soak

SCALES = [1e2, 1e4, 1e6, 1e12]
MODELS = [
    BLSClassifier,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
    ELMClassifier,
    HierarchicalELMClassifier,
    NeuroFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    BroadEnsembleClassifier,
]


def make(seed, n_rows=200):
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % 2
    X = rng.normal(size=(n_rows, 5)) + 2.0 * y[:, None]
    return X, y


@pytest.mark.parametrize("model", MODELS)
def test_accuracy_is_as_without_the_row(model):
    X, y = make(0)
    later, labels = make(1, 400)
    expected = model(random_state=0).fit(X, y).score(later, labels)
    for scale in SCALES:
        rows = X.copy()
        rows[17] *= scale
        fitted = model(random_state=0).fit(rows, y)
        assert fitted.score(later, labels) > expected - 0.02
        others = np.arange(200) != 17
        assert fitted.score(rows[others], y[others]) > expected - 0.02


@pytest.mark.parametrize("cell", [1e4, -1e12, 1e300])
def test_a_single_cell_moves_predictions_of_other_rows_by_little(cell):
    X, y = make(0)
    later, _ = make(1)
    target = later @ np.arange(1.0, 6.0)
    rows = X.copy()
    rows[17, 2] = cell
    for model, found in ((BLSClassifier, y), (BLSRegressor, X @ np.arange(1.0, 6.0))):
        before = model(random_state=0).fit(X, found).predict(later)
        after = model(random_state=0).fit(rows, found).predict(later)
        if model is BLSRegressor:
            assert np.abs(after - before).max() < 0.3 * target.std()
        else:
            assert np.mean(after == before) > 0.98


def test_a_gross_row_to_predict_gets_a_finite_decision():
    X, y = make(0)
    model = BLSClassifier(random_state=0).fit(X, y)
    far = model.decision_function(X[:1] * np.array([[1e2], [1e6], [1e12], [1e300]]))
    assert np.abs(far).max() < 1e3
    # Beyond the bounds it is all the same how far.
    np.testing.assert_array_equal(far[1:], far[1])


def test_searches_streams_and_plain_fits_see_the_same_bounds():
    X, y = make(0)
    X[17] *= 1e6
    sizes = {"n_feature_nodes": 5, "n_enhancement_nodes": 20}
    for kind in (BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier):
        model = kind(**sizes, random_state=0)
        search = PathSearchCV(model, {"C": [0.1, 10.0]}, cv=3).fit(X, y)
        chosen = kind(**sizes, **search.best_params_, random_state=0).fit(X, y)
        expected = chosen.decision_function(X)
        np.testing.assert_allclose(search.decision_function(X), expected, atol=1e-9)
        stream = kind(**sizes, **search.best_params_, random_state=0).warm_up(X, y)
        for rows in np.array_split(np.arange(200), 3):
            stream.partial_fit(X[rows], y[rows])
        np.testing.assert_allclose(stream.decision_function(X), expected, atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("scale", SCALES)
def test_the_audit_calls_the_row_an_outlier(scale):
    X, y = make(int(np.log10(scale)))
    X[17] *= scale
    assert audit(X, y, random_state=0).lists["outlier"]["position"].iloc[0] == 17
