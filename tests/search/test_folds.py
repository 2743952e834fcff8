"""Splits, prepared folds, and the work that candidates share."""

import numpy as np
import pytest
from searches import both_searches, several_classes
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.metrics import get_scorer

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    ELMClassifier,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    PathSearchCV,
)
from broadlearn.sample_scores import HeldOutScorer, HuberScorer, IntuitionisticScorer
from broadlearn.search import engine
from broadlearn.search.cells import Judge
from broadlearn.search.engine import ROLES, score_grid
from broadlearn.search.folds import SplitSamples, Task, prepare_fold
from broadlearn.search.grid import Candidates, resolve_grids
from broadlearn.search.scoring import batch_scorer
from broadlearn.utils import check_weights

JUDGE = Judge([batch_scorer(get_scorer("accuracy"), classifier=True)], False, 1e-8, 1 << 20)
SPLITS = [(np.arange(80), np.arange(80, 120)), (np.arange(40, 120), np.arange(40))]


@pytest.fixture
def split():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    return X, y, (order[:100], order[100:])


def table():
    return make_classification(120, 5, flip_y=0.2, random_state=0)


def task_of(X, y, n_jobs=1):
    return Task([SplitSamples(X, y, None, split) for split in SPLITS], n_jobs)


def test_scores_of_a_fold_are_those_of_fit(split):
    X, y, (train, test) = split
    widths = ["auto", 0.5, 4.0]
    samples = SplitSamples(X, y, None, (train, test))
    fold = prepare_fold(IntuitionisticFuzzyBLSClassifier(), samples, widths)
    for width, scores, used in zip(widths, fold.scores, fold.widths, strict=True):
        model = IntuitionisticFuzzyBLSClassifier(kernel_width=width).fit(X[train], y[train])
        np.testing.assert_allclose(scores, model.sample_scores_, atol=1e-12)
        assert used == pytest.approx(model.kernel_width_)
    assert fold.errors == [""] * 3


def test_test_labels_choose_nothing_in_a_fold(split):
    X, y, (train, test) = split
    model = BLSClassifier(sample_scores="held_out", random_state=0)
    other = y.copy()
    other[test] = np.random.default_rng(1).permutation(y[test])
    one, two = (
        prepare_fold(model, SplitSamples(X, labels, None, (train, test)), [None])
        for labels in (y, other)
    )
    np.testing.assert_array_equal(one.scores[0], two.scores[0])
    np.testing.assert_array_equal(one.data.T, two.data.T)


def test_weights_of_a_fold(split):
    X, y, (train, test) = split
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 150)
    weight[train[:10]] = 0.0
    model = BLSClassifier(class_weight="balanced")
    samples = SplitSamples(X, y, weight, (train, test))
    fold = prepare_fold(model, samples, [None])
    np.testing.assert_array_equal(fold.part("test")[2], weight[test])
    np.testing.assert_array_equal(fold.part("train")[2], weight[train[10:]])
    expected = check_weights(weight[train], X[train], "balanced", y[train])
    np.testing.assert_array_equal(fold.data.weight, expected[10:])


def test_regression_adds_the_mean_of_the_targets(split):
    X, y, (train, test) = split
    fold = prepare_fold(BLSRegressor(), SplitSamples(X, y * 1.0, None, (train, test)), [None])
    np.testing.assert_allclose(fold.intercept, y[train].mean())
    np.testing.assert_allclose(fold.data.T.mean(), 0, atol=1e-12)


def test_reasons_of_failures_are_kept(split):
    X, y, (train, test) = split
    one = train[y[train] == 0]
    fold = prepare_fold(FuzzyBLSClassifier(), SplitSamples(X, y, None, (one, test)), [None, 1.0])
    assert fold.data is None
    assert len(fold.errors) == 2
    assert "only one class" in fold.errors[1]
    weight = np.ones(150)
    weight[train] = 0.0
    fold = prepare_fold(BLSRegressor(), SplitSamples(X, y, weight, (train, test)), [None])
    assert "zero for every training sample" in fold.errors[0]


