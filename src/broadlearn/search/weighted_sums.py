"""Sums over scored samples for several kernel widths, in blocks that stay in the cache."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.linalg.blas import dsyrk

from broadlearn.utils import Array, row_slices

# Numbers of scored rows at a time where rows come in several blocks: 4 MB.
SCORED_NUMBERS = 1 << 19


def weighted_sums(
    blocks: Iterable[tuple[slice, Array]],
    n: int,
    T: Array,
    diagonals: Sequence[Array | None],
    *,
    several: bool,
) -> Array:
    """``[G, T]ᵗ S² [G, T]`` of n columns of rows G that come in blocks, for every diagonal of S.

    Parameters
    ----------
    blocks : iterable of (slice, ndarray of shape (n_rows, n or more))
        Which rows, and the rows themselves.
    n : int
    T : ndarray of shape (n_rows, n_targets)
        Of all rows.
    diagonals : sequence of ndarray or None
        The diagonal of S for each kernel width; None for all one.
    several : bool
        Whether there is more than one block.

    Returns
    -------
    ndarray of shape (n_diagonals, n + n_targets, n + n_targets)

    Examples
    --------
    >>> import numpy as np
    >>> G, T = np.array([[1.0, 9.0], [3.0, 9.0]]), np.array([[2.0], [4.0]])
    >>> s = np.array([0.0, 2.0])
    >>> weighted_sums([(slice(0, 2), G)], 1, T, [None, s], several=False)[1]
    array([[36., 48.],
           [48., 64.]])
    """
    size = n + T.shape[1]
    result = np.zeros((len(diagonals), size, size))
    # Read in the order of Fortran, these are matrices whose lower half is added to.
    halves = [sums.T for sums in result]
    buffer = np.empty((max(1, (SCORED_NUMBERS if several else T.shape[0] * size) // size), size))
    for rows, G in blocks:
        for part in row_slices(len(G), 1, len(buffer)):
            both = np.concatenate([G[part, :n], T[rows][part]], axis=1)
            for i, s in enumerate(diagonals):
                scored = both
                if s is not None:
                    # Of rows of score 0 there may be many: they are left out.
                    some = s[rows][part]
                    n_counted = np.count_nonzero(some)
                    if n_counted > 0.9 * some.size:
                        scored = np.multiply(both, some[:, None], out=buffer[: len(both)])
                    else:
                        counted = np.flatnonzero(some)
                        scored = buffer[:n_counted]
                        np.take(both, counted, axis=0, out=scored, mode="clip")
                        scored *= some[counted, None]
                if not several:
                    np.matmul(scored.T, scored, out=result[i])
                elif len(scored):
                    dsyrk(1.0, scored.T, beta=1.0, c=halves[i], lower=1, overwrite_c=1)
    if several:
        for half in halves:
            half += np.tril(half, -1).T - np.triu(half, 1)
    return result
