from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import pytest
from searches import (
    TABLES,
    both_searches,
    duplicated_rows,
    more_rows_than_nodes,
    several_classes,
    splits_of,
)
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import (
    load_diabetes,
    make_regression,
)
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, StratifiedKFold
from sklearn.utils import get_tags

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
    PathSearchCV,
)
from broadlearn.sample_scores import FuzzyScorer, IntuitionisticScorer, SampleScorer, Trust
from broadlearn.search.grid import PAPER

pytestmark = pytest.mark.slow

MODELS = [BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier]
BASELINES = [
    ELMClassifier,
    partial(HierarchicalELMClassifier, n_autoencoder_nodes=6),
    NeuroFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    partial(IntuitionisticFuzzyTwinSVC, kernel="rbf", n_basis_rows=20),
]


def sampled_candidates(model, n, seed=0):
    """Candidates drawn from the published grid."""
    own = {name: values for name, values in PAPER.items() if name in model.get_params()}
    rng = np.random.default_rng(seed)
    return [
        {name: values[rng.integers(len(values))] for name, values in own.items()} for _ in range(n)
    ]


# The scored models take every table, the others two of them.
PAIRS = [
    *((IntuitionisticFuzzyBLSClassifier, make) for make in TABLES),
    *((model, make) for model in (*MODELS[:2], *BASELINES) for make in TABLES[::3]),
]


@pytest.mark.slow
@pytest.mark.parametrize(("model", "make"), PAIRS)
def test_accuracies_are_those_of_grid_search(model, make):
    X, y = make()
    n_candidates = 5 if model in MODELS else 2
    grid = [
        {name: [value] for name, value in candidate.items()}
        for candidate in sampled_candidates(model(), n_candidates)
    ]
    ours, theirs = both_searches(model(random_state=0), grid, X, y, cv=2, refit=False)
    np.testing.assert_array_equal(splits_of(ours.cv_results_), splits_of(theirs.cv_results_))
    assert list(ours.cv_results_["params"]) == theirs.cv_results_["params"]
    for key in ("mean_test_score", "std_test_score", "rank_test_score"):
        np.testing.assert_allclose(ours.cv_results_[key], theirs.cv_results_[key], rtol=1e-13)


@pytest.mark.parametrize("make", TABLES[::3], ids=lambda f: f.__name__)
def test_other_scores_are_those_of_grid_search(make):
    X, y = make()
    scoring = ["neg_log_loss", "roc_auc_ovr", "f1_macro", "balanced_accuracy"]
    grid = {
        "C": [1e-4, 1e6],
        "n_feature_groups": [9],
        "n_enhancement_nodes": [5, 105],
        "kernel_width": [1.0, 8.0],
    }
    model = IntuitionisticFuzzyBLSClassifier(n_feature_nodes=10, random_state=0)
    ours, theirs = both_searches(model, grid, X, y, cv=2, scoring=scoring, refit=False)
    np.testing.assert_allclose(
        splits_of(ours.cv_results_), splits_of(theirs.cv_results_), rtol=0, atol=1e-8
    )


@pytest.mark.parametrize("scoring", [None, "neg_mean_squared_error", "neg_mean_absolute_error"])
def test_regression(scoring):
    X, y = load_diabetes(return_X_y=True)
    y = (y - y.mean()) / y.std()
    grid = {"C": [1e-4, 1.0, 1e6], "n_feature_nodes": [3, 30], "n_enhancement_nodes": [5, 60]}
    ours, theirs = both_searches(BLSRegressor(random_state=0), grid, X, y, scoring=scoring)
    np.testing.assert_allclose(
        splits_of(ours.cv_results_), splits_of(theirs.cv_results_), rtol=0, atol=1e-8
    )
    assert ours.best_params_ == theirs.best_params_


@pytest.mark.parametrize(
    "change",
    [
        {"feature_scaling": "sample"},
        pytest.param({"feature_weights": "sparse"}, marks=pytest.mark.slow),
        {"feature_activation": "tanh", "feature_scaling": "robust"},
        {"n_enhancement_groups": 3},
        {"n_enhancement_groups": 2, "enhancement_inputs": 2, "enhancement_scale": (0.3, 1.0, 3.0)},
        {"standardize": False, "feature_scaling": None},
        {"standardize": "robust"},
    ],
    ids=str,
)
def test_every_form_of_the_map(change):
    X, y = duplicated_rows()
    grid = {"C": [1.0, 1e4], "n_feature_nodes": [4, 9], "n_enhancement_nodes": [5, 40]}
    model = BLSClassifier(3, random_state=0, **change)
    ours, theirs = both_searches(model, grid, X, y, cv=2, scoring="roc_auc")
    np.testing.assert_allclose(
        splits_of(ours.cv_results_), splits_of(theirs.cv_results_), atol=1e-12
    )


