import numpy as np
import pytest
from scipy import sparse

import broadlearn.baselines.box_qp as module
from broadlearn.baselines.box_qp import box_qp

EPS = np.finfo(float).eps
CS = (1e-6, 1e-3, 1.0, 1e3, 1e6)


def twin_rows(n_near, n_away, n_columns, delta, seed):
    """Rows as a twin SVM has them: where near rows are few, of norms up to 1/√δ."""
    rng = np.random.default_rng(seed)
    near, away = rng.normal(size=(n_near, n_columns)), rng.normal(size=(n_away, n_columns))
    T = np.linalg.qr(np.vstack([near, np.sqrt(delta) * np.eye(n_columns)]), mode="r")
    return np.linalg.solve(T.T, away.T + 0.1).T


def rows(kind, seed):
    rng = np.random.default_rng(seed)
    if kind == "tall":
        return rng.normal(size=(120, 8))
    if kind == "wide":
        return rng.normal(size=(15, 60))
    if kind == "copies":
        return np.repeat(rng.normal(size=(20, 6)) + 0.3, 3, axis=0)
    return twin_rows(20, 160, 30, 1e-8, seed)


KINDS = ("tall", "wide", "copies", "badly conditioned")


def scores(n, seed, zeros=True):
    s = np.random.default_rng(100 + seed).uniform(0.01, 1.0, n)
    if zeros:
        s[::4] = 0.0
    return s


def objective(R, alpha):
    return 0.5 * np.sum((alpha @ R) ** 2) - alpha.sum()


def kkt(R, c, alpha, w=None):
    """Largest |α − clip(α − gradient, 0, c)|, with the gradient from w or from ``Rᵗα``."""
    gradient = R @ (alpha @ R if w is None else w) - 1.0
    return np.abs(alpha - np.clip(alpha - gradient, 0.0, c)).max()


def rounding(R, alpha):
    """What one unit in the last place of each term of ``Rᵗα`` may do to the gradient."""
    norms = np.linalg.norm(R, axis=1)
    return EPS * norms.max() * (norms @ alpha)


def general_objective(R, c, near):
    """The objective by a general QP solver, from the primal, scaled to `near`, the expected value.

    With w = v / ‖R‖: min ½‖v‖² + ‖R‖² Σ c ξ, where R v / ‖R‖ + ξ ≥ 1 and ξ ≥ 0.
    """
    clarabel = pytest.importorskip("clarabel")
    R, c = R[c > 0], c[c > 0]
    n, d = R.shape
    norm = np.linalg.norm(R, 2)
    size = norm**2 * abs(near)
    P = sparse.diags(np.r_[np.ones(d), np.zeros(n)] / size, format="csc")
    q = np.r_[np.zeros(d), c * norm**2 / size]
    margins = sparse.hstack([sparse.csc_matrix(R / norm), sparse.eye(n)])
    signs = sparse.hstack([sparse.csc_matrix((n, d)), sparse.eye(n)])
    A = -sparse.vstack([margins, signs], format="csc")
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    cones = [clarabel.NonnegativeConeT(2 * n)]
    b = np.r_[-np.ones(n), np.zeros(n)]
    found = clarabel.DefaultSolver(P, q, A, b, cones, settings).solve()
    assert str(found.status) == "Solved"
    return near * found.obj_val


@pytest.mark.parametrize(("seed", "C"), list(enumerate(CS)))
@pytest.mark.parametrize("kind", KINDS)
def test_objective_equals_that_of_a_general_solver(kind, C, seed):
    R = rows(kind, seed)
    c = C * scores(len(R), seed)
    solution = box_qp(R, c[None])
    alpha = solution.alpha[0]
    assert solution.gap[0] <= 1e-12
    assert kkt(R, c, alpha, solution.w[0]) <= 1e-6
    assert kkt(R, c, alpha) <= 1e-6 + 100.0 * rounding(R, alpha)
    assert (alpha >= 0.0).all()
    assert (alpha <= c).all()
    np.testing.assert_array_equal(alpha[c == 0.0], 0.0)
    error = np.abs(solution.w[0] - alpha @ R).max()
    assert error <= 1e-9 * np.abs(solution.w).max() + 1e3 * EPS * np.abs(R).max() * alpha.sum()
    # Bounds that are far from reached do not matter, and the general solver fails if they are huge.
    found = objective(R, alpha)
    expected = general_objective(R, np.minimum(c, 10.0 * alpha.max()), found)
    np.testing.assert_allclose(found, expected, rtol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_batch_equals_one_by_one(kind, monkeypatch):
    R = rows(kind, 0)
    c = np.stack([C * scores(len(R), k, zeros=k % 2) for C in CS for k in range(3)])
    monkeypatch.setattr(module, "CHUNK", 4 * max(len(R), min(R.shape) ** 2))
    batch = box_qp(R, c)
    for k, bounds in enumerate(c):
        alone = box_qp(R, bounds[None])
        size = np.abs(alone.w).max()
        np.testing.assert_allclose(batch.w[k], alone.w[0], rtol=1e-6, atol=1e-7 * size)
        np.testing.assert_allclose(
            objective(R, batch.alpha[k]), objective(R, alone.alpha[0]), rtol=1e-9
        )


def test_gap_bounds_the_distance_from_the_optimum():
    R = rows("tall", 3)
    c = scores(len(R), 3, zeros=False)
    exact = box_qp(R, c[None])
    for tol in (1e-1, 1e-3, 1e-5):
        rough = box_qp(R, c[None], tol=tol)
        assert rough.n_iter[0] < exact.n_iter[0]
        assert rough.gap[0] <= tol
        primal = 0.5 * np.sum(rough.w**2) + c @ np.maximum(0.0, 1.0 - R @ rough.w[0])
        assert 0.0 < 1.0 + objective(R, rough.alpha[0]) / primal <= rough.gap[0]


def test_zero_bound_equals_absence():
    R = rows("tall", 1)
    s = scores(len(R), 1)
    present = s > 0
    for C in CS:
        with_zeros, without = box_qp(R, C * s[None]), box_qp(R[present], C * s[None, present])
        np.testing.assert_allclose(with_zeros.w, without.w, rtol=1e-7, atol=1e-10)
