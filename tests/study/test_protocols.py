from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Perceptron
from sklearn.model_selection import StratifiedKFold

from broadlearn import PUBLISHED_FORM, BLSClassifier, PathSearchCV
from broadlearn.study import protocols
from broadlearn.study.datasets import (
    Dataset,
    dataset_files,
    dataset_names,
    describe_dataset,
    load_dataset,
)
from broadlearn.study.models import ModelSpec, find_model
from broadlearn.study.noise import Noise, apply_noise, parse_noise
from broadlearn.study.plan import Unit
from broadlearn.study.protocols import SETTINGS, contiguous_folds, paper_task, run_unit
from broadlearn.study.published_results import published_settings, published_table

pytestmark = pytest.mark.slow

GRID = {"C": [1e-2, 1.0, 1e2], "n_enhancement_nodes": [5, 30]}
SMALL = ModelSpec("BLS", BLSClassifier(1, 4), {"paper": GRID, "reduced": GRID})


def unit(protocol, noise="none", model="BLS", dataset="iris"):
    return Unit(dataset, noise, model, protocol, 0, "reduced", "0")


def run(protocol, data, spec=SMALL, noise="none"):
    return run_unit(unit(protocol, noise, spec.name, data.name), data, spec)


class Recorded(ModelSpec):
    """Keeps what it gave to be fitted."""

    fitted: list = []

    def search(self, *arguments, **options):
        self.fitted.append(super().search(*arguments, **options))
        return self.fitted[-1]


def test_labels_that_judge_a_fold_choose_nothing_in_it(monkeypatch):
    data = load_dataset("iris")
    fixed = list(StratifiedKFold(5, shuffle=True, random_state=0).split(data.X, data.y))

    class Folds(StratifiedKFold):
        def split(self, X, y=None, groups=None):
            return iter(fixed) if self.n_splits == 5 else super().split(X, y, groups)

    monkeypatch.setattr(protocols, "StratifiedKFold", Folds)
    monkeypatch.setattr(Recorded, "fitted", [])
    spec = Recorded("BLS", BLSClassifier(1, 4), {"reduced": GRID})
    test = fixed[0][1]
    for seed in range(3):
        y = data.y.copy()
        y[test] = np.random.default_rng(seed).permutation(y[test])
        run("nested", replace(data, y=y), spec)
    first = Recorded.fitted[::5]
    assert len(first) == 3
    for other in first[1:]:
        assert other.best_params_ == first[0].best_params_
        np.testing.assert_array_equal(
            other.decision_function(data.X), first[0].decision_function(data.X)
        )


@pytest.mark.parametrize(("n_rows", "n_folds"), [(7, 3), (120, 5), (101, 5), (5, 5)])
def test_contiguous_folds_have_ceil_boundaries(n_rows, n_folds):
    folds = contiguous_folds(np.arange(n_rows), n_folds)
    starts = [test[0] for _, test in folds]
    assert starts == [int(np.ceil(i * n_rows / n_folds)) for i in range(n_folds)]
    for train, test in folds:
        np.testing.assert_array_equal(np.sort(np.r_[train, test]), np.arange(n_rows))


def test_too_few_rows_are_named():
    with pytest.raises(ValueError, match="at least 5 rows"):
        contiguous_folds(np.arange(4))


def test_majority_class_under_paper_is_the_published_twin_svm():
    if any(not dataset_files(name) for name in dataset_names("uci28")):
        pytest.skip("needs the 28 data sets: set BROADLEARN_DATA")
    means, deviations = published_table()["IF-TSVM"], published_table("deviation")["IF-TSVM"]
    same = []
    for name in dataset_names("uci28"):
        result = run("paper", load_dataset(name), find_model("majority"))
        found = np.array([100 * result.mean, 100 * result.sd])
        if np.abs(found - [means[name], deviations[name]]).max() < 5.1e-5:
            same.append(name)
    assert len(same) == 15
    assert {"credit_approval", "monks_1"} <= set(same)


def test_paper_takes_the_best_mean_over_test_folds():
    data = load_dataset("iris")
    result = run("paper", data)
    X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    X = (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, ddof=1, keepdims=True)
    search = PathSearchCV(
        BLSClassifier(1, 4, standardize=False, random_state=unit("paper").model_seed),
        GRID,
        cv=contiguous_folds(np.arange(len(X))),
        draws="fresh",
    ).fit(X, data.y)
    assert result.mean == pytest.approx(search.best_score_)
    assert result.chosen == search.best_params_
    assert len(result.fold_scores) == 5


