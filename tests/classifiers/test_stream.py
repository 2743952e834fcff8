from dataclasses import replace

import numpy as np
import pytest

from broadlearn.classifiers import _stream
from broadlearn.classifiers._stream import Batch, StreamState
from broadlearn.random_features._broad_map import MapSettings, learn_map, reduce_map
from broadlearn.random_features._standardize import learn_standardization

SETTINGS = MapSettings(1, 3, 2, 5, "tanh", "identity", "orthonormal", "node", 1.5)


@pytest.fixture
def batch():
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(90, 4)), rng.integers(0, 2, 90)
    weight, score = rng.integers(1, 3, 90).astype(float), rng.uniform(size=90)
    return Batch(X, 2.0 * codes[:, None] - 1.0, codes, weight, score)


@pytest.fixture
def empty(batch):
    standardization = learn_standardization(batch.X)
    reduced = reduce_map(learn_map(batch.X, standardization, SETTINGS, 1))
    return StreamState(
        1, batch.X.dtype, standardization, reduced, None, np.empty(0), None, np.zeros(2)
    )


def test_s_joins_weight_and_score(batch):
    np.testing.assert_allclose(batch.s**2, batch.weight * batch.score**2)
    np.testing.assert_allclose(batch._replace(score=None).s ** 2, batch.weight)
    assert batch._replace(score=None, weight=np.ones(90)).s is None


def test_learnt_and_forgotten(empty, batch):
    first, rest = batch.take(np.arange(30)), batch.take(np.arange(30, 90))
    state = empty.learn(first)
    assert empty.sums is None
    assert state.n_seen == 30
    both = state.learn(rest)
    np.testing.assert_allclose(both.sums, empty.learn(batch).sums, atol=1e-11)
    np.testing.assert_allclose(both.weight, np.bincount(batch.codes, batch.weight))
    back = both.forget(rest)
    np.testing.assert_allclose(back.sums, state.sums, atol=1e-11)
    np.testing.assert_array_equal(np.sort(back.sample.X, axis=0), np.sort(first.X, axis=0))


def test_pending_rows_are_summed_when_needed(empty, batch):
    first, rest = batch.take(np.arange(10)), batch.take(np.arange(10, 90))
    pending = replace(empty, pending=first, weight=np.bincount(first.codes, first.weight))
    state = pending.learn(rest)
    assert state.pending is None
    np.testing.assert_allclose(state.sums, empty.learn(batch).sums, atol=1e-11)


@pytest.mark.parametrize(
    "change", [{"n_enhancement_groups": 4}, {"n_enhancement_nodes": 8}, {"n_feature_groups": 2}]
)
def test_grown_sums_are_those_of_the_larger_map(empty, batch, change):
    settings = replace(SETTINGS, **change)
    larger = learn_map(batch.X, empty.standardization, settings, 1)
    fresh = replace(empty, reduced=reduce_map(larger)).learn(batch)
    grown = empty.learn(batch).grow(larger, batch)
    np.testing.assert_allclose(grown.sums, fresh.sums, atol=1e-11)


def test_factor_is_kept_only_where_old_columns_come_first(empty, batch):
    state = replace(empty.learn(batch), factor=np.eye(13))
    for change, kept in [({"n_enhancement_groups": 3}, True), ({"n_enhancement_nodes": 8}, False)]:
        larger = learn_map(batch.X, empty.standardization, replace(SETTINGS, **change), 1)
        assert (state.grow(larger, batch).factor is not None) is kept


def test_other_rows_are_refused(empty, batch):
    larger = learn_map(batch.X, empty.standardization, replace(SETTINGS, n_enhancement_groups=3), 1)
    state = empty.learn(batch.take(np.arange(50)))
    with pytest.raises(ValueError, match="grow needs all rows that were learnt"):
        state.grow(larger, batch)
    with pytest.raises(ValueError, match="of some class there are more of them"):
        state.forget(batch)


def test_sample_is_bounded_and_does_not_depend_on_batches(empty, batch, monkeypatch):
    monkeypatch.setattr(_stream, "SAMPLE_ROWS", 20)
    whole = empty.learn(batch).sample
    state = empty
    for rows in np.array_split(np.arange(90), 7):
        state = state.learn(batch.take(rows))
    assert whole.codes.size == 20
    np.testing.assert_array_equal(np.sort(state.sample.X, axis=0), np.sort(whole.X, axis=0))
