import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from broadlearn.baselines.twin_planes import distances, plane_space, twin_problem
from broadlearn.models import encode_samples

pytestmark = pytest.mark.slow


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


def test_weights_count_as_copies(rows):
    F, codes = rows
    weight = np.random.default_rng(1).integers(1, 4, len(F))
    copies = np.repeat(np.arange(len(F)), weight)
    weighted = twin_problem(F, codes, 3, weight.astype(float), 0.1)
    repeated = twin_problem(F[copies], codes[copies], 3, None, 0.1)
    for side in (0, 1):
        np.testing.assert_allclose(
            weighted.solve(1, side, weight[None].astype(float)).vectors,
            repeated.solve(1, side, np.ones((1, copies.size))).vectors,
            atol=1e-8,
        )


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
