import numpy as np
import pytest

from broadlearn.solvers.tridiagonal import TridiagonalForm

CS = [1e-6, 1e-2, 1.0, 1e4]


@pytest.mark.parametrize("n", [1, 2, 3, 70])
@pytest.mark.parametrize("k", [1, 4])
def test_solutions_are_those_of_a_dense_solver(n, k):
    rng = np.random.default_rng(n)
    G, right = rng.normal(size=(2 * n, n)), rng.normal(size=(n, k))
    A = G.T @ G
    before = A.copy()
    found = TridiagonalForm.of(A).solve(right, CS)
    np.testing.assert_array_equal(A, before)
    assert found.shape == (len(CS), k, n)
    for c, C in enumerate(CS):
        expected = np.linalg.solve(A + np.eye(n) / C, right)
        np.testing.assert_allclose(found[c].T, expected, rtol=1e-9, atol=1e-12 * C)


def test_the_leading_block_of_a_larger_array_has_a_form_too():
    rng = np.random.default_rng(0)
    G, right = rng.normal(size=(50, 20)), rng.normal(size=(12, 1))
    A = G.T @ G
    found = TridiagonalForm.of(A[:12, :12]).solve(right, [3.0])[0].T
    np.testing.assert_allclose(found, np.linalg.solve(A[:12, :12] + np.eye(12) / 3.0, right))


def test_a_penalty_that_is_lost_is_marked():
    A = np.full((3, 3), 1e24)
    found = TridiagonalForm.of(A).solve(np.ones((3, 1)), [1e-26, 1e12])
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1]).all()
