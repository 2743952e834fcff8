"""Models whose sample scores follow from their own residuals."""

import numpy as np
import pytest
from plain_robust import (
    plain_correntropy_weights,
    plain_density_weights,
    plain_huber_weights,
    plain_reweighted,
)
from sklearn.datasets import load_diabetes, load_iris, make_classification

from broadlearn import BLSClassifier, BLSRegressor, BroadFeatures
from broadlearn.sample_scores import (
    CorrentropyScorer,
    HuberScorer,
    ResidualDensityScorer,
    residual_density,
)

NODES = {"n_feature_nodes": 3, "n_enhancement_nodes": 12, "random_state": 0}
NAMES = pytest.mark.parametrize("name", ["correntropy", "huber", "residual_density"])


@pytest.mark.parametrize(
    ("scorer", "weights_of"),
    [
        (CorrentropyScorer(1.2, 4), lambda E: plain_correntropy_weights(E, 1.2)),
        (HuberScorer(0.8, 2), lambda E: plain_huber_weights(E, 0.8)),
        (ResidualDensityScorer(1.5, 3), lambda E: plain_density_weights(E, 1.5)),
    ],
    ids=["correntropy", "huber", "residual_density"],
)
@pytest.mark.parametrize("kind", [BLSClassifier, BLSRegressor])
@pytest.mark.parametrize("n", [12, 60])
def test_a_fit_is_a_chain_of_weighted_ridge_problems(scorer, weights_of, kind, n, monkeypatch):
    monkeypatch.setattr(residual_density, "ROUNDING", 1e-9)
    X, y = make_classification(n, 4, flip_y=0.2, random_state=1)
    model = kind(C=3.0, sample_scores=scorer, **NODES).fit(X, y)
    G = BroadFeatures(**NODES).fit_transform(X)
    T = np.where(y, 1.0, -1.0) if kind is BLSClassifier else y - y.mean()
    W, w = plain_reweighted(G, T[:, None], 3.0, weights_of, scorer.n_iterations)
    found = model.decision_function(X) if kind is BLSClassifier else model.predict(X) - y.mean()
    np.testing.assert_allclose(found, (G @ W).ravel(), atol=1e-8)
    np.testing.assert_allclose(model.sample_scores_**2, w, atol=1e-8)
    assert model.solver_ == ("dual" if n == 12 else "primal")


@NAMES
def test_gross_errors_of_real_targets_do_no_harm(name):
    X, y = load_diabetes(return_X_y=True)
    bad = y.copy()
    bad[::10] += np.random.default_rng(0).normal(0.0, 5000.0, len(bad[::10]))
    plain, robust = (
        BLSRegressor(C=0.01, sample_scores=scores, random_state=0).fit(X, bad)
        for scores in ("uniform", name)
    )
    assert robust.score(X, y) > 0.4 > plain.score(X, y)
    assert robust.sample_scores_[::10].mean() < 0.7 * np.median(robust.sample_scores_)


@NAMES
@pytest.mark.parametrize("kind", [BLSClassifier, BLSRegressor])
def test_weights_are_copies(kind, name):
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), weight)
    weighted = kind(sample_scores=name, **NODES).fit(X, y, sample_weight=weight)
    repeated = kind(sample_scores=name, **NODES).fit(X[copies], y[copies])
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-8)
    np.testing.assert_allclose(weighted.sample_scores_[copies], repeated.sample_scores_, atol=1e-8)
    assert (weighted.sample_scores_[weight == 0] == 0.0).all()


@NAMES
@pytest.mark.parametrize("kind", [BLSClassifier, BLSRegressor])
def test_batches_are_refused_in_a_sentence(kind, name):
    model = kind(sample_scores=name)
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError) as error:
        model.partial_fit([[0.0]], [0])
    assert "cannot be used with batches" in str(error.value.__cause__)


@pytest.mark.parametrize("name", ["fuzzy", "intuitionistic", "held_out"])
def test_scores_that_compare_classes_are_no_use_in_regression(name):
    with pytest.raises(ValueError, match="compares classes and cannot be used for regression"):
        BLSRegressor(sample_scores=name).fit(*load_diabetes(return_X_y=True))
