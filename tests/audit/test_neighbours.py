import numpy as np
import pytest
from sklearn.metrics import pairwise_distances

from broadlearn.audit.neighbours import COMPANY, find_neighbours


@pytest.mark.parametrize("n_near", [1, 3, 10])
def test_against_all_pairs(n_near):
    rng = np.random.default_rng(0)
    Z, codes = rng.normal(size=(60, 4)), rng.integers(0, 3, 60)
    found = find_neighbours(Z, codes, 3, n_near)
    D = pairwise_distances(Z)
    np.fill_diagonal(D, np.inf)
    same = codes[:, None] == codes
    own, other = np.where(same, D, np.inf), np.where(same, np.inf, D)
    np.testing.assert_array_equal(found.own, own.argmin(axis=1))
    np.testing.assert_array_equal(found.other, other.argmin(axis=1))
    np.testing.assert_allclose(found.own_distance, own.min(axis=1))
    np.testing.assert_allclose(found.other_distance, other.min(axis=1))
    nearest = np.argsort(D, axis=1)[:, :n_near]
    np.testing.assert_array_equal(found.n_foreign, (codes[nearest] != codes[:, None]).sum(axis=1))
    company = np.argsort(own, axis=1)[:, :COMPANY]
    np.testing.assert_allclose(found.gap, Z - Z[company].mean(axis=1))


def test_copies_are_neighbours_but_a_row_is_not_its_own():
    Z, codes = np.zeros((12, 1)), np.repeat([0, 1], 6)
    found = find_neighbours(Z, codes, 2)
    assert (found.own != np.arange(12)).all()
    assert (codes[found.own] == codes).all()
    assert (codes[found.other] != codes).all()
    np.testing.assert_array_equal(found.gap, 0.0)


def test_a_lone_row_has_no_neighbour_of_its_class():
    found = find_neighbours(np.array([[0.0], [1.0], [5.0]]), np.array([0, 0, 1]), 2)
    assert found.own.tolist() == [1, 0, -1]
    assert np.isnan(found.own_distance[2])
    assert np.isnan(found.gap[2]).all()
    assert found.other.tolist() == [2, 2, 1]
    assert found.n_near == 2
    assert found.n_foreign.tolist() == [1, 1, 2]
