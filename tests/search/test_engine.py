import numpy as np
import pytest
from scipy.sparse import csr_array
from searches import both_searches, several_classes
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.metrics import get_scorer
from threadpoolctl import threadpool_info

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    ELMClassifier,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    PathSearchCV,
)
from broadlearn.sample_scores import HeldOutScorer, IntuitionisticScorer, NeighborScorer
from broadlearn.search import engine
from broadlearn.search.cells import Axes
from broadlearn.search.engine import (
    Plan,
    Task,
    limited,
    prepare_fold,
    run_grid,
)
from broadlearn.search.grid import ROLES, resolve_grids
from broadlearn.search.scoring import batch_scorer
from broadlearn.utils import check_weights

AXES = Axes([batch_scorer(get_scorer("accuracy"), classifier=True)], False, 1e-8, 1 << 20, False)
SPLITS = [(np.arange(80), np.arange(80, 120)), (np.arange(40, 120), np.arange(40))]


@pytest.fixture
def split():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    return X, y, order[:100], order[100:]


def table():
    return make_classification(120, 5, flip_y=0.2, random_state=0)


def test_scores_are_those_of_fit(split):
    X, y, train, test = split
    widths = ["auto", 0.5, 4.0]
    fold = prepare_fold(IntuitionisticFuzzyBLSClassifier(), X, y, None, (train, test), widths)
    for width, scores, used in zip(widths, fold.scores, fold.widths, strict=True):
        model = IntuitionisticFuzzyBLSClassifier(kernel_width=width).fit(X[train], y[train])
        np.testing.assert_allclose(scores, model.sample_scores_, atol=1e-12)
        assert used == pytest.approx(model.kernel_width_)
    assert fold.errors == [""] * 3
    np.testing.assert_array_equal(fold.y_test, y[test])


def test_labels_that_judge_a_fold_choose_nothing_in_it(split):
    X, y, train, test = split
    model = BLSClassifier(sample_scores="held_out", random_state=0)
    other = y.copy()
    other[test] = np.random.default_rng(1).permutation(y[test])
    one, two = (
        prepare_fold(model, X, labels, None, (train, test), [None]) for labels in (y, other)
    )
    np.testing.assert_array_equal(one.scores[0], two.scores[0])
    np.testing.assert_array_equal(one.data.T, two.data.T)
    assert (one.y_test != two.y_test).any()


def test_samples_of_weight_zero_are_dropped(split):
    X, y, train, test = split
    weight = np.ones(150)
    weight[train[:10]] = 0.0
    fold = prepare_fold(FuzzyBLSClassifier(), X, y, weight, (train, test), [None])
    assert fold.data.X.shape[0] == 90
    assert fold.scores[0].shape == (90,)
    np.testing.assert_array_equal(fold.test_weight, 1.0)


def test_regression_keeps_the_mean_apart(split):
    X, y, train, test = split
    fold = prepare_fold(BLSRegressor(), X, y * 1.0, None, (train, test), [None])
    np.testing.assert_allclose(fold.intercept, y[train].mean())
    np.testing.assert_allclose(fold.data.T.mean(), 0, atol=1e-12)
    assert fold.data.classes.size == 0


def test_what_cannot_be_fitted_is_told(split):
    X, y, train, test = split
    one = train[y[train] == 0]
    fold = prepare_fold(FuzzyBLSClassifier(), X, y, None, (one, test), [None, 1.0])
    assert fold.data is None
    assert len(fold.errors) == 2
    assert "only one class" in fold.errors[1]
    weight = np.ones(150)
    weight[train] = 0.0
    fold = prepare_fold(BLSRegressor(), X, y, weight, (train, test), [None])
    assert "zero for every training sample" in fold.errors[0]


def test_what_no_path_serves_is_outside():
    grid = {"C": [1.0, 2.0], "activation": ["tanh", "relu"], "random_state": [0, 1, 2]}
    model = BLSClassifier(n_feature_nodes=7)
    (sub_grid,) = resolve_grids(model, grid)
    plan = Plan(model, sub_grid, ROLES)
    assert len(plan.outer) == 6
    assert plan.outer[4] == ((1, 1), {"activation": "relu", "random_state": 1})
    assert plan.path["C"] == (1.0, 2.0)
    assert plan.path["nodes"] == (7,)
    assert plan.path["width"] == (None,)
    assert Plan(ELMClassifier(9), sub_grid, ROLES).path["size"] == (9,)


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_every_candidate_is_filed_where_it_belongs(n_jobs):
    X, y = table()
    model = BLSClassifier(random_state=0)
    grid = {
        "n_feature_nodes": [2, 7],
        "activation": ["relu", "tanh"],
        "C": [0.01, 100.0],
        "n_feature_groups": [1, 2],
        "n_enhancement_nodes": [3, 11, 30],
        "standardize": [True, False],
    }
    (sub_grid,) = resolve_grids(model, grid)
    counts = []
    task = Task([(X, y, None, split) for split in SPLITS], n_jobs, counts.append)
    found = run_grid(model, sub_grid, task, AXES)
    assert found.scores.shape == (1, 1, sub_grid.size, 2)
    assert sum(counts) == sub_grid.size * 2
    assert (found.errors == "").all()
    for i in range(0, sub_grid.size, 7):
        for f, (train, test) in enumerate(SPLITS):
            fitted = clone(model).set_params(**sub_grid.candidate(i)).fit(X[train], y[train])
            assert found.scores[0, 0, i, f] == fitted.score(X[test], y[test])


