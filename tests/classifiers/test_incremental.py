import pickle

import numpy as np
import pytest
from sklearn.base import clone, is_classifier

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
)

SIZES = {"n_feature_groups": 2, "n_feature_nodes": 5, "n_enhancement_nodes": 40}
MODELS = [BLSClassifier, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier, BLSRegressor]
SCORED = [FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier]


def make(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(2.0, 3.0, size=(n, 6))
    return X, (X[:, 0] > 2) + 2 * (X[:, 1] > 3)


@pytest.fixture(params=MODELS)
def model(request):
    return request.param(**SIZES, C=10.0, random_state=3)


def targets(model, X, y):
    return y if is_classifier(model) else np.column_stack([X[:, 0] ** 2 + 7, y])


def output(model, X):
    return model.predict_proba(X) if is_classifier(model) else model.predict(X)


def assert_same(model, other, X, atol=1e-8):
    np.testing.assert_allclose(output(model, X), output(other, X), rtol=0, atol=atol)


@pytest.mark.parametrize("seed", range(20))
def test_batches_after_a_warm_up_equal_one_fit(model, seed):
    X, y = make()
    t = targets(model, X, y)
    rng = np.random.default_rng(seed)
    cuts = np.sort(rng.choice(np.arange(1, 400), rng.integers(1, 8), replace=False))
    stream = clone(model).warm_up(X, t)
    for rows in np.split(rng.permutation(400), cuts):
        stream.partial_fit(X[rows], t[rows])
    assert_same(stream, model.fit(X, t), X)


def test_weights_in_batches(model):
    X, y = make()
    t, weight = targets(model, X, y), np.random.default_rng(0).integers(0, 3, 400)
    stream = clone(model).warm_up(X, t, sample_weight=weight)
    for rows in np.array_split(np.arange(400), 3):
        stream.partial_fit(X[rows], t[rows], sample_weight=weight[rows])
    assert_same(stream, model.fit(X, t, sample_weight=weight), X)


def test_one_batch_equals_fit(model):
    X, y = make()
    t = targets(model, X, y)
    known = {"classes": np.unique(y)} if is_classifier(model) else {}
    assert_same(clone(model).partial_fit(X, t, **known), model.fit(X, t), X)


def test_first_batch_is_the_warm_up(model):
    X, y = make()
    t = targets(model, X, y)
    known = {"classes": np.unique(y)} if is_classifier(model) else {}
    warmed = clone(model).warm_up(X[:150], t[:150])
    warmed.partial_fit(X[:150], t[:150]).partial_fit(X[150:], t[150:])
    model.partial_fit(X[:150], t[:150], **known).partial_fit(X[150:], t[150:])
    assert_same(warmed, model, X, atol=1e-12)


@pytest.mark.parametrize("kind", [BLSClassifier, BLSRegressor])
@pytest.mark.parametrize("first", [30, 200])
def test_partial_fit_goes_on_after_fit(kind, first):
    X, y = make()
    plain = kind(**SIZES, standardize=False, feature_scaling=None, random_state=0)
    t = targets(plain, X, y)
    on = clone(plain).fit(X[:first], t[:first]).partial_fit(X[first:], t[first:])
    assert_same(on, plain.fit(X, t), X)


@pytest.mark.parametrize("kind", SCORED)
def test_scored_models_go_on_after_fit(kind):
    X, y = make()
    model = kind(**SIZES, random_state=0).fit(X[:200], y[:200]).partial_fit(X[200:], y[200:])
    assert model.sample_scores_.shape == (200,)
    assert model.score(X, y) > 0.8
    with pytest.raises(ValueError, match="in different ways"):
        model.grow(X, y, n_enhancement_nodes=50)


def test_forgotten_rows_leave_no_trace(model):
    X, y = make()
    t = targets(model, X, y)
    stream = clone(model).warm_up(X, t).partial_fit(X[:300], t[:300])
    before = output(stream, X)
    stream.partial_fit(X[300:], t[300:])
    assert np.abs(output(stream, X) - before).max() > 1e-3
    stream.forget(X[300:], t[300:])
    np.testing.assert_allclose(output(stream, X), before, rtol=0, atol=1e-8)


def test_rows_that_were_not_learnt_cannot_be_forgotten(model):
    X, y = make()
    t = targets(model, X, y)
    stream = model.warm_up(X, t).partial_fit(X[:100], t[:100])
    before = output(stream, X)
    with pytest.raises(ValueError, match="not among those that were learnt"):
        stream.forget(X, t)
    with pytest.raises(ValueError, match="At least one row must remain"):
        stream.forget(X[:100], t[:100])
    np.testing.assert_array_equal(output(stream, X), before)


@pytest.mark.parametrize("kind", SCORED)
def test_rows_scored_by_fit_cannot_be_forgotten(kind):
    X, y = make()
    with pytest.raises(ValueError, match="none can be forgotten alone"):
        kind(**SIZES, random_state=0).fit(X, y).forget(X[:5], y[:5])


@pytest.mark.parametrize(
    "sizes",
    [
        {"n_enhancement_nodes": 70},
        {"n_enhancement_groups": 3},
        {"n_enhancement_nodes": 70, "n_enhancement_groups": 2},
        {"n_feature_groups": 4},
        {"n_feature_groups": 3, "n_enhancement_nodes": 50},
    ],
)
@pytest.mark.parametrize("start", ["fit", "dual", "stream"])
def test_grown_model_is_that_of_a_larger_fit(model, sizes, start):
    X, y = make(30 if start == "dual" else 400)
    t = targets(model, X, y)
    small = clone(model)
    if start == "stream":
        small.warm_up(X, t)
        for rows in np.array_split(np.arange(len(X)), 3):
            small.partial_fit(X[rows], t[rows])
    else:
        small.fit(X, t)
    small.grow(X, t, **sizes)
    assert {name: small.get_params()[name] for name in sizes} == sizes
    assert_same(small, model.set_params(**sizes).fit(X, t), X)


@pytest.mark.parametrize("inputs", [None, 3])
def test_models_of_several_groups_grow_and_learn_on(model, inputs):
    X, y = make()
    t = targets(model, X, y)
    scales = (0.3, 1.0, 2.0)
    model.set_params(n_enhancement_groups=2, enhancement_inputs=inputs, enhancement_scale=scales)
    small = clone(model).warm_up(X, t).partial_fit(X[:200], t[:200])
    small.grow(X[:200], t[:200], n_enhancement_nodes=60).partial_fit(X[200:], t[200:])
    assert_same(small, model.set_params(n_enhancement_nodes=60).fit(X, t), X)


def test_growth_is_refined_where_C_is_large(model):
    X, y = make(500)
    t, X = targets(model, X, y), X[:, :2]
    small = clone(model).set_params(C=1e6).fit(X, t).grow(X, t, n_enhancement_nodes=200)
    assert_same(small, model.set_params(C=1e6, n_enhancement_nodes=200).fit(X, t), X)


@pytest.mark.parametrize("kind", MODELS[:3])
def test_slope_of_many_rows_is_learnt_from_a_sample(kind):
    X, y = make(3000)
    model = kind(**SIZES, C=10.0, random_state=3)
    stream = clone(model).warm_up(X, y)
    for rows in np.array_split(np.arange(3000), 5):
        stream.partial_fit(X[rows], y[rows])
    model.fit(X, y)
    np.testing.assert_allclose(stream.decision_function(X), model.decision_function(X), atol=1e-8)
    np.testing.assert_allclose(stream.proba_slope_, model.proba_slope_, rtol=0.2)


def test_growing_does_not_need_a_seed():
    X, y = make()
    model = BLSClassifier(**SIZES).fit(X, y)
    few = model.output_weights_.shape[0]
    model.grow(X, y, n_enhancement_nodes=80)
    assert model.output_weights_.shape[0] == few + 40


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_enhancement_nodes": 39}, "n_enhancement_nodes=39 is less than the model has, 40"),
        ({"n_feature_groups": 1}, "can only grow"),
        ({"n_enhancement_groups": "two"}, "n_enhancement_groups"),
    ],
)
def test_bad_sizes_are_named(model, arguments, message):
    X, y = make()
    t = targets(model, X, y)
    with pytest.raises(ValueError, match=message):
        model.fit(X, t).grow(X, t, **arguments)


