"""Sums over scored samples for several kernel widths, and residuals against the samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from broadlearn.utils import Array

# Share of rows of positive score below which a copy of them takes less time than all rows.
MANY = 0.9
Blocks = Iterable[tuple[slice, Array]]


def weighted_sums(blocks: Blocks, n: int, T: Array, diagonals: Sequence[Array | None]) -> Array:
    """Return ``[G, T]ᵗ S² [G, T]`` of the first n columns of G for every diagonal of S.

    `blocks` are positions of rows of G, and these rows; T and the diagonals (None for all ones)
    have all rows. Rows of score 0 are left out.

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
    for rows, G in blocks:
        both = np.concatenate([G[:, :n], T[rows]], axis=1)
        for s, sums in zip(diagonals, result, strict=True):
            scored = both
            if s is not None:
                own = s[rows]
                chosen = np.flatnonzero(own)
                if chosen.size < MANY * own.size:
                    scored, own = both.take(chosen, axis=0), own[chosen]
                scored = scored * own[:, None]
            sums += scored.T @ scored
    return result


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
