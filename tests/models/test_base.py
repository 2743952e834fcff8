from functools import partial

import numpy as np
import pandas as pd
import pytest
from callbacks import Recorder
from plain import plain_ridge
from scipy.sparse import csr_matrix
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.multioutput import MultiOutputClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_classifier_multioutput
from threadpoolctl import threadpool_limits

from broadlearn import (
    PUBLISHED_FORM,
    BLSClassifier,
    BLSRegressor,
    BroadFeatures,
    ELMClassifier,
    FuzzyBLSClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    NeuroFuzzyBLSClassifier,
)
from broadlearn.models.base import (
    encode_samples,
    score_samples,
    untrusted,
)
from broadlearn.models.bls_regressor import centre_samples
from broadlearn.sample_scores import FuzzyScorer, IntuitionisticScorer, UniformScorer
from broadlearn.solvers import learn_slopes, ridge
from broadlearn.utils import row_slices

MAP = {
    "n_feature_groups": 6,
    "n_feature_nodes": 5,
    "n_enhancement_groups": 2,
    "n_enhancement_nodes": 40,
    "random_state": 3,
}
FORMS = [
    {},
    {"feature_weights": "random"},
    {"feature_weights": "sparse"},
    {"feature_scaling": "robust"},
    {"feature_scaling": None},
    {"feature_scaling": "sample"},
    {"feature_activation": "tanh", "activation": "relu"},
    {"standardize": False},
    {"enhancement_scale": 3.0, "activation": "sine"},
    {"enhancement_bias": 8.0},
    {"enhancement_inputs": 3, "enhancement_scale": (0.5, 2.0), "standardize": "robust"},
    {"enhancement_inputs": 3, "feature_activation": "tanh"},
]


def make(n):
    return make_classification(n, 8, n_informative=6, random_state=0)


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("n", [70, 400])
@pytest.mark.parametrize("C", [1.0, 1e6])
def test_equals_ridge_on_the_whole_design_matrix(form, n, C):
    X, y = make(n)
    G = BroadFeatures(**MAP, **form).fit_transform(X)
    W = plain_ridge(G, np.where(y == 1, 1.0, -1.0)[:, None], C)
    model = BLSClassifier(**MAP, **form, C=C).fit(X, y)
    assert model.output_weights_.shape == (110, 1)
    np.testing.assert_allclose(model.decision_function(X), (G @ W).ravel(), atol=1e-7)
    np.testing.assert_allclose((G @ model.output_weights_).ravel(), (G @ W).ravel(), atol=1e-7)


def test_smaller_gram_matrix_is_taken():
    # 30 feature nodes of rank 9 and 80 enhancement nodes: 89 columns.
    assert BLSClassifier(**MAP).fit(*make(88)).solver_ == "dual"
    assert BLSClassifier(**MAP).fit(*make(89)).solver_ == "primal"


def test_solvers_agree():
    X, y = make(100)
    primal = BLSClassifier(**MAP, solver="primal", C=100.0).fit(X, y)
    dual = BLSClassifier(**MAP, solver="dual", C=100.0).fit(X, y)
    assert (primal.solver_, dual.solver_) == ("primal", "dual")
    np.testing.assert_allclose(primal.predict_proba(X), dual.predict_proba(X), atol=1e-9)


def test_no_rows_by_rows_matrix_where_rows_are_many():
    X, y = make(300)
    with pytest.warns(UserWarning, match="the primal is solved instead"):
        model = BLSClassifier(**MAP, solver="dual").fit(X, y)
    assert model.solver_ == "primal"


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 3000])
@pytest.mark.parametrize("C", [1.0, 1e6])
def test_threads_do_not_matter(n, C):
    X, y = make(n)
    decisions = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            decisions.append(BLSClassifier(random_state=0, C=C).fit(X, y).decision_function(X))
    np.testing.assert_allclose(decisions[0], decisions[1], rtol=0, atol=1e-10)


def test_standardisation_is_learnt_on_training_rows():
    X, y = make(200)
    model = BLSClassifier(**MAP).fit(X, y)
    far = X.copy()
    far[0] += 1e6
    np.testing.assert_allclose(
        model.decision_function(far)[1:], model.decision_function(X)[1:], atol=1e-10
    )


