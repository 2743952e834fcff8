from functools import partial

import numpy as np
import pytest
from plain import plain_ridge
from scipy.linalg import cho_solve

from broadlearn.solvers import rounding
from broadlearn.solvers.ridge import REFINE_ONCE, factorize
from broadlearn.solvers.rounding import prediction_error, propagated_error, residuals_of_sums


def make(n, d, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, 5))
    G = np.tanh(Z @ rng.normal(size=(5, d)) * 0.3 + rng.normal(size=d))
    return G, np.sign(Z[:, :2])


def test_rounding_is_estimated_to_grow_with_C():
    G, T = make(200, 60)
    sums = G.T @ G

    def error(C):
        W = plain_ridge(G, T, C)
        return prediction_error(np.trace(sums), C, W, G.T @ T)

    errors = [error(C) for C in (1e-2, 1e2, 1e6)]
    assert errors[0] < errors[1] < REFINE_ONCE < errors[2]


@pytest.mark.parametrize("shape", [(400, 60), (2000, 150)])
@pytest.mark.parametrize("C", [1.0, 1e2, 1e4, 1e6])
def test_errors_sent_through_bound_the_error_and_are_below_the_norm_bound(shape, C):
    G, T = make(*shape)
    gram, right = G.T @ G, G.T @ T
    factor = factorize(gram.copy(), C)
    W = cho_solve((factor, True), right)
    exact = G @ plain_ridge(G, T, C)
    error = np.linalg.norm(G @ W - exact) / np.linalg.norm(exact)
    solve = partial(cho_solve, (factor, True))
    found = propagated_error(gram, solve, W, right)
    assert error <= found + 1e-14
    assert found <= prediction_error(np.trace(gram), C, W, right) * rounding.SAFETY
    assert found == propagated_error(gram, solve, W, right)


def test_columns_without_values_and_weights_of_zero_are_no_error():
    zeros = np.zeros((2, 1))
    assert propagated_error(np.zeros((2, 2)), lambda b: b, zeros, zeros) == 0.0


def test_sums_give_residuals_where_their_rounding_does_no_harm():
    G, T = make(400, 60)
    gram, right, Cs, sizes = G.T @ G, G.T @ T, np.array([1e2, 1e8]), [60, 30]
    W = np.zeros((2, 2, 2, 60))
    for c, C in enumerate(Cs):
        for j, size in enumerate(sizes):
            W[c, j, :, :size] = plain_ridge(G[:, :size], T, 0.9 * C).T

    def inverse(C, right):
        return np.linalg.solve(gram + np.eye(60) / C, right)

    errors = [
        propagated_error(gram, partial(inverse, C), W[c, 0].T, right) for c, C in enumerate(Cs)
    ]
    sure, residual = residuals_of_sums(
        gram, right, W, Cs, inverse, 0, np.mean(errors) / rounding.SAFETY
    )
    assert sure.tolist() == [True, False]
    for j, size in enumerate(sizes):
        expected = G.T @ (T - G @ W[0, j].T) - W[0, j].T / Cs[0]
        np.testing.assert_allclose(residual[0, j, :, :size].T, expected[:size], atol=1e-9)
