import numpy as np
import pytest

from broadlearn.utils.arrays import (
    distinct_rows,
    encode_targets,
    quantiles,
    row_priorities,
    row_slices,
    spread_rows,
)


def test_slices_cover_all_rows():
    slices = list(row_slices(10, 3, numbers=9))
    assert [(s.start, s.stop) for s in slices] == [(0, 3), (3, 6), (6, 9), (9, 10)]
    assert next(row_slices(3, 100, numbers=9)) == slice(0, 1)
    assert next(row_slices(3, 0, numbers=9)) == slice(0, 3)
    assert list(row_slices(0, 3)) == []


def test_spread_rows_reach_from_end_to_end_without_copies():
    np.testing.assert_array_equal(spread_rows(5, 10), np.arange(5))
    found = spread_rows(1000, 7)
    assert (found[0], found[-1], found.size) == (0, 999, 7)
    assert np.ptp(np.diff(found)) <= 1


def test_priorities_are_spread_and_do_not_depend_on_batches():
    whole = row_priorities(0, 10_000, 7)
    np.testing.assert_array_equal(whole[123:], row_priorities(123, 9877, 7))
    assert np.unique(whole).size == 10_000
    assert abs(np.mean(whole < 2**63) - 0.5) < 0.02
    assert (whole != row_priorities(0, 10_000, 8)).all()


def test_targets_are_one_hot_or_for_two_classes_one_column():
    np.testing.assert_array_equal(encode_targets(np.array([1, 0]), 2), [[1], [-1]])
    np.testing.assert_array_equal(encode_targets(np.array([2, 0]), 3), [[0, 0, 1], [1, 0, 0]])
    np.testing.assert_array_equal(encode_targets(np.array([0, 0]), 1), [[1], [1]])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_quantiles_are_those_of_the_inverted_distribution(dtype):
    values = np.random.default_rng(0).normal(size=(101, 3)).astype(dtype)
    expected = np.quantile(values, [0.1, 0.5, 0.9], axis=0, method="inverted_cdf")
    np.testing.assert_array_equal(quantiles(values, None, [0.1, 0.5, 0.9]), expected)


def test_quantiles_of_weights_are_those_of_copies():
    rng = np.random.default_rng(0)
    values, weight = rng.normal(size=(50, 3)), rng.integers(0, 4, 50)
    copies = np.repeat(values, weight, axis=0)
    shares = [0.1, 0.25, 0.5, 1.0]
    found = quantiles(values, weight * 0.1, shares)
    np.testing.assert_array_equal(found, quantiles(copies, None, shares))


def test_merges_copies_of_the_same_class_only():
    X = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [0.0, 0.0]])
    codes = np.array([1, 0, 1, 0])
    found = distinct_rows(X, codes, np.array([1.0, 2.0, 0.5, 4.0]))
    assert found.first.size == 3
    np.testing.assert_array_equal(np.diff(codes[found.first]) >= 0, True)
    np.testing.assert_array_equal(X[found.first][found.inverse], X)
    np.testing.assert_array_equal(codes[found.first][found.inverse], codes)
    np.testing.assert_array_equal(found.weight[found.inverse], [1.5, 2.0, 1.5, 4.0])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", ["numbers", "ties", "copies", "all alike"])
def test_distinct_rows_are_ordered_by_class_and_features(kind, dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).round(1 if kind == "ties" else 9)
    X = X[rng.integers(0, 300, 300)] if kind == "copies" else X * (kind != "all alike")
    X, codes = X.astype(dtype), rng.integers(0, 3, 300)
    weight = rng.random(300)
    keys = [(int(c), *(row + 0.0).astype(float).tolist()) for row, c in zip(X, codes, strict=True)]
    for as_numbers in (False, True):
        found = distinct_rows(X, codes, weight, as_numbers=as_numbers)
        first = [keys[i] for i in found.first]
        assert len(set(first)) == len(first) == len(set(keys))
        assert [first[i] for i in found.inverse] == keys
        assert all(keys.index(key) == i for key, i in zip(first, found.first, strict=True))
        np.testing.assert_allclose(found.weight, np.bincount(found.inverse, weight))
        assert np.all(np.diff(codes[found.first]) >= 0)
        if as_numbers:
            assert first == sorted(set(keys))
        else:
            as_bytes = [(key[0], np.array(key[1:]).tobytes()) for key in first]
            assert as_bytes == sorted(as_bytes)
