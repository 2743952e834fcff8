"""Ensembles, against the average of models that are fitted one by one."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from callbacks import SpreadingRecorder
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

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
    PathEnsembleClassifier,
    PathSearchCV,
    load,
    save,
)
from broadlearn.ensemble import layers
from broadlearn.ensemble.choice import draw_states
from broadlearn.sample_scores import SCORERS, NeighborScorer, SampleScorer, Trust
from broadlearn.search import MARGIN
from broadlearn.utils import check_weights

MANY = {"C": [0.1, 1e4], "n_enhancement_nodes": [10, 60]}
MAPS = [
    {"n_feature_groups": [2], "n_feature_nodes": [4], "n_enhancement_groups": [2], "C": [0.1]},
    {"enhancement_scale": [4.0], "feature_scaling": ["robust"]},
    {
        "enhancement_scale": [[0.5, 2.0, 1.0]],
        "enhancement_inputs": [2],
        "n_enhancement_groups": [2],
    },
]
GRID = {"C": [0.01, 1.0, 100.0], "n_enhancement_nodes": [5, 20], "kernel_width": [2.0, 8.0]}
IF_BLS = IntuitionisticFuzzyBLSClassifier(1, 6, 1, 20)


def table(n=120, n_classes=2, dtype=np.float64):
    X, y = make_classification(
        n, 6, n_informative=4, n_classes=n_classes, flip_y=0.1, class_sep=2.0, random_state=0
    )
    return X.astype(dtype), np.array(list("abcdef"))[y]


def noisy_table(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    return X, np.where(rng.random(n) < 0.15, 1 - (X[:, 0] > 0), X[:, 0] > 0).astype(int)


def average_all(estimator, grid, n, **parameters):
    """An ensemble of all candidates, whatever their nodes cost, searched on one split."""
    whole = [(np.arange(n), np.arange(n))]
    common = {"ensemble_size": 100, "node_budget": 1e3, "cv": whole, "random_state": 3}
    return PathEnsembleClassifier(estimator, grid, **{**common, **parameters})


def candidates_of(model):
    return [{k: v for k, v in member.items() if k != "weight"} for member in model.members_]


def mean_decision(model, estimator, n_draws, X, y, **fit):
    """Mean decision of plain fits of the members of an ensemble."""
    total, candidates = 0.0, candidates_of(model)
    for state in draw_states(model.random_state, n_draws):
        for candidate in candidates:
            one = clone(estimator).set_params(random_state=state, **candidate)
            total = total + one.fit(X, y, **fit).decision_function(X)
    return total / (n_draws * len(candidates))


@pytest.mark.parametrize(
    ("estimator", "grid", "size"),
    [
        (BLSClassifier(1, 5, 1, 40), [MANY, *MAPS], 7),
        (FuzzyBLSClassifier(1, 5, 1, 40), MANY, 4),
        (ELMClassifier(40), [{"n_hidden_nodes": [10]}, {"C": [100.0]}], 2),
        (BLSClassifier(1, 5, 1, 40), [MANY, {"sample_scores": [*SCORERS, NeighborScorer(5)]}], 10),
        (IntuitionisticFuzzyBLSClassifier(1, 5, 1, 40), {"kernel_width": [4.0, 8.0]}, 2),
    ],
    ids=["BLS", "F-BLS", "ELM", "scores", "IF-BLS"],
)
@pytest.mark.parametrize("n", [30, 120], ids=["few samples", "many samples"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_an_ensemble_is_the_average_of_its_members(estimator, grid, size, n, n_classes):
    X, y = table(n, n_classes)
    # Scores are those of the first draw, so where they are drawn one draw is compared.
    n_draws = 1 if size == 10 else 3
    weight = np.random.default_rng(1).integers(0, 3, n)
    weight[:6] = 1
    model = average_all(estimator, grid, n, n_draws=n_draws).fit(X, y, sample_weight=weight)
    assert len(model.members_) == size
    expected = mean_decision(model, estimator, n_draws, X, y, sample_weight=weight)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-8)


def test_one_candidate_and_one_draw_is_the_model_itself():
    X, y = table()
    single = BLSClassifier(random_state=5).fit(X, y)
    model = PathEnsembleClassifier(BLSClassifier(), {"C": [1.0]}, n_draws=1, random_state=5)
    model.fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), single.predict_proba(X), atol=1e-8)
    assert model.n_nodes_ == single.n_enhancement_nodes


@pytest.mark.slow
def test_no_argument_is_needed():
    X, y = table(200)
    train, test = np.arange(100), np.arange(100, 200)
    model = PathEnsembleClassifier(n_jobs=1).fit(X[train], y[train])
    assert is_classifier(model)
    assert len(model.members_) == 25
    assert model.n_nodes_ == 2000  # 2.5 layers of 1,000 nodes hold two draws
    assert len(model.cv_results_["params"]) == 145
    assert {member["activation"] for member in model.members_} == {"sine"}
    assert model.score(X[test], y[test]) > 0.85
    assert model.predict_proba(X).shape == (200, 2)


@pytest.mark.parametrize("estimator", [FuzzyBLSClassifier(1, 5), ELMClassifier()])
def test_other_models_have_the_grid_of_the_search(estimator):
    X, y = table(40)
    model = PathEnsembleClassifier(estimator, cv=2, n_draws=1, ensemble_size=3).fit(X, y)
    search = PathSearchCV(estimator, cv=2, refit=False).fit(X, y)
    assert list(model.cv_results_["params"]) == list(search.cv_results_["params"])


def test_large_tables_are_taken_in_blocks(monkeypatch):
    X, y = table()
    model = average_all(BLSClassifier(1, 5, 1, 40), MANY, 120, n_draws=2)
    whole = clone(model).fit(X, y)
    monkeypatch.setattr(layers, "KEPT_NUMBERS", 0)
    blocks = clone(model).fit(X, y)
    np.testing.assert_allclose(blocks.decision_function(X), whole.decision_function(X), atol=1e-9)


def test_members_that_share_nodes_cost_no_more_to_predict():
    X, y = table()
    model = average_all(None, MANY, 120, n_draws=2).fit(X, y)
    assert model.n_nodes_ == 2 * 60
    assert model.output_weights_.shape == (X.shape[1] + 1 + 120, 1)


def test_members_are_shown_with_their_weights():
    X, y = table()
    model = average_all(None, MANY, 120).fit(X, y)
    assert {member["weight"] for member in model.members_} == {0.25}
    assert sorted(map(str, candidates_of(model))) == sorted(map(str, model.cv_results_["params"]))


def test_scores_of_samples_are_the_mean_of_those_of_the_members():
    X, y = table()
    estimator = BLSClassifier(1, 5, 1, 40, random_state=0)
    kinds = [*SCORERS, NeighborScorer(3)]
    model = average_all(estimator, {"sample_scores": kinds}, 120, random_state=0).fit(X, y)
    each = [clone(estimator).set_params(sample_scores=k).fit(X, y).sample_scores_ for k in kinds]
    np.testing.assert_allclose(model.sample_scores_, np.mean(each, axis=0), atol=1e-12)


def test_probabilities_are_calibrated_on_held_out_samples():
    X, y = table(2000)
    model = average_all(None, MANY, 1000, n_draws=2)
    shares = model.fit(X[:1000], y[:1000]).predict_proba(X[1000:])[:, 1]
    sure = shares > 0.8
    assert np.mean(y[1000:][sure] == "b") == pytest.approx(shares[sure].mean(), abs=0.06)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_saved_and_pickled_models_predict_the_same(dtype, tmp_path):
    X, y = table(dtype=dtype)
    model = average_all(None, {**MANY, "sample_scores": ["uniform", NeighborScorer(3)]}, 120)
    assert model.fit(X, y).decision_function(X).dtype == dtype
    again = pickle.loads(pickle.dumps(model))
    assert list(again.cv_results_["params"]) == list(model.cv_results_["params"])
    save(model.set_params(cv=5), tmp_path / "model.blm")
    for copy in (again, load(tmp_path / "model.blm")):
        np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
        assert copy.members_ == model.members_


def test_an_onnx_graph_predicts_the_same():
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("skl2onnx")
    from broadlearn.io import to_onnx

    X, y = table(n_classes=3)
    model = average_all(None, MANY, 120, n_draws=2).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph = to_onnx(model).SerializeToString()
    rows = X.astype(np.float32)
    labels, shares = runtime.InferenceSession(graph).run(None, {"X": rows})
    np.testing.assert_allclose(shares, model.predict_proba(rows.astype(float)), atol=1e-5)
    assert (labels == model.predict(rows)).all()


def test_the_same_seed_gives_the_same_model():
    X, y = table()
    make = lambda seed: average_all(None, MANY, 120, n_draws=2, random_state=seed).fit(X, y)  # noqa: E731
    one = make(0)
    np.testing.assert_allclose(make(0).output_weights_, one.output_weights_, atol=1e-10)
    np.testing.assert_allclose(clone(one).fit(X, y).output_weights_, one.output_weights_)
    assert not np.allclose(one.output_weights_, make(1).output_weights_)
    drawn = [make(np.random.RandomState(4)).output_weights_ for _ in range(2)]
    np.testing.assert_array_equal(*drawn)


def test_the_seed_of_the_estimator_is_not_used():
    X, y = table()
    models = [average_all(BLSClassifier(random_state=seed), MANY, 120) for seed in (None, 0, 1)]
    found = [model.fit(X, y).output_weights_ for model in models]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    assert [model.estimator.random_state for model in models] == [None, 0, 1]


@pytest.mark.parametrize(
    "estimator",
    [
        HierarchicalELMClassifier(),
        NeuroFuzzyBLSClassifier(),
        IntuitionisticFuzzyTwinSVC(),
        BLSRegressor(),
        BroadFeatures(),
        PathEnsembleClassifier(),
        PathSearchCV(BLSClassifier()),
        LogisticRegression(),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_other_estimators_are_refused(estimator):
    message = f"^estimator must be a BLSClassifier, .*, got {type(estimator).__name__}.$"
    with pytest.raises(ValueError, match=message):
        PathEnsembleClassifier(estimator).fit(*table(20))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"param_grid": []}, "param_grid must be a dict"),
        ({"param_grid": [3]}, "param_grid must hold dicts"),
        ({"param_grid": "paper"}, "'param_grid' parameter of PathEnsembleClassifier"),
        ({"param_grid": {"random_state": [0, 1]}}, "param_grid must not hold random_state"),
        ({"param_grid": [{}, {"random_state": [0]}]}, "param_grid must not hold random_state"),
        ({"param_grid": {"n_nodes": [1]}}, "'n_nodes', which BLSClassifier does not have"),
        ({"param_grid": {"feature_scaling": ["sample"]}}, "must have affine feature nodes"),
        ({"estimator": "BLS"}, "'estimator' parameter of PathEnsembleClassifier"),
        ({"n_draws": 0}, "n_draws"),
        ({"ensemble_size": 0}, "ensemble_size"),
        ({"node_budget": 0.5}, "node_budget"),
        ({"scoring": ["accuracy"]}, "scoring"),
    ],
)
def test_what_cannot_be_averaged(parameters, message):
    with pytest.raises(ValueError, match=message):
        PathEnsembleClassifier(**parameters).fit(*table(40))


def test_an_ensemble_averages_the_candidates_with_the_best_margins():
    X, y = noisy_table()
    model = PathEnsembleClassifier(IF_BLS, GRID, cv=3, ensemble_size=5, n_draws=2, random_state=0)
    results, chosen = model.fit(X, y).cv_results_, candidates_of(model)
    quality = results["mean_test_margin"]
    positions = [list(results["params"]).index(candidate) for candidate in chosen]
    np.testing.assert_allclose(quality[positions], np.sort(quality)[::-1][:5])
    assert model.best_score_ == results["mean_test_score"][positions[0]]
    expected = mean_decision(model, IF_BLS, 2, X, y)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-8)


def test_the_margin_of_the_search_is_that_of_fitted_models():
    X, y = noisy_table()
    model = PathEnsembleClassifier(IF_BLS, GRID, cv=3, random_state=0).fit(X, y)
    single = clone(IF_BLS).set_params(random_state=0)
    scoring = {"score": "accuracy", "margin": MARGIN}
    plain = GridSearchCV(single, GRID, scoring=scoring, cv=3, refit=False).fit(X, y)
    for name in ("mean_test_score", "mean_test_margin"):
        np.testing.assert_allclose(model.cv_results_[name], plain.cv_results_[name], atol=1e-9)


def test_with_a_scoring_of_the_users_own_members_are_ranked_by_it():
    X, y = noisy_table()
    model = PathEnsembleClassifier(
        IF_BLS, GRID, cv=3, scoring="roc_auc", ensemble_size=4, random_state=0
    ).fit(X, y)
    assert "mean_test_margin" not in model.cv_results_
    search = PathSearchCV(
        clone(IF_BLS).set_params(random_state=0), GRID, cv=3, scoring="roc_auc", refit=False
    ).fit(X, y)
    assert candidates_of(model)[0] == search.best_params_
    assert model.best_score_ == search.best_score_


@pytest.mark.slow
def test_an_ensemble_is_the_same_on_any_number_of_workers():
    X, y = noisy_table()
    one, two = (
        PathEnsembleClassifier(IF_BLS, GRID, cv=3, n_jobs=n_jobs, random_state=0).fit(X, y)
        for n_jobs in (1, 2)
    )
    assert one.members_ == two.members_
    np.testing.assert_allclose(one.decision_function(X), two.decision_function(X), atol=1e-12)


def test_samples_that_are_judged_never_choose_the_ensemble():
    X, y = noisy_table()
    train, test = np.arange(0, 100), np.arange(100, 150)
    chosen = []
    for seed in range(3):
        labels = y.copy()
        labels[test] = np.random.default_rng(seed).permutation(labels[test])
        model = PathEnsembleClassifier(IF_BLS, GRID, cv=3, ensemble_size=5, random_state=0)
        model.fit(X[train], labels[train]).score(X[test], labels[test])
        chosen.append((model.members_, model.predict(X[test]).tolist()))
    assert chosen[0] == chosen[1] == chosen[2]


class Unknown(SampleScorer):
    """A scorer without a name of its own: each copy looks like another one."""

    def score(self, samples):
        return Trust(np.full(len(samples.Z), 0.5))


@pytest.mark.parametrize("bad", [NeighborScorer(3), Unknown()], ids=["named", "nameless"])
def test_candidates_that_all_samples_refuse_are_passed_over(bad, monkeypatch):
    X, y = table(60)
    score = layers.score_samples

    def refuse(scorer, data, seed):
        problem = "no trust" if type(scorer) is type(bad) else ""
        return [trust._replace(problem=problem) for trust in score(scorer, data, seed)]

    # Folds are not scored there: only members that are fitted on all samples meet it.
    monkeypatch.setattr(layers, "score_samples", refuse)
    grid = {"sample_scores": [bad, "uniform"], "C": [0.1, 1.0]}
    model = average_all(BLSClassifier(1, 5, 1, 20), grid, 60)
    with pytest.warns(FitFailedWarning, match=r"cannot be fitted on all samples.*: no trust"):
        model.fit(X, y)
    assert [candidate["sample_scores"] for candidate in candidates_of(model)] == ["uniform"] * 2
    model.set_params(estimator=BLSClassifier(1, 5, 1, 20, sample_scores=bad))
    with (
        pytest.warns(FitFailedWarning, match="no trust"),
        pytest.raises(ValueError, match="No candidate could be scored on every fold and fitted"),
    ):
        model.set_params(param_grid={"C": [0.1, 1.0]}).fit(X, y)


def test_several_draws_stay_within_the_budget():
    X, y = table(60)
    model = PathEnsembleClassifier(
        BLSClassifier(1, 5, 1, 20), {"enhancement_scale": [0.5, 1.0, 2.0]}, cv=2, random_state=0
    )
    for budget, n_nodes in ((1.0, 20), (2.5, 40), (6.0, 120), (9.0, 180)):
        assert model.set_params(node_budget=budget).fit(X, y).n_nodes_ == n_nodes


def test_frames_keep_the_names_of_their_columns():
    X, y = table(60)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = average_all(BLSClassifier(1, 5, 1, 20), MANY, 60).fit(frame, y)
    assert list(model.feature_names_in_) == list("abcdef")
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[list("bacdef")])


@pytest.mark.parametrize("labels", [np.zeros(20), np.linspace(0, 1, 20)])
def test_labels_are_checked_before_the_search(labels):
    X, _ = table(20)
    with pytest.raises(ValueError, match=r"only one class|Unknown label type"):
        PathEnsembleClassifier().fit(X, labels)


def test_callbacks_see_the_search_and_the_draws():
    X, y = table(60)
    seen = SpreadingRecorder()
    model = average_all(BLSClassifier(1, 5, 1, 20), MANY, 60)
    model.set_callbacks(seen).fit(X, y)
    # The search is a fit within the fit.
    assert seen.of("fit") == 2
    assert seen.of("candidate-split-evaluation") == len(model.cv_results_["params"]) * len(model.cv)
    assert seen.of("draw") == model.n_draws
    assert seen.events[0] == "setup"
    assert seen.events[-1] == "teardown"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [
        PathEnsembleClassifier(
            BLSClassifier(1, 5, 1, 10),
            {"C": [1.0, 10.0], "sample_scores": ["uniform", "held_out", NeighborScorer(5)]},
            cv=2,
            n_draws=2,
            random_state=0,
        ),
        PathEnsembleClassifier(
            IntuitionisticFuzzyBLSClassifier(1, 5, 1, 10),
            {"C": [1.0, 10.0]},
            cv=2,
            random_state=0,
        ),
        PathEnsembleClassifier(ELMClassifier(10), {"C": [1.0, 10.0]}, cv=2, random_state=0),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("class_weight", ["balanced", {"a": 4.0}])
def test_class_weights_are_sample_weights(class_weight):
    X, y = table()
    weight = np.random.default_rng(0).integers(1, 3, len(y)).astype(float)
    model = PathEnsembleClassifier(
        BLSClassifier(1, 4, 1, 20), {"C": [0.1, 10.0]}, n_draws=1, cv=3, random_state=0
    )
    expected = clone(model).fit(X, y, check_weights(weight, X, class_weight, y))
    found = model.set_params(class_weight=class_weight).fit(X, y, weight)
    np.testing.assert_array_equal(found.predict_proba(X), expected.predict_proba(X))


@pytest.mark.parametrize(
    ("estimator", "grid"),
    [
        (BLSClassifier(class_weight="balanced"), {"C": [1.0]}),
        (BLSClassifier(), {"class_weight": [None, "balanced"]}),
    ],
)
def test_class_weights_belong_to_the_ensemble(estimator, grid):
    with pytest.raises(ValueError, match="class_weight must be set on the ensemble"):
        PathEnsembleClassifier(estimator, grid).fit(*table())
