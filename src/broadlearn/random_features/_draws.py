"""Random weights that nest: a smaller model's weights are part of a larger model's.

Every group has a stream of its own, keyed by the seed and the group's number, and is drawn node
by node. The first p nodes of a group are then the same whatever p is, the first m groups whatever m
is, and the first q enhancement nodes of a given number of feature nodes whatever q is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from sklearn.utils import check_random_state

Array = NDArray[np.float64]

FEATURE_STREAM, BIAS_STREAM, ENHANCEMENT_STREAM, HIDDEN_STREAM = range(4)
AUTOENCODER_STREAM, CENTRE_STREAM, INPUT_STREAM = 4, 5, 6
# Columns orthonormalised at a time. Shapes must not depend on q, or rounding would.
PANEL = 32


def draw_seed(random_state: int | np.random.RandomState | None) -> int:
    """One integer from scikit-learn's ``random_state``, from which all streams derive."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _stream(seed: int, *key: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


def draw_feature_weights(
    seed: int, n_groups: int, n_nodes: int, n_inputs: int, *, orthonormal: bool = False
) -> Array:
    """Weights of the feature groups, the bias as the last row.

    Parameters
    ----------
    seed : int
    n_groups, n_nodes : int
        m groups of p nodes.
    n_inputs : int
        D, columns of X.
    orthonormal : bool, default=False
        Make the weights within a group orthonormal, in blocks of D columns; else they are uniform
        on [-1, 1]. Biases are uniform on [-1, 1] in either case.

    Returns
    -------
    A : ndarray of shape (n_inputs + 1, n_groups * n_nodes)

    Examples
    --------
    >>> small = draw_feature_weights(0, 2, 3, 4)
    >>> large = draw_feature_weights(0, 5, 7, 4)
    >>> bool((small[:, 3:] == large[:, 7:10]).all())
    True
    """
    groups = []
    for i in range(n_groups):
        stream = _stream(seed, FEATURE_STREAM, i)
        if orthonormal:
            weights = _orthonormal_blocks(stream, n_inputs, n_nodes)
            biases = _stream(seed, BIAS_STREAM, i).uniform(-1.0, 1.0, (1, n_nodes))
            groups.append(np.concatenate([weights, biases]))
        else:
            groups.append(stream.uniform(-1.0, 1.0, (n_nodes, n_inputs + 1)).T)
    return np.ascontiguousarray(np.concatenate(groups, axis=1))


def draw_hidden_weights(seed: int, n_nodes: int, n_inputs: int) -> Array:
    """Weights of a hidden layer, uniform on [-1, 1], the bias as the last row.

    Parameters
    ----------
    seed, n_nodes, n_inputs : int

    Returns
    -------
    W : ndarray of shape (n_inputs + 1, n_nodes)
    """
    return _stream(seed, HIDDEN_STREAM).uniform(-1.0, 1.0, (n_nodes, n_inputs + 1)).T.copy()


def draw_autoencoder_weights(seed: int, layer: int, n_nodes: int, n_inputs: int) -> Array:
    """Random weights of an auto-encoder, uniform on [-1, 1], the bias as the last row.

    Parameters
    ----------
    seed, layer, n_nodes, n_inputs : int

    Returns
    -------
    B : ndarray of shape (n_inputs + 1, n_nodes)
    """
    stream = _stream(seed, AUTOENCODER_STREAM, layer)
    return stream.uniform(-1.0, 1.0, (n_nodes, n_inputs + 1)).T.copy()


def draw_group_seed(seed: int, group: int) -> int:
    """Seed of the clustering of a fuzzy group."""
    return int(_stream(seed, CENTRE_STREAM, group).integers(np.iinfo(np.int32).max))


def draw_enhancement_weights(seed: int, n_groups: int, n_nodes: int, n_features: int) -> Array:
    """Weights of the enhancement groups, the bias as the last row.

    Within a group, columns are orthonormal in blocks of ``n_features + 1`` (no more fit into that
    space). Column k of a block is made from the first k columns drawn, by block Gram-Schmidt in
    panels of fixed width, so it does not change when more columns follow.

    Parameters
    ----------
    seed : int
    n_groups, n_nodes : int
        l groups of q nodes.
    n_features : int
        Feature nodes that feed the groups, mp.

    Returns
    -------
    W : ndarray of shape (n_features + 1, n_groups * n_nodes)
    """
    groups = [
        _orthonormal_blocks(
            _stream(seed, ENHANCEMENT_STREAM, n_features, j), n_features + 1, n_nodes
        )
        for j in range(n_groups)
    ]
    return np.concatenate(groups, axis=1)


def draw_input_weights(seed: int, n_groups: int, n_nodes: int, n_inputs: int, most: int) -> Array:
    """Weights of enhancement groups that act on the inputs, the bias as the last row.

    Nodes take turns: one combines all inputs, in directions that are orthonormal in blocks of
    `n_inputs`; the next only 1 to `most` of them, each number as likely as the others and so each
    input, in a random direction of length 1. Biases are uniform on [-1, 1].

    Parameters
    ----------
    seed : int
    n_groups, n_nodes : int
        l groups of q nodes.
    n_inputs : int
        D, columns of X.
    most : int

    Returns
    -------
    W : ndarray of shape (n_inputs + 1, n_groups * n_nodes)

    Examples
    --------
    >>> W = draw_input_weights(0, 1, 5, n_inputs=40, most=1)
    >>> (W[:-1] != 0).sum(axis=0)
    array([40,  1, 40,  1, 40])
    """
    groups = []
    for j in range(n_groups):
        dense, sparse, biases = (_stream(seed, INPUT_STREAM, j, part) for part in range(3))
        W = np.empty((n_inputs + 1, n_nodes))
        W[:-1, ::2] = _orthonormal_blocks(dense, n_inputs, (n_nodes + 1) // 2)
        W[:-1, 1::2] = _sparse_directions(sparse, n_inputs, n_nodes // 2, min(most, n_inputs))
        W[-1] = biases.uniform(-1.0, 1.0, n_nodes)
        groups.append(W)
    return np.concatenate(groups, axis=1)


def _sparse_directions(stream: np.random.Generator, rows: int, wanted: int, most: int) -> Array:
    """Columns of length 1 with 1 to `most` entries that are not zero."""
    drawn = stream.random((wanted, rows + 1 + most))
    chosen = np.argsort(drawn[:, :rows], axis=1)[:, :most]
    numbers = 1 + (most * drawn[:, rows]).astype(np.intp)
    values = ndtri(drawn[:, rows + 1 :])
    values[np.arange(most) >= numbers[:, None]] = 0.0
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    W = np.zeros((rows, wanted))
    W[chosen, np.arange(wanted)[:, None]] = values
    return W


def _orthonormal_blocks(stream: np.random.Generator, rows: int, wanted: int) -> Array:
    """Columns that are orthonormal in blocks of `rows`."""
    blocks = [
        _orthonormal_columns(stream, rows, min(wanted - start, rows))
        for start in range(0, wanted, rows)
    ]
    return np.concatenate(blocks, axis=1)


def _orthonormal_columns(stream: np.random.Generator, rows: int, wanted: int) -> Array:
    Q = np.empty((rows, 0))
    while Q.shape[1] < wanted:
        width = min(PANEL, rows - Q.shape[1])
        panel = stream.uniform(-1.0, 1.0, (width, rows)).T
        # Once removes the components along Q, twice also those that rounding brought back.
        for _ in range(2):
            panel = panel - Q @ (Q.T @ panel)
        Q = np.concatenate([Q, np.linalg.qr(panel)[0]], axis=1)
    return Q[:, :wanted]
