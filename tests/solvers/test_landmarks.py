import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel

from broadlearn.solvers.landmarks import solve_landmarks, sum_landmarks

X = np.random.default_rng(0).normal(size=(40, 3))
T = np.column_stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2], X[:, 0] > 0])
SOME = np.arange(0, 40, 4)


def kernels(some=SOME, dtype=np.float64):
    K = rbf_kernel(X, X[some], 0.3).astype(dtype)
    return K, K[some].astype(np.float64)


def in_blocks(K, s, size=7):
    for start in range(0, len(K), size):
        rows = slice(start, start + size)
        yield K[rows].copy(), T[rows], None if s is None else s[rows]


def plain_solution(K, J, C, s=None):
    """The normal equations, sample by sample."""
    s = np.ones(len(K)) if s is None else s
    left, right = J / C, np.zeros((len(J), T.shape[1]))
    for k, t, each in zip(K, T, s, strict=True):
        left = left + each**2 * np.outer(k, k)
        right = right + each**2 * np.outer(k, t)
    return np.linalg.solve(left, right)


@pytest.mark.parametrize("C", [0.1, 10.0, 1e4])
@pytest.mark.parametrize("scored", [False, True])
def test_weights_solve_the_normal_equations(C, scored):
    K, J = kernels()
    s = np.random.default_rng(1).uniform(0, 2, len(X)) if scored else None
    sums = sum_landmarks(in_blocks(K, s), J, T.shape[1])
    found = K @ solve_landmarks(sums, C).weights
    np.testing.assert_allclose(found, K @ plain_solution(K, J, C, s), atol=1e-7)


def test_sums_do_not_depend_on_the_blocks():
    K, J = kernels()
    s = np.linspace(0, 1, len(X))
    whole = sum_landmarks(in_blocks(K, s, 1000), J, 3)
    parts = sum_landmarks(in_blocks(K, s, 3), J, 3)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


@pytest.mark.parametrize("C", [0.1, 10.0, 1000.0])
@pytest.mark.parametrize("kind", ["plain", "scores", "weights", "both"])
def test_held_out_predictions_equal_refits(C, kind):
    rng, n = np.random.default_rng(2), len(X)
    score = rng.uniform(0.1, 1, n) if kind in ("scores", "both") else np.ones(n)
    weight = rng.integers(1, 4, n).astype(float) if kind in ("weights", "both") else np.ones(n)
    K, J = kernels()
    sums = sum_landmarks(in_blocks(K, score * np.sqrt(weight)), J, 3)
    solution = solve_landmarks(sums, C)
    found = solution.held_out(K, T, np.minimum(weight, 1.0) * score**2)
    for i in range(n):
        left = weight.copy()
        left[i] -= 1.0
        without = plain_solution(K, J, C, score * np.sqrt(left))
        np.testing.assert_allclose(found[i], K[i] @ without, atol=1e-8)


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_all_samples_as_landmarks_give_kernel_ridge(C):
    K, J = kernels(np.arange(len(X)))
    solution = solve_landmarks(sum_landmarks(in_blocks(K, None), J, 3), C)
    ridge = KernelRidge(alpha=1 / C, kernel="precomputed").fit(K, T)
    np.testing.assert_allclose(K @ solution.weights, ridge.predict(K), atol=1e-6)


def test_equal_landmarks_do_no_harm():
    K, J = kernels(np.repeat(SOME, 3))
    solution = solve_landmarks(sum_landmarks(in_blocks(K, None), J, 3), 10.0)
    once, inner = kernels()
    expected = once @ plain_solution(once, inner, 10.0)
    np.testing.assert_allclose(K @ solution.weights, expected, atol=1e-4)


def test_held_out_predictions_in_float32():
    K, J = kernels()
    solution = solve_landmarks(sum_landmarks(in_blocks(K, None), J, 3), 10.0)
    expected = solution.held_out(K, T)
    found = solution.held_out(K.astype(np.float32), T)
    np.testing.assert_allclose(found, expected, atol=1e-4)
