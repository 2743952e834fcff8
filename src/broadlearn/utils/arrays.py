"""Array helpers: types, blocks and draws of rows, targets, quantiles, duplicates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

Array = NDArray[np.float64]
Floats = NDArray[np.floating]

FLOAT_TYPES = [np.float64, np.float32]
# Numbers in a block of rows that is worked on at a time: 16 MB, so that calls cost little.
BLOCK_NUMBERS = 1 << 21


def row_slices(n_rows: int, n_columns: int, numbers: int = BLOCK_NUMBERS // 4) -> Iterator[slice]:
    """Yield slices of rows that hold about `numbers` numbers each."""
    step = max(1, numbers // max(1, n_columns))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def spread_rows(n_rows: int, at_most: int) -> NDArray[np.intp]:
    """Return evenly spread positions of at most `at_most` rows."""
    return np.unique(np.linspace(0, n_rows - 1, min(n_rows, at_most)).astype(np.intp))


def draw_seed(random_state: int | np.random.RandomState | None) -> int:
    """Return one integer from ``random_state``, the seed of all draws."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def row_priorities(first: int, count: int, seed: int) -> NDArray[np.uint64]:
    """Return random numbers of rows ``first, first + 1, ...``, independent of batches.

    Rows of least priority are a random sample that can be kept up to date (SplitMix64).
    """
    index = np.arange(first + 1, first + count + 1, dtype=np.uint64)
    z = (index + np.uint64(seed) * np.uint64(1 << 32)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))


def encode_targets(codes: NDArray[np.intp], n_classes: int) -> Array:
    """Return one-hot targets; for two classes one column of -1 and 1."""
    if n_classes == 2:
        return np.where(codes[:, None] == 1, 1.0, -1.0)
    return np.asarray(np.eye(n_classes)[codes], dtype=np.float64)


def quantiles(values: Floats, weight: Array | None, shares: Sequence[float | Array]) -> Array:
    """Return for each column the least value with a share of the weight at or below it.

    Weights are those of rows or of single values, a share is one number or one for each column.
    numpy.quantile has this too, but rounds the share differently with and without weights.
    """
    order, columns = np.argsort(values, axis=0), np.arange(values.shape[1])
    weights = np.ones(len(values)) if weight is None else weight
    weights = np.broadcast_to(weights.reshape(len(values), -1), values.shape)
    total = np.cumsum(np.take_along_axis(weights, order, axis=0), axis=0)
    # Slightly smaller shares, so that rounding does not decide.
    thresholds = [share * total[-1] * (1.0 - 1e-12) for share in shares]
    return np.array(
        [values[order[np.argmax(total >= t, axis=0), columns], columns] for t in thresholds]
    )


class DistinctRows(NamedTuple):
    """Distinct (sample, class) pairs, ordered by class."""

    first: NDArray[np.intp]  # where each distinct sample is found first
    inverse: NDArray[np.intp]  # the distinct sample that each sample is a copy of
    weight: Array  # sum of the weights of all copies of each distinct sample


def distinct_rows(
    X: Floats, codes: NDArray[np.intp], weight: Array, *, as_numbers: bool = False
) -> DistinctRows:
    """Merge equal samples of the same class.

    A sample of weight w counts as w copies, so samples with duplicates have an exact, smaller
    equivalent. Pair sums cost the square of the samples: merging pays as soon as there is one
    duplicate, and makes them independent of how copies are written down.

    Distinct samples of a class are sorted by their features, the first feature first. Later
    features are compared only for samples that are equal so far. Features are compared byte by
    byte, as they are in memory, or `as_numbers`, an order that rounding does not change.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0], [2.0], [1.0]])
    >>> rows = distinct_rows(X, np.array([0, 0, 0]), np.ones(3))
    >>> rows.weight[rows.inverse]
    array([2., 1., 2.])
    """
    order = np.argsort(codes, kind="stable")
    # Places in the order whose samples are alike so far, in which runs, and which begin one.
    alike, run = np.arange(order.size), codes[order]
    begins = np.ones(order.size, dtype=np.bool_)
    begins[1:] = run[1:] != run[:-1]
    for j in range(X.shape[1]):
        if not alike.size:
            break
        # Adding 0.0 turns -0.0 into 0.0, so that equal numbers have equal bytes.
        values: NDArray[Any] = X[order[alike], j] + 0.0
        if not as_numbers:
            values = values.astype(np.float64, copy=False).view(np.uint64).byteswap()
        within = np.lexsort((values, run))
        order[alike], values = order[alike][within], values[within]
        begins[1:] = (run[1:] != run[:-1]) | (values[1:] != values[:-1])
        several = ~(begins & np.append(begins[1:], True))
        run, alike, begins = np.cumsum(begins)[several], alike[several], begins[several]
    leads = np.ones(order.size, dtype=np.bool_)
    leads[alike[~begins]] = False
    inverse = np.empty_like(order)
    inverse[order] = np.cumsum(leads) - 1
    merged = np.bincount(inverse, weights=weight, minlength=int(leads.sum())).astype(np.float64)
    return DistinctRows(order[leads], inverse, merged)
