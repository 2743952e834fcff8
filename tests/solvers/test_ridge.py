from functools import partial

import numpy as np
import pytest
from plain import plain_held_out, plain_ridge

from broadlearn.solvers import ridge
from broadlearn.solvers.ridge import (
    MIN_REMAINDER,
    dual_remainder,
    dual_residual,
    factorize,
    leave_one_out,
    left_out_share,
    normal_equations,
    rows_residual,
    solve_dual,
    solve_ridge,
)


def make(n, d, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, 5))
    G = np.tanh(Z @ rng.normal(size=(5, d)) * 0.3 + rng.normal(size=d))
    return G, np.sign(Z[:, :2]), rng.uniform(0, 1, n)


def normal(n, d):
    rng = np.random.default_rng(0)
    G = rng.normal(size=(n, d))
    return G, rng.normal(size=(n, 2)), rng.uniform(0.1, 1, n)


class Matrix:
    """A design whose rows are there already."""

    def __init__(self, G, n_nodes=None):
        self.G, (self.n_rows, self.n_columns) = G, G.shape
        self.n_nodes = self.n_columns if n_nodes is None else n_nodes

    def __call__(self, rows, out=None):
        if out is not None:
            out[...] = self.G[rows]
        return self.G[rows]


def ridge_weights(G, T, C, s=None, solver="auto"):
    n_nodes = max(len(G) + 1, G.shape[1])
    return solve_ridge(Matrix(G, n_nodes), T, C, s, solver=solver).weights


@pytest.mark.parametrize("C", [1e-6, 1e-2, 1.0, 1e2, 1e4, 1e6])
@pytest.mark.parametrize("scored", [False, True])
@pytest.mark.parametrize("shape", [(60, 200), (200, 60)])
@pytest.mark.parametrize("solver", ["primal", "dual", "auto"])
def test_predictions_equal_augmented_least_squares(shape, solver, scored, C):
    G, T, s = make(*shape)
    s = s if scored else None
    W = ridge_weights(G, T, np.float64(C), s, solver)
    np.testing.assert_allclose(G @ W, G @ plain_ridge(G, T, C, s), rtol=0, atol=1e-7)


@pytest.mark.parametrize("C", [1.0, 1e6])
@pytest.mark.parametrize("solver", ["primal", "dual"])
def test_zero_score_equals_absence(solver, C):
    G, T, s = make(50, 80)
    s[::3] = 0.0
    present = s > 0
    W = ridge_weights(G, T, C, s, solver)
    without = ridge_weights(G[present], T[present], C, s[present], solver)
    np.testing.assert_allclose(G @ W, G @ without, atol=1e-9)


@pytest.mark.parametrize("shape", [(40, 90), (90, 40)])
@pytest.mark.parametrize("scored", [False, True])
def test_a_weight_is_so_many_copies(shape, scored):
    G, T, score = make(*shape)
    score = score if scored else None
    weight = np.random.default_rng(1).integers(0, 4, len(G))
    copies = np.repeat(np.arange(len(G)), weight)
    found = solve_ridge(Matrix(G), T, 10.0, diagonal(score, weight)).weights
    expected = plain_ridge(G[copies], T[copies], 10.0, None if score is None else score[copies])
    np.testing.assert_allclose(G @ found, G @ expected, atol=1e-9)


def test_dual_where_samples_are_not_fewer_than_nodes_warns_and_solves_the_primal():
    G, T, _ = make(90, 40)
    with pytest.warns(UserWarning, match="with 90 samples and 40 nodes, the primal"):
        solution = solve_ridge(Matrix(G), T, 1.0, solver="dual")
    assert solution.form == "primal"
    # Fewer columns than rows may stand for more nodes than rows.
    assert solve_ridge(Matrix(G, n_nodes=91), T, 1.0, solver="dual").form == "dual"


