import numpy as np
import pytest

from broadlearn.baselines.twin_planes import factor_plane, solve_planes

CS = np.array([1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6])


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


def test_planes_are_the_least_of_the_primal():
    near, away, score = make()
    M, _ = dense(near, away, 1e-3, np.ones(len(near)))
    G, rng = with_ones(away), np.random.default_rng(1)

    def primal(z, c):
        return 0.5 * z @ M @ z + c @ np.maximum(0.0, 1.0 + G @ z)

    for C in (1e-2, 1.0, 1e2):
        (z,) = solve_planes(factor_plane(near, away, delta=1e-3), C * score[None]).vectors
        for step in (1e-4, 1e-2, 1.0):
            others = z + step * np.linalg.norm(z) * rng.normal(size=(20, z.size))
            assert primal(z, C * score) < min(primal(other, C * score) for other in others)


def test_one_factor_serves_all_bounds():
    near, away, score = make()
    factor = factor_plane(near, away, delta=1e-3)
    bounds = np.concatenate([CS[:, None] * score, CS[:, None] * score[::-1]])
    together = solve_planes(factor, bounds)
    assert together.vectors.shape == (14, 6)
    assert together.alpha.shape == (14, 60)
    for k, c in enumerate(bounds):
        (alone,) = solve_planes(factor, c[None]).vectors
        size = np.abs(alone).max()
        np.testing.assert_allclose(together.vectors[k], alone, rtol=1e-7, atol=1e-9 * size)


def test_small_delta_survives_large_rows():
    """The product of the rows, of size 1e10, would leave nothing of δ."""
    near, away, score = make(n_near=3, n_columns=6)
    near, away = 1e5 * near, 1e5 * away
    factor = factor_plane(near, away, delta=1e-6)
    H = np.vstack([with_ones(near), 1e-3 * np.eye(7)])
    least = np.linalg.svd(H, compute_uv=False)[-1]
    np.testing.assert_allclose(np.linalg.svd(factor.triangle)[1][-1], least, rtol=1e-6)
    assert solve_planes(factor, score[None]).gap[0] <= 1e-9
