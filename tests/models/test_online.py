import pickle
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
)
from broadlearn.models.online import (
    centred_blocks,
    know_classes,
    open_stream,
    read_batch,
    settle,
    start_anew,
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


def test_a_fit_keeps_no_stream(model):
    X, y = make()
    t = targets(model, X, y)
    model.warm_up(X, t).partial_fit(X, t).fit(X, t)
    assert "_stream" not in vars(model)
    before = dict(vars(model))
    for same in (model, deepcopy(model), pickle.loads(pickle.dumps(model))):
        with pytest.raises(ValueError, match=r"keeps no sums.*starts with partial_fit"):
            same.partial_fit(X, t)
        with pytest.raises(ValueError, match=r"keeps no sums.*starts with partial_fit"):
            same.forget(X, t)
        assert not hasattr(same, "partial_fit")
        assert hasattr(same, "grow")
        assert hasattr(same, "warm_up")
        assert_same(same, model, X, atol=0)
    assert all(value is before[name] for name, value in vars(model).items())
    # What the message says helps.
    assert_same(clone(model).warm_up(X, t).partial_fit(X, t), model, X)


@pytest.mark.slow
def test_a_large_fit_is_a_small_pickle(model):
    X = np.random.default_rng(0).normal(size=(2000, 20))
    t = targets(model, X, (X[:, 0] > 0).astype(int))
    model.set_params(n_feature_groups=1, n_feature_nodes=64, n_enhancement_nodes=936)
    assert len(pickle.dumps(model.fit(X, t))) < 500_000


def test_forgotten_samples_leave_no_trace(model):
    X, y = make()
    t = targets(model, X, y)
    stream = clone(model).warm_up(X, t).partial_fit(X[:300], t[:300])
    before = output(stream, X)
    stream.partial_fit(X[300:], t[300:])
    assert np.abs(output(stream, X) - before).max() > 1e-3
    stream.forget(X[300:], t[300:])
    np.testing.assert_allclose(output(stream, X), before, rtol=0, atol=1e-8)


def test_samples_that_were_not_learnt_cannot_be_forgotten(model):
    X, y = make()
    t = targets(model, X, y)
    stream = model.warm_up(X, t).partial_fit(X[:100], t[:100])
    before = output(stream, X)
    with pytest.raises(ValueError, match="not among those that were learnt"):
        stream.forget(X, t)
    with pytest.raises(ValueError, match="At least one row must remain"):
        stream.forget(X[:100], t[:100])
    np.testing.assert_array_equal(output(stream, X), before)


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


@pytest.mark.slow
def test_growth_is_refined_where_C_is_large(model):
    X, y = make(500)
    t, X = targets(model, X, y), X[:, :2]
    small = clone(model).set_params(C=1e6).fit(X, t).grow(X, t, n_enhancement_nodes=200)
    assert_same(small, model.set_params(C=1e6, n_enhancement_nodes=200).fit(X, t), X)


@pytest.mark.parametrize("C", [1.0, 1e4])
def test_C_may_change_between_fit_and_growth(model, C):
    X, y = make()
    t = targets(model, X, y)
    small = clone(model).fit(X, t).set_params(C=C).grow(X, t, n_enhancement_nodes=60)
    assert_same(small, model.set_params(C=C, n_enhancement_nodes=60).fit(X, t), X)


def test_float32_models_grow(model):
    X, y = make()
    t, X = targets(model, X, y), X.astype(np.float32)
    small = clone(model).fit(X, t).grow(X, t, n_enhancement_nodes=60)
    assert small.output_weights_.dtype == np.float32
    assert_same(small, model.set_params(n_enhancement_nodes=60).fit(X, t), X, atol=0.02)


def test_models_of_dataframes_grow_and_learn_on(model):
    X, y = make()
    t, frame = targets(model, X, y), pd.DataFrame(X, columns=list("abcdef"))
    stream = clone(model).warm_up(frame, t).partial_fit(frame, t)
    for small in (stream, clone(model).fit(frame, t)):
        small.grow(frame, t, n_enhancement_nodes=60)
        np.testing.assert_array_equal(small.feature_names_in_, list("abcdef"))
        model.set_params(n_enhancement_nodes=60).fit(frame, t)
        assert_same(small, model, frame)


def test_weights_are_those_of_the_fit_that_grows(model):
    X, y = make()
    t, weight = targets(model, X, y), np.random.default_rng(0).integers(0, 3, 400)
    small = clone(model).fit(X, t, sample_weight=weight)
    small.grow(X, t, n_enhancement_nodes=60, sample_weight=weight)
    model.set_params(n_enhancement_nodes=60).fit(X, t, sample_weight=weight)
    assert_same(small, model, X)


@pytest.mark.slow
@pytest.mark.parametrize("kind", MODELS[:3])
def test_slope_of_many_samples_is_learnt_from_a_sample(kind):
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


def test_growing_needs_the_samples_learnt(model):
    X, y = make()
    t = targets(model, X, y)
    fitted = clone(model).fit(X, t)
    flipped, moved = t.copy(), X.copy()
    one = getattr(fitted, "sample_scores_", np.ones(1)).argmax()
    flipped[one] = (flipped[one] + 1) % 4
    moved[one] += 0.1
    before = dict(vars(fitted))
    for rows, other in [(X[:-1], t[:-1]), (X, flipped), (moved, t), (X, t[::-1])]:
        with pytest.raises(ValueError, match=r"grow needs|are not those that fit was given"):
            fitted.grow(rows, other, n_enhancement_nodes=50)
    assert all(value is before[name] for name, value in vars(fitted).items())
    stream = model.warm_up(X, t).partial_fit(X, t)
    with pytest.raises(ValueError, match="grow needs all rows that were learnt, and no others"):
        stream.grow(X[:-1], t[:-1], n_enhancement_nodes=50)
    with pytest.raises(ValueError, match="are not those that were learnt"):
        stream.grow(X + 0.1, t, n_enhancement_nodes=50)


def infinite(X, t):
    return np.where(np.arange(6) == 2, np.inf, X), t


def few_columns(X, t):
    return X[:, :4], t


def few_targets(X, t):
    return X, t[:-1]


@pytest.mark.parametrize("kind", SCORED)
def test_growing_a_scored_fit_needs_the_order_of_its_samples(kind):
    X, y = make()
    model = kind(**SIZES, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="their order or their targets are not those"):
        model.grow(X[::-1], y[::-1], n_enhancement_nodes=50)


@pytest.mark.parametrize(
    ("method", "spoil", "message"),
    [
        *((name, infinite, "infinity") for name in ("partial_fit", "forget", "warm_up", "grow")),
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


def test_copies_and_pickles_keep_a_stream(model):
    X, y = make()
    t = targets(model, X, y)
    stream = clone(model).warm_up(X, t).partial_fit(X[:200], t[:200])
    model.fit(X, t)
    for same in (pickle.loads(pickle.dumps(stream)), deepcopy(stream)):
        assert_same(same.partial_fit(X[200:], t[200:]), model, X)


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


def test_batches_of_several_threads_are_all_learnt():
    X, y = make()
    expected = BLSClassifier(**SIZES, random_state=0).warm_up(X, y).partial_fit(X, y)
    stream = BLSClassifier(**SIZES, random_state=0).warm_up(X, y)
    batches = np.array_split(np.arange(len(y)), 12)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda rows: stream.partial_fit(X[rows], y[rows]), batches))
    assert stream._stream.n_seen == len(y)
    np.testing.assert_allclose(
        stream.decision_function(X), expected.decision_function(X), atol=1e-8
    )
    again = pickle.loads(pickle.dumps(stream)).partial_fit(X[:5], y[:5])
    assert again._stream.n_seen == len(y) + 5


def test_a_model_that_starts_anew_knows_its_columns_and_then_its_classes():
    frame, y = pd.DataFrame(np.ones((2, 2)), columns=["a", "b"]), np.array(["p", "q"])
    model = FuzzyBLSClassifier(C=3.0).fit(np.arange(60.0).reshape(20, 3) % 7, np.arange(20) % 2)
    start_anew(model, frame[:0], 1)
    fitted = {name for name in vars(model) if name.endswith("_")}
    assert fitted == {"n_features_in_", "feature_names_in_"}
    assert model.get_params() == FuzzyBLSClassifier(C=3.0).get_params()
    know_classes(model, y)
    batch = read_batch(model, frame, y, [1.0, 0.0], np.empty(0))
    np.testing.assert_array_equal(batch.T, [[-1.0]])
    with pytest.raises(ValueError, match="only one class"):
        know_classes(model, y[:1])
    with pytest.raises(ValueError, match="is not fitted yet"):
        model.predict(frame)


def test_scores_of_a_stream_are_those_of_fit():
    X, y = make()
    model = FuzzyBLSClassifier(**SIZES, random_state=0)
    state = open_stream(model, X, y, np.arange(4), None)
    batch, trust = state.scored(read_batch(model, X, y, None, state.shift))
    np.testing.assert_allclose(batch.score, model.fit(X, y).sample_scores_, atol=1e-12)
    np.testing.assert_array_equal(trust.attributes["membership_"], batch.score)


def test_only_scores_need_distances_that_do_not_overflow():
    X, y = make()
    settings = {**SIZES, "standardize": False, "random_state": 0}
    with pytest.raises(ValueError, match="X holds values beyond"):
        FuzzyBLSClassifier(**settings).partial_fit(1e200 * X, y, classes=np.arange(4))
    plain = BLSClassifier(**settings).partial_fit(1e200 * X, y, classes=np.arange(4))
    assert plain.score(1e200 * X, y) > 0.5


def test_blocks_of_real_targets_are_centred():
    rows, W = np.array([[1.0, 2.0, 5.0, 1.0]]), np.zeros((2, 1))
    ((same, _),) = centred_blocks([(rows.copy(), None)], W, None)
    np.testing.assert_array_equal(same, [[1.0, 2.0, 5.0]])
    ((centred, _),) = centred_blocks([(rows.copy(), None)], W, np.array([3.0]))
    np.testing.assert_array_equal(centred, [[1.0, 2.0, 2.0]])


def test_without_samples_there_is_nothing_to_solve():
    X, y = make()
    model = BLSClassifier(**SIZES)
    with pytest.raises(ValueError, match="There are no rows to learn from"):
        settle(model, open_stream(model, X, y, np.arange(4), None))


def test_infinitely_many_nodes_can_neither_learn_on_nor_grow(model):
    X, y = make(60)
    infinite = model.set_params(n_enhancement_nodes="infinite").fit(X, y)
    for method in ("partial_fit", "warm_up", "forget", "grow"):
        assert not hasattr(infinite, method)
        with pytest.raises(AttributeError, match="n_enhancement_nodes='infinite' keeps all"):
            getattr(infinite, method)
    infinite.set_params(n_enhancement_nodes=50)
    with pytest.raises(ValueError, match="n_enhancement_nodes='infinite' keeps all"):
        infinite.grow(X, y, n_enhancement_nodes=100)
    with pytest.raises(ValueError, match="n_enhancement_nodes='infinite' keeps all"):
        infinite.fit(X, y).grow(X, y, n_enhancement_nodes="infinite")


@pytest.mark.parametrize("kind", MODELS[:3])
def test_class_weights_of_a_dict_in_streams(kind):
    X, y = make()
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 400)
    model = kind(**SIZES, C=10.0, class_weight={1: 3.0, 2: 0.5}, random_state=3)
    stream = clone(model).warm_up(X, y, sample_weight=weight)
    # A batch need not have all classes.
    for rows in (np.flatnonzero(y == 1), np.flatnonzero(y != 1)):
        stream.partial_fit(X[rows], y[rows], sample_weight=weight[rows])
    assert_same(stream, clone(model).fit(X, y, weight), X)
    more = make(50, seed=1)
    assert_same(
        clone(stream)
        .warm_up(X, y, sample_weight=weight)
        .partial_fit(X, y, None, weight)
        .partial_fit(*more)
        .forget(*more),
        stream,
        X,
        atol=1e-6,
    )


