from dataclasses import replace

import numpy as np
import pytest

from broadlearn.models import stream
from broadlearn.models.stream import Batch, StreamState, merge_samples, total
from broadlearn.random_features import MapSettings, draw_map
from broadlearn.utils import encode_targets, learn_standardization

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
    broad_map = draw_map(SETTINGS, batch.X, standardization, 1)
    return StreamState(1, batch.X.dtype, standardization, broad_map, None, np.empty(0), np.zeros(2))


def test_s_joins_weight_and_score(batch):
    np.testing.assert_allclose(batch.s**2, batch.weight * batch.score**2)
    np.testing.assert_allclose(batch._replace(score=None).s ** 2, batch.weight)
    assert batch._replace(score=None, weight=np.ones(90)).s is None


def test_samples_are_standardised_before_they_are_scored(empty, batch):
    samples = empty.samples(batch)
    expected = (batch.X - batch.X.mean(axis=0)) / batch.X.std(axis=0)
    np.testing.assert_allclose(samples.Z, expected, atol=1e-12)
    assert (samples.n_classes, samples.seed) == (2, 1)
    with pytest.raises(ValueError, match="X holds values beyond"):
        empty.samples(batch._replace(X=1e300 * batch.X))


def test_a_batch_keeps_its_scores_where_there_is_no_geometry(empty, batch):
    same, trust = empty.scored(batch)
    assert same is batch
    assert trust.score is None


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


def test_all_but_the_sums_can_be_counted_alone(empty, batch):
    counted, learnt = empty.counted(batch), empty.learn(batch)
    assert counted.sums is None
    assert counted.n_seen == learnt.n_seen == 90
    np.testing.assert_array_equal(counted.weight, learnt.weight)
    np.testing.assert_array_equal(counted.priority, learnt.priority)
    np.testing.assert_array_equal(counted.sample.X, learnt.sample.X)
    # Real targets have no probabilities to learn a slope for.
    assert replace(empty, shift=np.zeros(1)).counted(batch).sample is None


@pytest.mark.parametrize(
    "change", [{"n_enhancement_groups": 4}, {"n_enhancement_nodes": 8}, {"n_feature_groups": 2}]
)
def test_grown_sums_are_those_of_the_larger_map(empty, batch, change):
    settings = replace(SETTINGS, **change)
    larger = draw_map(settings, batch.X, empty.standardization, 1)
    fresh = replace(empty, map=larger).learn(batch)
    for state in (empty.learn(batch), empty.counted(batch)):
        np.testing.assert_allclose(state.grow(larger, batch).sums, fresh.sums, atol=1e-11)


def test_factor_is_kept_only_where_old_columns_come_first(empty, batch):
    state = replace(empty.learn(batch), factor=np.eye(13))
    for change, kept in [({"n_enhancement_groups": 3}, True), ({"n_enhancement_nodes": 8}, False)]:
        larger = draw_map(replace(SETTINGS, **change), batch.X, empty.standardization, 1)
        assert (state.grow(larger, batch).factor is not None) is kept


def test_other_samples_are_refused(empty, batch):
    settings = replace(SETTINGS, n_enhancement_groups=3)
    larger = draw_map(settings, batch.X, empty.standardization, 1)
    state = empty.learn(batch.take(np.arange(50)))
    with pytest.raises(ValueError, match="grow needs all rows that were learnt"):
        state.grow(larger, batch)
    with pytest.raises(ValueError, match="of some class there are more of them"):
        state.forget(batch)
    with pytest.raises(ValueError, match="At least one row must remain"):
        state.forget(batch.take(np.arange(50)))
    with pytest.raises(ValueError, match="not among those that were learnt"):
        empty.forget(batch)


def test_sample_is_bounded_and_does_not_depend_on_batches(empty, batch, monkeypatch):
    monkeypatch.setattr(stream, "MAX_SAMPLE", 20)
    whole = empty.learn(batch).sample
    state = empty
    for rows in np.array_split(np.arange(90), 7):
        state = state.learn(batch.take(rows))
    assert whole.codes.size == 20
    np.testing.assert_array_equal(np.sort(state.sample.X, axis=0), np.sort(whole.X, axis=0))