@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_extreme_and_constant_columns(scale):
    X, y = make(200)
    stretched = np.column_stack([X * scale, np.full(200, 7.0)])
    plain = np.column_stack([X, np.full(200, 7.0)])
    np.testing.assert_allclose(
        BLSClassifier(**MAP).fit(stretched, y).decision_function(stretched),
        BLSClassifier(**MAP).fit(plain, y).decision_function(plain),
        atol=1e-8,
    )


def test_all_columns_constant():
    X, y = np.ones((30, 3)), np.repeat([0, 1, 1], 10)
    model = BLSClassifier(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), 1)


def test_prediction_in_blocks_equals_one_block(monkeypatch):
    X, y = make(500)
    model = BLSClassifier(**MAP).fit(X, y)
    whole = model.decision_function(X)
    few = partial(row_slices, numbers=1 << 8)
    monkeypatch.setattr("broadlearn.models.base.row_slices", few)
    monkeypatch.setattr("broadlearn.random_features.nested_maps.row_slices", few)
    monkeypatch.setattr("broadlearn.solvers.ridge.BLOCK_NUMBERS", 1 << 8)
    np.testing.assert_allclose(model.decision_function(X), whole, atol=1e-12)
    np.testing.assert_allclose(
        BLSClassifier(**MAP).fit(X, y).decision_function(X), whole, atol=1e-9
    )


def test_probabilities_follow_decisions():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 3)), rng.integers(0, 3, 90)
    model = IntuitionisticFuzzyBLSClassifier(random_state=0).fit(X, y)
    np.testing.assert_array_equal(
        model.predict_proba(X).argmax(axis=1), model.decision_function(X).argmax(axis=1)
    )


def test_slope_counts_samples_by_weight_and_score():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    weight = rng.integers(1, 4, 50) * 1.0
    data = encode_samples(X, y, weight, True, "Model")
    decision, scores = rng.normal(size=(50, 1)), rng.uniform(size=50)
    copies = np.repeat(np.arange(50), weight.astype(int))
    repeated = encode_samples(X[copies], y[copies], None, True, "Model")
    weighted = learn_slopes(decision[None], data.codes, data.weight, scores)
    of_copies = learn_slopes(decision[copies][None], repeated.codes, None, scores[copies])
    np.testing.assert_allclose(weighted, of_copies)


def test_labels_of_any_kind_come_back():
    X = np.random.default_rng(0).normal(size=(40, 2))
    for labels in ([False, True], ["no", "yes"], [3, -7], [1.0, 2.0]):
        y = np.array(labels)[(X[:, 0] > 0).astype(int)]
        model = BLSClassifier(random_state=0).fit(X, y)
        np.testing.assert_array_equal(model.classes_, np.unique(y))
        assert model.predict(X).dtype == y.dtype
        assert model.score(X, y) > 0.9


def test_a_class_of_weight_zero_stays_but_is_not_predicted():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.repeat([0, 1, 2], 20)
    X[:, 0] += 4 * y
    model = BLSClassifier(random_state=0).fit(X, y, sample_weight=(y != 2).astype(float))
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])
    assert 2 not in model.predict(X)


@pytest.mark.parametrize("model", [FuzzyBLSClassifier, IntuitionisticFuzzyTwinSVC])
def test_every_sample_keeps_a_score_also_those_of_weight_zero(model):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.repeat([0, 1], 20)
    weight = np.r_[np.zeros(3), np.ones(37)]
    fitted = model().fit(X, y, sample_weight=weight)
    assert fitted.sample_scores_.shape == (40,)


def test_weights_that_leave_one_class_are_refused():
    with pytest.raises(ValueError, match="only one class with a positive weight"):
        BLSClassifier().fit([[0.0], [1.0], [2.0]], [0, 0, 1], sample_weight=[1, 1, 0])


@pytest.mark.parametrize("standardize", [True, False])
def test_standardisation_is_learnt_from_samples_with_weight(standardize):
    X, weight = np.array([[0.0], [2.0], [1e6]]), np.array([1.0, 1.0, 0.0])
    data = encode_samples(X, np.array([0, 1, 1]), weight, standardize, "Model")
    expected = [[-1.0], [1.0]] if standardize else X[:2]
    np.testing.assert_allclose(data.standardization.affine(data.X)[:, :-1], expected)
    data, _ = centre_samples(X, np.ones((3, 1)), weight, standardize)
    np.testing.assert_allclose(data.standardization.affine(data.X)[:, :-1], expected)