def test_balanced_classes_have_no_stream():
    model = BLSClassifier(**SIZES, class_weight="balanced")
    assert [hasattr(model, name) for name in ("warm_up", "partial_fit", "forget")] == [False] * 3
    assert hasattr(model, "grow")


def test_balanced_classes_need_all_labels():
    X, y = make()
    model = BLSClassifier(**SIZES, class_weight="balanced", random_state=3)
    for method in ("partial_fit", "warm_up"):
        with pytest.raises(ValueError, match='class_weight="balanced" needs the labels of all'):
            getattr(model, method)(X, y, np.unique(y))
    larger = clone(model).set_params(n_enhancement_nodes=60).fit(X, y)
    assert_same(model.fit(X, y).grow(X, y, n_enhancement_nodes=60), larger, X)


def test_a_stream_names_unknown_classes_of_a_dict():
    X, y = make()
    with pytest.raises(ValueError, match=r"class_weight names \[7\]"):
        BLSClassifier(**SIZES, class_weight={7: 2.0}).partial_fit(X, y, np.unique(y))


@pytest.mark.parametrize("known", [[1, 2], [0, 3], [1, 2, 3], [0, 1, 3]])
def test_classes_that_are_added_equal_classes_known_from_the_start(known):
    X, y = make()
    first, model = np.isin(y, known), BLSClassifier(**SIZES, C=10.0, random_state=3)
    weight = np.random.default_rng(0).integers(0, 3, 400)
    told = clone(model).partial_fit(X[first], y[first], np.arange(4), weight[first])
    later = clone(model).partial_fit(X[first], y[first], known, weight[first])
    for rows in np.array_split(np.flatnonzero(~first), 2):
        told.partial_fit(X[rows], y[rows], sample_weight=weight[rows])
        later.partial_fit(X[rows], y[rows], np.arange(4), weight[rows])
    np.testing.assert_array_equal(later.classes_, np.arange(4))
    assert_same(later, told, X, atol=1e-10)
    # The stream goes on: it forgets, grows and has classes added one at a time.
    some = np.flatnonzero(weight > 0)[:50]
    for stream in (told, later):
        stream.forget(X[some], y[some], weight[some])
        rest = np.setdiff1d(np.arange(400), some)
        stream.grow(X[rest], y[rest], n_enhancement_nodes=50, sample_weight=weight[rest])
    assert_same(later, told, X, atol=1e-10)


