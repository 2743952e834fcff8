import numpy as np
import pytest

from broadlearn.solvers.krylov import krylov_path

CS = [1e-6, 1e-3, 1.0, 1e6]


def make(n_problems=3, n_vectors=2, n=60):
    rng = np.random.default_rng(0)
    matrices = rng.normal(size=(n_problems, n, n)) / np.sqrt(n)
    matrices = matrices @ matrices.transpose(0, 2, 1)
    matrices *= 10.0 ** -np.arange(n_problems)[:, None, None]
    return matrices, rng.normal(size=(n_problems, n_vectors, n))


@pytest.mark.parametrize("patience", [3, 10, 100])
def test_what_is_solved_equals_a_dense_solve(patience):
    matrices, right = make()
    x, solved = krylov_path(matrices, right, CS, 1e-10, patience)
    assert solved[:, 0].all()
    for i, A in enumerate(matrices):
        for c in np.flatnonzero(solved[i]):
            expected = np.linalg.solve(A + np.eye(len(A)) / CS[c], right[i].T)
            difference = np.linalg.norm(A @ (x[i, c].T - expected))
            assert difference <= 1e-9 * np.linalg.norm(A @ expected)


def test_patience_solves_more_penalties():
    matrices, right = make()
    n_solved = [
        krylov_path(matrices, right, CS, 1e-10, patience)[1].sum() for patience in (3, 10, 100)
    ]
    assert n_solved[0] < n_solved[1] < n_solved[2]


def test_exhausted_and_empty_spaces_are_exact():
    # b is an eigenvector of the first matrix and zero for the second.
    matrices = np.stack([np.diag([1.0, 2.0, 3.0])] * 2)
    right = np.array([[[0.0, 2.0, 0.0]], [[0.0, 0.0, 0.0]]])
    x, solved = krylov_path(matrices, right, CS, 1e-12, 5)
    assert solved.all()
    np.testing.assert_allclose(x[0, :, 0, 1], 2.0 / (2.0 + 1.0 / np.array(CS)))
    assert not x[1].any()
