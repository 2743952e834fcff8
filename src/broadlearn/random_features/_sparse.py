"""Sparse auto-encoder: an l1 problem by an accelerated proximal loop (FISTA)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def sparse_codes(
    gram: Array, cross: Array, penalty: float, *, max_iter: int = 1000, tol: float = 1e-12
) -> Array:
    """Minimise ``1/2 tr(BᵗGB) - tr(BᵗR) + penalty ‖B‖₁`` over B.

    With G = HᵗH / n and R = HᵗX / n, B is the lasso that rebuilds X from the nodes H. The step is
    the inverse of G's largest eigenvalue; momentum restarts where it would go uphill.

    Parameters
    ----------
    gram : ndarray of shape (p, p)
    cross : ndarray of shape (p, k)
    penalty : float
    max_iter : int, default=1000
    tol : float, default=1e-12
        Ends when no entry of the scaled sub-gradient step exceeds `tol` times the largest of B.
        It is tight, so that rounding of the input does not decide when the loop ends.

    Returns
    -------
    B : ndarray of shape (p, k)

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
    momentum, t = B, 1.0
    for _ in range(max_iter):
        step = momentum - (gram @ momentum - cross) / curvature
        new = np.sign(step) * np.maximum(np.abs(step) - penalty / curvature, 0.0)
        moved = new - B
        if np.vdot(momentum - new, moved) > 0.0:
            t = 1.0
        t_next = (1.0 + np.sqrt(1.0 + 4.0 * t * t)) / 2.0
        converged = np.abs(new - momentum).max() <= tol * max(np.abs(new).max(), tol)
        momentum = new + (t - 1.0) / t_next * moved
        B, t = new, t_next
        if converged:
            break
    return B