def test_a_class_may_be_added_before_it_has_samples_and_after_a_warm_up():
    X, y = make()
    few, model = y < 2, BLSClassifier(**SIZES, random_state=3)
    told = clone(model).partial_fit(X[few], y[few], np.arange(3)).partial_fit(X[few], y[few])
    added = clone(model).partial_fit(X[few], y[few], [0, 1]).partial_fit(X[few], y[few], [2, 1, 0])
    warmed = model.warm_up(X[few], y[few]).partial_fit(X[few], y[few], [0, 1, 2])
    assert_same(added, told, X, atol=1e-10)
    assert_same(warmed.partial_fit(X[few], y[few]), told, X, atol=1e-10)


@pytest.mark.parametrize("kind", SCORED)
def test_scores_of_an_added_class_are_learnt_from_the_batch_that_adds_it(kind):
    X, y = make()
    # Nothing is learnt of the columns, so that a stream that begins with all samples is the same.
    fixed = {"standardize": False, "feature_scaling": None, "random_state": 3}
    if kind is IntuitionisticFuzzyBLSClassifier:
        fixed |= {"kernel_width": 8.0, "neighborhood_radius": 0.2}
    model, first = kind(**SIZES, **fixed), np.isin(y, [1, 3])
    whole = clone(model).warm_up(X, y).partial_fit(X[~first], y[~first])
    stream = clone(model).partial_fit(X[first], y[first], [1, 3])
    stream.partial_fit(X[~first], y[~first], np.arange(4))
    np.testing.assert_allclose(stream._stream.geometry.radii, whole._stream.geometry.radii)
    for name in ("bounds", "references", "weight", "within", "centres"):
        if hasattr(whole._stream.geometry, name):
            there, here = (getattr(m._stream.geometry, name) for m in (whole, stream))
            np.testing.assert_allclose(here, there, atol=1e-12)
    np.testing.assert_allclose(stream.sample_scores_, whole.sample_scores_, atol=1e-12)
    before = dict(vars(stream))
    with pytest.raises(ValueError, match="1 of 1 classes have none"):
        stream.partial_fit(X, y, np.arange(5))
    assert all(value is before[name] for name, value in vars(stream).items())


