"""Random weights that nest: a smaller model's weights are part of a larger model's.

Every group has a stream of its own, keyed by the seed and the group's number, and is drawn node
by node. The first p nodes of a group are then the same whatever p is, the first m groups whatever m
is, and the first q enhancement nodes of a given number of feature nodes whatever q is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import SeedSequence, default_rng
from scipy.special import ndtri

from broadlearn.utils import Array

# Keys of the random streams; another order would change all draws.
(
    FEATURE_STREAM,
    BIAS_STREAM,
    ENHANCEMENT_STREAM,
    HIDDEN_STREAM,
    AUTOENCODER_STREAM,
    CENTRE_STREAM,
    INPUT_STREAM,
) = range(7)
# Columns orthonormalised at a time, LAPACK's usual block size. Fixed, so that rounding does not
# depend on q; another value would change all draws.
PANEL = 32

# Parameters of each kind of feature nodes; "random" as in the published code.
FEATURE_DRAWS: dict[str, dict[str, Any]] = {
    "orthonormal": {"orthonormal": True},
    "random": {"bias": 0.1},
}


def draw_feature_weights(
    seed: int,
    n_groups: int,
    n_nodes: int,
    n_inputs: int,
    *,
    orthonormal: bool = False,
    bias: float = 1.0,
) -> Array:
    """Draw the weights of m groups of p feature nodes, the bias as the last row.

    Weights within a group are orthonormal in blocks of `n_inputs` columns, or uniform on [-1, 1].
    Biases are uniform on [-bias, bias].

    Examples
    --------
    >>> small = draw_feature_weights(0, 2, 3, 4)
    >>> large = draw_feature_weights(0, 5, 7, 4)
    >>> bool((small[:, 3:] == large[:, 7:10]).all())
    True
    """
    groups = []
    for i in range(n_groups):
        stream = default_rng(SeedSequence(seed, spawn_key=(FEATURE_STREAM, i)))
        if orthonormal:
            weights = orthonormal_columns(stream, n_inputs, n_nodes)
            biases = default_rng(SeedSequence(seed, spawn_key=(BIAS_STREAM, i))).uniform(
                -1.0, 1.0, (1, n_nodes)
            )
            groups.append(np.concatenate([weights, biases]))
        else:
            groups.append(stream.uniform(-1.0, 1.0, (n_nodes, n_inputs + 1)).T)
    A = np.ascontiguousarray(np.concatenate(groups, axis=1))
    A[-1] *= bias
    return A


def draw_hidden_weights(
    seed: int, n_nodes: int, n_inputs: int, autoencoder: int | None = None
) -> Array:
    """Draw the weights of a hidden layer or an auto-encoder, uniform on [-1, 1], the bias last."""
    key = (HIDDEN_STREAM,) if autoencoder is None else (AUTOENCODER_STREAM, autoencoder)
    return (
        default_rng(SeedSequence(seed, spawn_key=key))
        .uniform(-1.0, 1.0, (n_nodes, n_inputs + 1))
        .T.copy()
    )


def draw_group_seed(seed: int, group: int) -> int:
    """Draw the seed of the clustering of a fuzzy group."""
    return int(
        default_rng(SeedSequence(seed, spawn_key=(CENTRE_STREAM, group))).integers(
            np.iinfo(np.int32).max
        )
    )


def draw_enhancement_weights(
    seed: int, n_groups: int, n_nodes: int, n_features: int, *, published: bool = False
) -> Array:
    """Draw the weights of l groups of q enhancement nodes behind mp feature nodes, the bias last.

    Columns of a group are orthonormal in blocks of ``n_features + 1``, the dimension of the space.
    The published code takes ``orth`` of the whole draw instead (`published_orth`).
    """
    streams = [
        default_rng(SeedSequence(seed, spawn_key=(ENHANCEMENT_STREAM, n_features, j)))
        for j in range(n_groups)
    ]
    draw = published_orth if published else orthonormal_columns
    return np.concatenate([draw(stream, n_features + 1, n_nodes) for stream in streams], axis=1)


def draw_input_weights(
    seed: int, n_groups: int, n_nodes: int, n_inputs: int, max_inputs: int
) -> Array:
    """Draw the weights of l groups of q enhancement nodes that act on the inputs, the bias last.

    Nodes alternate. One combines all inputs, in directions that are orthonormal in blocks of
    `n_inputs`. The next combines 1 to `max_inputs` of them, numbers and inputs being equally
    likely, in a random direction of length 1. Biases are uniform on [-1, 1].

    Examples
    --------
    >>> W = draw_input_weights(0, 1, 5, n_inputs=40, max_inputs=1)
    >>> (W[:-1] != 0).sum(axis=0)
    array([40,  1, 40,  1, 40])
    """
    groups = []
    for j in range(n_groups):
        dense, sparse, biases = (
            default_rng(SeedSequence(seed, spawn_key=(INPUT_STREAM, j, part))) for part in range(3)
        )
        W = np.zeros((n_inputs + 1, n_nodes))
        W[:-1, ::2] = orthonormal_columns(dense, n_inputs, (n_nodes + 1) // 2)
        largest, n_sparse = min(max_inputs, n_inputs), n_nodes // 2
        drawn = sparse.random((n_sparse, n_inputs + 1 + largest))
        chosen = np.argsort(drawn[:, :n_inputs], axis=1)[:, :largest]
        numbers = 1 + (largest * drawn[:, n_inputs]).astype(np.intp)
        values = ndtri(drawn[:, n_inputs + 1 :])
        values[np.arange(largest) >= numbers[:, None]] = 0.0
        values /= np.linalg.norm(values, axis=1, keepdims=True)
        W[chosen, 1 + 2 * np.arange(n_sparse)[:, None]] = values
        W[-1] = biases.uniform(-1.0, 1.0, n_nodes)
        groups.append(W)
    return np.concatenate(groups, axis=1)


def published_orth(stream: np.random.Generator, rows: int, columns: int) -> Array:
    """Return ``orth(R)`` of a uniform draw R, or ``orth(R')'`` if it has fewer rows than columns.

    As in MATLAB, the singular vectors of R: orthonormal columns, or else orthonormal rows. The last
    row is that of the biases, and does not count among the rows in this comparison.

    Examples
    --------
    >>> W = published_orth(np.random.default_rng(0), 3, 5)
    >>> bool(np.allclose(W @ W.T, np.eye(3)))
    True
    """
    drawn = stream.uniform(-1.0, 1.0, (columns, rows)).T
    if rows > columns:
        return np.linalg.svd(drawn, full_matrices=False)[0]
    return np.ascontiguousarray(np.linalg.svd(drawn.T, full_matrices=False)[0].T)


def orthonormal_columns(stream: np.random.Generator, rows: int, columns: int) -> Array:
    """Draw columns that are orthonormal in blocks of `rows`, by block Gram-Schmidt.

    Column k of a block depends on the first k columns drawn only, in panels of fixed width, so it
    does not change when more columns follow. Blocks of one panel are factorised in one call.
    """
    if rows <= PANEL:
        drawn = stream.uniform(-1.0, 1.0, (-(-columns // rows), rows, rows))
        Q = np.linalg.qr(drawn.transpose(0, 2, 1))[0]
        return np.ascontiguousarray(Q.transpose(1, 0, 2).reshape(rows, -1)[:, :columns])
    blocks: list[Array] = []
    for start in range(0, columns, rows):
        width, Q = min(columns - start, rows), np.empty((rows, 0))
        while Q.shape[1] < width:
            panel = stream.uniform(-1.0, 1.0, (min(PANEL, rows - Q.shape[1]), rows)).T
            # The second pass removes what rounding of the first one left along Q.
            for _ in range(2):
                panel = panel - Q @ (Q.T @ panel)
            Q = np.concatenate([Q, np.linalg.qr(panel)[0]], axis=1)
        blocks.append(Q[:, :width])
    return np.concatenate(blocks, axis=1)
