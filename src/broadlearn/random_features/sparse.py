"""Sparse auto-encoder: an l1 problem by an accelerated proximal loop (FISTA), finished exactly.

Nodes H = [Z, 1] B with random B, scaled to an interval, rebuild the inputs by the lasso
``min ½‖Hβ - [Z, 1]‖²/n + λ‖β‖₁``; βᵗ takes the place of B. Nodes are affine in [Z, 1], so
samples enter by their (D + 1) x (D + 1) moments only.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve

from broadlearn.utils import Array, Floats, Standardization, row_slices

# After so many steps of the loop, twice as many and so on, every column is finished by at most so
# many changes of its support; and the sub-gradient that it may leave, relative to the penalty.
FINISH_FIRST, MAX_CHANGES, SLOPE_TOLERANCE = 250, 25, 1e-9
# Smallest diagonal entry of a Cholesky factor, and smallest eigenvalue, relative to the largest,
# below which a support is taken for linearly dependent.
MIN_PIVOT, MIN_EIGENVALUE = 1e-5, 1e-11


def input_moments(X: Floats, standardization: Standardization, weight: Array | None) -> Array:
    """``[Z, 1]ᵗ [Z, 1] / n``, by blocks of samples; one of weight w counts as w."""
    moments = np.zeros((X.shape[1] + 1, X.shape[1] + 1))
    for rows in row_slices(*X.shape):
        block = standardization.affine(X, rows).astype(np.float64, copy=False)
        moments += block.T @ (block if weight is None else block * weight[rows, None])
    moments /= X.shape[0] if weight is None else weight.sum()
    return moments


def rebuilding_weights(moments: Array, H: Array, P: Array, penalty: float) -> Array:
    """βᵗ of the lasso that rebuilds the inputs ``[Z, 1] P`` from nodes ``[Z, 1] H``."""
    cross = H.T @ moments
    return sparse_codes(cross @ H, cross @ P, penalty).T


def sparse_codes(
    gram: Array, cross: Array, penalty: float, *, max_iter: int = 50_000, tol: float = 1e-12
) -> Array:
    """Minimise ``1/2 tr(BᵗGB) - tr(BᵗR) + penalty ‖B‖₁`` over B.

    With G = HᵗH / n and R = HᵗX / n, B is the lasso that rebuilds X from the nodes H. The step is
    the inverse of G's largest eigenvalue; momentum of a column restarts where it would go uphill.
    From time to time each column is finished: nodes leave and join its support one at a time, the
    others solved for exactly [1]_. It is done if that reaches its optimum, or when no entry moves
    by more than `tol` times its largest entry; `tol` is tight, so that rounding of the input does
    not decide when the loop ends.

    References
    ----------
    .. [1] H. Lee, A. Battle, R. Raina and A. Y. Ng, "Efficient sparse coding algorithms", 2006.

    Examples
    --------
    >>> import numpy as np
    >>> sparse_codes(np.eye(2), np.array([[2.0], [0.5]]), 1.0)
    array([[1.],
           [0.]])
    """
    eigenvalues = np.linalg.eigvalsh(gram)
    curvature = float(eigenvalues[-1])
    rank = int((eigenvalues > MIN_EIGENVALUE * curvature).sum())
    B = np.zeros_like(cross)
    if curvature <= 0.0:
        return B
    finish_at = {FINISH_FIRST * 2**i for i in range(max_iter.bit_length())}
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
        if iteration in finish_at:
            near = np.count_nonzero(new, axis=0) <= rank + MAX_CHANGES
            for k in np.flatnonzero(near & ~done):
                exact = _finish(gram, R[:, k], new[:, k], penalty)
                if exact is not None:
                    new[:, k], done[k] = exact, True
        if done.any() or iteration == max_iter:
            B[:, todo] = new
            todo, R, old = todo[~done], R[:, ~done], old[:, ~done]
            momentum, t = momentum[:, ~done], t[~done]
            if not todo.size:
                break
    return B


def _finish(gram: Array, right: Array, column: Array, penalty: float) -> Array | None:
    """The optimum by changes of a column's support, each downhill; None if there are too many."""
    exact, signs = column.copy(), np.sign(column)
    for _ in range(MAX_CHANGES):
        support = np.flatnonzero(signs)
        part, slope = exact[support], gram @ exact - right
        downhill = -slope[support] - penalty * signs[support]
        step, longest = _descent(gram[np.ix_(support, support)], downhill)
        falling = np.flatnonzero(signs[support] * step < 0.0)
        lengths = -part[falling] / step[falling]
        length = lengths.min(initial=longest)
        if not np.isfinite(length):
            return None
        exact[support] += length * step
        if length < longest:
            left = support[falling[lengths.argmin()]]
            exact[left] = signs[left] = 0.0
            continue
        slope = gram @ exact - right
        if _is_optimal(slope, signs, penalty):
            return exact
        joining = np.where(signs == 0.0, np.abs(slope), 0.0).argmax()
        if signs[joining] or abs(slope[joining]) <= penalty:
            return None
        signs[joining] = -np.sign(slope[joining])
    return None


def _descent(gram: Array, downhill: Array) -> tuple[Array, float]:
    """A step from the negative gradient, and how much of it leads to the bottom."""
    try:
        factor = np.linalg.cholesky(gram)
    except np.linalg.LinAlgError:
        pass
    else:
        pivots = np.diag(factor)
        if pivots.min(initial=np.inf) > MIN_PIVOT * pivots.max(initial=0.0):
            return cho_solve((factor, True), downhill, check_finite=False), 1.0
    # Along dependent nodes only the penalty changes, and the way down has no end.
    values, vectors = np.linalg.eigh(gram)
    flat = values <= MIN_EIGENVALUE * values[-1]
    along = vectors[:, flat] @ (vectors[:, flat].T @ downhill)
    if np.abs(along).max() > MIN_EIGENVALUE**0.5 * np.abs(downhill).max():
        return along, np.inf
    curved = vectors[:, ~flat]
    return curved @ (curved.T @ downhill / values[~flat]), 1.0


def _is_optimal(slope: Array, signs: Array, penalty: float) -> bool:
    slack = np.where(signs == 0.0, penalty, SLOPE_TOLERANCE * penalty)
    return bool((np.abs(slope + penalty * signs) <= slack).all())
