import tracemalloc

import numpy as np
import pytest

from broadlearn.sample_scores import pairs
from broadlearn.sample_scores.pairs import (
    combine,
    kernel_chain,
    near_weights,
    sort_points,
    symmetric_pair_sums,
)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return rng.normal(size=(70, 5)), np.sort(rng.integers(0, 3, 70)), rng.integers(1, 4, 70) * 1.0


@pytest.mark.parametrize("equal_weights", [True, False])
@pytest.mark.parametrize("block_rows", [1, 7, 64])
def test_sums_over_blocks_equal_sums_over_all(table, block_rows, equal_weights, monkeypatch):
    monkeypatch.setattr(pairs, "BLOCK_ROWS", block_rows)
    X, codes, weight = table
    weight = np.full(70, 2.0) if equal_weights else weight
    points = sort_points(X, np.arange(len(X)), codes, weight, 3)
    sums = symmetric_pair_sums(points, [0.7, 2.0], kernels=True, radii=[0.9, 1.0])
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    same = codes[:, None] == codes[None]
    for k, (mu, epsilon) in enumerate([(0.7, 0.9), (2.0, 1.0)]):
        K = np.exp(-squared / mu**2)
        near = 2 - 2 * K <= epsilon**2
        for found, expected in [
            (sums.kernel[k], (K * same) @ weight),
            (sums.own[k], (near & same) @ weight),
            (sums.other[k], (near & ~same) @ weight),
        ]:
            np.testing.assert_allclose(found, expected[points.order], rtol=1e-12)


def test_chain_keeps_its_digits():
    distances = -np.linspace(0.0, 3.0, 1000)
    widths = [2.0**k for k in range(-5, 6)] + [3.0, 1.5, 0.7]
    for k, K in kernel_chain(distances, widths, np.empty(1000)):
        np.testing.assert_allclose(K, np.exp(distances / widths[k] ** 2), rtol=1e-13, atol=1e-300)


def test_near_pairs_are_taken_from_their_difference():
    rng = np.random.default_rng(0)
    X = 100.0 + rng.normal(size=(200, 6)) * 1e-3
    X[0] = -100.0
    points = sort_points(X, np.arange(len(X)), np.zeros(200, dtype=int), np.ones(200), 1)
    sums = symmetric_pair_sums(points, [1e-3], kernels=True, radii=None)
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / 1e-6)
    np.testing.assert_allclose(sums.kernel[0], K.sum(axis=1)[points.order], rtol=1e-9)


@pytest.mark.parametrize("shape", [(5, 3), (300, 17), (2, 2100)])
def test_near_weights_in_bytes_are_those_of_the_product(shape):
    block = np.random.default_rng(0).normal(size=shape)
    weights, buffer = (np.full(shape[0], 0.5), np.full(shape[1], 0.5)), np.empty(block.size)
    by_bytes = near_weights(block, 0.1, *weights, np.empty(block.size + 8 * shape[0], "u1"), buffer)
    by_product = near_weights(block, 0.1, *weights, np.empty(0, "u1"), buffer)
    for found in (by_bytes, by_product):
        np.testing.assert_allclose(found[0], 0.5 * (block >= 0.1).sum(axis=1))
        np.testing.assert_allclose(found[1], 0.5 * (block >= 0.1).sum(axis=0))
    for room in (block.size + 8 * shape[0], 0):
        of_rows, none = near_weights(block, 0.1, None, weights[1], np.empty(room, "u1"), buffer)
        np.testing.assert_array_equal(of_rows, by_bytes[0])
        assert none.size == 0


def test_combine_follows_the_three_cases():
    # theta = 1 - distance / radius, Theta = other / (own + other)
    distance, own = np.array([0.3, 0.8, 0.2, 0.5, 3.0]), np.array([4.0, 5.0, 1.0, 0.0, 0.0])
    other = np.array([0.0, 3.0, 1.0, 2.0, 0.0])
    theta, nu, Theta, score = combine(distance, np.ones(5), own, other)
    np.testing.assert_allclose(theta, [0.7, 0.2, 0.8, 0.5, 0.0])
    np.testing.assert_allclose(Theta, [0.0, 0.375, 0.5, 1.0, 0.0])
    np.testing.assert_allclose(nu, [0.0, 0.3, 0.1, 0.5, 0.0])
    np.testing.assert_allclose(score, [0.7, 0.0, 0.9 / 1.1, 0.0, 0.0])


def test_no_rows_by_rows_array():
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(6000, 4)), np.sort(rng.integers(0, 2, 6000))
    points = sort_points(X, np.arange(len(X)), codes, np.ones(6000), 2)
    tracemalloc.start()
    symmetric_pair_sums(points, [1.0, 2.0], kernels=True, radii=[0.5, 0.5])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6000 * 6000 * 8 / 15


@pytest.mark.parametrize("weight", [1.0, 0.3, "unequal"])
@pytest.mark.parametrize("rounded", [False, True], ids=["numbers", "ties"])
def test_neighbours_of_many_small_classes_are_those_of_all_less_the_own(
    monkeypatch, weight, rounded
):
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(200, 5)), rng.integers(0, 40, 200)
    X = X.round(0) if rounded else X
    weights = rng.random(200) if weight == "unequal" else np.full(200, weight)
    points = sort_points(X, np.arange(len(X)), codes, weights, 41)
    asked = {"kernels": True, "radii": [0.9, 0.5]}
    found = symmetric_pair_sums(points, [2.0, 1.0], **asked)
    monkeypatch.setattr(pairs, "MAX_BLOCK_RATIO", 1000)
    for part, expected in zip(found, symmetric_pair_sums(points, [2.0, 1.0], **asked), strict=True):
        np.testing.assert_allclose(part, expected, rtol=1e-14)
    np.testing.assert_array_equal(found.other == 0.0, expected == 0.0)
