"""Slow, obvious versions of the equations, for comparison."""

import numpy as np


def plain_fuzzy_membership(X, y, delta=1e-4):
    result = np.empty(len(X))
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        centre = X[rows].mean(axis=0)
        distance = np.sqrt(((X[rows] - centre) ** 2).sum(axis=1))
        result[rows] = 1 - distance / (distance.max() + delta)
    return result


def plain_intuitionistic_scores(X, y, mu, epsilon=None, delta=1e-4):
    """Return membership, non-membership, heterogeneity, score, radius by N x N matrices."""
    squared = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    K = np.exp(-squared / mu**2)
    distance, radius = np.zeros(len(X)), np.zeros(len(X))
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        within = K[np.ix_(rows, rows)]
        distance[rows] = np.sqrt(np.maximum(1 + within.mean() - 2 * within.mean(axis=1), 0))
        radius[rows] = distance[rows].max()
    epsilon = radius.max() if epsilon is None else epsilon
    theta = 1 - distance / (radius + delta)
    near = np.sqrt(np.maximum(2 - 2 * K, 0)) <= epsilon
    foreign = np.asarray(y)[:, None] != np.asarray(y)[None, :]
    Theta = (near & foreign).sum(axis=1) / near.sum(axis=1)
    nu = (1 - theta) * Theta
    score = np.where(nu == 0, theta, np.where(theta <= nu, 0, (1 - nu) / (2 - theta - nu)))
    return theta, nu, Theta, score, epsilon


def plain_held_out(G, T, C, score=None, weight=None):
    """Predictions for every row by a model fitted without it, or without one of its copies.

    Weights that are not all whole numbers do not stand for copies.
    """
    score = np.ones(len(G)) if score is None else np.asarray(score)
    weight = np.ones(len(G)) if weight is None else np.asarray(weight)
    copies = (weight == np.round(weight)).all()
    result = np.empty_like(T)
    for i in range(len(G)):
        left = weight.astype(float)
        left[i] = max(weight[i] - 1.0, 0.0) if copies else 0.0
        result[i] = G[i] @ plain_ridge(G, T, C, score * np.sqrt(left))
    return result


def plain_ridge(G, T, C, scores=None):
    """Ridge weights by the augmented least-squares problem, which squares nothing."""
    s = np.ones(len(G)) if scores is None else np.asarray(scores)
    penalty = np.eye(G.shape[1]) / np.sqrt(C)
    A = np.vstack([G * s[:, None], penalty])
    b = np.vstack([T * s[:, None], np.zeros((G.shape[1], T.shape[1]))])
    return np.linalg.lstsq(A, b, rcond=None)[0]


def plain_released_design(X, A, R, m):
    """Return [F, E] of the code that the authors of IF-BLS released, written out row by row.

    A holds the uniform feature weights of all groups with the biases in the last row, R the uniform
    enhancement weights. MATLAB's ``orth`` is taken from the singular vectors.
    """
    groups = []
    for weights in np.split(A, m, axis=1):
        nodes = np.column_stack([X, np.full(len(X), 0.1)]) @ weights
        low, high = nodes.min(axis=1, keepdims=True), nodes.max(axis=1, keepdims=True)
        groups.append(2.0 * (nodes - low) / (high - low) - 1.0)
    F = np.hstack(groups)
    mp, q = F.shape[1], R.shape[1]
    W = plain_orth(R) if mp >= q else plain_orth(R.T).T
    return np.hstack([F, np.tanh(np.column_stack([F, np.full(len(X), 0.1)]) @ W)])


def plain_orth(R):
    return np.linalg.svd(R, full_matrices=False)[0]
