import numpy as np
import pytest
from plain import plain_ridge

from broadlearn.solvers.small_penalties import _lanczos, _worthwhile, solve_small_penalties

CS = [1.0, 1e-6, 1e4, 1e-2]


def make(n, k, scales, n_rows=400):
    """Problems whose rows have scores of different sizes."""
    rng = np.random.default_rng(0)
    G = rng.normal(size=(n_rows, n)) * 0.9 ** np.arange(n)
    T = rng.normal(size=(n_rows, k))
    s = [scale * rng.uniform(0.5, 1.0, n_rows) for scale in scales]
    rows = np.hstack([G, T])
    return G, T, s, np.stack([(rows * d[:, None] ** 2).T @ rows for d in s])


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("sizes", [[120], [5, 40, 120], [7, 20, 60, 100]])
def test_what_is_solved_is_the_ridge_solution(k, sizes):
    G, T, s, sums = make(max(sizes), k, [1e-4, 1.0, 1e-3])
    W = np.zeros((3, len(CS), len(sizes), k, max(sizes)))
    solved = solve_small_penalties(sums, sizes, CS, W, 1e-10)
    # The smaller the scores, the more of the penalties.
    assert solved[0].sum() >= solved[2].sum() >= solved[1].sum()
    assert solved[0].any()
    for i, c in np.argwhere(solved):
        for j, size in enumerate(sizes):
            expected = G[:, :size] @ plain_ridge(G[:, :size], T, CS[c], s[i])
            found = G @ W[i, c, j].T
            assert np.linalg.norm(found - expected) <= 1e-8 * np.linalg.norm(expected)
            assert not W[i, c, j, :, size:].any()
    assert not W[~solved].any()


def test_nothing_is_solved_where_factorisations_are_cheaper():
    *_, sums = make(40, 30, [1.0])
    W = np.zeros((1, len(CS), 1, 30, 40))
    assert not solve_small_penalties(sums, [40], CS, W, 1e-10).any()


def test_another_way_for_all_penalties_takes_the_place_of_products():
    *_, sums = make(120, 1, [0.1])
    Cs = np.sort(CS)
    assert _worthwhile(sums, Cs, 1, 1, np.inf)[0][0] > 0
    assert _worthwhile(sums, Cs, 1, 1, 0.01)[0][0] == 0


def test_targets_of_zeros_have_weights_of_zeros():
    *_, sums = make(120, 1, [1e-4])
    sums[:, -1] = sums[:, :, -1] = 0.0
    W = np.ones((1, len(CS), 1, 1, 120))
    solved = solve_small_penalties(sums, [120], CS, W, 1e-10)
    assert solved.any()
    assert not W[solved].any()


def test_spaces_span_what_products_reach():
    *_, sums = make(60, 1, [1.0, 1.0])
    matrices, right = sums[:, :60, :60], sums[:, 60:, :60]
    spaces = _lanczos(matrices, right, np.ones((1, 60)), np.array([1e-9, 1e-9]), 1e-30, 5)
    assert spaces.last.tolist() == [4, 4]
    for i in range(2):
        Q = spaces.basis[:, i, 0]
        np.testing.assert_allclose(Q @ Q.T, np.eye(5), atol=1e-10)
        T = np.diag(spaces.alphas[:, i, 0])
        T += np.diag(spaces.betas[:-1, i, 0], 1) + np.diag(spaces.betas[:-1, i, 0], -1)
        np.testing.assert_allclose(Q @ matrices[i] @ Q.T, T, atol=1e-8)
