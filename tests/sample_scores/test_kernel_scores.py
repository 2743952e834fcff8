import numpy as np

from broadlearn.sample_scores._kernel_scores import combine, kernel_distances
from broadlearn.sample_scores._pairs import prepare_points, symmetric_pair_sums


def test_combine_follows_the_three_cases():
    theta = np.array([0.7, 0.2, 0.8, 0.5])
    nu = np.array([0.0, 0.3, 0.1, 0.5])
    np.testing.assert_allclose(combine(theta, nu), [0.7, 0.0, 0.9 / 1.1, 0.0])


def test_distances_are_those_of_explicit_feature_vectors():
    # For exp(-d²/mu²) on two points, the feature vectors can be written down from the kernel.
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(9, 4)), np.array([0] * 5 + [1] * 4)
    points = prepare_points(X, codes, np.ones(9), 2)
    sums = symmetric_pair_sums(points, [1.5], kernels=True, radii=None)
    distance, radius = kernel_distances(points, sums.kernel)
    ordered = X[points.order]
    K = np.exp(-((ordered[:, None] - ordered[None]) ** 2).sum(axis=2) / 1.5**2)
    psi = np.linalg.cholesky(K + 1e-14 * np.eye(9))
    for start, stop in ((0, 5), (5, 9)):
        centre = psi[start:stop].mean(axis=0)
        expected = np.linalg.norm(psi[start:stop] - centre, axis=1)
        np.testing.assert_allclose(distance[0, start:stop], expected, atol=1e-6)
    np.testing.assert_allclose(radius[0], [distance[0, :5].max(), distance[0, 5:].max()])


def test_class_without_weight_is_infinitely_far():
    X, codes = np.arange(4.0)[:, None], np.array([0, 0, 1, 1])
    points = prepare_points(X, codes, np.array([1.0, 1.0, 0.0, 0.0]), 2)
    sums = symmetric_pair_sums(points, [1.0], kernels=True, radii=None)
    distance, radius = kernel_distances(points, sums.kernel)
    assert np.isinf(distance[0, 2:]).all()
    assert radius[0, 1] == 0.0