def test_copies_are_forgotten_one_at_a_time(empty, batch):
    twice = batch.take(np.repeat(np.arange(20), 2))
    state = empty.learn(twice).forget(batch.take(np.arange(20)))
    np.testing.assert_array_equal(np.sort(state.sample.X, axis=0), np.sort(batch.X[:20], axis=0))


def test_merged_samples_are_those_of_least_priority(batch, monkeypatch):
    monkeypatch.setattr(stream, "MAX_SAMPLE", 3)
    first, second = batch.take(np.arange(3)), batch.take(np.arange(3, 6))
    priority = np.array([5, 1, 9], dtype=np.uint64)
    rows, kept = merge_samples((first, priority), (second, priority + np.uint64(1)))
    np.testing.assert_array_equal(kept, [5, 1, 2])
    np.testing.assert_array_equal(rows.X, batch.X[[0, 1, 4]])
    assert merge_samples((None, None), (first, priority)) == (first, priority)
    assert merge_samples((first, priority), (None, None)) == (first, priority)


def encoded(batch, codes, n_classes):
    return batch._replace(codes=codes, T=encode_targets(codes, n_classes))


def assert_same_state(state, other):
    for name in ("weight", "sums", "priority"):
        np.testing.assert_allclose(getattr(state, name), getattr(other, name), atol=1e-11)
    for part, same in zip(state.sample, other.sample, strict=True):
        np.testing.assert_allclose(part, same)
    assert state.ones == other.ones


def test_added_classes_are_as_if_known_from_the_start(empty, batch):
    two, four = replace(empty, ones=True), replace(empty, weight=np.zeros(4))
    for places in (np.array([0, 1]), np.array([0, 3]), np.array([1, 2])):
        known = four.learn(encoded(batch, places[batch.codes], 4))
        assert_same_state(two.learn(batch).told(places, 4), known)
    three = np.arange(90) % 3
    places = np.array([0, 1, 3])
    state = replace(empty, weight=np.zeros(3)).learn(encoded(batch, three, 3))
    assert_same_state(state.told(places, 4), four.learn(encoded(batch, places[three], 4)))
    assert two.told(np.array([0, 2]), 3).sums is None


def test_added_labels_are_as_if_no_sample_had_them(empty, batch):
    few = np.random.default_rng(0).integers(0, 2, (90, 2))
    more = np.column_stack([few, np.zeros((90, 3), dtype=int)])
    two = replace(empty, weight=np.zeros((2, 2)), ones=True).learn(encoded(batch, few, 2))
    five = replace(empty, weight=np.zeros((2, 5)), ones=True).learn(encoded(batch, more, 5))
    assert_same_state(two.told(np.arange(2), 5), five)
    np.testing.assert_array_equal(five.constant_labels, [0, 0, -1, -1, -1])
    assert total(five.weight) == total(two.weight) == pytest.approx(batch.weight.sum())


def test_labels_are_constant_until_a_sample_says_otherwise(empty, batch):
    codes = np.column_stack([np.ones(90), np.zeros(90), np.arange(90) < 60]).astype(int)
    batch = encoded(batch, codes, 3)
    state = replace(empty, weight=np.zeros((2, 3)), ones=True)
    first = state.learn(batch.take(np.arange(60)))
    np.testing.assert_array_equal(first.constant_labels, [1, -1, 1])
    both = first.learn(batch.take(np.arange(60, 90)))
    np.testing.assert_array_equal(both.constant_labels, [1, -1, 0])
    back = both.forget(batch.take(np.arange(60, 90)))
    np.testing.assert_array_equal(back.constant_labels, [1, -1, 1])
    np.testing.assert_allclose(back.sums, first.sums, atol=1e-11)
    np.testing.assert_array_equal(np.sort(back.sample.X, axis=0), np.sort(batch.X[:60], axis=0))
    assert empty.constant_labels is None


def test_a_third_class_needs_the_column_of_ones(empty, batch):
    with pytest.raises(ValueError, match=r"begun by an earlier version.*start anew with warm_up"):
        empty.learn(batch).told(np.array([0, 1]), 3)
