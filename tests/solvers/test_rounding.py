from functools import partial

import numpy as np
import pytest
from plain import plain_ridge
from scipy.linalg import cho_solve

from broadlearn.solvers import rounding
from broadlearn.solvers.ridge import REFINE_ONCE, factorize
from broadlearn.solvers.rounding import prediction_error, propagated_error


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
