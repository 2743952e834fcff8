import numpy as np
import pytest

from broadlearn.classifiers._twin_planes import distances, twin_problem


def plain_plane(near, away, bounds, delta, sign):
    """The plane by projected gradient steps on the dense dual, many of them."""
    H, G = (np.column_stack([part, np.ones(len(part))]) for part in (near, away))
    inverse = np.linalg.inv(H.T @ H + delta * np.eye(H.shape[1]))
    Q = G @ inverse @ G.T
    alpha, step = np.zeros(len(away)), 1 / np.linalg.eigvalsh(Q)[-1]
    for _ in range(100_000):
        alpha = np.clip(alpha - step * (Q @ alpha - 1), 0, bounds)
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


def test_two_classes_are_one_task():
    problem = twin_problem(np.eye(4), np.array([0, 0, 1, 1]), 2, None, 1e-2)
    assert len(problem.factors) == 1


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


def test_a_plane_without_direction_is_equally_far_from_all_rows():
    F, codes = np.array([[-1.0], [1.0], [-1.0], [1.0]]), np.array([0, 0, 1, 1])
    vectors = twin_problem(F, codes, 2, None, 1e-3).solve(0, 0, np.ones((1, 4))).vectors
    assert vectors[0, 0] == 0.0
    assert distances(F, vectors).std() == 0.0


def test_distances_are_those_of_geometry():
    vectors = np.array([[0.6, 0.8, -1.0]])
    np.testing.assert_allclose(distances(np.array([[0.0, 0.0], [3.0, 4.0]]), vectors), [[1], [4]])
