import tracemalloc

import numpy as np
import pytest

from broadlearn.sample_scores._pairs import (
    class_blocks,
    kernel_chain,
    nearest_exact_distance,
    prepare_points,
    squared_input_radius,
    symmetric_pair_sums,
)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return rng.normal(size=(70, 5)), np.sort(rng.integers(0, 3, 70)), rng.integers(1, 4, 70) * 1.0


@pytest.mark.parametrize("equal_weights", [True, False])
@pytest.mark.parametrize("block_rows", [1, 7, 64])
def test_sums_over_blocks_equal_sums_over_all(table, block_rows, equal_weights):
    X, codes, weight = table
    weight = np.full(70, 2.0) if equal_weights else weight
    points = prepare_points(X, codes, weight, 3)
    sums = symmetric_pair_sums(
        points, [0.7, 2.0], kernels=True, radii=[0.9, 1.0], block_rows=block_rows
    )
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


def test_blocks_cover_every_class_once():
    blocks = class_blocks(np.array([0, 10, 10, 13]), 4)
    assert [(c, s.start, s.stop) for c, s in blocks] == [
        (0, 0, 3),
        (0, 3, 6),
        (0, 6, 10),
        (2, 10, 13),
    ]


def test_chain_keeps_its_digits():
    distances = -np.linspace(0.0, 3.0, 1000)
    widths = [2.0**k for k in range(-5, 6)] + [3.0, 1.5, 0.7]
    for k, K in kernel_chain(distances, widths, np.empty(1000)):
        np.testing.assert_allclose(K, np.exp(distances / widths[k] ** 2), rtol=1e-13, atol=1e-300)


def test_near_pairs_are_taken_from_their_difference():
    assert nearest_exact_distance([1.0], 50.0) == 0.0
    assert nearest_exact_distance([0.1], 50.0) > 0.0
    rng = np.random.default_rng(0)
    X = 100.0 + rng.normal(size=(200, 6)) * 1e-3
    X[0] = -100.0
    points = prepare_points(X, np.zeros(200, dtype=int), np.ones(200), 1)
    sums = symmetric_pair_sums(points, [1e-3], kernels=True, radii=None)
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / 1e-6)
    np.testing.assert_allclose(sums.kernel[0], K.sum(axis=1)[points.order], rtol=1e-9)


def test_radius_beyond_the_largest_distance_takes_all():
    assert squared_input_radius(np.sqrt(2.0), 1.0, 1.0) == np.inf


def test_no_rows_by_rows_array():
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(6000, 4)), np.sort(rng.integers(0, 2, 6000))
    points = prepare_points(X, codes, np.ones(6000), 2)
    tracemalloc.start()
    symmetric_pair_sums(points, [1.0, 2.0], kernels=True, radii=[0.5, 0.5])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6000 * 6000 * 8 / 15
