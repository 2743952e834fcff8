"""Standardise features: means and deviations learnt block by block.

- "bounded": values beyond wide fences are first replaced by the last value within them.
- "robust": means and deviations of the samples that are not outliers. Samples are judged first by
  the means and deviations of all samples, then by those of the samples kept.

Missing values (NaN) are left out of means and deviations and replaced by the mean. Every feature
with missing values in training also gets an indicator column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.sparsefuncs import mean_variance_axis, min_max_axis

from broadlearn.random_features.fences import FenceRows, draw_fence_rows, learn_fences
from broadlearn.random_features.sparse_rows import SparseRows, clip_entries
from broadlearn.utils import Array, Floats, check_magnitudes, quantiles, row_slices
from broadlearn.utils.sklearn_compat import (
    handle_zeros_in_scale,
    incremental_mean_and_var,
    is_constant_feature,
)


class Standardization(NamedTuple):
    """``Z = (X - mean) / scale`` per feature, with indicators of missing values.

    X is first clipped at the bounds, if there are any. `fill` are values of Z in place of missing
    ones, None for 0. `missing` are the features with missing values in training, whose indicators
    follow the features of Z, and `share` the shares of the samples that lack them.
    """

    mean: Array
    scale: Array
    fill: Array | None = None
    missing: NDArray[np.intp] = np.empty(0, dtype=np.intp)
    share: Array = np.empty(0)
    bounds: Array | None = None  # least and largest value of each feature, as two rows

    @classmethod
    def identity(cls, n_features: int) -> Standardization:
        """Return a standardisation that leaves features unchanged."""
        return cls(np.zeros(n_features), np.ones(n_features))

    def affine(self, X: Floats, rows: slice | NDArray[np.intp] = slice(None)) -> Floats:
        """Return ``[Z, 1]`` for the given samples: features, indicators and a column of ones."""
        part: Any = X[rows]
        if not isinstance(part, np.ndarray):
            tail = self.indicators(np.zeros((1, X.shape[1]), dtype=np.bool_))[0]
            constants = np.append(tail, 1.0)
            learnt = (self.mean, self.scale, constants, self.bounds)
            return SparseRows(part, *learnt)  # type: ignore[return-value]
        n_features = X.shape[1]
        block = np.empty((part.shape[0], n_features + self.share.size + 1), dtype=X.dtype)
        Z = block[:, :n_features]
        if self.bounds is not None:
            # Bounds beyond float32 become infinite.
            with np.errstate(over="ignore"):
                part = np.clip(part, *self.bounds.astype(X.dtype, copy=False), out=Z)
        np.subtract(part, self.mean, out=Z, casting="same_kind")
        Z /= self.scale
        if self.share.size or np.isnan(np.min(Z, initial=0.0)):
            absent = np.isnan(Z)
            np.copyto(Z, 0.0 if self.fill is None else self.fill, where=absent, casting="same_kind")
            block[:, n_features:-1] = self.indicators(absent)
        block[:, -1] = 1.0
        return block

    def indicators(self, absent: NDArray[np.bool_]) -> Array:
        """Return the indicator columns, given which values of all features are absent.

        They differ by half a deviation between missing and present values. A larger difference adds
        noise if values are missing at random (benchmarks/missing_values.py).
        """
        return 0.5 * (absent[:, self.missing] - self.share)


class StandardizedRows:
    """Standardised features of samples, computed when they are indexed.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0], [3.0]])
    >>> Z = StandardizedRows(X, learn_standardization(X))
    >>> Z.shape, Z[np.array([1])], Z[np.array([0, 1]), 0]
    ((2, 1), array([[1.]]), array([-1.,  1.]))
    """

    def __init__(self, X: Floats, standardization: Standardization) -> None:
        self.X, self.standardization = X, standardization
        self.shape = (X.shape[0], X.shape[1] + standardization.share.size)

    def __getitem__(self, index: Any) -> Floats:
        """Return some samples, or one feature of them."""
        if not isinstance(index, tuple):
            return self.standardization.affine(self.X, index)[:, :-1]
        rows, column = index
        values = np.empty(len(rows), dtype=self.X.dtype)
        for part in row_slices(len(rows), self.shape[1]):
            values[part] = self[rows[part]][:, column]
        return values


class ColumnStatistics(NamedTuple):
    """Statistics of the columns of some samples, by their present values.

    Means and variances are 0, extremes NaN in columns without values.
    """

    weight: float  # of all samples
    absent: Array  # weight of the samples without a value
    mean: Array
    variance: Array
    extremes: Array  # least and largest value, as two rows
    rows: FenceRows | None  # from which fences are learnt

    @property
    def scale(self) -> Array:
        """Standard deviations; 1 for constant columns."""
        constant = is_constant_feature(self.variance, self.mean, self.weight - self.absent)
        deviation = np.sqrt(self.variance)
        return handle_zeros_in_scale(deviation, copy=False, constant_mask=constant)

    def merge(self, other: ColumnStatistics) -> ColumnStatistics:
        """Return the statistics of the samples of both (Chan, Golub and LeVeque 1983)."""
        weight, absent = self.weight + other.weight, self.absent + other.absent
        there, added = weight - absent, other.weight - other.absent
        share = np.divide(added, there, out=np.zeros_like(there), where=there > 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            between = other.mean - self.mean
            mean = self.mean + share * between
            within = (1.0 - share) * self.variance + share * other.variance
            variance = within + (1.0 - share) * share * between**2
        extremes = merge_extremes(self.extremes, other.extremes)
        rows = self.rows.merge(other.rows) if self.rows and other.rows else None
        return ColumnStatistics(weight, absent, mean, variance, extremes, rows)


# Merges a statistic of each block of samples: of X, weights or None, and the number before them.
Reduce = Callable[[Callable[[Floats, Array | None, int], Any], Callable[[Any, Any], Any]], Any]


def column_statistics(
    X: Floats,
    weight: Array | None = None,
    first: int = 0,
    *,
    bounds: Array | None = None,
    fences: bool = False,
) -> ColumnStatistics:
    """Return the statistics of a block of samples of positive weight, clipped at bounds.

    With `fences`, rows are drawn that these can be learnt from; `first` samples came before.
    """
    ones = np.ones(len(X)) if weight is None else weight
    rows = draw_fence_rows(X, ones, first) if fences else None
    block = X if bounds is None else np.clip(X, *bounds)
    given = None if (ones == 1.0).all() else ones
    none = np.zeros(X.shape[1], dtype=np.int64 if given is None else np.float64)
    # Values that overflow here are clipped and learnt again, or refused. What StandardScaler calls;
    # its checks take longer than the sums of a small sample.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        mean, variance, _ = incremental_mean_and_var(
            block.astype(np.float64, copy=False), 0.0, 0.0, none, sample_weight=given
        )
    absent, total = ones @ np.isnan(block), float(ones.sum())
    mean = np.where(absent >= total, 0.0, mean)
    # Rounding can leave a weighted variance below 0.
    variance = np.where(absent >= total, 0.0, np.maximum(variance, 0.0))
    extremes = np.array([np.fmin.reduce(block), np.fmax.reduce(block)], dtype=np.float64)
    return ColumnStatistics(total, absent, mean, variance, extremes, rows)


def merge_extremes(a: Array, b: Array) -> Array:
    """Return the least and largest values of two blocks, ignoring NaN."""
    return np.array([np.fmin(a[0], b[0]), np.fmax(a[1], b[1])])


def learn_standardization(
    X: Floats, weight: Array | None = None, standardize: bool | str = True
) -> Standardization:
    """Learn the mean and standard deviation of every feature; constant features get deviation 1.

    X is dense, with NaN for missing values, or a CSR matrix. A sample of weight w counts as w
    copies. A false `standardize` leaves features unchanged, "bounded" clips all values at bounds
    within fences, "robust" learns from samples that are not outliers.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.r_[np.tile([-1.0, 1.0], 20), 100.0][:, None]
    >>> learn_standardization(X, standardize="robust").scale.round()
    array([4.])
    >>> learn_standardization(X, standardize="bounded").bounds.ravel()
    array([-31.,   1.])
    >>> X = np.array([[1.0], [3.0], [np.nan], [np.nan]])
    >>> learn_standardization(X).affine(X).round(2)
    array([[-1.  , -0.25,  1.  ],
           [ 1.  , -0.25,  1.  ],
           [ 0.  ,  0.25,  1.  ],
           [ 0.  ,  0.25,  1.  ]])
    """
    if not isinstance(X, np.ndarray):
        return _learn_sparse(X, weight, standardize)

    def visit(part: Any, merge: Any) -> Any:
        return reduce(merge, (part(*block) for block in _blocks(X, weight)))

    statistic = partial(column_statistics, fences=standardize == "bounded")
    statistics = visit(statistic, ColumnStatistics.merge)
    learnt = standardization_of(statistics, visit, standardize)
    return _without_outliers(X, weight, learnt) if standardize == "robust" else learnt


def standardization_of(
    statistics: ColumnStatistics, visit: Reduce, standardize: bool | str
) -> Standardization:
    """Return the standardisation of samples with known statistics.

    If values lie beyond fences, `visit` visits the samples twice more.
    """
    bounds = None
    if statistics.rows is not None:
        bounds, extremes = learn_fences(statistics.rows), statistics.extremes
        beyond = np.array([extremes[0] < bounds[0], extremes[1] > bounds[1]])
        if beyond.any():
            inner = visit(partial(_within, bounds), merge_extremes)
            bounds = np.where(beyond, inner, bounds)
            again = partial(column_statistics, bounds=bounds)
            statistics = visit(again, ColumnStatistics.merge)
    missing = np.flatnonzero(statistics.absent)
    share = statistics.absent[missing] / statistics.weight
    # A feature without any value in training is ignored in prediction too.
    empty = statistics.absent >= statistics.weight
    if not standardize:
        fill = np.where(np.isfinite(statistics.mean), statistics.mean, 0.0)
        ones = np.where(empty, np.inf, 1.0)
        return Standardization(np.zeros(fill.size), ones, fill, missing, share)
    check_magnitudes(np.nan_to_num(np.abs(statistics.extremes).max(axis=0)))
    scale = np.where(empty, np.inf, statistics.scale)
    return Standardization(statistics.mean, scale, None, missing, share, bounds)


def _within(fences: Array, X: Floats, weight: Array | None, first: int) -> Array:
    return last_within(X, fences)


def last_within(X: Floats, fences: Array) -> Array:
    """Return the least and the largest value of each column within fences, as two rows.

    Examples
    --------
    >>> import numpy as np
    >>> last_within(np.array([[1.0], [2.0], [1e9]]), np.array([[-5.0], [5.0]])).ravel()
    array([1., 2.])
    """
    block = np.where((X >= fences[0]) & (X <= fences[1]), X, np.nan)
    return np.array([np.fmin.reduce(block), np.fmax.reduce(block)], dtype=np.float64)


def _blocks(
    X: Floats, weight: Array | None, kept: NDArray[np.bool_] | None = None
) -> Iterator[tuple[Floats, Array | None, int]]:
    """Yield blocks of the kept samples, their weights, and the number of samples before them."""
    for rows in row_slices(*X.shape):
        chosen = slice(None) if kept is None else kept[rows]
        block = X[rows][chosen]
        if len(block):
            yield block, None if weight is None else weight[rows][chosen], rows.start


def _without_outliers(X: Floats, weight: Array | None, whole: Standardization) -> Standardization:
    """Return the standardisation of samples that are not outliers, given that of all samples.

    Outliers, which are looked for three times, are further from the mean than three times the
    median distance. Deviations are at least a quarter of those of all samples: otherwise a feature
    that is constant except in outliers would be blown up. These numbers were set by hand.
    """
    learnt = Standardization(whole.mean, whole.scale)
    for _ in range(3):
        distance = _distances(X, learnt)
        near = distance <= 3.0 * quantiles(distance[:, None], weight, [0.5])[0, 0]
        parts = (column_statistics(*block) for block in _blocks(X, weight, near))
        inner = reduce(ColumnStatistics.merge, parts)
        scale = np.maximum(np.sqrt(inner.variance), 0.25 * whole.scale)
        scale[(inner.variance == 0.0) & (whole.scale == 1.0)] = 1.0
        learnt = Standardization(inner.mean, scale)
    return whole._replace(mean=learnt.mean, scale=learnt.scale)


def _means(X: Floats, weight: Array | None) -> Array:
    """Return the means of features without missing values; 0 if they overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        sums = X.sum(axis=0, dtype=np.float64) if weight is None else weight @ X
        means = np.asarray(sums / (X.shape[0] if weight is None else weight.sum())).ravel()
    return np.where(np.isfinite(means), means, 0.0)


