"""Estimates of how far rounding of sums over rows moves the predictions of a ridge problem.

A norm bound (`prediction_error`) costs nothing and is 10 to 1,000 times too large. Before a
refinement, which visits all rows again, random errors of the size of rounding are propagated
through the solution (`propagated_error`), for a few products with a known matrix.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from broadlearn.utils import Array

# Number of random errors, and a factor on the largest: sums over many blocks round several times.
DRAWS, SAFETY = 4, 5.0
EPS, TINY = float(np.finfo(np.float64).eps), float(np.finfo(np.float64).tiny)


def prediction_error(spread: float, C: float, W: Array, right: Array) -> float:
    """Estimate the relative error of predictions that rounding of the Gram matrix M brings.

    With M = gram + I/C, a perturbation of relative size eps moves predictions by
    ``G M⁻¹ (dM) W``, at most ``sqrt(C) eps ‖M‖ ‖W‖`` in norm; predictions themselves have norm
    ``sqrt(Wᵗ right)`` or less.
    """
    size, length = math.sqrt(max(float(np.vdot(W, right)), TINY)), math.sqrt(np.vdot(W, W))
    return float(EPS * (spread + 1.0 / C) * math.sqrt(C) * length / size / 10.0)


def largest_error(spread: Array, C: Array) -> Array:
    """Return a bound of `prediction_error` for any weights.

    It follows from ``Wᵗ right = Wᵗ M W``, which is at least ``‖W‖² / C``.
    """
    return np.asarray(EPS * (spread * C + 1.0) / 10.0)


def propagated_error(gram: Array, solve: Callable[[Array], Array], W: Array, right: Array) -> float:
    """Estimate the same error from ``G M⁻¹ (dM) W`` for random dM.

    Entry i, j of the Gram matrix rounds by about ``eps ‖g_i‖ ‖g_j‖``, so that entry i of (dM) W is
    of the size ``eps ‖g_i‖ sqrt(sum_j ‖g_j‖² w_j²)``, with a random sign.

    Parameters
    ----------
    gram : ndarray of shape (n_columns, n_columns)
        ``GᵗS²G``.
    solve : callable
        Solves ``(GᵗS²G + I/C) x = b`` for the columns of b.
    W, right : ndarray of shape (n_columns, n_targets)
        Weights, and their right side ``GᵗS²T``.
    """
    size = math.sqrt(max(float(np.vdot(W, right)), TINY))
    lengths = np.sqrt(np.maximum(gram.diagonal(), 0.0))[:, None]
    errors = EPS * lengths * np.linalg.norm(lengths * W, axis=0)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(len(W), DRAWS, W.shape[1]))
    moved = solve((signs * errors[:, None]).reshape(len(W), -1))
    squares = np.einsum("ij,ij->j", moved, gram @ moved).reshape(DRAWS, -1).sum(axis=1)
    return SAFETY * float(np.sqrt(max(squares.max(), 0.0))) / size
