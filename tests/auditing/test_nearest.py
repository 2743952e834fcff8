from importlib.util import find_spec

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from broadlearn.auditing import nearest
from broadlearn.auditing.nearest import nearest_among, nearest_rows, ranked

WAYS = [
    pytest.param("partitions"),
    pytest.param(
        "faiss", marks=pytest.mark.skipif(not find_spec("faiss"), reason="faiss is not installed")
    ),
]


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """Each way of the approximate search, from 100 rows on."""
    monkeypatch.setattr(nearest, "MAX_EXACT", 100)
    monkeypatch.setattr(nearest, "find_spec", lambda name: request.param == name)


def slowly(W, k):
    D = cdist(W, W)
    np.fill_diagonal(D, np.inf)
    return np.argsort(D, axis=1, kind="stable")[:, :k], np.sort(D, axis=1)[:, :k]


def clusters(n, n_columns, seed=0):
    rng = np.random.default_rng(seed)
    centres = rng.normal(0, 3, (8, n_columns))
    return centres[rng.integers(0, 8, n)] + rng.normal(size=(n, n_columns))


@pytest.mark.parametrize("n_columns", [1, 5, 9])
@pytest.mark.parametrize("k", [1, 7])
def test_against_all_pairs(n_columns, k):
    W = clusters(300, n_columns)
    positions, distance = nearest_rows(W, k)
    wanted, far = slowly(W, k)
    np.testing.assert_array_equal(positions, wanted)
    np.testing.assert_allclose(distance, far)


def test_few_rows():
    positions, distance = nearest_rows(np.array([[0.0], [1.0]]), 3)
    assert positions.tolist() == [[1, -1, -1], [0, -1, -1]]
    assert np.isnan(distance[:, 1:]).all()
    positions, distance = nearest_rows(np.zeros((1, 2)), 3)
    assert (positions == -1).all()
    assert np.isnan(distance).all()


@pytest.mark.parametrize("n_columns", [2, 9])
def test_copies(n_columns):
    W = np.repeat(clusters(40, n_columns), np.r_[[50, 7], np.ones(38, dtype=int)], axis=0)
    positions, distance = nearest_rows(W, 5)
    np.testing.assert_allclose(distance, slowly(W, 5)[1], atol=1e-7)
    assert (positions != np.arange(len(W))[:, None]).all()
    assert all(len(set(row)) == 5 for row in positions.tolist())
    np.testing.assert_array_equal(distance[:57], 0.0)


def test_close_pairs_far_from_the_origin():
    W = clusters(60, 9) * 1e-3
    W[::2] += 100.0
    np.testing.assert_array_equal(nearest_rows(W, 3)[0], slowly(W, 3)[0])


@pytest.mark.usefixtures("way")
class TestManyRows:
    def test_most_are_found(self):
        W = clusters(3000, 9)
        positions, distance = nearest_rows(W, 10, max_exact=100)
        far = slowly(W, 10)[1]
        assert (distance <= far[:, -1:] * (1.0 + 1e-6)).mean() > 0.95
        assert (positions != np.arange(len(W))[:, None]).all()
        assert all(len(set(row)) == 10 for row in positions.tolist())
        assert (np.diff(distance, axis=1) >= 0.0).all()
        np.testing.assert_allclose(ranked(W, np.arange(3000), positions)[1], distance)
        assert distance.mean() < 1.01 * far.mean()

    def test_the_same_for_a_seed(self):
        W = clusters(2000, 9)
        found = [nearest_rows(W, 5, seed, max_exact=100)[0] for seed in (3, 3)]
        np.testing.assert_array_equal(*found)

    def test_many_copies(self):
        W = np.r_[np.zeros((1500, 9)), clusters(500, 9)]
        positions, distance = nearest_rows(W, 5, max_exact=100)
        np.testing.assert_array_equal(distance[:1500], 0.0)
        assert (positions[:1500] != np.arange(1500)[:, None]).all()
        assert (distance[1500:] <= slowly(W, 5)[1][1500:, -1:] * (1.0 + 1e-6)).mean() > 0.95


def test_few_columns_are_exact_at_any_size():
    W = clusters(500, 3)
    np.testing.assert_array_equal(nearest_rows(W, 4, max_exact=10)[0], slowly(W, 4)[0])


@pytest.mark.parametrize("n_columns", [2, 9])
def test_nearest_among(n_columns):
    W = clusters(50, n_columns)
    found = nearest_among(W[:10], W[10:], 3)
    D = cdist(W[:10], W[10:])
    np.testing.assert_array_equal(np.sort(found), np.sort(np.argsort(D, axis=1)[:, :3]))
    assert nearest_among(W[:10], W[10:12], 3).shape == (10, 2)
