"""Sums over scored samples for several kernel widths, in blocks that stay in the cache.

At small kernel widths no sample is near another, and most samples of a class have the very same
score. The sums of such groups are then taken once for all widths, which add what few samples differ
by: ``GᵗS²G`` is linear in S².
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsyrk

from broadlearn.utils import Array, row_slices

# Numbers of scored rows at a time where rows come in several blocks: 4 MB.
SCORED_NUMBERS = 1 << 19
# A product with fewer vectors takes no less time.
MIN_VECTORS = 16
# Share of the samples that have a score in common from which on they are a group.
GROUP_SHARE = 0.1
# Share of the samples that count which may differ from their group for it to pay.
MAX_APART = 0.6
# Samples, as a share of all, that must be saved, as the groups are summed too.
MIN_SAVED = 1.3


class SharedScores(NamedTuple):
    """What a diagonal has in common with others.

    Attributes
    ----------
    levels : ndarray of shape (n_groups,)
        Square of the score that most samples of a group have.
    members : list of ndarray
        Samples of each group. The same list for all diagonals.
    apart : ndarray of shape (n_apart,)
        Samples of another score than their group, or of none.
    factors : ndarray of shape (n_apart,)
        Roots of what the squares of their scores differ by from the level of their group, or from
        0; negative where they are smaller.
    saved : int
        Samples that count and are not apart.
    """

    levels: Array
    members: list[NDArray[np.intp]]
    apart: NDArray[np.intp]
    factors: Array
    saved: int


def weighted_sums(
    blocks: Iterable[tuple[slice, Array]],
    n: int,
    T: Array,
    diagonals: Sequence[Array | None],
    shared: Mapping[int, SharedScores] = MappingProxyType({}),
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
    shared : mapping of int to SharedScores
        What some diagonals, by their position, have in common.
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
    saved = sum(own.saved for own in shared.values())
    if several or saved < MIN_SAVED * len(T):
        shared = {}
    result = (np.zeros if several else np.empty)((len(diagonals), size, size))
    # Read in the order of Fortran, these are matrices whose lower half is added to.
    halves = [sums.T for sums in result]
    buffer = np.empty((max(1, (SCORED_NUMBERS if several else T.shape[0] * size) // size), size))
    for rows, G in blocks:
        for part in row_slices(len(G), 1, len(buffer)):
            both = np.concatenate([G[part, :n], T[rows][part]], axis=1)
            for i, s in enumerate(diagonals):
                if i in shared:
                    continue
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
    if shared:
        _sum_groups(both, diagonals, shared, result)
    return result


def weighted_residuals(
    blocks: Iterable[tuple[slice, Array]],
    T: Array,
    s: Array | None,
    W: Array,
    columns: Sequence[int],
    Cs: Array,
) -> Array:
    """``GᵗS²(T - G W) - W/C`` of rows G that come in blocks, for all penalties and sizes.

    Parameters
    ----------
    blocks, T
        As for `weighted_sums`.
    s : ndarray of shape (n_rows,) or None
        The diagonal of S.
    W : ndarray of shape (n_Cs, n_sizes, n_targets, n)
        Weights, zero beyond the leading columns of a size.
    columns : sequence of int
        How many these are.
    Cs : ndarray of shape (n_Cs,)

    Returns
    -------
    ndarray of shape (n_Cs, n_sizes, n_targets, n)
        To be taken within the columns of each size.
    """
    residual = -W / Cs[:, None, None, None]
    step = max(1, MIN_VECTORS // (W.shape[0] * W.shape[2]))
    for rows, G in blocks:
        wanted = T[rows][:, None, None]
        for j in range(0, len(columns), step):
            sizes, n = slice(j, j + step), max(columns[j : j + step])
            some = W[:, sizes, :, :n]
            missing = (G[:, :n] @ some.reshape(-1, n).T).reshape(-1, *some.shape[:3])
            np.subtract(wanted, missing, out=missing)
            if s is not None:
                missing *= (s[rows] ** 2)[:, None, None, None]
            flat = missing.reshape(len(G), -1)
            residual[:, sizes, :, :n] += (flat.T @ G[:, :n]).reshape(some.shape)
    return residual


def shared_scores(diagonals: Sequence[Array | None]) -> dict[int, SharedScores]:
    """Which diagonals are alike but for a few samples, and in what.

    Returns
    -------
    dict of int to SharedScores
        By the positions of the diagonals; without those that differ in most samples.

    Examples
    --------
    >>> import numpy as np
    >>> same = np.full(9, 0.5)
    >>> few = np.r_[0.9, same[1:]]
    >>> {i: len(shared.apart) for i, shared in shared_scores([same, few]).items()}
    {0: 0, 1: 1}
    """
    scores = [s for s in diagonals if s is not None]
    if len(scores) < 2:
        return {}
    # The diagonal with fewest different scores tells groups.
    values, groups, counts = min(
        (np.unique(s, return_inverse=True, return_counts=True) for s in scores),
        key=lambda found: len(found[0]),
    )
    large = np.flatnonzero(counts >= GROUP_SHARE * len(groups))
    number = np.full(len(values), large.size, dtype=np.intp)
    number[large] = np.arange(large.size)
    groups = number[groups]
    members = [np.flatnonzero(groups == j) for j in range(large.size)]
    found: dict[int, SharedScores] = {}
    for i, s in enumerate(diagonals):
        if s is None:
            continue
        levels = np.zeros(large.size + 1)
        for j, rows in enumerate(members):
            own, times = np.unique(s[rows], return_counts=True)
            levels[j] = own[np.argmax(times)]
        apart = np.flatnonzero((s != levels[groups]) & ((s != 0.0) | (groups < large.size)))
        n_counted = int(np.count_nonzero(s))
        if apart.size <= MAX_APART * n_counted:
            change = s[apart] ** 2 - levels[groups[apart]] ** 2
            factors = np.sign(change) * np.sqrt(np.abs(change))
            saved = n_counted - apart.size
            found[i] = SharedScores(levels[:-1] ** 2, members, apart, factors, saved)
    return found


def _sum_groups(
    both: Array,
    diagonals: Sequence[Array | None],
    shared: Mapping[int, SharedScores],
    result: Array,
) -> None:
    """Fill in ``[G, T]ᵗ S² [G, T]`` of diagonals that are alike, from the sums of groups."""
    members, size = next(iter(shared.values())).members, both.shape[1]
    of_groups, change = np.empty((len(members), size, size)), np.empty((size, size))
    for rows, of_group in zip(members, of_groups, strict=True):
        part = both[rows]
        np.matmul(part.T, part, out=of_group)
    levels = np.stack([own.levels for own in shared.values()])
    together = levels @ of_groups.reshape(len(members), -1)
    for (i, own), sums in zip(shared.items(), together, strict=True):
        result[i] = sums.reshape(size, size)
        for some, add in ((own.factors > 0.0, np.add), (own.factors < 0.0, np.subtract)):
            if some.any():
                part = both[own.apart[some]]
                part *= own.factors[some, None]
                add(result[i], np.matmul(part.T, part, out=change), out=result[i])
