"""Standardise features: means and deviations learnt block by block, for values of any magnitude.

- "bounded": values beyond wide fences are first replaced by the last value within them.
- "robust": means and deviations of the samples that are not outliers. Samples are judged first by
  the means and deviations of all samples, then by those of the samples kept.

Missing values (NaN) are left out of means and deviations and replaced by the mean. Every feature
with missing values in training also gets an indicator column.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler
from sklearn.utils.sparsefuncs import mean_variance_axis, min_max_axis

from broadlearn.random_features.fences import draw_fence_rows, learn_fences
from broadlearn.random_features.sparse_rows import SparseRows, clip_entries
from broadlearn.utils import Array, Floats, quantiles, row_slices
from broadlearn.utils.sklearn_compat import handle_zeros_in_scale, is_constant_feature

# Features with larger binary exponents are rescaled, so that sums of their squares neither overflow
# nor vanish: float64 has exponents up to 1023, float32 up to 127.
SAFE_EXPONENT = {np.dtype(np.float64): 400, np.dtype(np.float32): 50}
# Samples further from the mean than this many times the median distance are outliers. This and the
# next three constants were set by hand.
OUTLIER_DISTANCE = 3.0
# A single feature counts for at most this many deviations in that distance.
MAX_DEVIATIONS = 10.0
# Number of times that outliers are looked for.
OUTLIER_PASSES = 3
# Robust deviations are at least this share of those of all samples. Otherwise a feature that is
# constant except in outliers would be blown up.
MIN_SCALE_SHARE = 0.25
# Difference between the indicators of missing and present values, in units of a deviation. Larger
# ones add noise if values are missing at random (benchmarks/missing_values.py).
INDICATOR_STEP = 0.5


class Standardization(NamedTuple):
    """``Z = (X / 2**exponent - mean) / scale`` per feature, with indicators of missing values.

    ``X / 2**exponent`` is first clipped at the bounds, if there are any.

    Attributes
    ----------
    mean, scale : ndarray of shape (n_features,)
    exponent : ndarray of shape (n_features,) or None
        Powers of two that bring features of extreme magnitude near 1; None if all features are
        ordinary.
    fill : ndarray of shape (n_features,) or None
        Value of Z in place of missing values; None for 0.
    missing : ndarray of shape (n_missing,)
        Features with missing values in training. Their indicators follow the features of Z.
    share : ndarray of shape (n_missing,)
        Share of the training samples in which they are missing.
    bounds : ndarray of shape (2, n_features) or None
        Least and largest value of each feature; None for no bounds.
    """

    mean: Array
    scale: Array
    exponent: NDArray[np.int32] | None
    fill: Array | None = None
    missing: NDArray[np.intp] = np.empty(0, dtype=np.intp)
    share: Array = np.empty(0)
    bounds: Array | None = None

    @classmethod
    def identity(cls, n_features: int) -> Standardization:
        """Return a standardisation that leaves features unchanged."""
        return cls(np.zeros(n_features), np.ones(n_features), None)

    def affine(self, X: Floats, rows: slice | NDArray[np.intp] = slice(None)) -> Floats:
        """Return ``[Z, 1]`` for some samples: features, indicators and a column of ones."""
        part: Any = X[rows]
        if not isinstance(part, np.ndarray):
            tail = self.indicators(np.zeros((1, X.shape[1]), dtype=np.bool_))[0]
            constants = np.append(tail, 1.0)
            learnt = (self.mean, self.scale, self.exponent, constants, self.bounds)
            return SparseRows(part, *learnt)  # type: ignore[return-value]
        n_features = X.shape[1]
        block = np.empty((part.shape[0], n_features + self.share.size + 1), dtype=X.dtype)
        if self.exponent is not None:
            part = np.ldexp(part, -self.exponent)
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
        """Return the indicator columns, given which values of all features are absent."""
        return INDICATOR_STEP * (absent[:, self.missing] - self.share)


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
    >>> learn_standardization(np.array([[1e300, 5.0], [3e300, 5.0]])).scale[1]
    np.float64(1.0)
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
    low, high = X.min(axis=0), X.max(axis=0)
    missing = np.flatnonzero(np.isnan(high))
    if not standardize and not missing.size:
        return Standardization.identity(X.shape[1])._replace(fill=_means(X, weight))
    low[missing], high[missing] = (f.reduce(X[:, missing]) for f in (np.fmin, np.fmax))
    bounds = None
    if standardize == "bounded":
        bounds = learn_fences(draw_fence_rows(X, weight))
        beyond = np.array([low < bounds[0], high > bounds[1]])
        if beyond.any():
            bounds = np.where(beyond, last_within(X, bounds), bounds)
            low, high = np.maximum(low, bounds[0]), np.minimum(high, bounds[1])
    exponent = safe_exponents(np.maximum(high, -low), X.dtype)
    bounds = None if bounds is None else scaled_bounds(bounds, exponent)
    scaler = _moments(X, weight, exponent, bounds)
    learnt = Standardization(scaler.mean_, scaler.scale_, exponent, bounds=bounds)
    if standardize == "robust":
        learnt = _without_outliers(X, weight, learnt)
    if not missing.size:
        return learnt
    share = np.average(np.isnan(X[:, missing]), axis=0, weights=weight)
    return with_missing(learnt, missing, share, standardize)


def _moments(
    X: Floats,
    weight: Array | None,
    exponent: NDArray[np.int32] | None,
    bounds: Array | None = None,
    kept: NDArray[np.bool_] | None = None,
) -> StandardScaler:
    """Return a scaler fitted to the kept samples, divided by 2**exponent and clipped at bounds."""
    scaler = StandardScaler()
    for rows in row_slices(*X.shape):
        chosen = slice(None) if kept is None else kept[rows]
        block = X[rows][chosen]
        if not len(block):
            continue
        if exponent is not None:
            block = np.ldexp(block, -exponent)
        if bounds is not None:
            block = np.clip(block, *bounds)
        part = None if weight is None else weight[rows][chosen]
        with np.errstate(invalid="ignore"):
            scaler.partial_fit(block.astype(np.float64, copy=False), sample_weight=part)
    return scaler


def _without_outliers(X: Floats, weight: Array | None, whole: Standardization) -> Standardization:
    """Return the standardisation of samples that are not outliers, given that of all samples."""
    learnt = whole
    for _ in range(OUTLIER_PASSES):
        distance = _distances(X, learnt)
        near = distance <= OUTLIER_DISTANCE * quantiles(distance[:, None], weight, [0.5])[0, 0]
        scaler = _moments(X, weight, whole.exponent, kept=near)
        # Rounding can leave a weighted variance below 0.
        variance = np.maximum(scaler.var_, 0.0)
        scale = np.maximum(np.sqrt(variance), MIN_SCALE_SHARE * whole.scale)
        scale[(variance == 0.0) & (whole.scale == 1.0)] = 1.0
        learnt = Standardization(scaler.mean_, scale, whole.exponent)
    return learnt


def last_within(X: Floats, fences: Array) -> Array:
    """Return the least and the largest value of each column within fences, as two rows.

    Examples
    --------
    >>> import numpy as np
    >>> last_within(np.array([[1.0], [2.0], [1e9]]), np.array([[-5.0], [5.0]])).ravel()
    array([1., 2.])
    """
    low, high = np.full((2, X.shape[1]), [[np.inf], [-np.inf]])
    for rows in row_slices(*X.shape):
        block = np.where((X[rows] >= fences[0]) & (X[rows] <= fences[1]), X[rows], np.nan)
        low, high = np.fmin(low, np.fmin.reduce(block)), np.fmax(high, np.fmax.reduce(block))
    return np.array([low, high], dtype=np.float64)


def safe_exponents(largest: Floats, dtype: np.dtype[Any]) -> NDArray[np.int32] | None:
    """Return powers of two that bring extreme columns near 1; None if no column is extreme."""
    exponents = np.frexp(largest)[1]
    exponents[np.abs(exponents) < SAFE_EXPONENT[dtype]] = 0
    return exponents if exponents.any() else None


def scaled_bounds(bounds: Array, exponent: NDArray[np.int32] | None) -> Array:
    """Return the bounds of features divided by powers of two; infinite if they overflow."""
    if exponent is None:
        return bounds
    with np.errstate(over="ignore"):
        return np.asarray(np.ldexp(bounds, -exponent))


def with_missing(
    learnt: Standardization, missing: NDArray[np.intp], share: Array, standardize: bool | str
) -> Standardization:
    """Add indicators of the missing features to a standardisation of the present values.

    `share` is the share of the samples in which each is missing. The mean of a feature without any
    value is NaN. A false `standardize` leaves present values unchanged.
    """
    # A feature without any value in training is ignored in prediction too.
    nothing = np.isnan(learnt.mean)
    mean, scale = np.where(nothing, 0.0, learnt.mean), np.where(nothing, np.inf, learnt.scale)
    if standardize:
        return Standardization(mean, scale, learnt.exponent, None, missing, share, learnt.bounds)
    fill = mean if learnt.exponent is None else np.ldexp(mean, learnt.exponent)
    ones = np.where(nothing, np.inf, 1.0)
    return Standardization(np.zeros(mean.size), ones, None, fill, missing, share)


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
    extremes = np.array(min_max_axis(values, axis=0))
    if standardize == "bounded":
        fences = learn_fences(draw_fence_rows(X, weight))
        beyond = np.array([extremes[0] < fences[0], extremes[1] > fences[1]])
        known = values.copy()
        known.data[clip_entries(values, fences) != values.data] = np.nan
        bounds = np.where(beyond, min_max_axis(known, axis=0, ignore_nan=True), fences)
        values.data = clip_entries(values, bounds)
        extremes = np.array(min_max_axis(values, axis=0))
    exponent = safe_exponents(np.abs(extremes).max(axis=0), X.dtype)
    if exponent is not None:
        values.data = np.ldexp(values.data, -exponent[values.indices])
    mean, variance = mean_variance_axis(values, axis=0, weights=weight)
    total = X.shape[0] if weight is None else weight.sum()
    constant = is_constant_feature(variance, mean, total)
    scale = handle_zeros_in_scale(np.sqrt(variance), copy=False, constant_mask=constant)
    bounds = None if bounds is None else scaled_bounds(bounds, exponent)
    return Standardization(mean, scale, exponent, bounds=bounds)


def _distances(X: Floats, standardization: Standardization) -> Array:
    """Return the root mean square of the standardised features of every sample."""
    distances = np.empty(X.shape[0])
    for rows in row_slices(*X.shape):
        Z = standardization.affine(X, rows)[:, :-1]
        np.clip(Z, -MAX_DEVIATIONS, MAX_DEVIATIONS, out=Z)
        distances[rows] = np.sqrt(np.mean(Z.astype(np.float64, copy=False) ** 2, axis=1))
    return distances