def test_samples_at_predict_must_have_the_columns_of_fit():
    model = BLSClassifier(n_enhancement_nodes=5).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    with pytest.raises(ValueError, match="2 features, but BLSClassifier is expecting 1"):
        model.predict([[0.0, 1.0]])


def test_encoded_samples_are_those_of_positive_weight():
    X, y = np.arange(4.0)[:, None], np.array(["a", "b", "c", "b"])
    data = encode_samples(X, y, np.array([1.0, 4.0, 2.0, 0.0]), True, "Model")
    np.testing.assert_array_equal(data.X, X[:3])
    np.testing.assert_array_equal(data.T, np.eye(3))
    np.testing.assert_array_equal(data.codes, [0, 1, 2])
    np.testing.assert_array_equal(data.keep, [True, True, True, False])
    np.testing.assert_array_equal(data.given[1], [0, 1, 2, 1])
    np.testing.assert_array_equal(data.diagonal(None), [1.0, 2.0, np.sqrt(2.0)])
    np.testing.assert_array_equal(data.diagonal(np.array([0.5, 0.5, 0.0])), [0.5, 1.0, 0.0])
    whole = encode_samples(X, y, None, True, "Model")
    assert whole.diagonal(None) is None
    np.testing.assert_array_equal(whole.diagonal(np.arange(4.0)), np.arange(4.0))
    assert len(whole.X[whole.keep]) == 4


def test_real_targets_are_less_their_mean():
    Y, weight = np.array([[1.0, 0.0], [3.0, 2.0], [9.0, 9.0]]), np.array([3.0, 1.0, 0.0])
    data, mean = centre_samples(np.arange(3.0)[:, None], Y, weight, True)
    np.testing.assert_allclose(mean, [1.5, 0.5])
    np.testing.assert_allclose(data.T, Y[:2] - mean)
    assert data.classes.size == 0


@pytest.mark.parametrize("scorer", [UniformScorer(), FuzzyScorer(), IntuitionisticScorer()])
def test_several_widths_equal_one_at_a_time(scorer):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120)
    X = rng.normal(size=(120, 3)) * [1, 10, 100] + y[:, None]
    data = encode_samples(X, y, None, True, "Model")
    widths = [0.5, "auto", 8.0, None]
    together = score_samples(scorer, data, 0, widths)
    for trust, width in zip(together, widths, strict=True):
        (alone,) = score_samples(scorer, data, 0, [width])
        assert (trust.score is None) == isinstance(scorer, UniformScorer)
        if trust.score is not None:
            np.testing.assert_allclose(trust.score, alone.score, atol=1e-12)


def test_classes_without_trust_are_named():
    classes = np.array(["a", "b", "c"])
    assert "of class 'b', 'c' are zero" in untrusted(classes, np.array([1.0, 0.0, 0.0]), "")
    message = untrusted(classes, np.zeros(3), "Do this.")
    assert "of every class are zero" in message
    assert message.endswith("Do this.")


@pytest.mark.parametrize(
    "kind",
    [
        BLSClassifier,
        FuzzyBLSClassifier,
        IntuitionisticFuzzyBLSClassifier,
        ELMClassifier,
        BLSRegressor,
    ],
)
def test_an_interrupted_fit_leaves_the_old_model_whole(kind, monkeypatch):
    X, y = make(100)
    model = kind(random_state=0).fit(X, y)
    before, expected = dict(vars(model)), model.predict(X)

    def interrupt(*arguments):
        raise KeyboardInterrupt

    room = "base" if is_classifier(model) else "bls_regressor"
    monkeypatch.setattr(f"broadlearn.models.{room}.solve_ridge", interrupt)
    other = y % 2 if is_classifier(model) else np.column_stack([y, y])
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:60] + 1.0, other[:60])
    assert vars(model).keys() == before.keys()
    assert all(value is before[name] for name, value in vars(model).items())
    np.testing.assert_array_equal(model.predict(X), expected)


