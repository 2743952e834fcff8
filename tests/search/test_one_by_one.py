import numpy as np
import pytest
from searches import both_searches, splits_of
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import FitFailedWarning

from broadlearn import BLSClassifier, PathSearchCV
from broadlearn.search.engine import Task
from broadlearn.search.grid import resolve_grids
from broadlearn.search.one_by_one import score_one_by_one

SPLITS = [(np.arange(80), np.arange(80, 120)), (np.arange(40, 120), np.arange(40))]


def table():
    return make_classification(120, 5, flip_y=0.2, random_state=0)


def small_model():
    return BLSClassifier(1, 5, 1, 10, random_state=0)


def accuracy(model, X, y):
    return float(np.mean(model.predict(X) == y))


def several(model, X, y):
    return {"accuracy": accuracy(model, X, y), "nodes": -float(model.output_weights_.shape[0])}


def test_scores_are_those_of_plain_fits():
    X, y = table()
    model = small_model()
    grids = resolve_grids(model, [{"C": [0.1, 10.0]}, {"standardize": [True, False]}])
    candidates = [{"C": 0.1}, {"C": 10.0}, {"standardize": True}, {"standardize": False}]
    weight = np.random.default_rng(0).integers(1, 3, len(y)) * 1.0
    counts = []
    task = Task([(X, y, weight, split) for split in SPLITS], None, counts.append)
    names, found = score_one_by_one(model, grids, task, {"score": accuracy}, True)
    assert names == ["score"]
    assert found.scores.shape == (1, 2, 4, 2)
    assert sum(counts) == 8
    for i, candidate in enumerate(candidates):
        for f, parts in enumerate(SPLITS):
            train = parts[0]
            fitted = clone(model).set_params(**candidate)
            fitted.fit(X[train], y[train], sample_weight=weight[train])
            for t, part in enumerate(reversed(parts)):
                assert found.scores[0, t, i, f] == fitted.score(X[part], y[part])


def test_what_cannot_be_fitted_is_told():
    X, y = table()
    model = small_model()
    splits = [(np.flatnonzero(y == 0), np.arange(120)), SPLITS[0]]
    task = Task([(X, y, None, split) for split in splits], None, [].append)
    scorer = {"score": lambda model, X, y: 1.0}
    _, found = score_one_by_one(model, resolve_grids(model, {"C": [0.1]}), task, scorer)
    np.testing.assert_array_equal(found.scores.ravel(), [np.nan, 1.0])
    assert "only one class" in found.errors[0]


@pytest.mark.parametrize("refit", ["nodes", "accuracy", False])
def test_a_callable_may_return_several_scores(refit):
    X, y = table()
    grid = {"C": [1.0, 100.0], "n_enhancement_nodes": [20, 10]}
    options = {"cv": 3, "scoring": several, "refit": refit, "return_train_score": True}
    ours, theirs = both_searches(small_model(), grid, X, y, **options)
    assert set(ours.cv_results_) == {*theirs.cv_results_, "error"}
    np.testing.assert_allclose(splits_of(ours.cv_results_), splits_of(theirs.cv_results_))
    assert ours.multimetric_
    if refit:
        assert ours.best_score_ == pytest.approx(theirs.best_score_)
        assert ours.score(X, y) == several(ours.best_estimator_, X, y)[refit]


def test_several_scores_need_one_that_decides():
    search = PathSearchCV(small_model(), {"C": [1.0]}, scoring=several, cv=2)
    with pytest.raises(ValueError, match="refit must be set to a scorer key"):
        search.fit(*table())


def test_scorers_that_fail_follow_error_score():
    X, y = table()

    def large_only(model, X, y):
        if model.C < 10.0:
            raise RuntimeError("C is too small")
        return accuracy(model, X, y)

    search = PathSearchCV(small_model(), {"C": [1.0, 10.0]}, scoring=large_only, cv=2)
    with pytest.warns(FitFailedWarning, match="scoring failed: C is too small"):
        search.set_params(error_score=-7.0).fit(X, y)
    assert search.cv_results_["mean_test_score"][0] == -7.0
    assert search.best_params_ == {"C": 10.0}
    with pytest.raises(RuntimeError, match="C is too small"):
        search.set_params(error_score="raise").fit(X, y)


@pytest.mark.parametrize("score", ["much", None, [0.5, 0.5]])
def test_scores_are_numbers(score):
    search = PathSearchCV(small_model(), {"C": [1.0]}, scoring=lambda model, X, y: score, cv=2)
    with pytest.raises(ValueError, match="scoring must return a number"):
        search.fit(*table())
