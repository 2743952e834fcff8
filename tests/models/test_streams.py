"""A stream is the fit: partial_fit and forget give the model of the samples."""

import pickle
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone, is_classifier

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
)

SIZES = {"n_feature_groups": 2, "n_feature_nodes": 5, "n_enhancement_nodes": 40}
MODELS = [BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier, BLSRegressor]
ONLINE = ("partial_fit", "warm_up", "forget")


@pytest.fixture(params=MODELS)
def model(request):
    return request.param(**SIZES, C=10.0, random_state=3)


def make(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(2.0, 3.0, size=(n, 6))
    return X, (X[:, 0] > 2) + 2 * (X[:, 1] > 3)


def table(model, n=400):
    X, y = make(n)
    return X, y if is_classifier(model) else np.column_stack([X[:, 0] ** 2 + 7, y])


def output(model, X):
    return model.predict_proba(X) if is_classifier(model) else model.predict(X)


def assert_same(model, other, X, atol=1e-8):
    np.testing.assert_allclose(output(model, X), output(other, X), rtol=0, atol=atol)


@pytest.mark.parametrize("seed", range(3))
def test_batches_after_a_warm_up_equal_one_fit(model, seed):
    X, t = table(model)
    rng = np.random.default_rng(seed)
    cuts = np.sort(rng.choice(np.arange(1, 400), 5, replace=False))
    weight = rng.integers(0, 3, 400) if seed else np.ones(400)
    stream = clone(model).warm_up(X, t, sample_weight=weight)
    assert not hasattr(stream, "output_weights_")
    for rows in np.split(rng.permutation(400), cuts):
        stream.partial_fit(X[rows], t[rows], sample_weight=weight[rows])
    assert_same(stream, model.fit(X, t, sample_weight=weight), X)


def test_the_first_batch_is_the_warm_up(model):
    X, t = table(model)
    known = {"classes": np.unique(t)} if is_classifier(model) else {}
    warmed = clone(model).warm_up(X[:150], t[:150])
    warmed.partial_fit(X[:150], t[:150]).partial_fit(X[150:], t[150:])
    model.partial_fit(X[:150], t[:150], **known).partial_fit(X[150:], t[150:])
    assert_same(warmed, model, X, atol=1e-12)


def test_a_fit_keeps_no_sums(model):
    X, t = table(model)
    model.warm_up(X, t).partial_fit(X, t).fit(X, t)
    assert "_stream" not in vars(model)
    for method in ("partial_fit", "forget"):
        assert not hasattr(model, method)
        with pytest.raises(AttributeError) as caught:
            getattr(model, method)
        assert "keeps no sums" in str(caught.value.__cause__)


def test_forgotten_samples_leave_no_trace(model):
    X, t = table(model)
    stream = clone(model).warm_up(X, t).partial_fit(X, t)
    for rows in (slice(0, 100), slice(100, 150)):
        stream.forget(X[rows], t[rows])
    expected = clone(model).warm_up(X, t).partial_fit(X[150:], t[150:])
    decision = "decision_function" if is_classifier(model) else "predict"
    np.testing.assert_allclose(
        getattr(stream, decision)(X), getattr(expected, decision)(X), atol=1e-8
    )
    with pytest.raises(ValueError, match="Cannot forget"):
        stream.forget(X, t)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sample_scores": "held_out"}, "HeldOutScorer compares all samples"),
        ({"class_weight": "balanced"}, "needs all labels at once"),
    ],
)
def test_models_without_streams_lack_the_methods(change, message):
    model = BLSClassifier(**{**SIZES, **change})
    for name in ONLINE:
        assert not hasattr(model, name)
        with pytest.raises(AttributeError) as caught:
            getattr(model, name)
        assert message in str(caught.value.__cause__)
    assert all(hasattr(BLSClassifier(), name) for name in ONLINE)


def test_classes_are_given_once():
    X, y = make()
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        BLSClassifier().partial_fit(X, y)
    with pytest.raises(ValueError, match="at least two classes"):
        BLSClassifier().partial_fit(X, y, classes=[0])
    model = BLSClassifier(**SIZES).partial_fit(X, y, classes=[0, 1, 2, 3])
    model.partial_fit(X, y, classes=[3, 2, 1, 0])
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="not the same as on last call"):
        model.partial_fit(X, y, classes=[0, 1, 2, 3, 4])
    with pytest.raises(ValueError, match=r"y contains unknown labels \[9\]"):
        model.partial_fit(X, np.full(400, 9))
    np.testing.assert_array_equal(model.decision_function(X), before)