def test_a_refit_leaves_nothing_of_other_scores():
    X, y = make(100)
    model = BLSClassifier(sample_scores="intuitionistic", random_state=0).fit(X, y)
    assert {"membership_", "nonmembership_", "kernel_width_"} <= vars(model).keys()
    model.set_params(sample_scores="fuzzy").fit(X, y)
    assert "membership_" in vars(model)
    assert not {"nonmembership_", "kernel_width_", "neighborhood_radius_"} & vars(model).keys()
    model.set_params(sample_scores="uniform").fit(X, y)
    assert "membership_" not in vars(model)
    np.testing.assert_array_equal(model.sample_scores_, 1.0)


# Infinitely many enhancement nodes

INFINITE = [
    BLSClassifier(activation="sine"),
    BLSClassifier(sample_scores="held_out", enhancement_inputs=None),
    BLSClassifier(feature_activation="tanh", activation="relu", enhancement_scale=(0.5, 2.0)),
    BLSClassifier(**PUBLISHED_FORM),
    FuzzyBLSClassifier(feature_weights="sparse", standardize="robust"),
    IntuitionisticFuzzyBLSClassifier(activation="sigmoid", feature_scaling="robust"),
]


def gram(model, X):
    """Products of samples over all nodes of a fitted model, from its definition."""
    Z = model._standardization.affine(X)
    F = model._map.features(Z)
    inputs = F if model.enhancement_inputs is None else Z[:, :-1]
    return F @ F.T + 1000.0 * model._map.node_kernel()(inputs, inputs)


def refitted(K, T, C, s, left_out):
    """Predictions for a sample by kernel ridge without it, where weights are squares of s."""
    s = s.copy()
    s[left_out] = 0.0
    alpha = np.linalg.solve(K * np.outer(s, s) + np.eye(len(K)) / C, T * s[:, None])
    return K[left_out] @ (s[:, None] * alpha)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("model", INFINITE, ids=lambda model: str(model)[:60])
def test_infinitely_many_nodes_are_kernel_ridge(model, weighted, n_classes):
    X, y = make_classification(
        120, 8, n_informative=6, n_classes=n_classes, flip_y=0.2, random_state=0
    )
    weight = np.random.default_rng(0).uniform(0.2, 1.0, 90) if weighted else None
    model.set_params(n_enhancement_nodes="infinite", C=0.1, random_state=0)
    model.fit(X[:90], y[:90], weight)
    K, codes = gram(model, X), y[:90]
    T = np.where(codes == 1, 1.0, -1.0)[:, None] if n_classes == 2 else np.eye(3)[codes]
    s = model.sample_scores_ * (1.0 if weight is None else np.sqrt(weight))
    L = K[:90, :90]
    alpha = np.linalg.solve(L * np.outer(s, s) + np.eye(90) / 0.1, T * s[:, None])
    expected = K[90:, :90] @ (s[:, None] * alpha)
    found = model.decision_function(X[90:]).reshape(30, -1)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert model.solver_ == "dual"
    assert model.output_weights_.shape[0] == model._map.settings.n_features + 90
    held_out = np.stack([refitted(L, T, 0.1, s, i) for i in range(90)])
    slope = learn_slopes(held_out[None], codes, weight, model.sample_scores_)
    assert model.proba_slope_ == pytest.approx(slope[0], abs=1e-8)


def test_infinitely_many_nodes_for_real_targets():
    X, _ = make(100)
    Y = np.column_stack([X[:, 0] ** 2, X[:, 1]])
    model = BLSRegressor(n_enhancement_nodes="infinite", C=10.0, random_state=0).fit(X, Y)
    K = gram(model, X)
    T = Y - Y.mean(axis=0)
    expected = Y.mean(axis=0) + K @ np.linalg.solve(K + np.eye(100) / 10.0, T)
    np.testing.assert_allclose(model.predict(X), expected, atol=1e-9)


