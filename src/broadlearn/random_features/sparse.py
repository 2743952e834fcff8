"""Sparse auto-encoder: a lasso problem solved by FISTA.

Nodes H = [Z, 1] B with random B, scaled to an interval, rebuild the inputs by the lasso
``min ½‖Hβ - [Z, 1]‖²/n + λ‖β‖₁``; βᵗ replaces B. Nodes are affine in [Z, 1], so samples enter only
through their (D + 1) x (D + 1) moments.
"""

from __future__ import annotations

import numpy as np

from broadlearn.random_features.standardization import Standardization
from broadlearn.utils import Array, Floats, row_slices

# Steps after which the non-zero entries of each column are solved for exactly, and the sub-gradient
# that counts as zero then, relative to the penalty.
SUPPORT_EVERY, SUPPORT_TOLERANCE = 250, 1e-9
# A negative eigenvalue beyond this share of the largest makes the loop diverge.
ROUNDING = 1e-10


def input_moments(X: Floats, standardization: Standardization, weight: Array | None) -> Array:
    """Return ``[Z, 1]ᵗ [Z, 1] / n``; a sample of weight w counts w times."""
    n_inputs = X.shape[1] + standardization.share.size
    moments = np.zeros((n_inputs + 1, n_inputs + 1))
    for rows in row_slices(*X.shape):
        block = standardization.affine(X, rows).astype(np.float64, copy=False)
        moments += block.T @ (block if weight is None else block * weight[rows, None])
    moments /= X.shape[0] if weight is None else weight.sum()
    return moments


def rebuilding_weights(moments: Array, H: Array, P: Array, penalty: float) -> Array:
    """Return βᵗ of the lasso that rebuilds the inputs ``[Z, 1] P`` from nodes ``[Z, 1] H``."""
    cross = H.T @ moments
    gram, right = cross @ H, cross @ P
    if not np.isfinite(gram).all():
        raise ValueError(
            "X holds values so large that the nodes of an auto-encoder overflow; use "
            "standardize=True, or scale its features first."
        )
    eigenvalues = np.linalg.eigvalsh(gram)
    if eigenvalues[0] < -ROUNDING * eigenvalues[-1]:
        # Inputs far from 0 cancel in the nodes. A product of two factors is not indefinite.
        values, vectors = np.linalg.eigh(moments)
        root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
        nodes = root @ H
        gram, right = nodes.T @ nodes, nodes.T @ (root @ P)
    return sparse_codes(gram, right, penalty).T


def sparse_codes(
    gram: Array, cross: Array, penalty: float, *, max_iter: int = 50_000, tol: float = 1e-12
) -> Array:
    """Minimise ``1/2 tr(BᵗGB) - tr(BᵗR) + penalty ‖B‖₁`` over B.

    With G = HᵗH / n and R = HᵗX / n, B is the lasso that rebuilds X from the nodes H. The step is
    the inverse of G's largest eigenvalue; the momentum of a column restarts when it goes uphill.
    Every `SUPPORT_EVERY` steps the linear equations of each column's non-zero entries are solved. A
    column is done if that is its optimum, or when no entry moves by more than `tol` times its
    largest entry; `tol` is tight, so that rounding of the input does not decide when the loop ends.

    Examples
    --------
    >>> import numpy as np
    >>> sparse_codes(np.eye(2), np.array([[2.0], [0.5]]), 1.0)
    array([[1.],
           [0.]])
    """
    curvature = float(np.linalg.eigvalsh(gram)[-1])
    B = np.zeros_like(cross)
    if curvature <= 0.0:
        return B
    todo = np.arange(cross.shape[1])
    R, old, momentum, t = cross, B, B, np.ones(todo.size)
    for iteration in range(1, max_iter + 1):
        step = momentum - (gram @ momentum - R) / curvature
        new = np.sign(step) * np.maximum(np.abs(step) - penalty / curvature, 0.0)
        moved = new - old
        t = np.where(np.einsum("ij,ij->j", momentum - new, moved) > 0.0, 1.0, t)
        t_next = (1.0 + np.sqrt(1.0 + 4.0 * t * t)) / 2.0
        done = np.abs(new - momentum).max(axis=0) <= tol * np.maximum(np.abs(new).max(axis=0), tol)
        momentum = new + (t - 1.0) / t_next * moved
        old, t = new, t_next
        if iteration % SUPPORT_EVERY == 0:
            for k in np.flatnonzero(~done):
                exact = _solve_support(gram, R[:, k], new[:, k], penalty)
                if exact is not None:
                    new[:, k], done[k] = exact, True
        if done.any() or iteration == max_iter:
            B[:, todo] = new
            todo, R, old = todo[~done], R[:, ~done], old[:, ~done]
            momentum, t = momentum[:, ~done], t[~done]
            if not todo.size:
                break
    return B


def _solve_support(gram: Array, right: Array, column: Array, penalty: float) -> Array | None:
    """Return the optimum with the signs of a column, or None if its signs are others."""
    support = np.flatnonzero(column)
    signs = np.sign(column[support])
    try:
        values = np.linalg.solve(gram[np.ix_(support, support)], right[support] - penalty * signs)
    except np.linalg.LinAlgError:
        return None
    exact = np.zeros_like(column)
    exact[support] = values
    slope = gram @ exact - right
    slope[support] += penalty * signs
    slack = np.full(column.size, penalty)
    slack[support] = SUPPORT_TOLERANCE * penalty
    optimal = (np.sign(values) == signs).all() and (np.abs(slope) <= slack).all()
    return exact if optimal else None