def test_settings_chosen_inside_are_judged_on_the_folds_of_paper():
    data = load_dataset("iris")
    result = run("paper-inside", data)
    task = paper_task(data, Noise(), 0)
    for i, (train, test) in enumerate(task.splits):
        model = BLSClassifier(1, 4, standardize=False, random_state=unit("nested").model_seed)
        model.set_params(**result.chosen[i]).fit(task.X[train], task.y[train])
        assert result.fold_scores[i] == model.score(task.X[test], task.y[test])
    assert result.mean < run("paper", data).mean


def test_released_models_run_under_paper_and_ours_elsewhere():
    data, spec = load_dataset("iris"), Recorded("ELM", BLSClassifier(), {"reduced": GRID})
    published = Recorded("ELM", BLSClassifier(**PUBLISHED_FORM), {"reduced": GRID})
    spec = replace(spec, published=published)
    Recorded.fitted.clear()
    run("paper", data, spec)
    run("nested", data, spec)
    released, ours = Recorded.fitted[:2]
    assert (released.estimator.feature_scaling, released.draws) == ("sample", "fresh")
    assert (ours.estimator.feature_scaling, ours.draws) == ("node", "nested")
    assert not released.estimator.standardize


def test_nested_chooses_on_inner_folds_only():
    data = load_dataset("iris")
    result = run("nested", data)
    outer = StratifiedKFold(5, shuffle=True, random_state=unit("nested").split_seed)
    for i, (train, test) in enumerate(outer.split(data.X, data.y)):
        model = BLSClassifier(1, 4, random_state=unit("nested").model_seed)
        model.set_params(**result.chosen[i]).fit(data.X[train], data.y[train])
        assert result.fold_scores[i] == model.score(data.X[test], data.y[test])


@pytest.mark.parametrize("noise", ["labels:0.5:train", "deviation:0.2:train"])
def test_noise_on_training_rows_leaves_test_rows_alone(noise):
    data = load_dataset("iris")
    task = paper_task(data, parse_noise(noise), 3)
    X = paper_task(data, Noise(), 3).X
    for fold, (train, test) in enumerate(task.splits):
        np.testing.assert_allclose(task.X[test], X[test])
        np.testing.assert_array_equal(task.y[test], data.y[test])
        clean, _ = contiguous_folds(np.arange(len(X)))[fold]
        expected = apply_noise(X[clean], data.y[clean], parse_noise(noise), 3 + fold)
        np.testing.assert_allclose(task.X[train], expected[0])
        np.testing.assert_array_equal(task.y[train], expected[1])


@pytest.mark.parametrize("where", ["train", "all"])
def test_noise_is_added_to_standardised_rows(where):
    data, noise = load_dataset("iris"), parse_noise(f"deviation:0.2:{where}")
    task, clean = paper_task(data, noise, 3), paper_task(data, Noise(), 3)
    np.testing.assert_allclose(clean.X.mean(axis=1), 0.0, atol=1e-12)
    np.testing.assert_allclose(clean.X.std(axis=1, ddof=1), 1.0)
    assert np.allclose(task.X[:150], clean.X) == (where == "train")
    if where == "all":
        added = (task.X - clean.X) / clean.X.std(axis=0)
        assert added.std() == pytest.approx(0.2, rel=0.1)


class Spy(DummyClassifier):
    """Remembers what it was fitted on."""

    seen: list = []

    def fit(self, X, y, sample_weight=None):
        Spy.seen.append(np.asarray(X))
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("protocol", ["paper", "nested"])
def test_mixed_columns_are_prepared_within_folds(protocol):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"size": rng.normal(size=60), "colour": rng.choice(["red", "blue", "green"], 60)}
    )
    frame.loc[::7, "size"] = np.nan
    y = rng.integers(0, 2, 60)
    data = Dataset("mixed", frame, y, describe_dataset("iris"))
    Spy.seen = []
    result = run(protocol, data, ModelSpec("spy", Spy()))
    assert len(result.fold_scores) == 5
    # Size, three colours and, where gaps seem to tell the label, whether the size is missing.
    assert all(np.isfinite(X).all() and X.shape[1] in (4, 5) for X in Spy.seen)


def test_sensitivity_is_that_of_the_paper_protocol():
    data, spec = load_dataset("iris"), find_model("ELM")
    result = run("paper-sensitivity", data, spec)
    table = pd.DataFrame(result.details).astype(float)
    assert list(table) == [*SETTINGS, "mean", "sd"]
    assert sorted(table["C"]) == find_model("ELM").grids["reduced"]["C"]
    assert table[list(SETTINGS[1:])].isna().all(axis=None)
    assert table["mean"].max() == pytest.approx(result.mean)
    best = table.loc[table["mean"].idxmax()]
    assert best["C"] == result.chosen["C"]
    assert best["sd"] == pytest.approx(result.sd)


@pytest.fixture
def short():
    data = load_dataset("tic_tac_toe")
    return replace(data, X=data.X[::8], y=data.y[::8])


