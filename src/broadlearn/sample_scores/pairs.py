"""Sums over all pairs of samples, block by block: kernel sums and neighbour counts.

One matrix product per block of pairs gives ``-‖a - b‖²`` for the whole block, because

    [2a, -‖a‖², 1] · [b, 1, -‖b‖²] = 2 a·b - ‖a‖² - ‖b‖².

Symmetry halves the blocks; no array grows with the square of the number of samples. The product
loses digits where two samples are much closer to each other than to the origin. Where the kernel
would show the error, pairs are recomputed from their difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.random_features import StandardizedRows
from broadlearn.utils import BLOCK_NUMBERS, Array, Floats, row_slices

# Samples of a block: 512² distances, 2 MB, stay in the cache.
BLOCK_ROWS = 512
# Longest squaring chain: K(mu/2) = K(mu)**4, so each link multiplies the relative error by four,
# three of them by 64.
CHAIN_LINKS = 3
# With more blocks of classes than this times the blocks of all samples, all neighbours are counted
# in a pass of their own (affects speed only).
MAX_BLOCK_RATIO = 4


class Piece(NamedTuple):
    """Some points, centred on the mean of all.

    Products of `left` with `right` of another piece are minus the squared distances.
    """

    X: Array
    left: Array
    right: Array
    squared_norms: Array
    weight: Array


class Points(NamedTuple):
    """Samples ready for pair sums, each class one contiguous run.

    They stand at `positions` among the samples `rows`, and `mean` is that of all. Features are
    computed piece by piece. Class c is ``bounds[c]:bounds[c + 1]``, `order` the position of each
    point in the caller's arrays, and `blocks` are near-equal runs of at most BLOCK_ROWS, each with
    its class.
    """

    rows: Floats | StandardizedRows
    positions: NDArray[np.intp]
    mean: Array
    squared_norms: Array
    weight: Array
    bounds: NDArray[np.intp]
    order: NDArray[np.intp]
    blocks: list[tuple[int, slice]]

    def piece(self, points: slice | NDArray[np.intp]) -> Piece:
        """Return some of the points."""
        centred = self.rows[self.positions[points]].astype(np.float64, copy=False) - self.mean
        n, d = centred.shape
        left, right = np.empty((2, n, d + 2))
        norms = self.squared_norms[points]
        left[:, :d], left[:, d], left[:, d + 1] = 2.0 * centred, -norms, 1.0
        right[:, :d], right[:, d], right[:, d + 1] = centred, 1.0, -norms
        return Piece(centred, left, right, norms, self.weight[points])


def sort_points(
    rows: Floats | StandardizedRows,
    positions: NDArray[np.intp],
    codes: NDArray[np.intp],
    weight: Array,
    n_classes: int,
) -> Points:
    """Sort some of the samples by class and, within a class, by their distance from the mean.

    Samples of similar norm share a block, so that a few outliers do not spoil the error bound
    of all blocks. `codes` and `weight` are those of the samples at `positions`.
    """
    n, d = positions.size, rows.shape[1]
    total, squared_norms = np.zeros(d), np.empty(n)
    parts = list(row_slices(n, d))
    for part in parts:
        block = rows[positions[part]].astype(np.float64, copy=False)
        # One sample after the other, as a sum over all of them would be.
        total = np.add.reduce(np.concatenate([total[None], block]))
    mean = total / n
    for part in parts:
        centred = rows[positions[part]].astype(np.float64, copy=False) - mean
        squared_norms[part] = np.einsum("ij,ij->i", centred, centred)
    order = np.lexsort((squared_norms, codes))
    bounds = np.searchsorted(codes[order], np.arange(n_classes + 1))
    blocks = []
    for c, (start, stop) in enumerate(pairwise(bounds)):
        edges = np.linspace(start, stop, -(-(stop - start) // BLOCK_ROWS) + 1).astype(int).tolist()
        blocks += [(c, slice(a, b)) for a, b in pairwise(edges)]
    norms = squared_norms[order]
    return Points(rows, positions[order], mean, norms, weight[order], bounds, order, blocks)


def negative_squared_distances(a: Piece, b: Piece, widths: Sequence[float], out: Array) -> Array:
    """Return ``-‖a_i - b_j‖²`` for two pieces, in `out`.

    Distances are exact where the product is too inexact for the kernel of one of the widths: the
    kernel's error is K(d²) · error(d²) / mu², and the product's error is proportional to the
    largest ‖a‖² + ‖b‖² of the pieces.
    """
    n_features = a.X.shape[1]
    block = out[: len(a.X) * len(b.X)].reshape(len(a.X), len(b.X))
    # Up to three features, differences are as fast as the product, and exact.
    if n_features <= 3:
        block[:] = 0.0
        for k in range(n_features):
            difference = a.X[:, k, None] - b.X[:, k]
            difference *= difference
            block -= difference
        return block
    np.matmul(a.left, b.right.T, out=block)
    norms = a.squared_norms[-1] + b.squared_norms[-1]
    nearest_exact = 0.0
    for mu in widths:
        # The product errs by 1e-15 of the norms. Kernels may err by 1e-13: scores are then exact to
        # 1e-12.
        excess = 1e-15 / 1e-13 * norms / mu**2
        if excess > 1.0:
            nearest_exact = max(nearest_exact, mu**2 * float(np.log(excess)))
    if nearest_exact > 0.0:
        near_rows, near_columns = np.nonzero(block > -nearest_exact)
        step = max(1, BLOCK_NUMBERS // n_features)
        for start in range(0, near_rows.size, step):
            i, j = near_rows[start : start + step], near_columns[start : start + step]
            difference = a.X[i] - b.X[j]
            block[i, j] = -np.einsum("ij,ij->i", difference, difference)
    return block


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
    """Return the squared input-space radius of the kernel-space ball of radius `epsilon`.

    ``‖psi(a) - psi(b)‖² = 2 - 2K(a, b) <= epsilon²`` holds just where ``‖a - b‖² <= r²``. A few
    units of rounding are added, so that a pair at exactly `epsilon` counts.
    """
    kernel_at_edge = 1.0 - epsilon**2 / 2.0
    if kernel_at_edge <= 0.0:
        return np.inf
    r2 = -(mu**2) * float(np.log1p(-(epsilon**2) / 2.0))
    eps = float(np.finfo(np.float64).eps)
    return r2 * (1.0 + 8.0 * eps) + 8.0 * eps * (mu**2 / kernel_at_edge + squared_norms)


def thresholds(
    a: Piece, b: Piece, widths: Sequence[float], radii: Sequence[float]
) -> Iterator[float]:
    """Yield for each width the least ``-‖a_i - b_j‖²`` of two neighbours."""
    # Points are sorted by their norms.
    norms = float(a.squared_norms[-1] + b.squared_norms[-1])
    for mu, epsilon in zip(widths, radii, strict=True):
        yield -squared_input_radius(epsilon, mu, norms)


class PairSums(NamedTuple):
    """Sums of one pass over pairs, each of shape (n_widths, n).

    `kernel` is ``sum_j w_j K(i, j)`` over the samples j of i's own class; `own` and `other` are the
    weights of the samples within the neighbourhood, of i's own class and of all others.
    """

    kernel: Array
    own: Array
    other: Array


def symmetric_pair_sums(
    points: Points, widths: Sequence[float], *, kernels: bool, radii: Sequence[float] | None
) -> PairSums:
    """Return kernel sums and neighbour weights over all pairs of samples, in one pass.

    Kernels of all widths are summed over pairs of the same class, if `kernels` asks for it. Within
    the kernel-space radius of each width neighbours are counted, itself included; None counts
    nothing. Where classes are many and small, neighbours of other classes are those of all less
    those of the own class: blocks of all samples are fewer.
    """
    n, weight, blocks = points.weight.size, points.weight, points.blocks
    sums = PairSums(*np.zeros((3, len(widths), n)))
    pieces = [points.piece(rows) for _, rows in blocks]
    largest = max((len(piece.X) for piece in pieces), default=0)
    distances, kernel = np.empty((2, largest**2))
    equal = bool(np.all(weight == weight[0])) if n else False
    split = equal and radii is not None and len(blocks) > MAX_BLOCK_RATIO * -(-n // BLOCK_ROWS)
    mask = np.empty(largest**2 + 8 * largest if equal else 0, dtype=np.uint8)
    for i, (class_i, rows) in enumerate(blocks):
        for j, (class_j, columns) in enumerate(blocks[i:], start=i):
            if class_i != class_j and (radii is None or split):
                break
            a, b = pieces[i], pieces[j]
            exact = widths if kernels and class_i == class_j else ()
            block = negative_squared_distances(a, b, exact, distances)
            if i == j:
                np.fill_diagonal(block, 0.0)
            if kernels and class_i == class_j:
                buffer = kernel[: block.size].reshape(block.shape)
                for k, K in kernel_chain(block, widths, buffer):
                    sums.kernel[k, rows] += K @ b.weight
                    if i != j:
                        sums.kernel[k, columns] += a.weight @ K
            if radii is not None:
                counts = sums.own if class_i == class_j else sums.other
                for k, nearest in enumerate(thresholds(a, b, widths, radii)):
                    by_row, by_column = near_weights(
                        block, nearest, a.weight, b.weight, mask, kernel
                    )
                    counts[k, rows] += by_row
                    if i != j:
                        counts[k, columns] += by_column
    if split and radii is not None:
        # Equal weights are whole numbers of one of them: no rounding may leave a neighbour behind.
        own = np.rint(sums.own / weight[0])
        counted = np.maximum(count_neighbours(points, widths, radii) - own, 0.0)
        np.multiply(counted, weight[0], out=sums.other)
    return sums


def count_neighbours(points: Points, widths: Sequence[float], radii: Sequence[float]) -> Array:
    """Return the number of samples of any class within the radius of each width."""
    n = points.positions.size
    one_class, ones = np.zeros(n, dtype=np.intp), np.ones(n)
    together = sort_points(points.rows, points.positions, one_class, ones, 1)
    sorted_counts = symmetric_pair_sums(together, widths, kernels=False, radii=radii).own
    counts = np.empty_like(sorted_counts)
    counts[:, together.order] = sorted_counts
    return counts


def near_weights(
    block: Array,
    threshold: float,
    row_weight: Array | None,
    column_weight: Array,
    mask: NDArray[np.uint8],
    buffer: Array,
) -> tuple[Array, Array]:
    """Sum, for each row and each column of a block, the weights where ``block >= threshold``.

    Without weights of rows, columns have no sums.

    Equal weights are counted in bytes, eight at a time in a 64-bit word, a fifth of the time that
    a product with the weights takes; `mask` has room for them, and is empty where weights differ.
    `buffer` has room for as many numbers as the block has.
    """
    n_rows, n_columns = block.shape
    if not mask.size or n_columns > 255 * 8:
        near = buffer[: block.size].reshape(block.shape)
        np.copyto(near, block >= threshold)
        return near @ column_weight, np.empty(0) if row_weight is None else row_weight @ near
    unit, padded = float(column_weight[0]), -(-n_columns // 8) * 8
    flags = mask[: n_rows * padded].reshape(n_rows, padded)
    flags[:, n_columns:] = 0
    np.greater_equal(block, threshold, out=flags[:, :n_columns].view(np.bool_))
    # Each byte lane of the 64-bit sums holds at most padded / 8 <= 255.
    lanes = np.add.reduce(flags.view(np.uint64), axis=1)
    by_row = lanes.view(np.uint8).reshape(n_rows, 8).sum(axis=1, dtype=np.int64)
    if row_weight is None:
        return unit * by_row, np.empty(0)
    by_column = np.zeros(padded, dtype=np.int64)
    for start in range(0, n_rows, 255):
        by_column += np.add.reduce(flags[start : start + 255], axis=0, dtype=np.uint8)
    return unit * by_row, unit * by_column[:n_columns]


def combine(
    distance: Array, radius: Array, own: Array, other: Array
) -> tuple[Array, Array, Array, Array]:
    """Return membership theta, non-membership nu, heterogeneity Theta and the published score.

    `radius` is that of the own class plus delta; `own` and `other` are weights of neighbours.
    """
    theta = np.clip(1.0 - distance / radius, 0.0, 1.0)
    total = own + other
    Theta = np.divide(other, total, out=np.zeros_like(total), where=total > 0.0)
    nu = (1.0 - theta) * Theta
    between = (1.0 - nu) / (2.0 - theta - nu)
    score = np.where(nu == 0.0, theta, np.where(theta <= nu, 0.0, between))
    return theta, nu, Theta, score
