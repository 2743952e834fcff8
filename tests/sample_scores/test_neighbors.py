"""Agreement of rows with their neighbours, against a plain count."""

import numpy as np
import pytest

from broadlearn.sample_scores import neighbor_agreement, neighbors


def plain(X, y, k):
    result = np.empty(len(X))
    for i in range(len(X)):
        distance = np.sqrt(((X - X[i]) ** 2).sum(axis=1))
        others = np.arange(len(X)) != i
        radius = np.sort(distance[others])[min(k, others.sum()) - 1]
        near = others & (distance <= radius * (1 + 1e-9))
        result[i] = (1 + (near & (y == y[i])).sum()) / (1 + near.sum())
    return result


def table(seed, n=60, n_classes=3, grid=False):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, 4)).astype(float) if grid else rng.normal(size=(n, 4))
    return X, rng.integers(0, n_classes, n)


@pytest.mark.parametrize("k", [1, 5, 10, 59, 100])
@pytest.mark.parametrize("grid", [False, True], ids=["numbers", "ties"])
def test_against_a_plain_count(k, grid):
    X, y = table(k, grid=grid)
    np.testing.assert_allclose(neighbor_agreement(X, y, n_neighbors=k), plain(X, y, k), rtol=1e-12)


@pytest.mark.parametrize("grid", [False, True], ids=["numbers", "ties"])
def test_a_weight_is_so_many_copies(grid):
    X, y = table(1, grid=grid)
    weight = np.random.default_rng(2).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), weight)
    expected = neighbor_agreement(X[copies], y[copies], n_neighbors=7)
    found = neighbor_agreement(X, y, n_neighbors=7, sample_weight=weight)
    np.testing.assert_allclose(found[copies], expected, rtol=1e-12)


def test_the_order_of_rows_does_not_matter():
    X, y = table(3, grid=True)
    order = np.random.default_rng(0).permutation(len(y))
    np.testing.assert_array_equal(
        neighbor_agreement(X[order], y[order]), neighbor_agreement(X, y)[order]
    )


def test_no_class_is_silenced_and_single_precision_stays():
    X, y = table(4)
    y[:] = 0
    y[0] = 1
    found = neighbor_agreement(X.astype(np.float32), y)
    assert found.dtype == np.float32
    assert found[0] == pytest.approx(1 / 11)


def test_samples_of_weight_zero_are_no_neighbours_and_scored_all_the_same():
    X, y = table(5)
    weight = np.ones(60)
    weight[::4] = 0.0
    found = neighbor_agreement(X, y, n_neighbors=5, sample_weight=weight)
    kept = weight > 0
    np.testing.assert_allclose(found[kept], plain(X[kept], y[kept], 5), rtol=1e-12)
    for i in np.flatnonzero(~kept):
        rows = np.r_[i, np.flatnonzero(kept)]
        assert found[i] == pytest.approx(plain(X[rows], y[rows], 5)[0])


# The scorer


@pytest.mark.parametrize("k", [1, 5, 10])
@pytest.mark.parametrize("kind", ["numbers", "ties", "some ties", "shifted", "near", "weights"])
def test_nearest_samples_and_spare_ones_settle_it_as_all_do(monkeypatch, kind, k):
    rng = np.random.default_rng(k)
    n = 500
    X = {
        "ties": rng.integers(0, 4, (n, 3)).astype(float),
        "some ties": rng.normal(size=(n, 3)).round(1),
        "shifted": rng.normal(size=(n, 4)) + 1e6,
        "near": rng.normal(size=(n, 4)) * np.where(np.arange(n) < 100, 1e-9, 1.0)[:, None],
    }.get(kind, rng.normal(size=(n, 4)))
    y = rng.integers(0, 3, n)
    weight = rng.uniform(0.0, 2.0, n) * (rng.random(n) < 0.9) if kind == "weights" else np.ones(n)
    found = neighbors.agreements(X, y, weight, k)
    monkeypatch.setattr(neighbors, "MANY_FOR_ONE", n)
    np.testing.assert_allclose(found, neighbors.agreements(X, y, weight, k), rtol=1e-13)
    if kind == "numbers":
        np.testing.assert_allclose(found, plain(X, y, k), rtol=1e-12)
