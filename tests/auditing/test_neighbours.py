import numpy as np
import pytest
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from broadlearn.auditing import neighbours
from broadlearn.auditing.neighbours import find_neighbours
from broadlearn.auditing.rows import prepare_rows


def slowly(D, allowed, k):
    D = np.where(allowed, D, np.inf)
    np.fill_diagonal(D, np.inf)
    order = np.argsort(D, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(D, order, axis=1)


@pytest.mark.parametrize(("n_near", "n_own"), [(1, 1), (10, 5), (3, 5)])
@pytest.mark.parametrize("n_columns", [3, 7])
def test_against_all_pairs(n_near, n_own, n_columns):
    rng = np.random.default_rng(0)
    rows = prepare_rows(rng.normal(size=(60, n_columns)), rng.integers(0, 3, 60))
    found = find_neighbours(rows, n_near, n_own)
    D, same = cdist(rows.Z, rows.Z), rows.codes[:, None] == rows.codes
    wanted = slowly(D, True, n_near), slowly(D, same, n_own), slowly(D, ~same, n_own)
    for (positions, distance), i in zip(wanted, (0, 2, 4), strict=True):
        np.testing.assert_array_equal(found[i], positions)
        np.testing.assert_allclose(found[i + 1], distance)
    np.testing.assert_allclose(found.gap, rows.Z - rows.Z[found.own].mean(axis=1))


def test_copies_are_neighbours_but_no_row_is_its_own():
    rows = prepare_rows(np.repeat(np.arange(3.0), 8)[:, None], np.tile([0, 1], 12))
    found = find_neighbours(rows, n_near=4, n_own=3)
    for positions in (found.nearest, found.own, found.other):
        assert (positions != np.arange(24)[:, None]).all()
    np.testing.assert_array_equal(found.distance, 0.0)
    np.testing.assert_array_equal(found.gap, 0.0)
    assert (rows.codes[found.own] == rows.codes[:, None]).all()
    assert (rows.codes[found.other] != rows.codes[:, None]).all()


def test_a_lone_row_has_no_neighbour_of_its_class():
    rows = prepare_rows(np.array([[0.0], [1.0], [5.0]]), [0, 0, 1])
    found = find_neighbours(rows, n_own=2)
    assert found.own.tolist() == [[1, -1], [0, -1], [-1, -1]]
    assert np.isnan(found.own_distance[2]).all()
    assert np.isnan(found.gap[2]).all()
    np.testing.assert_allclose(found.gap[0], rows.Z[0] - rows.Z[1])
    assert found.other.tolist() == [[2, -1], [2, -1], [1, 0]]
    assert found.nearest.shape == (3, 10)
    assert found.nearest[:, :2].tolist() == [[1, 2], [0, 2], [1, 0]]
    assert (found.nearest[:, 2:] == -1).all()


def test_a_quantity_has_no_other_class():
    rng = np.random.default_rng(0)
    rows = prepare_rows(rng.normal(size=(30, 2)), rng.normal(size=30))
    found = find_neighbours(rows, n_near=4, n_own=6)
    np.testing.assert_array_equal(found.own[:, :4], found.nearest)
    assert (found.other == -1).all()
    assert np.isnan(found.other_distance).all()


@pytest.mark.parametrize("factor", [1e6, 1e12, 1e300])
def test_one_enormous_row_does_not_blur_the_others(factor):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), rng.integers(0, 2, 100)
    before = find_neighbours(prepare_rows(X[1:], y[1:]))
    X[0] *= factor
    after = find_neighbours(prepare_rows(X, y))
    assert np.isfinite(after.distance).all()
    assert np.isfinite(after.gap).all()
    # Columns may count a little differently, as their spread stands in for their deviation.
    same = [
        len(set(a) & set(b)) for a, b in zip(before.nearest + 1, after.nearest[1:], strict=True)
    ]
    assert np.mean(same) > 8.5


def test_many_rows(monkeypatch):
    rng = np.random.default_rng(0)
    rows = prepare_rows(rng.normal(size=(600, 3)), rng.integers(0, 2, 600))
    exact = find_neighbours(rows)
    monkeypatch.setattr(neighbours, "MAX_EXACT", 100)
    found = find_neighbours(rows)
    np.testing.assert_array_equal(found.nearest, exact.nearest)
    assert (found.own == exact.own).mean() > 0.95
    assert (found.other == exact.other).mean() > 0.95
    np.testing.assert_allclose(found.gap, rows.Z - rows.Z[found.own].mean(axis=1))


def test_which_of_many_copies_are_found_does_not_depend_on_their_class():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(1000, 2)).astype(float)
    labels = np.sort(rng.integers(0, 2, 1000))
    rows = prepare_rows(X, labels)
    near = find_neighbours(rows, n_near=15)
    same = (labels[near.nearest] == labels[:, None]).mean()
    assert 0.4 < same < 0.6


def test_the_same_for_a_seed_and_any_number_of_threads(monkeypatch):
    rng = np.random.default_rng(0)
    rows = prepare_rows(rng.normal(size=(5000, 8)), rng.integers(0, 3, 5000))
    monkeypatch.setattr(neighbours, "MAX_EXACT", 100)
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(find_neighbours(rows, seed=3))
    for first, second in zip(*found, strict=True):
        np.testing.assert_array_equal(first, second)