def test_blocks_do_not_matter(monkeypatch):
    G, T, s = make(300, 40)
    whole = solve_ridge(Matrix(G), T, 1e4, s)
    monkeypatch.setattr(ridge, "BLOCK_NUMBERS", 40 * 7)
    parts = solve_ridge(Matrix(G), T, 1e4, s)
    np.testing.assert_allclose(G @ whole.weights, G @ parts.weights, atol=1e-10)
    np.testing.assert_allclose(whole.sums, parts.sums, rtol=1e-12)


@pytest.mark.parametrize("scored", [False, True])
def test_sums_and_residuals_over_blocks(scored):
    G, T, s = make(50, 8)
    s = s if scored else None
    squared = np.ones(50) if s is None else s**2
    rows = np.hstack([G, T])

    def blocks():
        cuts = (slice(0, 1), slice(1, 30), slice(30, 50))
        return [(rows[c].copy(), None if s is None else s[c]) for c in cuts]

    expected = (rows * squared[:, None]).T @ rows
    np.testing.assert_allclose(normal_equations(blocks(), 10), expected, atol=1e-12)
    W = np.random.default_rng(1).normal(size=(8, 2))
    expected = G.T @ (squared[:, None] * (T - G @ W))
    np.testing.assert_allclose(rows_residual(W, blocks()), expected, atol=1e-12)


def test_float32_features_are_summed_in_float64():
    G, T, _ = make(5000, 50)
    single = G.astype(np.float32)
    W = ridge_weights(single, T, 1e6)
    expected = plain_ridge(single.astype(float), T, 1e6)
    np.testing.assert_allclose(single @ W, single @ expected, atol=1e-6)


def test_lost_penalty_is_named():
    G = np.full((10, 3), 1e12)
    with pytest.raises(ValueError, match="Use a smaller C"):
        ridge_weights(G, np.ones((10, 1)), 1e12)


@pytest.mark.parametrize("small", [5, 100])
def test_the_factor_is_the_same_in_place_or_not(monkeypatch, small):
    monkeypatch.setattr(ridge, "SMALL", small)
    G, T, _ = make(80, 20)
    factor = factorize(G.T @ G, 10.0)
    np.testing.assert_allclose(factor @ factor.T, G.T @ G + np.eye(20) / 10.0, atol=1e-12)
    np.testing.assert_array_equal(factor, np.tril(factor))
    with pytest.raises(ValueError, match="Use a smaller C"):
        factorize(-np.eye(20), 10.0)
    W = ridge_weights(G, T, 10.0)
    np.testing.assert_allclose(W, plain_ridge(G, T, 10.0), atol=1e-9)


@pytest.mark.parametrize(("C", "times"), [(1.0, 1), (1e5, 2), (1e11, 3), (np.float64(1e11), 3)])
def test_rows_are_visited_again_only_where_rounding_shows(C, times):
    G, T, _ = make(600, 200)
    visits = []

    class Counted(Matrix):
        def __call__(self, rows, out=None):
            visits.append(rows)
            return super().__call__(rows, out)

    W = solve_ridge(Counted(G), T, C).weights
    assert len(visits) == times
    if C < 1e6:
        np.testing.assert_allclose(G @ W, G @ plain_ridge(G, T, C), atol=1e-9)


# Held-out predictions


def diagonal(score, weight):
    return score if weight is None else np.sqrt(weight) * (1.0 if score is None else score)


def held_out(solution, G, T, score=None, weight=None, rows=None):
    rows = np.arange(len(G)) if rows is None else rows
    share = None if weight is None else left_out_share(weight)
    return solution.held_out(G[rows], T, diagonal(score, weight), share, rows)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("shape", [(30, 12), (20, 40)])
@pytest.mark.parametrize("scored", [False, True])
@pytest.mark.parametrize("first_weight", [None, 2.0, 0.5])
@pytest.mark.parametrize("form", ["primal", "dual"])
def test_held_out_predictions_are_those_of_refitted_models(shape, C, scored, first_weight, form):
    G, T, score = normal(*shape)
    score = score if scored else None
    weight = None
    if first_weight is not None:
        weight = np.arange(len(G)) % 3 + 1.0
        weight[0], weight[1] = first_weight, 0.0
    s = diagonal(score, weight)
    solve = partial(solve_ridge, Matrix(G), T, C, s, "primal")
    solution = solve() if form == "primal" else solve_dual(G, s, T, C)
    found = held_out(solution, G, T, score, weight)
    np.testing.assert_allclose(found, plain_held_out(G, T, C, score, weight), atol=1e-8)