def test_parameters_that_no_path_serves_are_looped_over():
    X, y = duplicated_rows()
    grid = [
        {"activation": ["tanh", "relu"], "C": [1.0, 100.0], "random_state": [0, 5]},
        {"feature_scaling": ["robust"], "n_enhancement_nodes": [10, 20], "kernel_width": [2.0]},
        {"enhancement_scale": [(0.5, 2.0), (0.1, 1.0)], "enhancement_inputs": [None, 2]},
    ]
    model = IntuitionisticFuzzyBLSClassifier(random_state=0, n_enhancement_nodes=30)
    ours, theirs = both_searches(model, grid, X, y, cv=3)
    np.testing.assert_array_equal(splits_of(ours.cv_results_), splits_of(theirs.cv_results_))
    assert list(ours.cv_results_["params"]) == theirs.cv_results_["params"]


@dataclass(frozen=True)
class NearZero(SampleScorer):
    """A scorer as a user would write it."""

    width: float = 2.0

    def score(self, samples):
        return Trust(np.exp(-np.linalg.norm(samples.Z, axis=1) / self.width))


@pytest.mark.parametrize(
    ("scores", "grid"),
    [
        ("uniform", {"sample_scores": [FuzzyScorer(), "held_out", FuzzyScorer(0.5)]}),
        (NearZero(), {"n_enhancement_nodes": [10, 400]}),
        ("uniform", {"sample_scores": [NearZero(), NearZero(5.0)], "random_state": [0, 1]}),
    ],
)
def test_scorers_are_parameters_like_any_other(scores, grid):
    X, y = duplicated_rows()
    model = BLSClassifier(1, 5, 1, 20, sample_scores=scores, random_state=0)
    grid = {"C": [0.1, 10.0], **grid}
    ours, theirs = both_searches(model, grid, X, y, cv=3, scoring="roc_auc")
    np.testing.assert_allclose(
        splits_of(ours.cv_results_), splits_of(theirs.cv_results_), atol=1e-12
    )
    assert list(ours.cv_results_["params"]) == theirs.cv_results_["params"]
    expected = clone(model).set_params(**ours.best_params_).fit(X, y)
    np.testing.assert_array_equal(ours.predict_proba(X), expected.predict_proba(X))


@pytest.mark.parametrize(
    "estimator",
    [LogisticRegression(), BroadFeatures()],
    ids=lambda estimator: type(estimator).__name__,
)
def test_other_estimators_are_refused(estimator):
    X, y = several_classes()
    message = (
        "^PathSearchCV needs a classifier or regressor .* use GridSearchCV for other estimators.$"
    )
    with pytest.raises(TypeError, match=message):
        PathSearchCV(estimator, {"C": [1.0]}).fit(X, y)


def test_callbacks_are_refused():
    with pytest.raises(NotImplementedError, match="calls no callbacks; use GridSearchCV"):
        PathSearchCV(BLSClassifier()).set_callbacks()


def test_parameters_are_those_of_grid_search():
    assert set(PathSearchCV(BLSClassifier()).get_params(deep=False)) == {
        *GridSearchCV(BLSClassifier(), {}).get_params(deep=False),
        "draws",
    } - {"pre_dispatch", "verbose"}


def test_sample_weight_and_groups():
    X, y = more_rows_than_nodes()
    rng = np.random.default_rng(0)
    weight, groups = rng.integers(0, 3, len(y)) * 1.0, rng.integers(0, 12, len(y))
    grid = {"C": [1.0, 100.0], "n_enhancement_nodes": [10, 50], "kernel_width": [4.0]}
    model = IntuitionisticFuzzyBLSClassifier(random_state=0)
    options = {"cv": GroupKFold(4)}
    ours = PathSearchCV(model, grid, **options).fit(X, y, sample_weight=weight, groups=groups)
    theirs = GridSearchCV(model, grid, **options).fit(X, y, sample_weight=weight, groups=groups)
    np.testing.assert_allclose(
        splits_of(ours.cv_results_), splits_of(theirs.cv_results_), rtol=1e-12
    )


