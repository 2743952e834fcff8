import numpy as np
import pytest

from broadlearn.random_features.draws import (
    draw_enhancement_weights,
    draw_feature_weights,
    draw_hidden_weights,
    draw_input_weights,
)


def group(A, i, p):
    return A[:, i * p : (i + 1) * p]


@pytest.mark.parametrize("n_inputs", [1, 6, 40])
@pytest.mark.parametrize("orthonormal", [False, True])
def test_feature_weights_nest_in_groups_and_nodes(n_inputs, orthonormal):
    large = draw_feature_weights(7, 4, 50, n_inputs, orthonormal=orthonormal)
    small = draw_feature_weights(7, 2, 13, n_inputs, orthonormal=orthonormal)
    for i in range(2):
        np.testing.assert_array_equal(group(small, i, 13), group(large, i, 50)[:, :13])
    assert np.abs(large[-1]).max() <= 1
    if orthonormal:
        block = large[:-1, :n_inputs]
        np.testing.assert_allclose(block.T @ block, np.eye(n_inputs), atol=1e-13)


def test_feature_weights_fill_the_interval():
    published = draw_feature_weights(0, 20, 50, 9, bias=0.1)
    A = draw_feature_weights(0, 20, 50, 9)
    np.testing.assert_array_equal(published[:-1], A[:-1])
    np.testing.assert_allclose(published[-1], 0.1 * A[-1])
    assert A.shape == (10, 1000)
    assert A.min() < -0.99
    assert A.max() > 0.99
    assert abs(A.mean()) < 0.02


@pytest.mark.parametrize("n_features", [1, 6, 40, 100])
def test_enhancement_weights_nest_in_nodes_and_groups(n_features):
    large = draw_enhancement_weights(7, 3, 130, n_features)
    for q in (1, 31, 33, 90):
        small = draw_enhancement_weights(7, 2, q, n_features)
        for j in range(2):
            np.testing.assert_array_equal(group(small, j, q), group(large, j, 130)[:, :q])


@pytest.mark.parametrize("n_features", [1, 6, 40, 100])
def test_enhancement_weights_are_orthonormal_in_blocks(n_features):
    W = draw_enhancement_weights(3, 1, 130, n_features)
    rows = n_features + 1
    assert W.shape == (rows, 130)
    for start in range(0, 130, rows):
        block = W[:, start : start + rows]
        np.testing.assert_allclose(block.T @ block, np.eye(block.shape[1]), atol=1e-13)


@pytest.mark.parametrize("n_inputs", [1, 6, 100])
def test_input_weights_nest_in_nodes_and_groups(n_inputs):
    large = draw_input_weights(7, 3, 130, n_inputs, 4)
    for q in (1, 2, 31, 90):
        small = draw_input_weights(7, 2, q, n_inputs, 4)
        for j in range(2):
            np.testing.assert_array_equal(group(small, j, q), group(large, j, 130)[:, :q])


@pytest.mark.parametrize(("n_inputs", "max_inputs"), [(1, 1), (3, 8), (40, 4)])
def test_input_weights_take_turns_between_all_and_few_inputs(n_inputs, max_inputs):
    W = draw_input_weights(3, 1, 400, n_inputs, max_inputs)
    directions, biases = W[:-1], W[-1]
    np.testing.assert_allclose(np.linalg.norm(directions, axis=0), 1.0)
    numbers = (directions != 0).sum(axis=0)
    assert (numbers[::2] == n_inputs).all()
    few = np.arange(1, min(n_inputs, max_inputs) + 1)
    np.testing.assert_array_equal(np.unique(numbers[1::2]), few)
    assert (np.abs(directions[:, 1::2]).sum(axis=1) > 0).all()
    assert (biases.min(), biases.max()) == pytest.approx((-1, 1), abs=0.05)
    block = directions[:, : 2 * n_inputs : 2]
    np.testing.assert_allclose(block.T @ block, np.eye(n_inputs), atol=1e-13)


def test_hidden_weights_nest_in_nodes_and_differ_between_layers():
    large = draw_hidden_weights(7, 50, 4)
    assert large.shape == (5, 50)
    assert np.abs(large).max() <= 1
    np.testing.assert_array_equal(draw_hidden_weights(7, 20, 4), large[:, :20])
    layers = [large, *(draw_hidden_weights(7, 50, 4, layer) for layer in range(2))]
    assert len({layer.tobytes() for layer in layers}) == 3
    np.testing.assert_array_equal(draw_hidden_weights(7, 20, 4, 1), layers[2][:, :20])