def _learn_sparse(X: Any, weight: Array | None, standardize: bool | str) -> Standardization:
    """Learn the standardisation of a CSR matrix from its entries."""
    if standardize == "robust":
        raise TypeError(
            'standardize="robust" needs dense data; pass X.toarray() or standardize=True.'
        )
    if not standardize:
        return Standardization.identity(X.shape[1])._replace(fill=_means(X, weight))
    values, bounds = X.astype(np.float64), None
    if standardize == "bounded":
        fences = learn_fences(draw_fence_rows(X, weight))
        extremes = np.array(min_max_axis(values, axis=0))
        beyond = np.array([extremes[0] < fences[0], extremes[1] > fences[1]])
        known = values.copy()
        known.data[clip_entries(values, fences) != values.data] = np.nan
        bounds = np.where(beyond, min_max_axis(known, axis=0, ignore_nan=True), fences)
        values.data = clip_entries(values, bounds)
    check_magnitudes(np.abs(min_max_axis(values, axis=0)).max(axis=0))
    mean, variance = mean_variance_axis(values, axis=0, weights=weight)
    total = X.shape[0] if weight is None else weight.sum()
    constant = is_constant_feature(variance, mean, total)
    scale = handle_zeros_in_scale(np.sqrt(variance), copy=False, constant_mask=constant)
    return Standardization(mean, scale, bounds=bounds)


def _distances(X: Floats, standardization: Standardization) -> Array:
    """Return the root mean square of the standardised features of every sample, each up to 10."""
    distances = np.empty(X.shape[0])
    for rows in row_slices(*X.shape):
        Z = standardization.affine(X, rows)[:, :-1]
        np.clip(Z, -10.0, 10.0, out=Z)
        distances[rows] = np.sqrt(np.mean(Z.astype(np.float64, copy=False) ** 2, axis=1))
    return distances