def test_candidates_share_what_has_a_role():
    grid = {"C": [1.0, 2.0], "activation": ["tanh", "relu"], "random_state": [0, 1, 2]}
    model = BLSClassifier(n_feature_nodes=7)
    (sub_grid,) = resolve_grids(model, grid)
    candidates = Candidates(model, sub_grid, ROLES)
    assert candidates.outer[4] == {"activation": "relu", "random_state": 1}
    assert candidates.positions[4] == (1, 1)
    assert candidates.values["C"] == (1.0, 2.0)
    assert candidates.values["nodes"] == (7,)
    assert candidates.values["width"] == (None,)
    assert candidates.numbers.shape == (6, 1, 1, 1, 2, 1)
    for outer, numbers in zip(candidates.outer, candidates.numbers, strict=True):
        for C, number in zip((1.0, 2.0), numbers.ravel(), strict=True):
            assert sub_grid.candidates()[number] == {"C": C, **outer}
    assert Candidates(ELMClassifier(9), sub_grid, ROLES).values["size"] == (9,)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_every_candidate_is_filed_where_it_belongs(n_jobs):
    X, y = table()
    model = BLSClassifier(random_state=0)
    grid = {
        "n_feature_nodes": [2, 7],
        "activation": ["relu", "tanh"],
        "C": [0.01, 100.0],
        "n_feature_groups": [1, 2],
        "n_enhancement_nodes": [3, 11, 30],
    }
    (sub_grid,) = resolve_grids(model, grid)
    found = score_grid(model, sub_grid, task_of(X, y, n_jobs), JUDGE)
    assert found.scores.shape == (1, 1, sub_grid.size, 2)
    assert (found.errors == "").all()
    for i in range(0, sub_grid.size, 5):
        for f, (train, test) in enumerate(SPLITS):
            fitted = clone(model).set_params(**sub_grid.candidates()[i]).fit(X[train], y[train])
            assert found.scores[0, 0, i, f] == fitted.score(X[test], y[test])


@pytest.mark.parametrize(
    ("scores", "prepared"),
    [
        ("uniform", 1),
        (HuberScorer(), 1),
        (HeldOutScorer(), 3),
        ("intuitionistic", 1),
        (IntuitionisticScorer(landmarks=20), 3),
    ],
)
def test_folds_are_prepared_again_only_if_draws_change_the_scores(scores, prepared, monkeypatch):
    X, y = table()
    model = BLSClassifier(1, 5, 1, 10, sample_scores=scores)
    (sub_grid,) = resolve_grids(model, {"random_state": [0, 1, 2]})
    calls = []
    counted = lambda *arguments: calls.append(1) or prepare_fold(*arguments)  # noqa: E731
    monkeypatch.setattr(engine, "prepare_fold", counted)
    score_grid(model, sub_grid, task_of(X, y), JUDGE)
    assert len(calls) == prepared * len(SPLITS)
    if scores == "intuitionistic":
        # Both splits train on 80 samples.
        monkeypatch.setattr(IntuitionisticScorer, "max_exact", 79)
        score_grid(model, sub_grid, task_of(X, y), JUDGE)
        assert len(calls) == (1 + 3) * len(SPLITS)


@pytest.mark.parametrize(
    "model",
    [
        BLSClassifier(1, 5, 1, 20, random_state=0),
        IntuitionisticFuzzyBLSClassifier(1, 5, 1, 20, kernel_width=4.0, random_state=0),
        IntuitionisticFuzzyTwinSVC(kernel_width=4.0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_class_weights_may_be_searched(model):
    X, y = make_classification(
        150, 5, n_informative=4, n_redundant=0, weights=[0.8], random_state=0
    )
    penalty = "C" if hasattr(model, "C") else "C1"
    grid = {"class_weight": [None, "balanced", {1: 3.0}], penalty: [0.1, 10.0]}
    scoring = ["accuracy", "balanced_accuracy", "roc_auc"]
    options = {"scoring": scoring, "refit": False, "cv": 3, "return_train_score": True}
    ours, theirs = both_searches(model, grid, X, y, **options)
    for name in theirs.cv_results_:
        if "split" in name:
            np.testing.assert_allclose(
                ours.cv_results_[name], theirs.cv_results_[name], atol=1e-9, err_msg=name
            )


def test_classes_of_weight_zero_have_no_training_scores():
    X, y = several_classes()
    model = BLSClassifier(1, 5, 1, 20, class_weight={"setosa": 0.0}, random_state=0)
    PathSearchCV(model, {"C": [1.0]}, refit=False, cv=3).fit(X, y)
    with pytest.raises(ValueError, match="need positive class weights"):
        PathSearchCV(model, {"C": [1.0]}, refit=False, cv=3, return_train_score=True).fit(X, y)