def test_growing_needs_the_rows_learnt(model):
    X, y = make()
    t = targets(model, X, y)
    with pytest.raises(ValueError, match="grow needs"):
        model.fit(X, t).grow(X[:-1], t[:-1], n_enhancement_nodes=50)


def nan(X, t):
    return np.where(np.arange(6) == 2, np.nan, X), t


def few_columns(X, t):
    return X[:, :4], t


def few_targets(X, t):
    return X, t[:-1]


@pytest.mark.parametrize("kind", SCORED)
def test_growing_a_scored_fit_needs_the_order_of_its_rows(kind):
    X, y = make()
    model = kind(**SIZES, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="or their order"):
        model.grow(X[::-1], y[::-1], n_enhancement_nodes=50)


@pytest.mark.parametrize(
    ("method", "spoil", "message"),
    [
        *((method, nan, "NaN") for method in ("partial_fit", "forget", "warm_up", "grow")),
        *((method, few_columns, "4 features") for method in ("partial_fit", "forget", "grow")),
        *((method, few_targets, "inconsistent numbers") for method in ("partial_fit", "warm_up")),
    ],
)
def test_a_refused_call_leaves_the_model_as_it_was(model, method, spoil, message):
    X, y = make()
    t = targets(model, X, y)
    model.warm_up(X, t).partial_fit(X, t)
    before = dict(vars(model))
    with pytest.raises(ValueError, match=message):
        getattr(model, method)(*spoil(X, t))
    assert vars(model).keys() == before.keys()
    assert all(value is before[name] for name, value in vars(model).items())


