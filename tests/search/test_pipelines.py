import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from searches import both_searches, splits_of
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA
from sklearn.exceptions import FitFailedWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler, TargetEncoder

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    ELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    PathSearchCV,
)

MODEL = BLSClassifier(1, 5, 1, 20, random_state=0)


def mixed(n=150, seed=0):
    """A frame with numbers, gaps and text, and text labels."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.normal(50, 10, n),
            "dose": rng.exponential(size=n),
            "site": rng.choice(["a", "b", "c"], n),
            "sex": rng.choice(["f", "m"], n),
        }
    )
    y = (X["age"] / 10 + 2 * (X["site"] == "a") + rng.normal(size=n) > 5.7).map(
        {True: "ill", False: "well"}
    )
    X.loc[rng.choice(n, n // 10, replace=False), "age"] = np.nan
    return X, y


def prepared(encoder=None):
    numbers = Pipeline([("imputer", SimpleImputer()), ("scale", StandardScaler())])
    encoder = encoder or OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return ColumnTransformer([("num", numbers, ["age", "dose"]), ("cat", encoder, ["site", "sex"])])


def piped(model=MODEL, **options):
    return Pipeline([("prepare", prepared(**options)), ("model", model)])


def same_scores(model, grid, X, y, **options):
    ours, theirs = both_searches(model, grid, X, y, **{"cv": 2, **options})
    np.testing.assert_array_equal(splits_of(ours.cv_results_), splits_of(theirs.cv_results_))
    assert set(theirs.cv_results_) <= set(ours.cv_results_)
    assert repr(list(ours.cv_results_["params"])) == repr(theirs.cv_results_["params"])
    for key in theirs.cv_results_:
        if key.startswith("param_"):
            np.testing.assert_array_equal(
                ours.cv_results_[key].filled(0), theirs.cv_results_[key].filled(0)
            )
    return ours, theirs


GRIDS = [
    {"model__C": [0.01, 1.0, 100.0], "model__n_enhancement_nodes": [5, 40]},
    {"model__C": [0.1, 10.0], "prepare__num__imputer__strategy": ["mean", "median"]},
    {"prepare__num__scale": [MinMaxScaler(), "passthrough"], "model__activation": ["relu", "sine"]},
    {"prepare": [prepared(), prepared(TargetEncoder(cv=KFold(3)))], "model__C": [1.0, 5.0]},
    {"prepare": [prepared()], "prepare__num__imputer__strategy": ["median", "most_frequent"]},
    {"prepare__num__imputer__add_indicator": [False, True], "prepare__cat__drop": [None, "first"]},
    [{"model__C": [1.0, 10.0]}, {"model__C": [5.0], "prepare__num__imputer__strategy": ["median"]}],
    {},
]


@pytest.mark.parametrize("grid", GRIDS, ids=range(len(GRIDS)))
def test_scores_are_those_of_grid_search(grid):
    X, y = mixed()
    ours, theirs = same_scores(piped(), grid, X, y)
    assert isinstance(ours.best_estimator_, Pipeline)
    assert set(ours.best_params_) == set(theirs.best_params_)
    np.testing.assert_array_equal(ours.classes_, ["ill", "well"])
    assert list(ours.feature_names_in_) == list(X.columns)


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (IntuitionisticFuzzyBLSClassifier(1, 5, 1, 20), {"kernel_width": [1.0, 8.0]}),
        (ELMClassifier(), {"n_hidden_nodes": [5, 30], "C": [1.0, 10.0]}),
        (IntuitionisticFuzzyTwinSVC(), {"C1": [1.0, 10.0], "C2": [1.0]}),
        (BLSClassifier(1, 5, 1, 20), {"random_state": [0, 1], "standardize": [True, False]}),
    ],
    ids=["widths", "layer", "twin", "outside of the path"],
)
def test_all_models_may_be_the_last_step(model, grid):
    X, y = mixed()
    grid = {f"model__{name}": values for name, values in grid.items()}
    same_scores(
        piped(clone(model).set_params(random_state=0)),
        {**grid, "prepare__num__imputer__strategy": ["median"]},
        X,
        y,
    )


def test_regressors_and_other_scores():
    X, y = make_classification(120, 6, random_state=0)
    target = X[:, 0] + 0.1 * y
    pipeline = make_pipeline(StandardScaler(), PCA(4), BLSRegressor(1, 5, 1, 20, random_state=0))
    grid = {"blsregressor__C": [0.1, 10.0], "pca__n_components": [2, 5]}
    ours, theirs = both_searches(pipeline, grid, X, target, cv=3)
    np.testing.assert_allclose(
        splits_of(ours.cv_results_), splits_of(theirs.cv_results_), atol=1e-10
    )
    assert ours.best_params_ == theirs.best_params_
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))


def test_a_pipeline_of_one_step_is_its_model():
    X, y = make_classification(90, 5, random_state=0)
    alone = PathSearchCV(MODEL, {"C": [0.1, 10.0]}, cv=3).fit(X, y)
    piped_alone = PathSearchCV(Pipeline([("m", MODEL)]), {"m__C": [0.1, 10.0]}, cv=3).fit(X, y)
    np.testing.assert_array_equal(splits_of(alone.cv_results_), splits_of(piped_alone.cv_results_))


def test_training_samples_are_scored_as_they_are_predicted():
    # A target encoder transforms the samples that it is fitted to in a way of its own.
    X, y = mixed()
    encoder = TargetEncoder(cv=StratifiedKFold(3))
    ours, theirs = same_scores(
        piped(encoder=encoder),
        {"model__C": [0.1, 10.0], "model__n_enhancement_nodes": [5, 40]},
        X,
        y,
        return_train_score=True,
        scoring=["accuracy", "balanced_accuracy"],
        refit="accuracy",
    )
    for key in theirs.cv_results_:
        if "_train_" in key:
            np.testing.assert_array_equal(ours.cv_results_[key], theirs.cv_results_[key])


class Counting(TransformerMixin, BaseEstimator):
    """Remembers what it was fitted to."""

    fitted = []

    def __init__(self, shift=0.0):
        self.shift = shift

    def fit(self, X, y=None):
        Counting.fitted.append((self.shift, type(X), len(X)))
        self.fitted_ = True
        return self

    def transform(self, X):
        return np.asarray(X, dtype=float) + self.shift


def test_steps_are_fitted_once_per_fold_and_setting():
    X, y = make_classification(90, 5, random_state=0)
    X = pd.DataFrame(X, columns=list("abcde"))
    pipeline = Pipeline([("count", Counting()), ("model", MODEL)])
    grid = {
        "model__C": [0.1, 1.0],
        "model__n_enhancement_nodes": [5, 9],
        "model__activation": ["relu", "sine"],
        "count__shift": [0.0, 1.0],
    }
    Counting.fitted.clear()
    PathSearchCV(pipeline, grid, cv=3).fit(X, y)
    *folds, refit = Counting.fitted
    assert folds == [(shift, pd.DataFrame, 60) for shift in (0.0, 0.0, 0.0, 1.0, 1.0, 1.0)]
    assert refit[2] == 90


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame])
def test_frames_are_passed_on_as_they_are(make):
    X, y = mixed(90)
    X = make(X.to_dict("list"))
    search = PathSearchCV(piped(), {"model__C": [0.1, 10.0]}, cv=3).fit(X, np.asarray(y))
    theirs = GridSearchCV(piped(), {"model__C": [0.1, 10.0]}, cv=3).fit(X, np.asarray(y))
    np.testing.assert_array_equal(splits_of(search.cv_results_), splits_of(theirs.cv_results_))
    np.testing.assert_array_equal(search.predict(X), theirs.best_estimator_.predict(X))


def test_weights_go_to_the_last_step_and_the_scores():
    X, y = mixed()
    weight = np.random.default_rng(0).integers(1, 4, len(y)) * 1.0
    grid = {"model__C": [0.1, 10.0], "prepare__num__imputer__strategy": ["mean", "median"]}
    folds = StratifiedKFold(3)
    search = PathSearchCV(piped(), grid, cv=folds).fit(X, y, sample_weight=weight)
    for f, (train, test) in enumerate(folds.split(X, y)):
        fitted = clone(piped()).set_params(**search.cv_results_["params"][2])
        fitted.fit(X.iloc[train], y.iloc[train], model__sample_weight=weight[train])
        expected = fitted.score(X.iloc[test], y.iloc[test], sample_weight=weight[test])
        assert search.cv_results_[f"split{f}_test_score"][2] == pytest.approx(expected, rel=1e-12)
    best = clone(piped()).set_params(**search.best_params_).fit(X, y, model__sample_weight=weight)
    np.testing.assert_array_equal(search.decision_function(X), best.decision_function(X))


def test_default_and_published_grids_have_the_prefix():
    X, y = mixed(90)
    search = PathSearchCV(piped(), cv=3).fit(X, y)
    assert search.best_params_.keys() == {"model__C", "model__n_enhancement_nodes"}
    # Of candidates with the same score the smallest model is taken.
    results = search.cv_results_
    tied = results["mean_test_score"] == search.best_score_
    nodes = results["param_model__n_enhancement_nodes"]
    assert search.best_params_["model__n_enhancement_nodes"] == nodes[tied].min()


def test_fresh_draws_differ_between_settings_of_the_steps():
    X, y = mixed(90)
    grid = {"model__C": [0.1, 10.0], "prepare__num__imputer__strategy": ["mean", "median"]}
    search = PathSearchCV(piped(), grid, cv=3, draws="fresh").fit(X, y)
    results = search.cv_results_
    states = np.array([results[f"split{f}_random_state"] for f in range(3)])
    # Values of C, which varies slowest here, share a draw.
    np.testing.assert_array_equal(states[:, :2], states[:, 2:])
    assert np.unique(states).size == 6
    train, test = list(StratifiedKFold(3).split(X, y))[1]
    for i in range(4):
        model = piped().set_params(**results["params"][i], model__random_state=int(states[1, i]))
        fitted = model.fit(X.iloc[train], y.iloc[train])
        assert results["split1_test_score"][i] == fitted.score(X.iloc[test], y.iloc[test])


class Choosy(TransformerMixin, BaseEstimator):
    """Cannot be fitted where the first sample is missing, or where it is told so."""

    def __init__(self, always=False):
        self.always = always

    def fit(self, X, y=None):
        if self.always or not (np.asarray(X)[:, 0] == 0).any():
            raise RuntimeError("sample 0 is missing")
        return self

    def transform(self, X):
        return X


@pytest.mark.parametrize("draws", ["nested", "fresh"])
def test_errors_in_a_step_follow_error_score(draws):
    X, y = np.arange(60.0)[:, None], np.arange(60) % 2
    pipeline = Pipeline([("step", Choosy()), ("model", MODEL)])
    grid = {"model__C": [0.1, 10.0], "step": [Choosy(), "passthrough"]}
    search = PathSearchCV(pipeline, grid, cv=KFold(3), draws=draws)
    with pytest.warns(FitFailedWarning, match="2 of 4 candidates .* sample 0 is missing"):
        results = search.fit(X, y).cv_results_
    np.testing.assert_array_equal(np.isnan(results["split0_test_score"]), [True, False] * 2)
    assert np.isfinite(results["split1_test_score"]).all()
    np.testing.assert_array_equal(results["error"], ["sample 0 is missing", ""] * 2)
    assert search.best_params_["step"] == "passthrough"
    if draws == "fresh":
        assert results["split0_random_state"][0] == -1
        assert results["split1_random_state"][0] >= 0
    zero = PathSearchCV(pipeline, grid, cv=KFold(3), error_score=0.0)
    with pytest.warns(FitFailedWarning):
        assert zero.fit(X, y).cv_results_["split0_test_score"][0] == 0.0
    with pytest.raises(RuntimeError, match="sample 0 is missing"):
        PathSearchCV(pipeline, grid, cv=KFold(3), error_score="raise").fit(X, y)
    with pytest.raises(ValueError, match="No candidate could be fitted on any fold: sample 0"):
        PathSearchCV(pipeline, {"step__always": [True]}, cv=KFold(3)).fit(X, y)


class Halving(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X[::2]


def test_steps_keep_the_number_of_samples():
    X, y = make_classification(60, 4, random_state=0)
    search = PathSearchCV(Pipeline([("step", Halving()), ("model", MODEL)]), {}, cv=3)
    with pytest.raises(ValueError, match="turned 40 samples into 20; they must keep the number"):
        search.fit(X, y)


@pytest.mark.parametrize(
    "pipeline",
    [
        make_pipeline(StandardScaler(), LogisticRegression()),
        make_pipeline(StandardScaler(), "passthrough"),
        make_pipeline(StandardScaler(), make_pipeline(MODEL)),
    ],
    ids=["other", "passthrough", "nested"],
)
def test_other_last_steps_are_refused(pipeline):
    X, y = make_classification(60, 4, random_state=0)
    message = "^PathSearchCV needs a classifier or regressor .* Pipeline that ends in one, got "
    with pytest.raises(TypeError, match=message):
        PathSearchCV(pipeline).fit(X, y)


def test_seeds_are_drawn_once_and_the_grid_is_left_alone():
    X, y = mixed(90)
    step = prepared()
    pipeline = piped(BLSClassifier(1, 5, 1, 20))
    search = PathSearchCV(pipeline, {"prepare": [step], "model__C": [1.0, 10.0]}, cv=3).fit(X, y)
    assert isinstance(search.best_estimator_["model"].random_state, int)
    assert pipeline["model"].random_state is None
    assert not hasattr(step, "transformers_")
    assert not hasattr(pipeline["prepare"], "transformers_")
    again = PathSearchCV(search.best_estimator_, {}, cv=3).fit(X, y)
    assert again.best_score_ == search.best_score_


def test_a_generator_as_random_state_is_not_used_up():
    X, y = mixed(90)
    pipeline = piped(BLSClassifier(1, 5, 1, 20, random_state=np.random.RandomState(0)))
    one, two = (PathSearchCV(pipeline, {}, cv=3).fit(X, y) for _ in range(2))
    assert one.best_estimator_[-1].random_state == two.best_estimator_[-1].random_state


def test_pickled_and_cloned():
    X, y = mixed(90)
    search = PathSearchCV(piped(), {"model__C": [1.0, 10.0]}, cv=3).fit(X, y)
    again = pickle.loads(pickle.dumps(search))
    np.testing.assert_array_equal(again.predict_proba(X), search.predict_proba(X))
    assert not hasattr(clone(search), "cv_results_")
