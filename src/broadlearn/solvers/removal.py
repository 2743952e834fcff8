"""Value of each sample to the others: their leave-one-out loss with and without it.

Let B be ``(S K S + I/C)⁻¹`` in the dual, or ``I - H`` with the hat matrix H (a multiple of it), and
``r = B S T``. The leave-one-out error of sample j, times s_j, is ``r_j / B_jj``. Without sample i
the formula is the same, with B less ``B_:i B_i: / B_ii``. With ``q = B_ij / B_ii`` and
``u = q B_ij / B_jj``, the squared error of j then changes by

    (u (2 - u) ‖r_j‖² - 2 q r_i·r_j + q² ‖r_i‖²) / (B_jj² (1 - u)²).

For too many pairs, H has low rank, ``H_ij = v_i·v_j``, and u is small except for the few samples of
largest leverage. Their pairs are computed one by one. For all others 1 - u is taken as 1, and the
sum over j becomes a product of v_i with sums over all samples.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtri

from broadlearn.solvers.landmarks import LandmarkSolution
from broadlearn.solvers.ridge import LostPenaltyError
from broadlearn.utils import BLOCK_NUMBERS, Array, Floats, row_slices

# Smallest share of a sample in its own prediction.
MIN_REMAINDER = 1e-6
# Samples of largest leverage whose pairs with all others are computed one by one.
MAX_LEADING = 128


def removal_effects(
    gram: Array, T: Array, C: float, s: Array | None = None, *, overwrite_gram: bool = False
) -> Array:
    """Return the increase of the others' leave-one-out loss when a sample is removed.

    Parameters
    ----------
    gram : ndarray of shape (n_samples, n_samples)
        K, symmetric and positive semi-definite.
    T : ndarray of shape (n_samples, n_targets)
    C : float
        Weight of the errors against the size of the model.
    s : ndarray of shape (n_samples,) or None
        Roots of the sample weights, in the fit and in the loss; None for all ones.
    overwrite_gram : bool, default=False
        Whether `gram` may be overwritten.

    Returns
    -------
    ndarray of shape (n_samples,)
        Sum of squared leave-one-out errors of all other samples without the sample, minus that
        with it: negative for a harmful sample.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(6.0)[:, None]
    >>> T = x - 2.5
    >>> T[3] = -9.0
    >>> int(removal_effects(x @ x.T + 1.0, T, C=10.0).argmin())
    3
    """
    M = gram if overwrite_gram else gram.copy()
    if s is not None:
        T = T * s[:, None]
        M *= s[:, None]
        M *= s
    M[np.diag_indices_from(M)] += 1.0 / C
    factor, failed = dpotrf(M.T, lower=1)
    if failed:
        raise LostPenaltyError(C)
    r = dpotrs(factor, T, lower=1)[0]
    half = np.tril(dtrtri(factor, lower=1, overwrite_c=1)[0])
    B = half.T @ half
    own = np.diagonal(B).copy()
    loss = np.einsum("ij,ij->i", r, r)
    effects = np.empty(len(T))
    for rows in row_slices(len(T), len(T)):
        change = _changes(B[rows], r[rows] @ r.T, own[rows], loss[rows], own, loss)
        change[np.arange(len(change)), np.arange(rows.start, rows.stop)] = 0.0
        effects[rows] = change.sum(axis=1)
    return effects


def landmark_removal_effects(
    solution: LandmarkSolution,
    kernel: Callable[[slice | NDArray[np.intp]], Floats],
    T: Array,
    s: Array | None = None,
) -> Array:
    """`removal_effects` of a model on landmarks, without a sum over pairs.

    Parameters
    ----------
    solution : LandmarkSolution
    kernel : callable
        Maps positions of samples to their kernel with the landmarks, which is overwritten.
    T : ndarray of shape (n_samples, n_targets)
    s : ndarray of shape (n_samples,) or None
        Diagonal of S, as for the solution.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> import numpy as np
    >>> from broadlearn.solvers import solve_landmarks, sum_landmarks
    >>> x = np.arange(6.0)[:, None]
    >>> T = 2.0 * x
    >>> T[3] = -9.0
    >>> solution = solve_landmarks(sum_landmarks([(x.copy(), T, None)], np.ones((1, 1)), 1), 10.0)
    >>> int(landmark_removal_effects(solution, lambda rows: x[rows].copy(), T).argmin())
    3
    """
    n, m = len(T), len(solution.weights)
    r, own = np.empty_like(T), np.empty(n)
    A, B, c = np.zeros((m, m)), np.zeros((m, m)), np.zeros((m, T.shape[1]))
    for rows in row_slices(n, m, BLOCK_NUMBERS):
        V, r[rows] = _halves(solution, kernel(rows), T[rows], None if s is None else s[rows])
        own[rows] = np.maximum(1.0 - np.einsum("ij,ij->j", V, V), MIN_REMAINDER)
        squared = own[rows] ** 2
        loss = np.einsum("ij,ij->i", r[rows], r[rows])
        c += V @ (r[rows] / squared[:, None]).astype(V.dtype)
        B += (V / squared.astype(V.dtype)) @ V.T
        V *= np.sqrt(2.0 * loss / (own[rows] * squared)).astype(V.dtype)
        A += V @ V.T
    loss = np.einsum("ij,ij->i", r, r)
    leading = np.sort(np.argsort(own, kind="stable")[:MAX_LEADING])
    some = None if s is None else s[leading]
    V_leading = _halves(solution, kernel(leading), T[leading], some)[0]
    effects, of_leading = np.empty(n), np.zeros(leading.size)
    left, right, mean = (sums.astype(V_leading.dtype) for sums in (A, B, c))
    for rows in row_slices(n, m, BLOCK_NUMBERS):
        V = _halves(solution, kernel(rows), T[rows], None if s is None else s[rows])[0]
        b, L, h = own[rows], loss[rows], np.einsum("ij,ij->j", V, V)
        effects[rows] = np.einsum("ij,ij->j", V, left @ V) / b
        effects[rows] += 2.0 * np.einsum("ij,ji->i", r[rows], mean.T @ V) / b
        effects[rows] += np.einsum("ij,ij->j", V, right @ V) * L / b**2
        effects[rows] -= (3.0 * h**2 / b + 2.0 * h) * L / b**3
        cross = -(V.T @ V_leading).astype(np.float64)
        products = r[rows] @ r[leading].T
        itself = np.arange(rows.start, rows.stop)[:, None] == leading
        change = _changes(cross, products, b, L, own[leading], loss[leading])
        first = _changes(cross, products, b, L, own[leading], loss[leading], first_order=True)
        effects[rows] += np.where(itself, 0.0, change - first).sum(axis=1)
        change = _changes(cross.T, products.T, own[leading], loss[leading], b, L)
        of_leading += np.where(itself.T, 0.0, change).sum(axis=1)
    effects[leading] = of_leading
    return effects


def _halves(
    solution: LandmarkSolution, K: Floats, T: Array, s: Array | None
) -> tuple[Floats, Array]:
    """Return columns v_i whose products are H, and the residuals times s."""
    residual = T - K @ solution.weights.astype(K.dtype, copy=False)
    factor = solution.factor.astype(K.dtype, copy=False)
    if s is not None:
        residual *= s[:, None]
        K *= s[:, None].astype(K.dtype)
    V = solve_triangular(factor, K.T, lower=True, check_finite=False, overwrite_b=True)
    return V, residual


def _changes(
    cross: Array,
    products: Array,
    own: Array,
    loss: Array,
    others: Array,
    losses: Array,
    *,
    first_order: bool = False,
) -> Array:
    """Return changes of the squared errors of j (columns) when i (rows) are removed.

    `cross` are entries of B, `own` and `others` those of its diagonal, `products` those of the
    residuals, `loss` and `losses` their squares.
    """
    q = cross / own[:, None]
    u = q * cross
    u /= others
    if not first_order:
        np.minimum(u, 1.0 - MIN_REMAINDER, out=u)
    change = q * loss[:, None]
    change -= 2.0 * products
    change *= q
    change += 2.0 * u * losses if first_order else u * (2.0 - u) * losses
    change /= others**2 if first_order else (others * (1.0 - u)) ** 2
    return np.asarray(change)
