"""Sums over all pairs of rows, block by block: kernel sums and neighbour counts.

One matrix product per block of pairs gives ``-‖a - b‖²`` for the whole block, because

    [2a, -‖a‖², 1] · [b, 1, -‖b‖²] = 2 a·b - ‖a‖² - ‖b‖².

Symmetry halves the blocks; no array grows with the square of the number of rows. The product loses
digits where two rows are much closer to each other than to the origin; pairs for which that would
be seen in the kernel are taken again from their difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

BLOCK_ROWS = 512
# Up to this many columns, differences are as fast as the product, and exact.
DIRECT_COLUMNS = 3
# Error wanted of one kernel value, and the product's error relative to ‖a‖² + ‖b‖².
KERNEL_TOLERANCE = 1e-13
PRODUCT_ERROR = 1e-15
# Longest squaring chain: K(mu/2) = K(mu)**4, so each link multiplies the relative error by four.
CHAIN_LINKS = 3
RECOMPUTED_NUMBERS = 1 << 21


class Points(NamedTuple):
    """Rows ready for pair sums, each class one contiguous run of rows.

    Attributes
    ----------
    X : ndarray of shape (n, n_features)
        Rows, centred on their mean.
    left, right : ndarray of shape (n, n_features + 2)
        Factors whose product is minus the squared distances.
    squared_norms : ndarray of shape (n,)
    weight : ndarray of shape (n,)
    bounds : ndarray of shape (n_classes + 1,)
        Class c is rows ``bounds[c]:bounds[c + 1]``.
    order : ndarray of shape (n,)
        Row of the caller's table that each row here is.
    """

    X: Array
    left: Array
    right: Array
    squared_norms: Array
    weight: Array
    bounds: NDArray[np.intp]
    order: NDArray[np.intp]


def prepare_points(
    X: NDArray[np.floating], codes: NDArray[np.intp], weight: Array, n_classes: int
) -> Points:
    """Sort rows by class and, within a class, by distance from the mean of the table.

    Rows of similar norm share a block, so that a few outlying rows do not spoil the error bound of
    all blocks.
    """
    centred = np.asarray(X, dtype=np.float64) - np.mean(X, axis=0, dtype=np.float64)
    squared_norms = np.einsum("ij,ij->i", centred, centred)
    order = np.lexsort((squared_norms, codes))
    centred, squared_norms = centred[order], squared_norms[order]
    n, d = centred.shape
    left = np.empty((n, d + 2))
    np.multiply(centred, 2.0, out=left[:, :d])
    np.negative(squared_norms, out=left[:, d])
    left[:, d + 1] = 1.0
    right = np.empty((n, d + 2))
    right[:, :d] = centred
    right[:, d] = 1.0
    np.negative(squared_norms, out=right[:, d + 1])
    bounds = np.searchsorted(codes[order], np.arange(n_classes + 1))
    return Points(centred, left, right, squared_norms, weight[order], bounds, order)


def class_blocks(bounds: NDArray[np.intp], block_rows: int) -> list[tuple[int, slice]]:
    """Split every class into near-equal runs of at most `block_rows` rows."""
    blocks = []
    for c, (start, stop) in enumerate(pairwise(bounds)):
        n_blocks = -(-(stop - start) // block_rows)
        edges = np.linspace(start, stop, n_blocks + 1).astype(int)
        blocks += [(c, slice(int(a), int(b))) for a, b in pairwise(edges)]
    return blocks


def negative_squared_distances(
    a: Points, rows: slice, b: Points, columns: slice, nearest_exact: float, out: Array
) -> Array:
    """``-‖a_i - b_j‖²`` for one block, in `out`; exact where nearer than `nearest_exact`."""
    block = out[: (rows.stop - rows.start) * (columns.stop - columns.start)]
    block = block.reshape(rows.stop - rows.start, columns.stop - columns.start)
    n_features = a.X.shape[1]
    if n_features <= DIRECT_COLUMNS:
        block[:] = 0.0
        for k in range(n_features):
            difference = a.X[rows, k, None] - b.X[columns, k]
            difference *= difference
            block -= difference
        return block
    np.matmul(a.left[rows], b.right[columns].T, out=block)
    if nearest_exact > 0.0:
        near_rows, near_columns = np.nonzero(block > -nearest_exact)
        step = max(1, RECOMPUTED_NUMBERS // n_features)
        for start in range(0, near_rows.size, step):
            i, j = near_rows[start : start + step], near_columns[start : start + step]
            difference = a.X[rows][i] - b.X[columns][j]
            block[i, j] = -np.einsum("ij,ij->i", difference, difference)
    return block


def nearest_exact_distance(widths: Sequence[float], squared_norms: float) -> float:
    """Squared distance below which the product is too inexact for one of the kernels.

    The kernel's error is K(d²) · error(d²) / mu²; the product's error is proportional to
    `squared_norms`, the largest ‖a‖² + ‖b‖² of a block.
    """
    limit = 0.0
    for mu in widths:
        excess = PRODUCT_ERROR / KERNEL_TOLERANCE * squared_norms / mu**2
        if excess > 1.0:
            limit = max(limit, mu**2 * float(np.log(excess)))
    return limit


def kernel_chain(
    distances: Array, widths: Sequence[float], kernel: Array
) -> Iterator[tuple[int, Array]]:
    """Yield ``exp(-d²/mu²)`` for every width, given ``-d²``; each is valid until the next.

    A width that is half of the one before is its fourth power: two squarings instead of an
    exponential. `kernel` is the buffer for the results.
    """
    order = sorted(range(len(widths)), key=lambda k: -widths[k])
    links, previous = CHAIN_LINKS, 0.0
    for k in order:
        if links < CHAIN_LINKS and widths[k] * 2.0 == previous:
            kernel *= kernel
            kernel *= kernel
            links += 1
        else:
            np.multiply(distances, 1.0 / widths[k] ** 2, out=kernel)
            np.exp(kernel, out=kernel)
            links = 0
        previous = widths[k]
        yield k, kernel


def squared_input_radius(epsilon: float, mu: float, squared_norms: float) -> float:
    """Squared input-space radius of the kernel-space ball of radius `epsilon`.

    ``‖psi(a) - psi(b)‖² = 2 - 2K(a, b) <= epsilon²`` holds just where ``‖a - b‖² <= r²``. A few
    units of rounding are added, so that a pair at exactly `epsilon` counts.
    """
    kernel_at_edge = 1.0 - epsilon**2 / 2.0
    if kernel_at_edge <= 0.0:
        return np.inf
    r2 = -(mu**2) * float(np.log1p(-(epsilon**2) / 2.0))
    eps = float(np.finfo(np.float64).eps)
    return r2 * (1.0 + 8.0 * eps) + 8.0 * eps * (mu**2 / kernel_at_edge + squared_norms)


class PairSums:
    """Running sums of one pass over pairs.

    Attributes
    ----------
    kernel : ndarray of shape (n_widths, n)
        ``sum_j w_j K(i, j)`` over the rows j of i's own class.
    own, other : ndarray of shape (n_widths, n)
        Weight of the rows within the neighbourhood, of i's own class and of all others.
    """

    def __init__(self, n_widths: int, n: int) -> None:
        self.kernel = np.zeros((n_widths, n))
        self.own = np.zeros((n_widths, n))
        self.other = np.zeros((n_widths, n))


def symmetric_pair_sums(
    points: Points,
    widths: Sequence[float],
    *,
    kernels: bool,
    radii: Sequence[float] | None,
    block_rows: int = BLOCK_ROWS,
) -> PairSums:
    """Kernel sums and neighbour weights over all pairs of rows, one pass.

    Parameters
    ----------
    points : Points
    widths : sequence of float
        Kernel widths mu.
    kernels : bool
        Whether to sum kernels over pairs of the same class.
    radii : sequence of float or None
        For each width the kernel-space radius epsilon within which neighbours are counted (the row
        itself included); None counts nothing.
    block_rows : int
        Rows of a block.

    Returns
    -------
    PairSums
    """
    n, weight = points.X.shape[0], points.weight
    sums = PairSums(len(widths), n)
    blocks = class_blocks(points.bounds, block_rows)
    largest = max((rows.stop - rows.start for _, rows in blocks), default=0)
    distances, kernel = np.empty(largest**2), np.empty(largest**2)
    count = neighbor_counter(weight, largest)
    for i, (class_i, rows) in enumerate(blocks):
        for class_j, columns in blocks[i:]:
            if class_i != class_j and radii is None:
                break
            norms = points.squared_norms[rows.stop - 1] + points.squared_norms[columns.stop - 1]
            near = nearest_exact_distance(widths, norms) if kernels and class_i == class_j else 0.0
            block = negative_squared_distances(points, rows, points, columns, near, distances)
            same = rows == columns
            if same:
                np.fill_diagonal(block, 0.0)
            if kernels and class_i == class_j:
                buffer = kernel[: block.size].reshape(block.shape)
                for k, K in kernel_chain(block, widths, buffer):
                    sums.kernel[k, rows] += K @ weight[columns]
                    if not same:
                        sums.kernel[k, columns] += weight[rows] @ K
            if radii is not None:
                counts = sums.own if class_i == class_j else sums.other
                for k, (mu, epsilon) in enumerate(zip(widths, radii, strict=True)):
                    r2 = squared_input_radius(epsilon, mu, norms)
                    by_row, by_column = count(block, -r2, rows, columns)
                    counts[k, rows] += by_row
                    if not same:
                        counts[k, columns] += by_column
    return sums


Counter = Callable[[Array, float, slice, slice], tuple[Array, Array]]


def neighbor_counter(weight: Array, block_rows: int) -> Counter:
    """Make the function that sums, in a block, the weights where ``block >= threshold``.

    Equal weights are counted in bytes, eight at a time in a 64-bit word, a fifth of the time that
    a product with the weights takes.
    """
    size = block_rows**2
    if weight.size and np.all(weight == weight[0]) and block_rows <= 255 * 8:
        unit = float(weight[0])
        mask = np.zeros(size + 8 * block_rows, dtype=np.uint8)

        def count_bytes(
            block: Array, threshold: float, rows: slice, columns: slice
        ) -> tuple[Array, Array]:
            n_rows, n_columns = block.shape
            padded = -(-n_columns // 8) * 8
            near = mask[: n_rows * padded].reshape(n_rows, padded)
            near[:, n_columns:] = 0
            np.greater_equal(block, threshold, out=near[:, :n_columns].view(np.bool_))
            # Each byte lane of the 64-bit sums holds at most padded / 8 <= 255.
            lanes = np.add.reduce(near.view(np.uint64), axis=1)
            by_row = lanes.view(np.uint8).reshape(n_rows, 8).sum(axis=1, dtype=np.int64)
            by_column = np.zeros(padded, dtype=np.int64)
            for start in range(0, n_rows, 255):
                by_column += np.add.reduce(near[start : start + 255], axis=0, dtype=np.uint8)
            return unit * by_row, unit * by_column[:n_columns]

        return count_bytes
    buffer = np.empty(size)

    def count_weights(
        block: Array, threshold: float, rows: slice, columns: slice
    ) -> tuple[Array, Array]:
        near = buffer[: block.size].reshape(block.shape)
        np.copyto(near, block >= threshold)
        return near @ weight[columns], weight[rows] @ near

    return count_weights