@pytest.mark.parametrize("max_exact", [100, 333])
def test_landmarks_of_many_samples_are_those_of_plain_fits(max_exact, monkeypatch):
    # Of 500 samples, two folds train on 333 and one on 334.
    monkeypatch.setattr(IntuitionisticScorer, "max_exact", max_exact)
    monkeypatch.setattr("broadlearn.sample_scores.intuitionistic.LANDMARKS", 20)
    X, y = more_rows_than_nodes()
    grid = {"C": [1.0, 100.0], "kernel_width": ["auto", 1.0, 4.0], "random_state": [0, 1]}
    model = IntuitionisticFuzzyBLSClassifier(n_enhancement_nodes=30)
    ours, theirs = both_searches(model, grid, X, y, cv=KFold(3))
    np.testing.assert_array_equal(splits_of(ours.cv_results_), splits_of(theirs.cv_results_))
    found, expected = (search.best_estimator_.sample_scores_ for search in (ours, theirs))
    np.testing.assert_array_equal(found, expected)
    exact = PathSearchCV(model.set_params(landmarks=None), grid, cv=KFold(3)).fit(X, y)
    assert (splits_of(exact.cv_results_) != splits_of(ours.cv_results_)).any(axis=1).tolist() == (
        [True] * 3 if max_exact == 100 else [False, False, True]
    )


def test_several_scorers():
    X, y = more_rows_than_nodes()
    grid = {"C": [1.0, 100.0], "n_enhancement_nodes": [10, 50]}
    options = {"cv": 3, "scoring": ["accuracy", "roc_auc"], "refit": "roc_auc"}
    ours, theirs = both_searches(BLSClassifier(random_state=0), grid, X, y, **options)
    assert set(theirs.cv_results_) <= set(ours.cv_results_)
    np.testing.assert_allclose(
        ours.cv_results_["mean_test_roc_auc"], theirs.cv_results_["mean_test_roc_auc"]
    )
    assert ours.best_score_ == pytest.approx(theirs.best_score_)


def test_callables_that_may_see_the_model_are_refused():
    X, y = more_rows_than_nodes()
    for scoring in (lambda model, X, y: 0.0, {"own": lambda model, X, y: 0.0}):
        search = PathSearchCV(BLSClassifier(), {"C": [1.0]}, scoring=scoring, refit="own")
        with pytest.raises(ValueError, match="scoring must be the name of a scikit-learn scorer"):
            search.fit(X, y)


def test_weights_are_not_routed():
    X, y = more_rows_than_nodes()
    search = PathSearchCV(BLSClassifier(), {"C": [1.0]})
    with (
        config_context(enable_metadata_routing=True),
        pytest.raises(ValueError, match="does not route metadata"),
    ):
        search.fit(X, y, sample_weight=np.ones(len(y)))


def test_folds_may_be_given_as_positions_or_masks():
    X, y = more_rows_than_nodes()
    pairs = list(KFold(3).split(X))
    masks = [tuple(np.isin(np.arange(len(y)), part) for part in pair) for pair in pairs]
    searches = (
        PathSearchCV(BLSClassifier(random_state=0), {"C": [1.0]}, cv=cv)
        for cv in (iter(pairs), masks, KFold(3))
    )
    found = [splits_of(search.fit(X, y).cv_results_) for search in searches]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    with pytest.raises(ValueError, match="cv must give at least one split"):
        PathSearchCV(BLSClassifier(), {"C": [1.0]}, cv=[]).fit(X, y)


@pytest.mark.parametrize("random_state", [7, np.int64(7), None, np.random.RandomState(3)])
def test_refit_is_the_model_that_was_scored(random_state):
    X, y = more_rows_than_nodes()
    folds = StratifiedKFold(4)
    model = IntuitionisticFuzzyBLSClassifier(random_state=random_state)
    grid = {"C": [0.1, 10.0], "n_enhancement_nodes": [20, 60], "kernel_width": [1.0, 8.0]}
    search = PathSearchCV(model, grid, cv=folds).fit(X, y)
    for f, (train, test) in enumerate(folds.split(X, y)):
        again = clone(search.best_estimator_).fit(X[train], y[train])
        key = f"split{f}_test_score"
        assert again.score(X[test], y[test]) == search.cv_results_[key][search.best_index_]
    assert search.predict(X).shape == y.shape
    assert search.predict_proba(X).shape == (500, 2)
    assert search.score(X, y) == search.best_estimator_.score(X, y)


