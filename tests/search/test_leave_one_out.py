"""`cv="loo"` against models that are solved again without each sample."""

import numpy as np
import pytest
from plain import plain_ridge
from sklearn.datasets import make_classification, make_regression
from sklearn.metrics import accuracy_score, log_loss, r2_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    PathSearchCV,
)
from broadlearn.random_features import MappedSamples, draw_map
from broadlearn.search.folds import SplitSamples, prepare_fold
from broadlearn.solvers import learn_slopes, probabilities
from broadlearn.utils import draw_seed

GRID = {"C": [0.01, 10.0], "n_enhancement_nodes": [12, 90]}


def held_out(model, X, y, weight):
    """Predictions by ridge problems without each sample, and what they were made from."""
    every = np.arange(len(X))
    samples = SplitSamples(X, y, weight, (every, every))
    fold = prepare_fold(model, samples, [getattr(model, "kernel_width", None)])
    data, seed = fold.data, draw_seed(model.random_state)
    broad_map = draw_map(model.feature_map(), data.X, data.standardization, seed, data.weight)
    G = MappedSamples(broad_map, data.X, data.standardization)(slice(0, len(data.X)))
    score = np.ones(len(G)) if fold.scores[0] is None else fold.scores[0]
    copies = np.ones(len(G)) if data.weight is None else data.weight
    found = []
    for i in range(len(G)):
        left = copies.copy()
        left[i] = max(0.0, left[i] - 1.0)
        W = plain_ridge(G, data.T, model.C, score * np.sqrt(left))
        found.append(G[i] @ W)
    decisions = np.array(found) + (0.0 if fold.intercept is None else fold.intercept)
    return decisions, fold


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", [BLSClassifier, IntuitionisticFuzzyBLSClassifier])
def test_classes(kind, weighted):
    X, y = make_classification(70, 5, flip_y=0.1, random_state=0)
    weight = np.random.default_rng(0).integers(0, 3, 70) * 1.0 if weighted else None
    model = kind(2, 4, random_state=0)
    names = ["accuracy", "roc_auc", "neg_log_loss"]
    search = PathSearchCV(model, GRID, cv="loo", scoring=names, refit="accuracy")
    search.fit(X, y, sample_weight=weight)
    assert search.n_splits_ == 1
    for i, params in enumerate(search.cv_results_["params"]):
        decisions, fold = held_out(kind(2, 4, random_state=0, **params), X, y, weight)
        codes, copies = fold.data.codes, fold.data.weight
        slope = learn_slopes(decisions[None], codes, copies, fold.scores[0])[0]
        p = probabilities(decisions, slope)
        expected = (
            accuracy_score(codes, decisions[:, 0] > 0, sample_weight=copies),
            roc_auc_score(codes, decisions[:, 0], sample_weight=copies),
            -log_loss(codes, p, sample_weight=copies),
        )
        found = [search.cv_results_[f"mean_test_{name}"][i] for name in names]
        np.testing.assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("n_targets", [1, 2])
@pytest.mark.parametrize("numbers", [1 << 21, 1300])
def test_targets(n_targets, numbers, monkeypatch):
    monkeypatch.setattr("broadlearn.search.path_search.BLOCK_NUMBERS", numbers)
    X, y = make_regression(60, 4, n_targets=n_targets, noise=5.0, random_state=0)
    search = PathSearchCV(BLSRegressor(2, 4, random_state=0), GRID, cv="loo")
    search.fit(X, y)
    for i, params in enumerate(search.cv_results_["params"]):
        predictions, _ = held_out(BLSRegressor(2, 4, random_state=0, **params), X, y, None)
        expected = r2_score(y, predictions.reshape(y.shape))
        assert search.cv_results_["mean_test_score"][i] == pytest.approx(expected, abs=1e-7)


def test_three_classes_and_training_scores():
    X, y = make_classification(60, 5, n_informative=4, n_redundant=0, n_classes=3, random_state=0)
    search = PathSearchCV(
        BLSClassifier(2, 4, random_state=0), GRID, cv="loo", return_train_score=True
    ).fit(X, y)
    for i, params in enumerate(search.cv_results_["params"]):
        model = BLSClassifier(2, 4, random_state=0, **params)
        decisions, _ = held_out(model, X, y, None)
        assert search.cv_results_["split0_test_score"][i] == np.mean(decisions.argmax(axis=1) == y)
        assert search.cv_results_["split0_train_score"][i] == model.fit(X, y).score(X, y)


def test_what_has_no_closed_form_is_refused():
    X, y = make_classification(40, 4, random_state=0)
    model = BLSClassifier(2, 4, 1, 10, random_state=0)
    grid = {"C": [1.0]}
    refused = [
        (PathSearchCV(make_pipeline(StandardScaler(), model), {"blsclassifier__C": [1.0]}), {}),
        (PathSearchCV(model, grid, draws="fresh"), {}),
        (PathSearchCV(model, grid), {"groups": y}),
        (PathSearchCV(IntuitionisticFuzzyTwinSVC(), {"C1": [1.0]}), {}),
    ]
    for search, data in refused:
        with pytest.raises(ValueError, match='cv="loo" needs draws="nested"'):
            search.set_params(cv="loo").fit(X, y, **data)
    with pytest.raises(ValueError, match="cv"):
        PathSearchCV(model, grid, cv="five").fit(X, y)