@pytest.mark.parametrize("C", [1.0, 1e5])
def test_single_precision_is_kept_of_infinitely_many_nodes(C):
    X, y = make(150)
    model = BLSClassifier(n_enhancement_nodes="infinite", C=C, random_state=0)
    expected = clone(model).fit(X, y).decision_function(X)
    found = model.fit(X.astype(np.float32), y).decision_function(X.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_prediction_of_infinitely_many_nodes_in_blocks_equals_one_block(monkeypatch):
    X, y = make(100)
    model = BLSClassifier(n_enhancement_nodes="infinite", random_state=0).fit(X, y)
    expected = model.decision_function(X)
    small = partial(row_slices, numbers=700)
    monkeypatch.setattr("broadlearn.models.base.row_slices", small)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-12)


@pytest.mark.parametrize("activation", ["tanh", "sigmoid", "relu", "sine"])
def test_many_nodes_are_nearly_infinitely_many(activation, monkeypatch):
    X, y = make(300)
    model = BLSClassifier(
        n_enhancement_nodes="infinite",
        activation=activation,
        enhancement_inputs=None,
        random_state=0,
    )
    expected = model.fit(X[:200], y[:200]).decision_function(X[200:])
    errors = []
    for q in (250, 8000):
        monkeypatch.setattr("broadlearn.random_features.infinite_map.MANY_NODES", q)
        with config_context(working_memory=0.5), pytest.warns(UserWarning, match=f"{q:,} nodes"):
            model.fit(X[:200], y[:200])
        assert model.output_weights_.shape == (64 + q, 1)
        errors.append(np.sqrt(np.mean((model.decision_function(X[200:]) - expected) ** 2)))
    # What is left is the difference of erf and tanh.
    assert errors[1] < (0.05 if activation in ("tanh", "sigmoid") else 0.4 * errors[0])


def test_products_over_infinitely_many_nodes_need_no_seed():
    X, y = make(80)
    settings = {"n_enhancement_nodes": "infinite", "feature_weights": "sparse"}
    first, second = (
        BLSClassifier(n_feature_nodes=1, random_state=seed, **settings).fit(X, y)._map
        for seed in (0, 1)
    )
    np.testing.assert_array_equal(first.enhancement_weights, second.enhancement_weights)
    assert first.node_kernel() == second.node_kernel()


@pytest.mark.parametrize("model", [BLSClassifier(1, 5, 1, 10), BLSRegressor(1, 5, 1, 10)])
def test_callbacks_see_a_fit_and_stay_with_the_model(model):
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    seen = Recorder()
    fitted = clone(model.set_callbacks(seen)).fit(X, y)
    assert seen.events == ["setup", ("begin", "fit"), ("end", "fit"), "teardown"]
    assert seen.given["fit"][0] is X
    with pytest.raises(ValueError, match="infinity"):
        fitted.fit(X + np.inf, y)
    assert seen.events[-2:] == [("begin", "fit"), "teardown"]
    fitted.fit(X, y)
    assert seen.events.count("setup") == 3
    assert not hasattr(fitted, "_callback_fit_ctx")


def make_labels(n=200, n_labels=4):
    return make_multilabel_classification(
        n, n_features=6, n_classes=n_labels, n_labels=2, random_state=0
    )


SEVERAL = [
    BLSClassifier(**MAP),
    BLSClassifier(**MAP, solver="dual"),
    BLSClassifier(n_enhancement_nodes="infinite", random_state=0),
    ELMClassifier(40, C=10.0, random_state=0),
    HierarchicalELMClassifier(40, n_autoencoder_nodes=5, random_state=0),
    NeuroFuzzyBLSClassifier(2, 3, 20, random_state=0),
]


@pytest.mark.parametrize("n_labels", [2, 4])
@pytest.mark.parametrize("model", SEVERAL, ids=lambda m: type(m).__name__)
def test_several_labels_are_fitted_as_if_alone(model, n_labels):
    X, Y = make_labels(n_labels=n_labels)
    if getattr(model, "solver", "") == "dual":
        X, Y = X[:60], Y[:60]
    weight = np.random.default_rng(0).integers(0, 3, len(X))
    model = clone(model).fit(X, Y, weight)
    alone = MultiOutputClassifier(model).fit(X, Y, weight)
    decisions = np.column_stack([m.decision_function(X) for m in alone.estimators_])
    probabilities = np.column_stack([p[:, 1] for p in alone.predict_proba(X)])
    np.testing.assert_allclose(model.decision_function(X), decisions, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X), probabilities, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), alone.predict(X))
    np.testing.assert_array_equal(model.classes_, np.arange(n_labels))
    assert model.score(X, Y) == (model.predict(X) == Y).all(axis=1).mean()
    copies = clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight, axis=0))
    np.testing.assert_allclose(copies.decision_function(X), decisions, atol=1e-8)