def test_frames_and_default_grid():
    X, y = several_classes()
    frame = pd.DataFrame(X, columns=list("abcd"))
    search = PathSearchCV(IntuitionisticFuzzyBLSClassifier(random_state=0)).fit(frame, y)
    assert search.best_score_ > 0.95
    assert list(search.feature_names_in_) == list("abcd")
    np.testing.assert_array_equal(search.classes_, np.unique(y))


def test_candidates_that_cannot_be_fitted_are_reported():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(200, 2)), rng.uniform(-2.4, 2.4, size=(6, 2))])
    y = np.r_[np.zeros(200), np.ones(6)]
    grid = {"kernel_width": [0.01, 2.0], "C1": [1.0, 10.0]}
    search = PathSearchCV(IntuitionisticFuzzyTwinSVC(kernel="rbf", random_state=0), grid, cv=3)
    with pytest.warns(FitFailedWarning, match="2 of 4 candidates could not be fitted"):
        search.fit(X, y)
    results = search.cv_results_
    lost = results["param_kernel_width"] == 2.0
    assert np.isnan(results["mean_test_score"][lost]).all()
    assert all("scores of class 1.0 are zero" in text for text in results["error"][lost])
    assert (results["error"][~lost] == "").all()
    assert search.best_params_["kernel_width"] == 0.01
    with pytest.raises(ValueError, match="All sample scores of class"):
        search.set_params(error_score="raise").fit(X, y)


def test_a_fold_without_a_class_does_not_end_the_search():
    X, y = np.arange(30.0)[:, None], np.r_[np.zeros(20), np.ones(10)]
    search = PathSearchCV(BLSClassifier(random_state=0), {"C": [1.0]}, cv=KFold(3))
    with (
        pytest.warns(FitFailedWarning, match="only one class"),
        pytest.raises(ValueError, match="No candidate could be scored on every fold"),
    ):
        search.fit(X, y)
    both = PathSearchCV(BLSClassifier(random_state=0), {"C": [1.0]}, cv=KFold(3), error_score=0.0)
    with pytest.warns(FitFailedWarning):
        both.fit(X, y)
    assert both.cv_results_["split2_test_score"][0] == 0.0
    assert "only one class" in both.cv_results_["error"][0]


@pytest.mark.parametrize("scoring", [None, "neg_mean_squared_error", "neg_mean_absolute_error"])
def test_scores_of_several_targets_are_those_of_grid_search(scoring):
    X, Y = make_regression(120, 6, n_targets=3, noise=5.0, random_state=0)
    grid = {"C": [0.1, 100.0], "n_enhancement_nodes": [10, 100]}
    model, options = BLSRegressor(random_state=0), {"scoring": scoring, "cv": 3}
    ours, theirs = both_searches(model, grid, X, Y, **options, return_train_score=True)
    for key in ("mean_test_score", "mean_train_score"):
        np.testing.assert_allclose(ours.cv_results_[key], theirs.cv_results_[key], rtol=1e-9)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))


def test_an_undefined_score_is_no_failure():
    X, y = more_rows_than_nodes()
    order = np.argsort(y, kind="stable")
    train = np.setdiff1d(np.arange(len(y)), order[:50])
    options = {"scoring": "roc_auc", "cv": [(train, order[:50])], "error_score": -7.0}
    search = PathSearchCV(BLSClassifier(1, 5, 1, 10), {"C": [1.0]}, refit=False, **options)
    with pytest.warns(UserWarning, match="Only one class is present"):
        search.set_params(scoring=["roc_auc"]).fit(X, y)
    assert np.isnan(search.cv_results_["mean_test_roc_auc"]).all()


def test_tags_are_those_of_the_model():
    for model in (BLSClassifier(), BLSRegressor()):
        search, own = get_tags(PathSearchCV(model)), get_tags(model)
        assert search.input_tags == own.input_tags
        assert search.target_tags == own.target_tags
