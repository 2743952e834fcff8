import numpy as np
import pytest

from broadlearn.solvers import krylov_path

CS = [1e-6, 1e-2, 1.0, 1e2]


def problems(n, scales, rng):
    """Symmetric matrices of falling eigenvalues, and right sides."""
    Q = np.linalg.qr(rng.normal(size=(n, n)))[0]
    base = Q * 0.5 ** np.arange(n) @ Q.T
    return np.stack([scale * base for scale in scales]), rng.normal(size=(len(scales), n))


def times(matrices):
    return lambda v, some: np.einsum("pij,pj->pi", matrices[some], v)


def test_solutions_are_those_of_a_dense_solver():
    matrices, right = problems(60, [1e-4, 1.0, 30.0], np.random.default_rng(0))
    x, solved = krylov_path(times(matrices), right, CS, tolerance=1e-11, max_steps=60)
    assert x.shape == (3, 60, len(CS))
    assert solved.all()
    for A, b, of_problem in zip(matrices, right, x, strict=True):
        for c, C in enumerate(CS):
            expected = np.linalg.solve(A + np.eye(60) / C, b)
            np.testing.assert_allclose(of_problem[:, c], expected, rtol=0, atol=1e-9 * C)


def test_what_is_not_solved_is_said():
    matrices, right = problems(60, [1e-8, 1e5], np.random.default_rng(1))
    x, solved = krylov_path(times(matrices), right, CS, tolerance=1e-11, max_steps=9)
    assert solved[0].all()
    assert solved[1].tolist() == [True, False, False, False]
    expected = np.linalg.solve(matrices[1] + np.eye(60) / CS[0], right[1])
    np.testing.assert_allclose(x[1, :, 0], expected, rtol=1e-6)


def test_solved_problems_are_multiplied_no_more():
    matrices, right = problems(40, [1e-12, 100.0], np.random.default_rng(2))
    asked = []

    def product(v, some):
        asked.append(some.tolist())
        return times(matrices)(v, some)

    krylov_path(product, right, CS, tolerance=1e-11, max_steps=40)
    assert asked[0] == [0, 1]
    assert asked[-1] == [1]


@pytest.mark.parametrize("max_steps", [1, 5])
def test_a_right_side_of_zeros_has_the_solution_zero(max_steps):
    matrices, right = problems(10, [1.0, 1.0], np.random.default_rng(3))
    right[0] = 0.0
    x, solved = krylov_path(times(matrices), right, CS, tolerance=1e-9, max_steps=max_steps)
    assert solved[0].all()
    assert not x[0].any()
    assert np.isfinite(x).all()


def test_primal_problems_are_solved_to_the_same_fitted_values():
    rng = np.random.default_rng(4)
    G, t = rng.normal(size=(80, 12)), rng.normal(size=80)
    A, b = G.T @ G, G.T @ t
    x, solved = krylov_path(
        lambda v, _: v @ A, b[None], CS, tolerance=1e-9, max_steps=12, primal=True
    )
    assert solved.all()
    for c, C in enumerate(CS):
        fitted = G @ np.linalg.solve(A + np.eye(12) / C, b)
        error = np.linalg.norm(G @ x[0, :, c] - fitted)
        assert error <= 1e-9 * np.linalg.norm(fitted)
