import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from broadlearn.baselines.twin_planes import (
    distances,
    factor_plane,
    plane_space,
    solve_planes,
    twin_problem,
)
from broadlearn.models import encode_samples

pytestmark = pytest.mark.slow
CS = np.array([1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6])


def plain_plane(near, away, bounds, delta, sign):
    """The plane by accelerated projected gradient steps on the dense dual, many of them."""
    H, G = (np.column_stack([part, np.ones(len(part))]) for part in (near, away))
    inverse = np.linalg.inv(H.T @ H + delta * np.eye(H.shape[1]))
    Q = G @ inverse @ G.T
    alpha = ahead = np.zeros(len(away))
    step, t = 1 / np.linalg.eigvalsh(Q)[-1], 1.0
    for _ in range(2_000):
        moved = np.clip(ahead - step * (Q @ ahead - 1), 0, bounds)
        if (moved - alpha) @ (ahead - moved) > 0:  # gone too far: without speed from here
            t = 1.0
        t, last = (1 + np.sqrt(1 + 4 * t * t)) / 2, t
        alpha, ahead = moved, moved + (last - 1) / t * (moved - alpha)
    z = sign * inverse @ G.T @ alpha
    return z / np.linalg.norm(z[:-1])


@pytest.fixture(params=[3, 40], ids=["tall", "wide"])
def rows(request):
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], 8)
    return rng.normal(size=(24, request.param)) + codes[:, None], codes


def test_planes_solve_the_plain_dual(rows):
    F, codes = rows
    bounds = np.random.default_rng(1).uniform(0.1, 1, (2, len(F)))
    problem = twin_problem(F, codes, 3, None, 0.5)
    assert len(problem.factors) == 3
    for k in range(3):
        own, rest = codes == k, codes != k
        for side, (near, away, sign) in enumerate([(own, rest, -1), (rest, own, 1)]):
            found = problem.solve(k, side, bounds)
            for i in range(2):
                expected = plain_plane(F[near], F[away], bounds[i, away], 0.5, sign)
                np.testing.assert_allclose(found.vectors[i], expected, atol=1e-6)


def test_a_plane_without_direction_is_equally_and_very_far_from_all_samples():
    F, codes = np.array([[-1.0], [1.0], [-1.0], [1.0]]), np.array([0, 0, 1, 1])
    vectors = twin_problem(F, codes, 2, None, 1e-3).solve(0, 0, np.ones((1, 4))).vectors
    assert vectors[0, 0] == 0.0
    assert distances(F, vectors).std() == 0.0
    assert distances(F, vectors).min() > 1e9


def training_data(n=30, weight=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1.0, 5.0, 0.2] + 4.0
    return encode_samples(X, np.arange(n) % 2, weight, True, "model")


def test_curved_planes_live_in_columns_of_the_kernel():
    data = training_data()
    space = plane_space(data, "rbf", 10, 0)
    Z = data.standardization.affine(data.X)[:, :-1]
    assert space.basis.shape == (10, 3)
    assert all((Z == row).all(axis=1).any() for row in space.basis)
    np.testing.assert_allclose(
        space.columns(data.X, 2.0), rbf_kernel(Z, space.basis, gamma=0.25), atol=1e-12
    )
    assert space.columns(data.X.astype(np.float32), 2.0).dtype == np.float32


def test_a_basis_is_drawn_from_distinct_samples_whatever_their_order():
    data = training_data()
    whole = plane_space(data, "rbf", 500, 0).basis
    assert len(whole) == 30
    few = plane_space(data, "rbf", 10, 7).basis
    twice = np.r_[np.arange(29, -1, -1), np.arange(30)]
    copies = encode_samples(data.X[twice], data.codes[twice], None, True, "model")
    np.testing.assert_allclose(plane_space(copies, "rbf", 10, 7).basis, few, atol=1e-12)
    assert not np.array_equal(plane_space(data, "rbf", 10, 8).basis, few)


def make(n_near=40, n_away=60, n_columns=5, shift=1.0, seed=0):
    rng = np.random.default_rng(seed)
    near, away = rng.normal(size=(n_near, n_columns)), rng.normal(size=(n_away, n_columns)) + shift
    return near, away, rng.uniform(0.1, 1.0, n_away)


def with_ones(X):
    return np.column_stack([X, np.ones(len(X))])


def dense(near, away, delta, u):
    """``HᵗUH + δI`` and ``G (HᵗUH + δI)⁻¹ Gᵗ`` as they are written."""
    H, G = with_ones(near), with_ones(away)
    M = H.T @ (u[:, None] * H) + delta * np.eye(H.shape[1])
    return M, G @ np.linalg.solve(M, G.T)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_planes_satisfy_the_conditions_of_the_primal(sign):
    near, away, score = make()
    u = np.linspace(0.5, 1.5, len(near))
    factor = factor_plane(near, away, delta=1e-3, weight=u, sign=sign)
    bounds = CS[:, None] * score
    found = solve_planes(factor, bounds)
    M, _ = dense(near, away, 1e-3, u)
    G = with_ones(away)
    assert found.gap.max() <= 1e-12
    for z, alpha, c in zip(found.vectors, found.alpha, bounds, strict=True):
        size = np.linalg.norm(M @ z)
        np.testing.assert_allclose(M @ z, sign * (alpha @ G), rtol=1e-7, atol=1e-9 * size)
        gradient = sign * (G @ z) - 1.0
        np.testing.assert_allclose(alpha, np.clip(alpha - gradient, 0.0, c), rtol=0, atol=1e-6)


def test_small_delta_survives_large_rows():
    """The product of the rows, of size 1e10, would leave nothing of δ."""
    near, away, score = make(n_near=3, n_columns=6)
    near, away = 1e5 * near, 1e5 * away
    factor = factor_plane(near, away, delta=1e-6)
    H = np.vstack([with_ones(near), 1e-3 * np.eye(7)])
    least = np.linalg.svd(H, compute_uv=False)[-1]
    np.testing.assert_allclose(np.linalg.svd(factor.triangle)[1][-1], least, rtol=1e-6)
    assert solve_planes(factor, score[None]).gap[0] <= 1e-9