def test_a_model_is_not_fitted_by_its_warm_up(model):
    X, y = make()
    t = targets(model, X, y)
    with pytest.raises(ValueError, match="is not fitted yet"):
        model.warm_up(X, t).predict(X)
    with pytest.raises(ValueError, match="is not fitted yet"):
        model.fit(X, t).warm_up(X, t).predict(X)


def test_pickles_keep_a_stream_but_not_the_sums_of_a_fit(model):
    X, y = make()
    t = targets(model, X, y)
    stream = clone(model).warm_up(X, t).partial_fit(X[:200], t[:200])
    thawed = pickle.loads(pickle.dumps(stream)).partial_fit(X[200:], t[200:])
    assert_same(thawed, model.fit(X, t), X)
    without = pickle.loads(pickle.dumps(model))
    assert_same(without, model, X, atol=0)
    for call in (without.partial_fit, without.forget, without.grow):
        with pytest.raises(ValueError, match="has no sums over its rows"):
            call(X, t)


def test_float32_is_kept(model):
    X, y = make()
    single = X.astype(np.float32)
    t = targets(model, X, y)
    stream = clone(model).warm_up(single, t).partial_fit(single, t)
    assert stream.output_weights_.dtype == np.float32
    np.testing.assert_allclose(output(stream, single), output(model.fit(X, t), X), atol=0.02)


def test_C_may_change_in_a_stream():
    X, y = make()
    stream = BLSClassifier(**SIZES, random_state=0).warm_up(X, y).partial_fit(X[:200], y[:200])
    stream.set_params(C=1e4).partial_fit(X[200:], y[200:])
    stream.set_params(C=1e3).grow(X, y, n_enhancement_nodes=60)
    sizes = SIZES | {"n_enhancement_nodes": 60}
    assert_same(stream, BLSClassifier(**sizes, C=1e3, random_state=0).fit(X, y), X)
