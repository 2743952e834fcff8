"""Batches of box-constrained quadratic programmes that share their rows.

For rows R (n × d) and many vectors of bounds c, each problem is

    min_α  ½‖Rᵗα‖² − Σ α_i,  0 ≤ α_i ≤ c_i,

the dual of ``min_w ½‖w‖² + Σ c_i max(0, 1 − r_iᵗw)`` with ``w = Rᵗα``. Mehrotra's
predictor-corrector interior point method solves both: with β = c − α and slacks σ, ξ ≥ 0 the
conditions are

    w = Rᵗα,   R w + ξ − σ = 1,   α σ = μ,   β ξ = μ,   μ → 0,

and a Newton step takes one Cholesky factorisation of ``I + RᵗQR``, d × d, where
``Q = 1 / (σ/α + ξ/β)``. No n × n matrix is formed. The problems of a batch step together, which
turns their products with R into matrix products; those that are solved leave.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.linalg.lapack import dpotrs

from broadlearn.utils import Array

# Numbers in one array of a batch: 2 MB, which stays in the cache.
CHUNK = 1 << 18


class BoxQPSolution(NamedTuple):
    """Solutions of a batch of problems, one in each row.

    `alpha` is within the bounds, exactly zero where the bound is. `w` is ``Rᵗα``, with more correct
    digits than that sum where R is badly conditioned. `gap` bounds the primal objective at w minus
    the dual one at alpha, relative to the former.
    """

    alpha: Array
    w: Array
    gap: Array
    n_iter: NDArray[np.intp]  # Newton steps


def box_qp(R: Array, bounds: Array, *, tol: float = 1e-13, max_iter: int = 100) -> BoxQPSolution:
    """Minimise ``½‖Rᵗα‖² − Σ α_i`` over ``0 ≤ α ≤ c`` for many bounds c at once.

    R is the same in all problems, and `bounds` has a row for each; a bound of zero takes a row of R
    out of that problem. A problem is solved at a duality gap of `tol`, relative to the objective.
    Where rounding does not allow it, the point of the smallest gap is returned. 5 to 30 Newton
    steps are usual.

    Examples
    --------
    >>> import numpy as np
    >>> solution = box_qp(np.array([[1.0], [2.0]]), np.array([[0.1, 0.1], [5.0, 5.0]]))
    >>> solution.alpha.round(9)
    array([[0.1, 0.1],
           [1. , 0. ]])
    >>> solution.w.round(9)
    array([[0.3],
           [1. ]])
    """
    rotated, basis = _rotate(R)
    n_problems, d = bounds.shape[0], rotated.shape[1]
    result = BoxQPSolution(
        np.zeros(bounds.shape),
        np.zeros((n_problems, d)),
        np.zeros(n_problems),
        np.zeros(n_problems, dtype=np.intp),
    )
    bounded = np.flatnonzero(bounds.any(axis=1))
    size = max(1, CHUNK // max(R.shape[0], d * d))
    for start in range(0, bounded.size, size):
        part = bounded[start : start + size]
        solution = _iterate(rotated, bounds[part], tol, max_iter)
        for whole, values in zip(result, solution, strict=True):
            whole[part] = values
    return result._replace(w=result.w @ basis.T)


def _rotate(R: Array) -> tuple[Array, Array]:
    """Factor ``R = rotated basisᵗ`` with min(n, d) orthonormal columns in basis."""
    # Pivoting sorts columns by size; the Cholesky factors of a badly conditioned R need that.
    basis, upper, order = qr(R.T, mode="economic", pivoting=True, check_finite=False)
    rotated = np.empty(upper.T.shape)
    rotated[order] = upper.T
    return rotated, np.asarray(basis, dtype=np.float64)


class _State(NamedTuple):
    """Iterates of a batch of problems, with their residuals."""

    c: Array
    w: Array
    y: Array  # α and β
    s: Array  # σ and ξ
    r_w: Array  # Rᵗα − w
    violation: Array  # 1 − R w
    gap: Array

    def only(self, which: NDArray[np.bool_]) -> _State:
        """Return some of the problems."""
        if which.all():
            return self
        return _State(*(part[:, which] if part.ndim == 3 else part[which] for part in self))


def _iterate(R: Array, bounds: Array, tol: float, max_iter: int) -> BoxQPSolution:
    """Solve a chunk of problems, each with a positive bound, by the interior point method."""
    # Smaller bounds are raised, far below rounding: a bound of zero then needs no special case.
    c = np.maximum(bounds, 1e-30 * bounds.max(axis=1, keepdims=True))
    p, d = c.shape[0], R.shape[1]
    best = BoxQPSolution(
        np.zeros_like(c), np.zeros((p, d)), np.full(p, np.inf), np.zeros(p, dtype=np.intp)
    )
    active = np.arange(p)
    slacks = np.stack([np.ones_like(c), np.full_like(c, 2.0)])
    state = _state(R, c, np.zeros((p, d)), np.stack([c, c]) / 2.0, slacks)
    for iteration in range(max_iter + 1):
        better = state.gap < best.gap[active]
        which = active[better]
        best.alpha[which], best.w[which] = state.y[0, better], state.w[better]
        best.gap[which], best.n_iter[which] = state.gap[better], iteration
        # Rounding dominates where five steps have not reduced a small gap.
        stuck = (best.gap < 1e-6) & (best.n_iter <= iteration - 5)
        going_on = (state.gap > tol) & ~stuck[active]
        if iteration == max_iter or not going_on.any():
            break
        active, state = active[going_on], state.only(going_on)
        Q = 1.0 / (state.s / state.y).sum(axis=0)
        factors = [_factor(R, q) for q in Q]
        definite = np.array([L is not None for L in factors])
        if not definite.any():
            break
        active, state, Q = active[definite], state.only(definite), Q[definite]
        state = _advance(R, state, Q, [L for L in factors if L is not None])
    return best._replace(alpha=np.minimum(best.alpha, bounds))


def _state(R: Array, c: Array, w: Array, y: Array, s: Array) -> _State:
    """Add residuals and the relative gap; ``ασ + βξ + ½‖Rᵗα − w‖²`` is free of cancellation."""
    r_w, violation = y[0] @ R - w, 1.0 - w @ R.T
    gap = _dots(y[0], s[0]) + _dots(y[1], s[1]) + 0.5 * _dots(r_w, r_w)
    gap += np.abs(_dots(y[0], violation + s[0] - s[1]))
    return _State(c, w, y, s, r_w, violation, gap / (0.5 * _dots(w, w) + _dots(c, s[1])))


def _factor(R: Array, q: Array) -> Array | None:
    """Return the lower Cholesky factor of ``I + RᵗQR``; None if rounding makes it indefinite."""
    scaled = R * np.sqrt(q)[:, None]
    M = scaled.T @ scaled
    M[np.diag_indices_from(M)] += 1.0
    try:
        return np.asarray(np.linalg.cholesky(M), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None


def _advance(R: Array, state: _State, Q: Array, factors: list[Array]) -> _State:
    """Take one predictor-corrector step."""
    # Steps of y and s are written relative to their values, as u and v: a product y s becomes
    # (1 + u)(1 + v) times as large, and the linearised conditions ask for u + v = tau.
    c, w, y, s, r_w, violation, _ = state
    products = y * s
    total = products.sum(axis=(0, 2))

    def direction(h: Array) -> tuple[Array, Array]:
        right = r_w + (Q * h) @ R
        dw = np.stack([dpotrs(L.T, b)[0] for L, b in zip(factors, right, strict=True)])
        d_alpha = Q * (h - dw @ R.T)
        return dw, np.stack([d_alpha, -d_alpha]) / y

    # The predictor aims at products of zero, the corrector at what it is likely to reach.
    _, u = direction(violation)
    v = -1.0 - u
    step = 1.0 / np.maximum(1.0, _largest_decrease(u, v))
    remainder = (products * (1.0 + step * u) * (1.0 + step * v)).sum(axis=(0, 2)) / total
    mu = remainder**3 * total / (2 * c.shape[1])
    tau = mu[:, None] / products - 1.0 - u * v
    dw, u = direction(violation + s[0] * (1.0 + tau[0]) - s[1] * (1.0 + tau[1]))
    v = tau - u
    fraction = np.maximum(0.95, 1.0 - 0.1 * remainder)[:, None]
    step = fraction / np.maximum(fraction, _largest_decrease(u, v))
    return _state(R, c, w + step * dw, y * (1.0 + step * u), s * (1.0 + step * v))


def _largest_decrease(u: Array, v: Array) -> Array:
    """Return the largest relative decrease in each problem, as a column."""
    return -np.minimum(u.min(axis=(0, 2)), v.min(axis=(0, 2)))[:, None]


def _dots(a: Array, b: Array) -> Array:
    """Return the inner products of the rows of two matrices."""
    return np.einsum("ij,ij->i", a, b)
