"""`published` is the model of the paper: its equations, and the maps of the released code."""

import numpy as np
import pytest
from plain import (
    plain_fuzzy_membership,
    plain_intuitionistic_scores,
    plain_released_design,
    plain_ridge,
)
from sklearn.base import clone

from broadlearn import BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier
from broadlearn.random_features.draws import ENHANCEMENT_STREAM, FEATURE_STREAM

MODELS = [BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier]


def draws(seed, m, p, q, n_inputs):
    """Return the uniform draws of a model: feature weights with biases, enhancement weights."""

    def stream(*key):
        return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))

    groups = [stream(FEATURE_STREAM, i).uniform(-1, 1, (p, n_inputs + 1)).T for i in range(m)]
    R = stream(ENHANCEMENT_STREAM, m * p, 0).uniform(-1, 1, (q, m * p + 1)).T
    return np.hstack(groups), R


def settings(wide):
    """Return 30 random settings with mp < q, or with mp >= q."""
    rng, chosen = np.random.default_rng(int(wide)), []
    while len(chosen) < 30:
        m, p, q = rng.integers(1, 6), rng.integers(2, 12), rng.integers(2, 60)
        if (m * p < q) == wide:
            chosen.append((int(m), int(p), int(q), len(chosen)))
    return chosen


@pytest.mark.filterwarnings("ignore:All sample scores")
@pytest.mark.parametrize(("m", "p", "q", "number"), settings(True) + settings(False))
def test_decisions_are_those_of_the_released_maps(m, p, q, number):
    rng = np.random.default_rng(number)
    X = rng.normal(size=(60, 4))
    y = (X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=60) > 0).astype(int)
    C, mu, seed = float(10.0 ** rng.integers(-2, 4)), float(2.0 ** rng.integers(-1, 4)), number
    scores = [
        np.ones(60),
        plain_fuzzy_membership(X, y),
        plain_intuitionistic_scores(X, y, mu)[3],
    ][number % 3]
    model = MODELS[number % 3].published(
        C=C, n_feature_groups=m, n_feature_nodes=p, n_enhancement_nodes=q, random_state=seed
    )
    if number % 3 == 2:
        model.set_params(kernel_width=mu)
    A, R = draws(model_seed(seed), m, p, q, 4)
    X_new = rng.normal(size=(20, 4))
    G, new = (plain_released_design(Z, A, R, m) for Z in (X, X_new))
    W = plain_ridge(G, np.where(y == 1, 1.0, -1.0)[:, None], C, scores)
    np.testing.assert_allclose(
        clone(model).fit(X, y).decision_function(X_new), (new @ W).ravel(), atol=1e-8
    )


def model_seed(random_state):
    """Return the seed that models draw from their `random_state`."""
    return int(np.random.RandomState(random_state).randint(np.iinfo(np.int32).max))


@pytest.mark.parametrize("model", MODELS)
def test_published_is_an_ordinary_estimator(model):
    published = model.published(C=7.0)
    assert type(published) is model
    assert published.C == 7.0
    assert clone(published).get_params() == published.get_params()
    assert model.published(standardize=True).standardize is True


def test_a_class_without_weight_is_said_and_fitted():
    X = np.array([[0.0, 0.1], [0.1, 0.0], [0.0, 0.0], [9.0, 9.0], [5.0, 5.0], [0.05, 0.05]])
    y = np.array([0, 0, 0, 0, 1, 1])
    model = IntuitionisticFuzzyBLSClassifier.published(
        kernel_width=32.0, n_feature_nodes=3, n_enhancement_nodes=5, random_state=0
    )
    plain = plain_intuitionistic_scores(X, y, 32.0)[3]
    assert not plain[y == 1].any()
    with pytest.warns(UserWarning, match="All sample scores of class 1 are zero"):
        model.fit(X, y)
    np.testing.assert_allclose(model.sample_scores_, plain, atol=1e-12)
    assert np.isfinite(model.decision_function(X)).all()
