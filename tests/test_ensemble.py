"""Ensembles, against the average of models that are fitted one by one."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_classification
from sklearn.utils.estimator_checks import parametrize_with_checks

from broadlearn import (
    BLSClassifier,
    ELMClassifier,
    FuzzyBLSClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    load,
    save,
)
from broadlearn import _ensemble_layers as module
from broadlearn._ensemble_layers import RefusedSetting
from broadlearn.ensemble import BroadEnsembleClassifier, draw_states

MANY = [{"C": C, "n_enhancement_nodes": q} for C in (0.1, 1e4) for q in (10, 60)]
MAPS = [
    {"n_feature_groups": 2, "n_feature_nodes": 4, "n_enhancement_groups": 2, **MANY[1]},
    {"enhancement_scale": 4.0, "feature_scaling": "robust"},
    {"enhancement_scale": [0.5, 2.0, 1.0], "enhancement_inputs": 2, "n_enhancement_groups": 2},
]
SCORES = [
    *({"sample_scores": name} for name in ("uniform", "fuzzy", "neighbors", "held_out")),
    {"kernel_width": 4.0},
    {"kernel_width": 8.0, "C": 10.0},
]


def table(n=120, n_classes=2, dtype=np.float64):
    X, y = make_classification(
        n, 6, n_informative=4, n_classes=n_classes, flip_y=0.1, class_sep=2.0, random_state=0
    )
    return X.astype(dtype), np.array(list("abcdef"))[y]


def mean_decision(estimator, settings, shares, n_draws, X, y, rows, **fit):
    total = 0.0
    for state in draw_states(estimator.random_state, n_draws):
        for setting, share in zip(settings, shares, strict=True):
            model = clone(estimator).set_params(random_state=state, **setting)
            total = total + share / n_draws * model.fit(X, y, **fit).decision_function(rows)
    return total


@pytest.mark.parametrize(
    ("estimator", "settings"),
    [
        (BLSClassifier(1, 5, 1, 40, random_state=3), [*MANY, *MAPS]),
        (FuzzyBLSClassifier(1, 5, 1, 40, random_state=3), MANY),
        (ELMClassifier(40, random_state=3), [{"n_hidden_nodes": 10}, {"C": 100.0}]),
        # Its scores are those of the first draw, so one draw is compared.
        (IntuitionisticFuzzyBLSClassifier(1, 5, 1, 40, random_state=3), [*MANY, *SCORES]),
    ],
    ids=["BLS", "F-BLS", "ELM", "IF-BLS"],
)
@pytest.mark.parametrize("n", [30, 120], ids=["few rows", "many rows"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_an_ensemble_is_the_average_of_its_members(estimator, settings, n, n_classes):
    X, y = table(n, n_classes)
    n_draws = 1 if isinstance(estimator, IntuitionisticFuzzyBLSClassifier) else 3
    weight = np.random.default_rng(1).integers(0, 3, n)
    weight[:6] = 1
    shares = np.arange(1.0, len(settings) + 1)
    model = BroadEnsembleClassifier(estimator, settings, weights=shares, n_draws=n_draws)
    model.fit(X, y, sample_weight=weight)
    expected = mean_decision(
        estimator, settings, shares / shares.sum(), n_draws, X, y, X, sample_weight=weight
    )
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-8)


def test_one_setting_and_one_draw_is_the_model_itself():
    X, y = table()
    single = BLSClassifier(random_state=5).fit(X, y)
    model = BroadEnsembleClassifier(BLSClassifier(random_state=5)).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), single.predict_proba(X), atol=1e-8)
    assert model.n_nodes_ == single.n_enhancement_nodes


def test_large_tables_are_taken_in_blocks(monkeypatch):
    X, y = table()
    estimator = BLSClassifier(1, 5, 1, 40, random_state=0)
    whole = BroadEnsembleClassifier(estimator, MANY, n_draws=2).fit(X, y)
    monkeypatch.setattr(module, "KEPT_NUMBERS", 0)
    blocks = BroadEnsembleClassifier(estimator, MANY, n_draws=2).fit(X, y)
    np.testing.assert_allclose(blocks.decision_function(X), whole.decision_function(X), atol=1e-9)


def test_members_that_share_nodes_cost_no_more_to_predict():
    X, y = table()
    model = BroadEnsembleClassifier(BLSClassifier(random_state=0), MANY, n_draws=2).fit(X, y)
    assert model.n_nodes_ == 2 * 60
    assert model.output_weights_.shape == (X.shape[1] + 1 + 120, 1)


def test_members_are_shown_with_their_weights():
    X, y = table()
    model = BroadEnsembleClassifier(BLSClassifier(), MANY, weights=[1, 1, 1, 5]).fit(X, y)
    assert model.members_[3] == {**MANY[3], "weight": 0.625}
    assert sum(member["weight"] for member in model.members_) == pytest.approx(1.0)


def test_scores_of_rows_are_the_mean_of_those_of_the_members():
    X, y = table()
    estimator = IntuitionisticFuzzyBLSClassifier(1, 5, 1, 40, random_state=0)
    model = BroadEnsembleClassifier(estimator, SCORES).fit(X, y)
    each = [clone(estimator).set_params(**s).fit(X, y).sample_scores_ for s in SCORES]
    np.testing.assert_allclose(model.sample_scores_, np.mean(each, axis=0), atol=1e-12)


def test_probabilities_are_calibrated_on_held_out_rows():
    X, y = table(2000)
    model = BroadEnsembleClassifier(BLSClassifier(random_state=0), MANY, n_draws=2)
    shares = model.fit(X[:1000], y[:1000]).predict_proba(X[1000:])[:, 1]
    sure = shares > 0.8
    assert np.mean(y[1000:][sure] == "b") == pytest.approx(shares[sure].mean(), abs=0.06)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_saved_and_pickled_models_predict_the_same(dtype, tmp_path):
    X, y = table(dtype=dtype)
    model = BroadEnsembleClassifier(BLSClassifier(random_state=0), MANY, n_draws=2).fit(X, y)
    assert model.decision_function(X).dtype == dtype
    save(model, tmp_path / "model.blm")
    for again in (load(tmp_path / "model.blm"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_an_onnx_graph_predicts_the_same():
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("skl2onnx")
    from broadlearn.onnx_export import to_onnx

    X, y = table(n_classes=3)
    model = BroadEnsembleClassifier(BLSClassifier(random_state=0), MANY, n_draws=2).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph = to_onnx(model).SerializeToString()
    rows = X.astype(np.float32)
    labels, shares = runtime.InferenceSession(graph).run(None, {"X": rows})
    np.testing.assert_allclose(shares, model.predict_proba(rows.astype(float)), atol=1e-5)
    assert (labels == model.predict(rows)).all()


def test_the_same_seed_gives_the_same_model():
    X, y = table()
    make = lambda seed: BroadEnsembleClassifier(  # noqa: E731
        BLSClassifier(random_state=seed), MANY, n_draws=2
    ).fit(X, y)
    np.testing.assert_allclose(make(0).output_weights_, make(0).output_weights_, atol=1e-10)
    assert not np.allclose(make(0).output_weights_, make(1).output_weights_)
    assert is_classifier(make(0))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"settings": []}, "settings must hold one or more dicts"),
        ({"settings": MANY, "weights": [1.0]}, "weights must be 4 positive numbers"),
        ({"settings": MANY, "weights": [1, 1, 0, 1]}, "weights must be 4 positive numbers"),
        ({"settings": [{}, {"activation": "relu"}]}, "settings must agree in activation"),
        ({"settings": [{"feature_scaling": "sample"}]}, "must have affine feature nodes"),
        ({"estimator": HierarchicalELMClassifier()}, "estimator must be one of BLSClassifier"),
        ({"n_draws": 0}, "n_draws"),
    ],
)
def test_what_cannot_be_averaged(parameters, message):
    X, y = table()
    with pytest.raises(ValueError, match=message):
        BroadEnsembleClassifier(**{"estimator": BLSClassifier(), **parameters}).fit(X, y)


def test_a_setting_that_the_rows_refuse_is_named():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.repeat([0, 1], [38, 2])
    X[-2:] = [[9.0, 9.0], [-9.0, -9.0]]
    settings = [{"sample_scores": "uniform"}, {"neighborhood_radius": 1.5, "kernel_width": 0.01}]
    model = BroadEnsembleClassifier(IntuitionisticFuzzyBLSClassifier(), settings)
    with pytest.raises(RefusedSetting, match="All sample scores") as refused:
        model.fit(X, y)
    assert refused.value.position == 1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [
        BroadEnsembleClassifier(
            BLSClassifier(1, 5, 1, 10, random_state=0), [{}, {"C": 10.0}], n_draws=2
        ),
        BroadEnsembleClassifier(
            IntuitionisticFuzzyBLSClassifier(1, 5, 1, 10, random_state=0),
            [{}, {"sample_scores": "held_out"}, {"sample_scores": "neighbors"}],
        ),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