def test_a_batch_may_lack_a_class(model):
    X, t = table(model)
    order = np.argsort(make()[1], kind="stable")
    stream = clone(model).warm_up(X, t)
    for rows in np.array_split(order, 4):
        stream.partial_fit(X[rows], t[rows])
    assert_same(stream, model.fit(X, t), X, atol=1e-7)


@pytest.mark.parametrize("kind", MODELS[1:3])
def test_scores_need_every_class_in_the_first_batch(kind):
    X, y = make()
    with pytest.raises(ValueError, match="must include every class"):
        kind(**SIZES).partial_fit(X[y == 1], y[y == 1], classes=[0, 1])


def test_a_batch_of_weight_0_changes_nothing(model):
    X, t = table(model)
    stream = model.warm_up(X, t).partial_fit(X[:200], t[:200])
    before = output(stream, X)
    stream.partial_fit(X[200:], t[200:], sample_weight=np.zeros(200))
    np.testing.assert_array_equal(output(stream, X), before)


def test_a_first_batch_of_weight_0_is_refused(model):
    X, t = table(model)
    classes = {"classes": range(4)} if is_classifier(model) else {}
    with pytest.raises(ValueError, match="at least one sample must have a positive weight"):
        model.partial_fit(X, t, sample_weight=np.zeros(400), **classes)


def test_class_weights_of_a_dict():
    X, y = make()
    weights = {0: 2.0, 3: 0.5}
    model = BLSClassifier(**SIZES, class_weight=weights, random_state=0)
    stream = clone(model).warm_up(X, y)
    for rows in np.array_split(np.arange(400), 3):
        stream.partial_fit(X[rows], y[rows])
    assert_same(stream, model.fit(X, y), X)


def test_copies_pickles_and_frames(model):
    X, t = table(model)
    columns = [f"x{j}" for j in range(6)]
    frame = pd.DataFrame(X, columns=columns)
    stream = clone(model).warm_up(frame, t).partial_fit(frame[:200], t[:200])
    others = [deepcopy(stream), pickle.loads(pickle.dumps(stream))]
    for other in others:
        assert_same(other.partial_fit(frame[200:], t[200:]), clone(model).fit(frame, t), frame)
    with pytest.raises(ValueError, match="feature names should match"):
        stream.partial_fit(frame[columns[::-1]], t)


def test_single_precision_missing_values_and_sparse_rows():
    X, y = make()
    model = BLSClassifier(**SIZES, random_state=0)
    single = X.astype(np.float32)
    stream = clone(model).warm_up(single, y).partial_fit(single, y)
    assert stream.decision_function(single).dtype == np.float32
    gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    stream = clone(model).warm_up(gaps, y).partial_fit(gaps, y)
    assert_same(stream, clone(model).fit(gaps, y), gaps)
    rows = csr_matrix(np.where(X > 3, X, 0.0))
    stream = clone(model).warm_up(rows, y).partial_fit(rows[:200], y[:200])
    stream.partial_fit(rows[200:], y[200:]).partial_fit(rows[:50], y[:50]).forget(rows[:50], y[:50])
    assert_same(stream, clone(model).fit(rows, y), rows, atol=1e-6)


def test_C_may_change_in_a_stream():
    X, y = make()
    stream = BLSClassifier(**SIZES, random_state=0).warm_up(X, y).partial_fit(X[:200], y[:200])
    stream.set_params(C=100.0).partial_fit(X[200:], y[200:])
    assert_same(stream, BLSClassifier(**SIZES, C=100.0, random_state=0).fit(X, y), X)


def test_the_slope_of_many_samples_is_learnt_from_a_random_part():
    X, y = make(1500)
    model = BLSClassifier(**SIZES, random_state=0)
    stream = clone(model).warm_up(X, y)
    for rows in np.array_split(np.arange(1500), 4):
        stream.partial_fit(X[rows], y[rows])
    other = clone(model).warm_up(X, y).partial_fit(X, y)
    assert stream.proba_slope_ == pytest.approx(other.proba_slope_, rel=1e-6)
    assert stream.proba_slope_ == pytest.approx(model.fit(X, y).proba_slope_, rel=0.2)


def test_targets_keep_their_shape():
    X, t = table(BLSRegressor())
    model = BLSRegressor(**SIZES).partial_fit(X, t[:, 0])
    assert model.predict(X).shape == (400,)
    with pytest.raises(ValueError, match="y has 2 targets, unlike the first batch"):
        model.partial_fit(X, t)
