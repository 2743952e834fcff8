import numpy as np
import pytest
from plain import plain_ridge

from broadlearn.solvers import path
from broadlearn.solvers.path import (
    dual_inverse_diagonals,
    dual_path,
    primal_leverages,
    primal_path,
)

CS = [1e-6, 1e-2, 1.0, 1e2, 1e6]


def make(n, d, k):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)), rng.normal(size=(n, k)), rng.uniform(0.1, 1, n)


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("sizes", [[200], [4, 117, 200]])
@pytest.mark.parametrize("form_cost", [0.0, 9.0])
def test_primal_gives_every_size_and_penalty(k, sizes, form_cost, monkeypatch):
    monkeypatch.setattr(path, "FORM_COST", form_cost)
    G, T, s = make(300, 200, k)
    rows = np.hstack([G, T]) * s[:, None]
    sums = rows.T @ rows
    W = primal_path(np.stack([4.0 * sums, sums]), sizes, CS, k, tolerance=1e-10)[1]
    for c, C in enumerate(CS):
        for j, size in enumerate(sizes):
            expected = plain_ridge(G[:, :size], T, C, s)
            atol = 1e-9 * np.abs(expected).max()
            np.testing.assert_allclose(W[c, j, :, :size].T, expected, atol=atol)
            assert not W[c, j, :, size:].any()


@pytest.mark.parametrize("form_cost", [0.0, 9.0])
def test_refinement_brings_digits_back(form_cost, monkeypatch):
    monkeypatch.setattr(path, "FORM_COST", form_cost)
    rng = np.random.default_rng(0)
    G = rng.normal(size=(300, 5)) @ rng.normal(size=(5, 40)) + 1e-4 * rng.normal(size=(300, 40))
    T, sizes, Cs = rng.normal(size=(300, 1)), [10, 40], [1e6, 1e5]
    rows = np.hstack([G, T])
    sums = rows.T @ rows
    before = primal_path(sums[None], sizes, Cs, 1)[0]

    def refine(i, c, W, solve):
        if c == 1:
            return None
        right = rng.normal(size=(40, 3))
        expected = np.linalg.solve(sums[:40, :40] + np.eye(40) / Cs[0], right)
        np.testing.assert_allclose(solve(right), expected, rtol=1e-3)
        return np.stack([(T - G @ W[j].T).T @ G - W[j] / Cs[0] for j in range(2)])

    refined = primal_path(sums[None], sizes, Cs, 1, refine)[0]
    for j, size in enumerate(sizes):
        expected = G[:, :size] @ plain_ridge(G[:, :size], T, 1e6)
        error = np.abs(G @ refined[0, j].T - expected).max()
        assert error < 1e-10
        assert error < 0.1 * np.abs(G @ before[0, j].T - expected).max()
    np.testing.assert_array_equal(refined[1], before[1])


@pytest.mark.parametrize("tolerance", [0.0, 1e-8])
def test_dual_gives_every_penalty_and_diagonal(tolerance):
    G, T, s = make(100, 150, 2)
    s[3] = 0.0
    S = np.stack([s, np.ones_like(s), 1e-4 * s])
    coefficients = dual_path(G @ G.T, G, S, T, CS, tolerance)
    for i, own in enumerate(S):
        for c, C in enumerate(CS):
            expected = G @ plain_ridge(G, T, C, own)
            found = G @ (G.T @ (coefficients[i, c] * own[:, None]))
            np.testing.assert_allclose(found, expected, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("form_cost", [0.0, 9.0])
def test_a_penalty_that_is_lost_is_marked(form_cost, monkeypatch):
    monkeypatch.setattr(path, "FORM_COST", form_cost)
    G = np.ones((5, 3)) * 1e12
    rows = np.hstack([G, np.ones((5, 1))])
    (W,) = primal_path((rows.T @ rows)[None], [3], [1e-25, 1e12], 1)
    assert np.isfinite(W[0]).all()
    assert np.isnan(W[1]).all()


def test_leverages_of_every_size_and_penalty():
    G, T, s = make(80, 30, 2)
    rows = np.hstack([G, T]) * s[:, None]
    sizes = [4, 17, 30]
    found = primal_leverages(rows.T @ rows, sizes, CS[1:4], 2, G[:9])
    assert found.shape == (3, 3, 9)
    for c, C in enumerate(CS[1:4]):
        for j, size in enumerate(sizes):
            part = G[:, :size] * s[:, None]
            M = part.T @ part + np.eye(size) / C
            expected = np.einsum("ij,jk,ik->i", G[:9, :size], np.linalg.inv(M), G[:9, :size])
            np.testing.assert_allclose(found[c, j], expected, rtol=1e-9)


@pytest.mark.parametrize("scored", [True, False])
def test_diagonals_of_the_dual_inverse(scored):
    G, _, s = make(20, 50, 2)
    s[3] = 0.0
    s = s if scored else None
    K = G @ G.T
    before = K.copy()
    found = dual_inverse_diagonals(K, s, CS)
    np.testing.assert_array_equal(K, before)
    scored_K = K if s is None else K * np.outer(s, s)
    for c, C in enumerate(CS):
        expected = np.diag(np.linalg.inv(scored_K + np.eye(20) / C))
        np.testing.assert_allclose(found[c], expected, rtol=1e-8)


def test_a_penalty_that_is_lost_is_marked_in_the_dual_too():
    G = np.ones((5, 9)) * 1e12
    (found,) = dual_path(G @ G.T, G, np.ones((1, 5)), np.ones((5, 1)), [1e-25, 1e12])
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1]).all()


def test_the_dual_without_any_score_is_zero(capfd):
    G, T, _ = make(6, 9, 1)
    assert not dual_path(G @ G.T, G, np.zeros((1, 6)), T, CS).any()
    # LAPACK complains about matrices without rows.
    assert capfd.readouterr() == ("", "")
