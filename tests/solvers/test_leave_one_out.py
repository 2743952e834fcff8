import numpy as np
import pytest

from broadlearn.solvers import solve_dual, solve_primal, weighted_ridge
from broadlearn.solvers._leave_one_out import (
    dual_leave_one_out,
    dual_residual,
    primal_leave_one_out,
)


def make(n, d):
    rng = np.random.default_rng(0)
    G = rng.normal(size=(n, d))
    return G, rng.normal(size=(n, 2)), rng.uniform(0.1, 1, n)


def refitted(G, s, T, C, weight):
    """Leave one copy of each row out, the slow way."""
    result = np.empty_like(T)
    for i in range(len(G)):
        left = weight.astype(float).copy()
        left[i] -= min(1.0, weight[i])
        result[i] = G[i] @ weighted_ridge(G, T, C, scores=s * np.sqrt(left))
    return result


@pytest.mark.parametrize("C", [0.01, 1.0, 1e4])
@pytest.mark.parametrize("shape", [(30, 12), (20, 40)])
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_refitting(shape, C, weighted):
    G, T, score = make(*shape)
    weight = np.arange(len(G)) % 3 + 1.0 if weighted else np.ones(len(G))
    weight[0] = 0.5 if weighted else 1.0
    share = 1.0 / np.maximum(weight, 1.0)
    s = score * np.sqrt(weight)
    expected = refitted(G, score, T, C, weight)
    primal = solve_primal(lambda: [(np.hstack([G, T]), s)], G.shape[1], 2, C)
    found = primal_leave_one_out(primal, G, s, T, share)
    np.testing.assert_allclose(found, expected, atol=1e-5 if C > 1 else 1e-9)
    dual = solve_dual(G, s, T, C)
    residual = dual_residual(dual.alpha, s, T, G @ dual.weights, C)
    np.testing.assert_allclose(residual, T - G @ dual.weights, atol=1e-9)
    found = dual_leave_one_out(dual.inverse_diagonal(), residual, T, C, share)
    np.testing.assert_allclose(found, expected, atol=1e-5 if C > 1 else 1e-9)


def test_some_rows_only():
    G, T, s = make(30, 12)
    primal = solve_primal(lambda: [(np.hstack([G, T]), s)], 12, 2, 1.0)
    whole = primal_leave_one_out(primal, G, s, T, None)
    part = primal_leave_one_out(primal, G[5:9], s[5:9], T[5:9], None)
    np.testing.assert_allclose(part, whole[5:9])
