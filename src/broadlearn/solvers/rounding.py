"""How far rounding of sums over rows moves the predictions of a ridge problem.

A norm bound (`prediction_error`) costs nothing and is 10 to 1,000 times too large. Where it calls
for a refinement, which visits all rows again, errors of the size of rounding are first sent through
the solution itself (`propagated_error`): a few products with a matrix that is there already.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from broadlearn.utils import Array

# Random signs of the errors that are sent through; what the largest is multiplied by, as sums over
# many blocks round several times.
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


def propagated_error(gram: Array, solve: Callable[[Array], Array], W: Array, right: Array) -> float:
    """The same from errors that are drawn and sent through: ``G M⁻¹ (dM) W`` for random dM.

    Entry i, j of the Gram matrix rounds by about ``eps ‖g_i‖ ‖g_j‖``, so that entry i of (dM) W is
    of the size ``eps ‖g_i‖ sqrt(sum_j ‖g_j‖² w_j²)``, with a random sign.

    Parameters
    ----------
    gram : ndarray of shape (n_columns, n_columns)
        ``GᵗS²G``.
    solve : callable
        Solves ``(GᵗS²G + I/C) x = b`` for the columns of b.
    W, right : ndarray of shape (n_columns, n_targets)
        The weights, and what they were solved for, ``GᵗS²T``.
    """
    size = math.sqrt(max(float(np.vdot(W, right)), TINY))
    lengths = np.sqrt(np.maximum(gram.diagonal(), 0.0))[:, None]
    errors = EPS * lengths * np.linalg.norm(lengths * W, axis=0)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(len(W), DRAWS, W.shape[1]))
    moved = solve((signs * errors[:, None]).reshape(len(W), -1))
    squares = np.einsum("ij,ij->j", moved, gram @ moved).reshape(DRAWS, -1).sum(axis=1)
    return SAFETY * float(np.sqrt(max(squares.max(), 0.0))) / size


def residuals_of_sums(
    gram: Array,
    right: Array,
    W: Array,
    Cs: Array,
    inverse: Callable[[float, Array], Array],
    largest: int,
    tolerance: float,
) -> tuple[NDArray[np.bool_], Array]:
    """Residuals ``GᵗS²(T - G W) - W/C`` from sums over rows, where their rounding does no harm.

    Parameters
    ----------
    gram, right : ndarray of shape (n, n) and (n, n_targets)
        ``GᵗS²G`` and ``GᵗS²T``.
    W : ndarray of shape (n_Cs, n_sizes, n_targets, n)
        Weights of leading columns, zero beyond them.
    Cs : ndarray of shape (n_Cs,)
    inverse : callable
        Solves the problem of all columns for C and right sides, the columns of a matrix.
    largest : int
        The size that has all columns.
    tolerance : float
        Relative error of predictions, as it is estimated, without its safety, up to which rounding
        does no harm.

    Returns
    -------
    sure : ndarray of shape (n_Cs,)
        Penalties for which that is so.
    residual : ndarray of shape (n_Cs, n_sizes, n_targets, n)
        To be taken within the columns of each size.
    """
    weights = W[:, largest].transpose(0, 2, 1)
    errors = [
        propagated_error(gram, partial(inverse, C), w, right)
        for C, w in zip(Cs, weights, strict=True)
    ]
    return np.array(errors) <= SAFETY * tolerance, right.T - W @ gram - W / Cs[:, None, None, None]
