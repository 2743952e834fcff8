from itertools import combinations

import numpy as np
import pytest
from scipy.special import erf

from broadlearn.random_features.node_kernels import MIN_CHOICES, NodeKernel, input_choices

ACTIVATIONS = {
    "tanh": lambda u: erf(np.sqrt(np.pi) / 2 * u),
    "sigmoid": lambda u: 0.5 + 0.5 * erf(np.sqrt(np.pi) / 4 * u),
    "relu": lambda u: np.maximum(u, 0.0),
    "sine": np.sin,
}


def samples(n=8, d=5):
    return np.random.default_rng(1).normal(size=(n, d))


def kernel(activation, max_inputs=None, scales=(0.5, 1.2), bias=1.5, d=5):
    return NodeKernel(activation, scales, bias, d if max_inputs else d + 1, max_inputs)


def drawn_weights(kernel, q, d, rng):
    """Gaussian weights of q nodes, the bias as the last row, as the kernel has them."""
    scale = rng.choice(kernel.scales, q)
    if kernel.max_inputs is None:
        W = rng.normal(size=(d + 1, q)) / np.sqrt(kernel.n_weights)
        W[-1] *= kernel.bias
        return scale * W
    W = np.zeros((d + 1, q))
    for i in range(q):
        n = rng.integers(1, min(kernel.max_inputs, d) + 1)
        choices = input_choices(d, n)
        if kernel.activation == "sine":
            choices = list(combinations(range(d), n))
        chosen = np.arange(d) if i % 2 else np.array(choices[rng.integers(len(choices))])
        W[chosen, i] = rng.normal(size=chosen.size) / np.sqrt(chosen.size)
    uniform = kernel.activation == "sine"
    biases = rng.uniform(-1, 1, q) if uniform else rng.normal(size=q) / np.sqrt(3)
    W[-1] = kernel.bias * biases
    return scale * W


def error_of_drawn_nodes(kernel, X, q, rng):
    U = np.column_stack([X, np.ones(len(X))]) @ drawn_weights(kernel, q, X.shape[1], rng)
    E = ACTIVATIONS[kernel.activation](U)
    return np.sqrt(np.mean((E @ E.T / q - kernel(X, X)) ** 2))


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("max_inputs", [None, 1, 4])
def test_drawn_nodes_converge_like_one_over_the_root_of_their_number(activation, max_inputs):
    X, rng = samples(), np.random.default_rng(0)
    limit = kernel(activation, max_inputs)
    few = np.mean([error_of_drawn_nodes(limit, X, 100, rng) for _ in range(20)])
    many = np.mean([error_of_drawn_nodes(limit, X, 10_000, rng) for _ in range(3)])
    slope = np.log(many / few) / np.log(100)
    assert -0.7 < slope < -0.4, slope


@pytest.mark.parametrize("activation", ["tanh", "sigmoid"])
def test_what_stands_for_the_activation_has_its_value_and_slope_at_zero(activation):
    true = {"tanh": np.tanh, "sigmoid": lambda u: 1 / (1 + np.exp(-u))}[activation]
    for u in (0.0, 1e-4):
        assert ACTIVATIONS[activation](u) == pytest.approx(true(u), abs=1e-11)
    u = np.linspace(-5, 5, 101)
    assert np.abs(ACTIVATIONS[activation](u) - true(u)).max() < 0.04


def test_sine_nodes_without_biases_are_gaussians_of_difference_and_sum():
    X = samples()
    found = kernel("sine", bias=0.0, scales=(2.0,))(X, X)
    minus = ((X[:, None] - X) ** 2).sum(axis=2)
    plus = ((X[:, None] + X) ** 2).sum(axis=2)
    np.testing.assert_allclose(found, (np.exp(-minus / 3) - np.exp(-plus / 3)) / 2, atol=1e-14)


def test_few_inputs_of_sine_nodes_are_a_mean_over_all_choices():
    A, B = samples(4), samples(6)[1:]
    found = kernel("sine", 3, scales=(1.0,), bias=0.7)(A, B)
    m = np.sin(1.4) / 1.4

    def pair(chosen, n):
        minus = ((A[:, None, chosen] - B[:, chosen]) ** 2).sum(axis=2) / n
        plus = ((A[:, None, chosen] + B[:, chosen]) ** 2).sum(axis=2) / n
        return (np.exp(-minus / 2) - m * np.exp(-plus / 2)) / 2

    few = [
        np.mean([pair(list(chosen), n) for chosen in combinations(range(5), n)], axis=0)
        for n in (1, 2, 3)
    ]
    np.testing.assert_allclose(found, (pair(list(range(5)), 5) + np.mean(few, axis=0)) / 2)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("max_inputs", [None, 2])
def test_a_matrix_of_products_is_symmetric_and_positive(activation, max_inputs):
    X = samples(60, 4)
    limit = kernel(activation, max_inputs, d=4)
    K = limit(X, X)
    np.testing.assert_array_equal(K, K.T)
    assert np.linalg.eigvalsh(K).min() > -1e-12
    np.testing.assert_allclose(limit(X[:7], X), K[:7], atol=1e-14)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_outlying_and_zero_samples_are_finite(activation):
    X = np.array([[0.0, 0.0], [1e8, -1e8], [1e-200, 0.0]])
    for max_inputs in (None, 2):
        K = kernel(activation, max_inputs, bias=0.0, d=2)(X, X)
        assert np.isfinite(K).all()


def test_inputs_are_equally_frequent_in_a_list_of_choices():
    for d, n in [(20, 1), (20, 3), (31, 4), (6, 3), (100, 4)]:
        choices = input_choices(d, n)
        assert all(np.unique(chosen).size == n for chosen in choices)
        counts = np.bincount(np.concatenate(choices), minlength=d)
        assert counts.min() >= 1
        assert np.ptp(counts) <= 1
        assert len(choices) <= max(MIN_CHOICES, d)
