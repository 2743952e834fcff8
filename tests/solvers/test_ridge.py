import numpy as np
import pytest
from plain import plain_ridge

from broadlearn.solvers import solve_dual, solve_primal, weighted_ridge


def make(n, d, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, 5))
    G = np.tanh(Z @ rng.normal(size=(5, d)) * 0.3 + rng.normal(size=d))
    return G, np.sign(Z[:, :2]), rng.uniform(0, 1, n)


@pytest.mark.parametrize("C", [1e-6, 1e-2, 1.0, 1e2, 1e4, 1e6])
@pytest.mark.parametrize("scored", [False, True])
@pytest.mark.parametrize("shape", [(60, 200), (200, 60)])
@pytest.mark.parametrize("solver", ["primal", "dual", "auto"])
def test_predictions_equal_augmented_least_squares(shape, solver, scored, C):
    G, T, s = make(*shape)
    s = s if scored else None
    W = weighted_ridge(G, T, np.float64(C), scores=s, solver=solver)
    np.testing.assert_allclose(G @ W, G @ plain_ridge(G, T, C, s), rtol=0, atol=1e-7)


@pytest.mark.parametrize("C", [1.0, 1e6])
@pytest.mark.parametrize("solver", ["primal", "dual"])
def test_zero_score_equals_absence(solver, C):
    G, T, s = make(50, 80)
    s[::3] = 0.0
    present = s > 0
    W = weighted_ridge(G, T, C, scores=s, solver=solver)
    without = weighted_ridge(G[present], T[present], C, scores=s[present], solver=solver)
    np.testing.assert_allclose(G @ W, G @ without, atol=1e-9)


def test_blocks_do_not_matter():
    G, T, s = make(300, 40)
    whole = solve_primal(lambda: [(np.hstack([G, T]), s)], 40, 2, 1e4).weights
    cuts = [slice(0, 1), slice(1, 120), slice(120, 300)]
    parts = solve_primal(
        lambda: [(np.hstack([G[c], T[c]]), s[c]) for c in cuts], 40, 2, 1e4
    ).weights
    np.testing.assert_allclose(G @ whole, G @ parts, atol=1e-10)


def test_float32_features_are_summed_in_float64():
    G, T, _ = make(5000, 50)
    single = G.astype(np.float32)
    W = weighted_ridge(single, T, 1e6)
    expected = plain_ridge(single.astype(float), T, 1e6)
    np.testing.assert_allclose(single @ W, single @ expected, atol=1e-6)


def test_leverage_and_inverse_diagonal():
    G, T, s = make(40, 70)
    M = (G * s[:, None] ** 2).T @ G + np.eye(70) / 10
    primal = solve_primal(lambda: [(np.hstack([G, T]), s)], 70, 2, 10.0)
    np.testing.assert_allclose(
        primal.leverage(G), np.einsum("ij,jk,ik->i", G, np.linalg.inv(M), G), rtol=1e-9
    )
    K = (G * s[:, None]) @ (G * s[:, None]).T + np.eye(40) / 10
    dual = solve_dual(G, s, T, 10.0)
    np.testing.assert_allclose(dual.inverse_diagonal(), np.diag(np.linalg.inv(K)), rtol=1e-9)
    some = np.array([4, 1])
    np.testing.assert_allclose(dual.inverse_diagonal(some), dual.inverse_diagonal()[some])
    again = solve_dual(G, s, T, 10.0, G @ G.T)
    np.testing.assert_allclose(again.weights, dual.weights, rtol=1e-12)


def test_lost_penalty_is_named():
    G = np.full((10, 3), 1e12)
    with pytest.raises(ValueError, match="Use a smaller C"):
        weighted_ridge(G, np.ones((10, 1)), 1e12)