@pytest.mark.parametrize("C", [1e4, 1e6])
@pytest.mark.parametrize("shape", [(60, 12), (20, 40)])
def test_held_out_predictions_keep_their_digits_at_a_small_penalty(shape, C):
    G, T, score = normal(*shape)
    found = held_out(solve_ridge(Matrix(G), T, C, score), G, T, score)
    np.testing.assert_allclose(found, plain_held_out(G, T, C, score), atol=1e-5)


@pytest.mark.parametrize("shape", [(30, 12), (20, 40)])
def test_a_row_of_score_zero_is_held_out_already(shape):
    G, T, score = normal(*shape)
    score[3] = 0.0
    solution = solve_ridge(Matrix(G), T, 1.0, score)
    found = held_out(solution, G, T, score)
    np.testing.assert_allclose(found[3], (G @ solution.weights)[3], atol=1e-12)


@pytest.mark.parametrize("shape", [(30, 12), (20, 40)])
@pytest.mark.parametrize("rows", [slice(0, 20), np.array([3, 0, 9])])
def test_rows_that_are_held_out_may_be_made_when_they_are_needed(shape, rows):
    G, T, score = normal(*shape)
    score[[3, 5]] = 0.0
    solution = solve_ridge(Matrix(G), T, 1.0, score)
    found = solution.held_out(Matrix(G), T, score, None, rows)
    expected = solution.held_out(G[rows], T, score, None, rows)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_the_formula_divides_the_residual_by_what_remains():
    T, residual = np.array([[1.0], [-1.0]]), np.array([[0.2], [-0.3]])
    found = leave_one_out(T, residual, np.array([1.0, 0.5]))
    np.testing.assert_allclose(found, [[0.8], [-0.4]])
    several = leave_one_out(T, np.stack([residual, residual]), np.array([[1.0, 0.5]] * 2))
    np.testing.assert_array_equal(several, [found, found])


def test_nothing_is_known_of_a_row_that_alone_determines_its_prediction():
    T, nothing = np.array([[1.0]]), np.zeros((1, 1))
    np.testing.assert_array_equal(leave_one_out(T, nothing, np.zeros(1)), 0.0)
    found = leave_one_out(T, nothing, np.array([MIN_REMAINDER / 4]))
    np.testing.assert_allclose(found, 0.25)
    np.testing.assert_allclose(leave_one_out(T, nothing, np.array([0.1]), 0.5), 0.2)


def test_dual_residual_and_remainder():
    G, T, s = make(20, 50)
    s[4] = 0.0
    solution = solve_dual(G, s, T, 10.0)
    fitted = G @ solution.weights
    residual = dual_residual(solution.alpha, s, T, fitted, 10.0)
    np.testing.assert_allclose(residual, T - fitted, atol=1e-9)
    plain = solve_dual(G, None, T, 10.0)
    residual = dual_residual(plain.alpha, None, T, G @ plain.weights, 10.0)
    np.testing.assert_allclose(residual, T - G @ plain.weights, atol=1e-9)
    K = (G * s[:, None]) @ (G * s[:, None]).T
    leverage = np.diag(K @ np.linalg.inv(K + np.eye(20) / 10.0))
    diagonal = np.diag(np.linalg.inv(K + np.eye(20) / 10.0))
    np.testing.assert_allclose(dual_remainder(diagonal, 10.0, None), 1 - leverage, atol=1e-12)
    share = np.linspace(0.2, 1.0, 20)
    found = dual_remainder(diagonal, 10.0, share)
    np.testing.assert_allclose(found, 1 - share * leverage, atol=1e-12)
