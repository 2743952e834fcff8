"""Sums over scored samples for several kernel widths, and residuals against the samples.

At small kernel widths most samples of a class have the very same score. ``GᵗS²G`` is linear in S²:
the sums of the classes then serve all widths, each of which adds the few samples that differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsyrk

from broadlearn.utils import Array, row_slices

# Numbers of rows at a time: 4 MB, which stay in the cache for all widths.
BLOCK = 1 << 19
Blocks = Iterable[tuple[slice, Array]]


class Part(NamedTuple):
    """Samples whose products are added (sign 1) or subtracted (sign -1), with their factors."""

    sign: float
    rows: NDArray[np.intp]
    factors: Array


class Diagonal(NamedTuple):
    """The diagonal s of S, with ``s² = levels[class] + sign factor²`` for each sample.

    Attributes
    ----------
    s : ndarray of shape (n_samples,) or None
        None for all ones.
    rows : ndarray of int
        Samples of positive s.
    levels : ndarray of shape (n_classes,) or None
        None if the sums of the classes are not used.
    parts : list of Part
        Samples that differ from the level of their class, or all samples of positive s.
    """

    s: Array | None
    rows: NDArray[np.intp]
    levels: Array | None
    parts: list[Part]

    @property
    def n_products(self) -> int:
        """Number of samples whose products are computed."""
        return sum(part.rows.size for part in self.parts)


def make_diagonals(given: Sequence[Array | None], codes: NDArray[np.intp]) -> list[Diagonal]:
    """Decompose diagonals into levels of classes and a few samples, where that saves work.

    Examples
    --------
    >>> import numpy as np
    >>> same = np.full(9, 0.5)
    >>> other = np.r_[0.9, same[1:]]
    >>> shared = make_diagonals([same, other, same], np.zeros(9, dtype=int))
    >>> [diagonal.n_products for diagonal in shared]
    [0, 1, 0]
    """
    plain = [_plain_diagonal(s, codes.size) for s in given]
    if len(given) == 1:
        return plain
    shared = {}
    for i, own in enumerate(plain):
        if own.s is not None:
            squares = own.s**2
            levels = np.array([_most_frequent(squares[codes == k]) for k in range(codes.max() + 1)])
            change = squares - levels[codes]
            parts = [
                Part(sign, rows, np.sqrt(np.abs(change[rows])))
                for sign, rows in (
                    (1.0, np.flatnonzero(change > 0.0)),
                    (-1.0, np.flatnonzero(change < 0.0)),
                )
            ]
            alike = own._replace(levels=levels, parts=parts)
            if 2 * alike.n_products < own.n_products:
                shared[i] = alike
    # The sums of the classes need the products of all samples once.
    saved = sum(plain[i].n_products - alike.n_products for i, alike in shared.items())
    return [shared.get(i, own) for i, own in enumerate(plain)] if saved > codes.size else plain


def _plain_diagonal(s: Array | None, n_samples: int) -> Diagonal:
    rows = np.arange(n_samples) if s is None else np.flatnonzero(s)
    factors = np.ones(n_samples) if s is None else s[rows]
    return Diagonal(s, rows, None, [Part(1.0, rows, factors)])


def _most_frequent(values: Array) -> float:
    distinct, counts = np.unique(values, return_counts=True)
    return float(distinct[counts.argmax()])


def weighted_sums(
    blocks: Blocks, n: int, T: Array, diagonals: Sequence[Diagonal], codes: NDArray[np.intp]
) -> Array:
    """Return ``[G, T]ᵗ S² [G, T]`` of the first n columns of G for every diagonal of S.

    `blocks` are positions of rows of G, and these rows; T and `codes`, the classes, have all rows.

    Examples
    --------
    >>> import numpy as np
    >>> G, T = np.array([[1.0, 9.0], [3.0, 9.0]]), np.array([[2.0], [4.0]])
    >>> codes = np.zeros(2, dtype=int)
    >>> diagonals = make_diagonals([np.array([0.0, 2.0])], codes)
    >>> weighted_sums([(slice(0, 2), G)], 1, T, diagonals, codes)[0]
    array([[36., 48.],
           [48., 64.]])
    """
    size = n + T.shape[1]
    result = np.zeros((len(diagonals), size, size))
    shared = [i for i, own in enumerate(diagonals) if own.levels is not None]
    of_classes = np.zeros((codes.max() + 1 if shared else 0, size, size))
    for rows, G in blocks:
        for block in row_slices(len(G), size, BLOCK):
            both = np.concatenate([G[block, :n], T[rows][block]], axis=1)
            start = rows.start + block.start
            for k, sums in enumerate(of_classes):
                _add_products(both[codes[rows][block] == k], sums, 1.0)
            for own, sums in zip(diagonals, result, strict=True):
                for sign, chosen, factors in own.parts:
                    first, last = np.searchsorted(chosen, [start, start + len(both)])
                    added = both
                    if last - first < len(both):
                        added = both.take(chosen[first:last] - start, axis=0)
                    if own.s is not None:
                        added = added * factors[first:last, None]
                    _add_products(added, sums, sign)
    for i in shared:
        result[i] += np.tensordot(np.asarray(diagonals[i].levels), of_classes, 1)
    below = np.tri(size, k=-1, dtype=bool)
    for sums in result:
        np.copyto(sums, sums.T, where=below)
    return result


def _add_products(rows: Array, sums: Array, sign: float) -> None:
    """Add the products of the columns to the upper half of the sums, in place."""
    if len(rows):
        dsyrk(sign, rows.T, beta=1.0, c=sums.T, lower=1, overwrite_c=1)


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