@pytest.mark.parametrize("model", SEVERAL, ids=lambda m: type(m).__name__)
def test_tags_say_that_several_labels_are_taken(model):
    assert get_tags(model).classifier_tags.multi_label
    assert not get_tags(model).target_tags.multi_output
    check_classifier_multioutput(type(model).__name__, model)


def test_labels_come_as_lists_frames_and_sparse_matrices():
    X, Y = make_labels()
    model = BLSClassifier(**MAP)
    expected = model.fit(X, Y).decision_function(X)
    kinds = (Y.tolist(), pd.DataFrame(Y, columns=list("abcd")), csr_matrix(Y), Y > 0, Y * 1.0)
    for same in kinds:
        np.testing.assert_array_equal(model.fit(X, same).decision_function(X), expected)
        assert model.predict(X).dtype == np.int64
    single = model.fit(X.astype(np.float32), Y)
    assert single.decision_function(X.astype(np.float32)).dtype == np.float32
    assert single.predict_proba(X.astype(np.float32)).dtype == np.float32


def test_one_factorisation_serves_all_labels(monkeypatch):
    count = []
    plain = ridge.factorize
    monkeypatch.setattr(ridge, "factorize", lambda *given: count.append(1) or plain(*given))
    for n_labels in (2, 20):
        BLSClassifier(**MAP).fit(*make_labels(400, n_labels))
    assert len(count) == 2


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("model", SEVERAL, ids=lambda m: type(m).__name__)
def test_a_label_that_is_constant_is_predicted_constant(model, weighted):
    X, Y = make_labels(60)
    weight = np.ones(60)
    Y[:, 1], Y[:, 3] = 1, 0
    if weighted:
        Y[:5, [1, 3]] = 0, 1
        weight[:5] = 0.0
    model = clone(model).fit(X, Y, weight)
    far = 100.0 * X
    np.testing.assert_array_equal(model.predict(far)[:, [1, 3]], np.tile([1, 0], (60, 1)))
    # The rule of succession: no sample says that the label could be otherwise.
    expected = [(weight.sum() + 1) / (weight.sum() + 2), 1 / (weight.sum() + 2)]
    np.testing.assert_allclose(model.predict_proba(far)[0, [1, 3]], expected, rtol=1e-6)
    others = clone(model).fit(X, Y[:, [0, 2]], weight).decision_function(X)
    np.testing.assert_allclose(model.decision_function(X)[:, [0, 2]], others, atol=1e-9)
    assert clone(model).fit(X, np.zeros((60, 3), dtype=int)).score(X, np.zeros((60, 3))) == 1.0


def test_a_refit_may_have_classes_after_labels():
    X, Y = make_labels()
    model = BLSClassifier(**MAP).fit(X, Y).fit(X, Y[:, 0])
    fresh = BLSClassifier(**MAP).fit(X, Y[:, 0])
    np.testing.assert_array_equal(model.predict_proba(X), fresh.predict_proba(X))
    assert isinstance(model.proba_slope_, float)


@pytest.mark.parametrize(
    ("model", "tagged"),
    [
        (FuzzyBLSClassifier(), False),
        (IntuitionisticFuzzyBLSClassifier(), False),
        (BLSClassifier(sample_scores="neighbors"), False),
        (IntuitionisticFuzzyTwinSVC(), False),
        (BLSClassifier(sample_scores="fuzy"), False),
    ],
    ids=str,
)
def test_models_that_score_samples_need_one_class_per_sample(model, tagged):
    X, Y = make_labels()
    assert get_tags(model).classifier_tags.multi_label is tagged
    if getattr(model, "sample_scores", "") != "fuzy":
        with pytest.raises(ValueError, match=r"needs one class per sample.*MultiOutputClassifier"):
            model.fit(X, Y)
