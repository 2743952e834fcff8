"""Sums over scored samples for several kernel widths, and residuals against the samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from broadlearn.utils import Array

# Share of rows of positive score below which a copy of them takes less time than all rows.
MANY = 0.9
# Share of scored rows with other squares above which the sums of classes save too little.
MANY_OTHERS = 0.6
Blocks = Iterable[tuple[slice, Array]]


def common_squares(
    diagonals: Mapping[int, Array | None], codes: NDArray[np.intp]
) -> dict[int, Array]:
    """Return the square that most samples of each class share, for diagonals with few others.

    At a small kernel width no sample is near another, and those of a class have the same score.
    The dictionary is empty unless shared squares save more than one sum over all rows.
    """
    result: dict[int, Array] = {}
    saved = -len(codes)
    for w, s in diagonals.items():
        if s is None:
            continue
        shared = []
        for members in (codes == code for code in range(codes.max() + 1)):
            values, counts = np.unique(s[members] ** 2, return_counts=True)
            shared.append(values[counts.argmax()])
        squares = np.array(shared)
        n_scored, n_others = np.count_nonzero(s), np.count_nonzero(s**2 != squares[codes])
        if n_others < MANY_OTHERS * n_scored:
            result[w] = squares
            saved += int(n_scored - n_others)
    return result if saved > 0 else {}


def weighted_sums(
    blocks: Blocks,
    n: int,
    T: Array,
    diagonals: Sequence[Array | None],
    shared: Sequence[Array | None] | None = None,
    codes: NDArray[np.intp] | None = None,
) -> Array:
    """Return ``[G, T]ᵗ S² [G, T]`` of the first n columns of G for every diagonal of S.

    With `shared` squares of a diagonal, its sums are those of the classes times these, plus those
    of the rows with other squares.

    Parameters
    ----------
    blocks : iterable of (slice, ndarray)
        Positions of rows of G, and these rows.
    n : int
    T : ndarray of shape (n_rows, n_targets)
    diagonals : sequence of ndarray of shape (n_rows,) or None
        None for all ones. Rows of score 0 are left out.
    shared : sequence of ndarray of shape (n_classes,) or None, default=None
        Squares that most rows of each class have in a diagonal, see `common_squares`.
    codes : ndarray of shape (n_rows,), default=None
        Class of each row, for `shared`.

    Examples
    --------
    >>> import numpy as np
    >>> G, T = np.array([[1.0, 9.0], [3.0, 9.0]]), np.array([[2.0], [4.0]])
    >>> weighted_sums([(slice(0, 2), G)], 1, T, [np.array([0.0, 2.0])])[0]
    array([[36., 48.],
           [48., 64.]])
    """
    size = n + T.shape[1]
    result = np.zeros((len(diagonals), size, size))
    shared = [None] * len(diagonals) if shared is None else shared
    for rows, G in blocks:
        both = np.concatenate([G[:, :n], T[rows]], axis=1)
        of_classes = None
        for sums, s, squares in zip(result, diagonals, shared, strict=True):
            if s is None:
                sums += both.T @ both
            elif squares is None or codes is None:
                sums += _scored_sums(both, s[rows])
            else:
                if of_classes is None:
                    each = [codes[rows] == code for code in range(len(squares))]
                    of_classes = np.stack([_scored_sums(both, own.astype(float)) for own in each])
                change = s[rows] ** 2 - squares[codes[rows]]
                sums += np.tensordot(squares, of_classes, 1)
                sums += _scored_sums(both, np.sqrt(np.maximum(change, 0.0)))
                sums -= _scored_sums(both, np.sqrt(np.maximum(-change, 0.0)))
    return result


def _scored_sums(both: Array, s: Array) -> Array:
    chosen = np.flatnonzero(s)
    if chosen.size < MANY * s.size:
        both, s = both.take(chosen, axis=0), s[chosen]
    scored = both * s[:, None]
    return np.asarray(scored.T @ scored)


def weighted_residual(blocks: Blocks, T: Array, s: Array | None, W: Array, C: float) -> Array:
    """Return ``GᵗS²(T - G W) - W/C`` for weights W of shape (n_sizes, n_targets, n).

    Weights are zero beyond the leading columns of a size; residuals there mean nothing.
    """
    residual, n = -W / C, W.shape[2]
    for rows, G in blocks:
        fitted = (G[:, :n] @ W.reshape(-1, n).T).reshape(-1, *W.shape[:2])
        missing = T[rows][:, None] - fitted
        if s is not None:
            missing *= (s[rows] ** 2)[:, None, None]
        residual += (missing.reshape(len(G), -1).T @ G[:, :n]).reshape(W.shape)
    return residual
