"""Slow, obvious versions of the equations of the robust and structural variants."""

import numpy as np
from plain import plain_ridge


def plain_scale(norms):
    """The lower median, in units of a normal distribution's standard deviation."""
    return 1.4826 * np.sort(norms)[(len(norms) + 1) // 2 - 1]


def plain_correntropy_weights(E, width):
    norms = np.sqrt((E**2).sum(axis=1))
    sigma = width * plain_scale(norms)
    return np.array([np.exp(-(e**2) / (2 * sigma**2)) for e in norms])


def plain_huber_weights(E, threshold):
    norms = np.sqrt((E**2).sum(axis=1))
    k = threshold * plain_scale(norms)
    return np.array([1.0 if e <= k else k / e for e in norms])


def plain_density_weights(E, bandwidth):
    n, weights = len(E), []
    for e in E.T:
        centre = np.sort(e)[(n + 1) // 2 - 1]
        h = bandwidth * 1.06 * plain_scale(np.abs(e - centre)) * n ** (-1 / 5)
        f = np.array([sum(np.exp(-((a - b) ** 2) / (2 * h**2)) for b in e) for a in e])
        weights.append(f / f.max())
    return np.min(weights, axis=0)


def plain_reweighted(G, T, C, weights_of, n_iterations):
    """Ridge weights and sample weights after some iterations on leave-one-out residuals."""
    w = np.ones(len(G))
    W = plain_ridge(G, T, C)
    for _ in range(n_iterations):
        E = np.empty_like(T)
        for i in range(len(G)):
            others = np.where(np.arange(len(G)) == i, 0.0, np.sqrt(w))
            E[i] = T[i] - G[i] @ plain_ridge(G, T, C, others)
        w = weights_of(E)
        W = plain_ridge(G, T, C, np.sqrt(w))
    return W, w


def plain_cascade(Z, feature_weights, enhancement_weights, cascade):
    """[F, E] of groups that follow each other or stand side by side; tanh, scaled to [-1, 1].

    Weights of each group have their biases in the last row.
    """

    def scaled(nodes):
        low, high = nodes.min(axis=0), nodes.max(axis=0)
        return 2.0 * (nodes - low) / (high - low) - 1.0

    def layer(inputs, W):
        return np.tanh(inputs @ W[:-1] + W[-1])

    groups = []
    for A in feature_weights:
        follows = groups and cascade in ("features", "both")
        groups.append(scaled(layer(groups[-1] if follows else Z, A)))
    F, layers = np.hstack(groups), []
    for W in enhancement_weights:
        follows = layers and cascade in ("enhancements", "both")
        layers.append(layer(layers[-1] if follows else F, W))
    return np.hstack([F, *layers])


def plain_graph_ridge(G, T, C, penalty, Z, k):
    """Weights of the least C/2 (|GW - T|² + penalty tr(WᵗGᵗLGW)) + |W|²/2, edge by edge."""
    n = len(Z)
    distance = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
    np.fill_diagonal(distance, np.inf)
    near = np.argsort(distance, axis=1)[:, :k]
    edges = {tuple(sorted((i, j))) for i in range(n) for j in near[i]}
    rows = np.array([np.sqrt(penalty / k) * (G[i] - G[j]) for i, j in edges])
    return plain_ridge(np.vstack([G, rows]), np.vstack([T, np.zeros((len(rows), T.shape[1]))]), C)


def plain_stacked(X, T, C, designs):
    """Sum of the outputs of blocks; each design turns the outputs of the block before it into G."""
    inputs, total = X, np.zeros(T.shape)
    for design in designs:
        G, left = design(inputs), T - total
        mean = left.mean(axis=0)
        inputs = G @ plain_ridge(G, left - mean, C) + mean
        total = total + inputs
    return total