def test_a_refused_class_leaves_the_model_as_it_was(monkeypatch):
    X, y = make()
    model = BLSClassifier(**SIZES, random_state=3).partial_fit(X[y < 2], y[y < 2], [0, 1])
    before = dict(vars(model))
    for spoilt in (np.full_like(X, np.inf), X[:, :4]):
        with pytest.raises(ValueError, match=r"infinity|4 features"):
            model.partial_fit(spoilt, y, np.arange(4))
    with pytest.raises(ValueError, match=r"y has \[3\].*pass all old and new ones as classes"):
        model.partial_fit(X, y, np.arange(3))
    with pytest.raises(ValueError, match="Mix of label"):
        model.partial_fit(X, y, [0, 1, "2"])
    # While a batch with a further class is learnt, others may predict.
    seen = []
    monkeypatch.setattr(BLSClassifier, "_finish", lambda *a: seen.append(model.predict(X)) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model.partial_fit(X, y, np.arange(4))
    assert set(seen[0]) <= {0, 1}
    assert vars(model).keys() == before.keys()
    assert all(value is before[name] for name, value in vars(model).items())


def test_a_stream_of_two_classes_without_a_column_of_ones_takes_no_third():
    X, y = make()
    model = BLSClassifier(**SIZES, random_state=3).partial_fit(X[y < 2], y[y < 2], [0, 1])
    state = model._stream
    model._stream = replace(state, sums=state.sums[:-1, :-1], ones=False)
    expected = deepcopy(model)
    with pytest.raises(ValueError, match="begun by an earlier version"):
        model.partial_fit(X, y, np.arange(4))
    assert_same(model.partial_fit(X[y < 2], y[y < 2]), expected.partial_fit(X[y < 2], y[y < 2]), X)


def make_labels(n=400):
    X, _ = make(n)
    Y = np.column_stack([X[:, 0] > 2, X[:, 1] > 3, X[:, 2] * X[:, 3] > 0, X.sum(axis=1) > 12])
    return X, Y.astype(int)


def test_a_stream_of_several_labels_is_the_fit():
    X, Y = make_labels()
    model = BLSClassifier(**SIZES, C=10.0, random_state=3)
    weight = np.random.default_rng(0).integers(0, 3, 400)
    stream = clone(model).warm_up(X, Y, sample_weight=weight)
    # The second label is the same for all samples of the first batch.
    for rows in np.array_split(np.argsort(Y[:, 1]), 3):
        stream.partial_fit(X[rows], Y[rows], sample_weight=weight[rows])
        if not Y[rows[0], 1] and not Y[rows[-1], 1]:
            np.testing.assert_array_equal(stream.predict(X)[:, 1], 0)
    assert_same(stream, clone(model).fit(X, Y, weight), X)
    stream.forget(X[:100], Y[:100], weight[:100])
    first = clone(model).warm_up(X, Y, sample_weight=weight)
    first.partial_fit(X[100:], Y[100:], sample_weight=weight[100:])
    assert_same(stream, first, X)
    grown = model.fit(X, Y, weight).grow(X, Y, n_enhancement_nodes=60, sample_weight=weight)
    larger = clone(grown).fit(X, Y, weight)
    assert_same(grown, larger, X)
    np.testing.assert_array_equal(grown.predict(X), larger.predict(X))


def test_constant_labels_of_a_stream_and_of_growth():
    X, Y = make_labels()
    Y[:, 0], Y[:, 2] = 1, 0
    model = BLSClassifier(**SIZES, C=1e4, random_state=3)
    stream = clone(model).partial_fit(X, Y)
    grown = clone(model).fit(X, Y).grow(X, Y, n_enhancement_nodes=60)
    larger = clone(grown).fit(X, Y)
    assert_same(stream, model.fit(X, Y), X)
    assert_same(grown, larger, X)
    for fitted in (stream, grown, larger):
        np.testing.assert_array_equal(fitted.predict(9 * X)[:, [0, 2]], Y[:, [0, 2]])


def test_labels_that_are_added_equal_labels_known_from_the_start():
    X, Y = make_labels()
    model, late = BLSClassifier(**SIZES, random_state=3), Y.copy()
    late[:200, 2:] = 0
    told = clone(model).partial_fit(X[:200], late[:200]).partial_fit(X[200:], Y[200:])
    stream = clone(model).partial_fit(X[:200], Y[:200, :2], classes=[0, 1])
    with pytest.raises(ValueError, match=r"y has 4 columns.*pass the numbers of all labels"):
        stream.partial_fit(X[200:], Y[200:])
    with pytest.raises(ValueError, match="must be the numbers of the labels"):
        stream.partial_fit(X[200:], Y[200:], classes=[0, 1, 2, 4])
    stream.partial_fit(X[200:], Y[200:], classes=range(4))
    assert_same(stream, told, X, atol=1e-10)
    np.testing.assert_array_equal(stream.classes_, np.arange(4))
    with pytest.raises(ValueError, match="unlike the targets that the model began with"):
        stream.partial_fit(X, Y[:, 0])
    with pytest.raises(ValueError, match="needs one class per sample"):
        FuzzyBLSClassifier().partial_fit(X, Y)


def test_missing_values_in_streams(model):
    X, y = make()
    X[::4, 1] = np.nan
    t = targets(model, X, y)
    stream = clone(model).warm_up(X, t)
    for rows in np.array_split(np.arange(400), 3):
        stream.partial_fit(X[rows], t[rows])
    assert_same(stream, clone(model).fit(X, t), X)
    # A feature that only later samples lack has its mean there, and no indicator.
    later = X.copy()
    later[:, 0] = np.nan
    assert np.isfinite(output(stream.partial_fit(later, t), later)).all()
    assert np.isfinite(output(stream.forget(later, t), X)).all()
