"""Sparse auto-encoder: a lasso problem solved by FISTA.

Nodes H = [Z, 1] B with random B, scaled to an interval, rebuild the inputs by the lasso
``min ½‖Hβ - [Z, 1]‖²/n + λ‖β‖₁``; βᵗ replaces B. Nodes are affine in [Z, 1], so samples enter only
through a root R of their moments ``[Z, 1]ᵗ [Z, 1] / n = RᵗR``, of at most D + 1 rows.
"""

from __future__ import annotations

import numpy as np

from broadlearn.random_features.standardization import Standardization
from broadlearn.utils import Array, Floats, row_slices


def input_root(X: Floats, standardization: Standardization, weight: Array | None) -> Array:
    """Return R with ``RᵗR = [Z, 1]ᵗ [Z, 1] / n``; a sample of weight w counts w times."""
    n_columns = X.shape[1] + standardization.share.size + 1
    share = np.full(len(X), 1.0 / len(X)) if weight is None else weight / weight.sum()
    if len(X) <= n_columns:
        return np.sqrt(share)[:, None] * standardization.affine(X).astype(np.float64, copy=False)
    moments = np.zeros((n_columns, n_columns))
    for rows in row_slices(*X.shape):
        block = standardization.affine(X, rows).astype(np.float64, copy=False)
        moments += block.T @ (block * share[rows, None])
    if not np.isfinite(moments).all():
        return moments
    values, vectors = np.linalg.eigh(moments)
    return np.asarray(np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T)


def rebuilding_weights(root: Array, H: Array, P: Array | None, penalty: float) -> Array:
    """Return βᵗ of the lasso that rebuilds the inputs ``[Z, 1] P`` from nodes ``[Z, 1] H``.

    P is None for the inputs [Z, 1] themselves.
    """
    nodes = root @ H
    gram, right = nodes.T @ nodes, nodes.T @ (root if P is None else root @ P)
    if not np.isfinite(gram).all():
        raise ValueError(
            "X contains values so large that the auto-encoder overflows; use standardize=True, "
            "or scale X first."
        )
    return sparse_codes(gram, right, penalty).T


def sparse_codes(
    gram: Array, cross: Array, penalty: float, *, max_iter: int = 50_000, tol: float = 1e-12
) -> Array:
    """Minimise ``1/2 tr(BᵗGB) - tr(BᵗR) + penalty ‖B‖₁`` over B.

    With G = HᵗH / n and R = HᵗX / n, B is the lasso that rebuilds X from the nodes H. The step is
    the inverse of G's largest eigenvalue; the momentum of a column restarts when it goes uphill.
    Every 250 steps the linear equations of each column's non-zero entries are solved, for speed.
    A column is done if that is its optimum, or when no entry moves by more than `tol` times its
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
        if iteration % 250 == 0:
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
    # A sub-gradient of this size counts as zero.
    slack[support] = 1e-9 * penalty
    optimal = (np.sign(values) == signs).all() and (np.abs(slope) <= slack).all()
    return exact if optimal else None