@pytest.mark.parametrize(
    ("scores", "prepared"),
    [
        ("uniform", 1),
        (NeighborScorer(5), 1),
        (HeldOutScorer(), 3),
        ("intuitionistic", 1),
        (IntuitionisticScorer(landmarks=20), 3),
    ],
)
def test_folds_are_prepared_anew_only_where_draws_change_the_scores(scores, prepared, monkeypatch):
    X, y = table()
    model = BLSClassifier(1, 5, 1, 10, sample_scores=scores)
    (sub_grid,) = resolve_grids(model, {"random_state": [0, 1, 2]})
    calls = []
    counted = lambda *arguments: calls.append(1) or prepare_fold(*arguments)  # noqa: E731
    monkeypatch.setattr(engine, "prepare_fold", counted)
    task = Task([(X, y, None, split) for split in SPLITS], 1, calls.count)
    run_grid(model, sub_grid, task, AXES)
    assert len(calls) == prepared * len(SPLITS)
    if scores == "intuitionistic":
        # Both splits train on 80 samples.
        monkeypatch.setattr(IntuitionisticScorer, "max_exact", 79)
        run_grid(model, sub_grid, task, AXES)
        assert len(calls) == (1 + 3) * len(SPLITS)


def test_work_has_one_thread_for_linear_algebra():
    threads = limited(threadpool_info)
    assert {library["num_threads"] for library in threads} == {1}


@pytest.mark.parametrize(
    "model",
    [
        BLSClassifier(1, 5, 1, 20, random_state=0),
        IntuitionisticFuzzyBLSClassifier(1, 5, 1, 20, kernel_width=4.0, random_state=0),
        IntuitionisticFuzzyTwinSVC(kernel_width=4.0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_class_weights_are_an_axis(model):
    X, y = make_classification(
        150, 5, n_informative=4, n_redundant=0, weights=[0.8], random_state=0
    )
    grid = {
        "class_weight": [None, "balanced", {1: 3.0}],
        ("C" if hasattr(model, "C") else "C1"): [0.1, 10.0],
    }
    scoring = ["accuracy", "balanced_accuracy", "roc_auc"]
    options = {"scoring": scoring, "refit": False, "cv": 3, "return_train_score": True}
    ours, theirs = both_searches(model, grid, X, y, **options)
    for name in theirs.cv_results_:
        if "split" in name:
            np.testing.assert_allclose(
                ours.cv_results_[name], theirs.cv_results_[name], atol=1e-9, err_msg=name
            )


def test_class_weights_do_not_weight_scores():
    X, y = make_classification(150, 5, weights=[0.8], random_state=0)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 150)
    model = BLSClassifier(1, 5, 1, 20, class_weight="balanced", random_state=0)
    fold = prepare_fold(model, X, y, weight, (np.arange(100), np.arange(100, 150)), [None])
    np.testing.assert_array_equal(fold.part("test")[2], weight[100:])
    np.testing.assert_array_equal(fold.part("train")[2], weight[:100])
    of_fold = check_weights(weight[:100], X[:100], "balanced", y[:100])
    np.testing.assert_array_equal(fold.data.weight, of_fold)


def test_classes_of_weight_zero_have_no_training_scores():
    X, y = several_classes()
    model = BLSClassifier(1, 5, 1, 20, class_weight={"setosa": 0.0}, random_state=0)
    PathSearchCV(model, {"C": [1.0]}, refit=False, cv=3).fit(X, y)
    with pytest.raises(ValueError, match="need class weights above 0"):
        PathSearchCV(model, {"C": [1.0]}, refit=False, cv=3, return_train_score=True).fit(X, y)


def test_folds_differ_in_what_is_missing():
    X, y = table()
    X[::4, 0] = np.nan
    # Only the training samples of some folds lack values of this column.
    X[:3, 2] = np.nan
    model = BLSClassifier(1, 5, 1, 20, random_state=0)
    grid = {"C": [0.1, 10.0], "n_enhancement_nodes": [5, 20]}
    ours, theirs = both_searches(model, grid, X, y, cv=3, scoring="neg_log_loss", refit=False)
    scores = [search.cv_results_["mean_test_score"] for search in (ours, theirs)]
    np.testing.assert_allclose(*scores, atol=1e-9)


@pytest.mark.parametrize("draws", ["nested", "fresh"])
def test_sparse_samples_are_searched(draws):
    X, y = table()
    X = np.where(np.abs(X) < 1.0, 0.0, X)
    model = BLSClassifier(1, 5, 1, 20, random_state=0)
    grid = {"C": [0.1, 10.0], "n_enhancement_nodes": [5, 400]}
    found = [
        PathSearchCV(model, grid, cv=3, scoring="neg_log_loss", draws=draws).fit(rows, y)
        for rows in (X, csr_array(X))
    ]
    scores = [search.cv_results_["mean_test_score"] for search in found]
    np.testing.assert_allclose(*scores, atol=1e-9)
    with pytest.raises(TypeError, match="dense data is required by FuzzyBLSClassifier"):
        PathSearchCV(FuzzyBLSClassifier(), {"C": [1.0]}).fit(csr_array(X), y)