def test_sensitivity_as_printed_keeps_the_printed_settings(short):
    printed = published_settings().loc["tic_tac_toe", "BLS"]
    result = run("paper-sensitivity-printed", short, find_model("BLS"))
    table = pd.DataFrame(result.details).astype(float)
    assert len(table) == 7 * 4
    assert set(table["n_feature_groups"]) == {3, 9, 15, 21}
    assert set(table["n_feature_nodes"]) == {printed["n_feature_nodes"]}
    assert result.chosen["n_enhancement_nodes"] == printed["n_enhancement_nodes"]
    assert table["mean"].max() == pytest.approx(result.mean)


def test_redraws_are_fits_at_the_printed_settings(short):
    spec = find_model("ELM")
    result = run("paper-redraws", short, spec)
    settings = published_settings().loc["tic_tac_toe", "ELM"]
    assert result.chosen == settings
    scores, task = np.reshape(result.fold_scores, (30, 5)), paper_task(short, Noise(), 0)
    seed = unit("paper-redraws", model="ELM", dataset="tic_tac_toe").model_seed
    seeds = np.random.SeedSequence(seed).generate_state(150).reshape(30, 5)
    for draw, fold in ((0, 0), (0, 4), (29, 3)):
        train, test = task.splits[fold]
        model = spec.as_published().seeded(int(seeds[draw, fold]))
        model.set_params(standardize=False, **settings).fit(task.X[train], task.y[train])
        assert scores[draw, fold] == model.score(task.X[test], task.y[test])
    assert len(set(scores.mean(axis=1))) > 5
    with pytest.raises(ValueError, match="no settings are printed for ELM on iris"):
        run("paper-redraws", load_dataset("iris"), spec)


def given(spec, data, seed=0, noise="none"):
    return run_unit(
        Unit(data.name, noise, spec.name, "given-splits", seed, "reduced", "0"), data, spec
    )


def with_splits(data):
    rows = np.random.default_rng(0).permutation(len(data.y))
    return replace(data, splits=((rows[:100], rows[100:]), (rows[50:], rows[:50])))


def test_given_splits_are_fitted_as_they_stand():
    data = with_splits(load_dataset("iris"))
    spec = find_model("broadlearn:BLSClassifier")
    for seed, (train, test) in enumerate(data.splits):
        result = given(spec, data, seed)
        own = Unit("iris", "none", spec.name, "given-splits", seed, "reduced", "0")
        model = BLSClassifier(random_state=own.model_seed).fit(data.X[train], data.y[train])
        assert result.fold_scores == [model.score(data.X[test], data.y[test])]
        assert result.chosen == {}


def test_given_splits_search_a_grid_on_training_rows():
    data = with_splits(load_dataset("iris"))
    result = given(SMALL, data)
    assert set(result.chosen) == set(GRID)
    test = data.splits[0][1]
    labels = data.y.copy()
    labels[test] = (labels[test] + 1) % 3
    assert given(SMALL, replace(data, y=labels)).chosen == result.chosen


def test_given_splits_have_no_noise():
    with pytest.raises(ValueError, match="noise must be none"):
        given(SMALL, with_splits(load_dataset("iris")), noise="labels:0.2")


def test_folds_are_judged_by_all_metrics():
    result = run("nested", load_dataset("iris"))
    assert list(result.metrics) == ["balanced_accuracy", "f1_macro", "roc_auc", "log_loss"]
    assert all(len(values) == 5 for values in result.metrics.values())
    assert np.mean(result.metrics["roc_auc"]) > 0.95
    assert result.metrics["balanced_accuracy"] == pytest.approx(result.fold_scores)
    # The rows of iris are sorted by class: some contiguous folds hold one, without a ROC curve.
    assert set(run("paper-inside", load_dataset("iris")).metrics) == {
        "balanced_accuracy",
        "f1_macro",
        "log_loss",
    }
    assert run("paper", load_dataset("iris")).metrics == {}


def test_settings_are_chosen_by_the_scoring():
    data, spec = load_dataset("iris"), find_model("k-NN")
    by = {s: replace(unit("nested", model="k-NN"), scoring=s) for s in ("accuracy", "log_loss")}
    found = {s: run_unit(u, data, spec) for s, u in by.items()}
    losses = {s: np.mean(result.metrics["log_loss"]) for s, result in found.items()}
    assert losses["log_loss"] <= losses["accuracy"] + 0.05
    assert found["log_loss"].chosen != found["accuracy"].chosen


def test_a_scoring_that_is_not_defined_is_said():
    spec = ModelSpec("Perceptron", Perceptron(), {"reduced": {"tol": [1]}})
    scored = replace(unit("nested", model="Perceptron"), scoring="log_loss")
    with pytest.raises(ValueError, match="log_loss is not defined on the inner folds"):
        run_unit(scored, load_dataset("iris"), spec)
