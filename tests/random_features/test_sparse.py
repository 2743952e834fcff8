import numpy as np
import pytest
from sklearn.linear_model import Lasso

from broadlearn.random_features import learn_standardization
from broadlearn.random_features.sparse import input_root, rebuilding_weights, sparse_codes


@pytest.mark.parametrize("penalty", [1e-3, 0.05, 0.3])
def test_reaches_the_lasso_optimum(penalty):
    rng = np.random.default_rng(0)
    H, X = rng.normal(size=(200, 8)), rng.normal(size=(200, 5))
    X[:, 0] += H[:, 1] - 2 * H[:, 2]
    B = sparse_codes(H.T @ H / 200, H.T @ X / 200, penalty)
    lasso = Lasso(alpha=penalty, fit_intercept=False, tol=1e-10, max_iter=100_000).fit(H, X)
    np.testing.assert_allclose(B, lasso.coef_.T, atol=1e-5)


def test_sub_gradient_vanishes_on_ill_conditioned_nodes():
    rng = np.random.default_rng(0)
    H = rng.normal(size=(100, 3)) @ rng.normal(size=(3, 10)) + 0.01 * rng.normal(size=(100, 10))
    X = rng.normal(size=(100, 2))
    G, R = H.T @ H / 100, H.T @ X / 100
    B = sparse_codes(G, R, 0.01)
    slope = G @ B - R
    assert np.abs(slope).max() <= 0.01 + 1e-9
    np.testing.assert_allclose(slope[B != 0], -0.01 * np.sign(B[B != 0]), atol=1e-9)


def test_strong_penalty_and_empty_nodes_give_zero():
    assert not sparse_codes(np.eye(2), np.ones((2, 1)), 10.0).any()
    assert not sparse_codes(np.zeros((2, 2)), np.zeros((2, 1)), 0.1).any()


@pytest.mark.parametrize("n", [3, 50], ids=["fewer samples than columns", "more"])
def test_root_of_means_over_samples_and_weights_copies(n):
    rng = np.random.default_rng(0)
    X, weight = rng.normal(3, 2, (n, 3)), rng.integers(1, 4, n)
    standardization = learn_standardization(X)
    Z = np.column_stack([(X - X.mean(axis=0)) / X.std(axis=0), np.ones(n)])
    root = input_root(X, standardization, None)
    assert len(root) == min(n, 4)
    np.testing.assert_allclose(root.T @ root, Z.T @ Z / n, atol=1e-13)
    root = input_root(X, standardization, weight * 1.0)
    copies = np.repeat(Z, weight, axis=0)
    np.testing.assert_allclose(root.T @ root, copies.T @ copies / len(copies), atol=1e-13)


def test_inputs_far_from_zero_do_not_make_the_loop_diverge():
    offset = 1e8
    rng = np.random.default_rng(187)
    Z = np.column_stack([np.full(10, offset), rng.normal(size=10), np.ones(10)])
    H = rng.normal(size=(3, 5))
    H[2] -= offset * H[0]
    H /= np.ptp(Z @ H, axis=0)
    with np.errstate(all="raise"):
        found = rebuilding_weights(Z / np.sqrt(10), H, None, 1e-3)
    assert np.isfinite(found).all()


def test_nodes_that_overflow_are_named():
    with pytest.raises(ValueError, match="X contains values so large"):
        rebuilding_weights(np.eye(2), np.full((2, 3), np.nan), None, 1e-3)
