"""A search with scorers of residuals gives the scores of fits one by one."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from broadlearn import BLSClassifier, BLSRegressor, PathSearchCV
from broadlearn.sample_scores import CorrentropyScorer

SCORES = ["uniform", "correntropy", "huber", "residual_density"]


def flipped_iris():
    X, y = load_iris(return_X_y=True)
    y[::7] = (y[::7] + 1) % 3
    return X, y


def assert_same(model, grid, X, y, **options):
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    found, expected = (
        kind(model, grid, cv=2, refit=False, return_train_score=True, **options)
        .fit(X, y, sample_weight=weight)
        .cv_results_
        for kind in (PathSearchCV, GridSearchCV)
    )
    for part in ("test", "train"):
        for split in range(2):
            name = f"split{split}_{part}_score"
            np.testing.assert_allclose(found[name], expected[name], atol=1e-9)


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss"])
def test_classifiers(scoring):
    grid = {"C": [0.01, 10.0], "n_enhancement_nodes": [5, 40, 200], "sample_scores": SCORES}
    assert_same(BLSClassifier(2, 5, random_state=0), grid, *flipped_iris(), scoring=scoring)


def test_regressors():
    grid = {"C": [0.01, 1.0], "n_enhancement_nodes": [5, 40], "sample_scores": SCORES}
    assert_same(BLSRegressor(random_state=0), grid, *load_diabetes(return_X_y=True))


def test_fresh_draws():
    X, y = flipped_iris()
    grid = {"C": [0.1, 1.0], "n_enhancement_nodes": [5, 20]}
    model = BLSClassifier(sample_scores="correntropy", random_state=0)
    folds = StratifiedKFold(2)
    train, test = next(folds.split(X, y))
    found = PathSearchCV(model, grid, cv=folds, draws="fresh", refit=False).fit(X, y).cv_results_
    columns = (found[key] for key in ("params", "split0_random_state", "split0_test_score"))
    for params, state, score in zip(*columns, strict=True):
        model.set_params(**params, random_state=int(state)).fit(X[train], y[train])
        assert model.score(X[test], y[test]) == pytest.approx(score)


def test_leave_one_out_keeps_the_scores_of_all_samples():
    X, y = flipped_iris()
    model = BLSClassifier(2, 5, 1, 20, sample_scores=CorrentropyScorer(n_iterations=0))
    model.set_params(random_state=0)
    grid = {"C": [0.1, 1.0]}
    found = PathSearchCV(model, grid, cv="loo").fit(X, y).cv_results_["mean_test_score"]
    plain = PathSearchCV(model.set_params(sample_scores="uniform"), grid, cv="loo").fit(X, y)
    np.testing.assert_allclose(found, plain.cv_results_["mean_test_score"])
