import numpy as np
import pytest
from plain import plain_ridge

from broadlearn.solvers.ridge import normal_equations, rows_residual
from broadlearn.solvers.updates import (
    remove_rows,
    solve_sums,
)


def make(n=200, d=30, k=2, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, 5))
    G = np.tanh(Z @ rng.normal(size=(5, d)) * 0.3 + rng.normal(size=d))
    return np.hstack([G, np.sign(Z[:, :k])]), rng.uniform(0, 1, n)


def sums_of(rows, s):
    return normal_equations([(rows.copy(), s)], rows.shape[1])


@pytest.mark.parametrize("scored", [False, True])
def test_removed_rows_leave_the_sums_of_the_others(scored):
    rows, s = make()
    s = s if scored else None

    def part(a, b):
        return [(rows[a:b].copy(), None if s is None else s[a:b])]

    rest = remove_rows(sums_of(rows, s), part(50, 200))
    expected = sums_of(rows[:50], None if s is None else s[:50])
    np.testing.assert_allclose(rest, expected, atol=1e-11)


def test_rows_that_were_never_added_are_refused():
    rows, _ = make()
    with pytest.raises(ValueError, match="Cannot forget samples that were not learnt"):
        remove_rows(sums_of(rows[:10], None), [(rows.copy(), None)])


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e4])
def test_sums_are_enough_to_solve(C):
    rows, s = make()
    sums = sums_of(rows, s)
    G, T = rows[:, :30], rows[:, 30:]
    solution = solve_sums(sums, 30, C)
    np.testing.assert_allclose(G @ solution.weights, G @ plain_ridge(G, T, C, s), atol=1e-8)
    whole = np.linalg.cholesky(sums[:30, :30] + np.eye(30) / C)
    np.testing.assert_allclose(solution.factor, whole, atol=1e-9)
    assert solution.form == "primal"
    assert solution.sums is sums


def test_rows_at_hand_refine_the_solution():
    rng = np.random.default_rng(0)
    G = np.tanh(rng.normal(size=(400, 2)) @ rng.normal(size=(2, 60)) + rng.normal(size=60))
    rows, s = np.hstack([G, np.sign(G[:, :1])]), rng.uniform(0, 1, 400)

    def blocks():
        return [(rows.copy(), s)]

    sums = normal_equations(blocks(), 61)
    expected = G @ plain_ridge(G, rows[:, 60:], 1e6, s)
    rough = G @ solve_sums(sums, 60, 1e6).weights
    refined = G @ solve_sums(sums, 60, 1e6, residual=lambda W: rows_residual(W, blocks())).weights
    assert np.abs(refined - expected).max() < 1e-9 < np.abs(rough - expected).max()


def test_lost_penalty_is_named():
    sums = np.full((4, 4), 1e30)
    with pytest.raises(ValueError, match="Use a smaller C"):
        solve_sums(sums, 3, 1e12)
