"""Means and deviations of features, learnt block by block, safe for any magnitude.

Bounded ones are those of values that are held within fences, which lie so far out that those of an
ordinary table are all within them: a value beyond counts as the last one within. Robust ones are
those of the samples that are not outlying: judged first with the means and deviations of all
samples, then with their own.

Missing values (NaN) take no part. Where a sample lacks a value, the mean stands for it, and for
each feature that training samples lack a column tells which do: what follows sees numbers only.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler
from sklearn.utils.sparsefuncs import mean_variance_axis, min_max_axis

from broadlearn.utils.arrays import Array, Floats, column_fences, quantiles, row_slices
from broadlearn.utils.fences import MAX_FENCE_ROWS, draw_fence_rows, learn_fences
from broadlearn.utils.sklearn_compat import handle_zeros_in_scale, is_constant_feature
from broadlearn.utils.sparse_rows import SparseRows, clip_entries

# Squares of numbers whose binary exponents lie beyond these overflow or vanish.
SAFE_EXPONENT = {np.dtype(np.float64): 400, np.dtype(np.float32): 50}
# Samples further from the mean than this many times the median are outlying, where a single feature
# counts for this many deviations at most; passes over the samples in which that is found out.
OUTLYING, MAX_DEVIATIONS, PASSES = 3.0, 10.0, 3
# Deviations are not taken below this part of those of all samples: a feature that is constant but
# for a few samples, which then are outlying, must not be blown up.
MIN_PART = 0.25
# Difference between the indicators of a missing value and of one that is there, in units of a
# feature's deviation. Larger ones are noise where values are missing at random, and help no more
# where they are not (benchmarks/missing_values.py).
INDICATOR = 0.5


class Standardization(NamedTuple):
    """``Z = (X / 2**exponent - mean) / scale``, feature by feature, and indicators of missing ones.

    With bounds, ``X / 2**exponent`` is clipped at them first.

    Attributes
    ----------
    mean, scale : ndarray of shape (n_features,)
    exponent : ndarray of shape (n_features,) or None
        Powers of two that bring features of extreme magnitude near 1 first; None where none is
        needed.
    fill : ndarray of shape (n_features,) or None
        What Z has for missing values; None for 0.
    missing : ndarray of shape (n_missing,)
        Features that some training samples lack, each with an indicator behind the features of Z.
    share : ndarray of shape (n_missing,)
        Share of the training samples that lack them.
    bounds : ndarray of shape (2, n_features) or None
        The lowest and the highest that values may count as; None for any.
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
        """Leaves features as they are."""
        return cls(np.zeros(n_features), np.ones(n_features), None)

    def affine(self, X: Floats, rows: slice | NDArray[np.intp] = slice(None)) -> Floats:
        """``[Z, 1]`` for some samples: standardised features, indicators and a column of ones."""
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
            # Bounds beyond the numbers of float32 are none.
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
        """Columns that tell which samples lack features; `absent` tells it for all features."""
        return INDICATOR * (absent[:, self.missing] - self.share)


class StandardizedRows:
    """Standardised features of samples, which are made when some of them are asked for.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    standardization : Standardization

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
        """Some samples, or one feature of them."""
        if not isinstance(index, tuple):
            return self.standardization.affine(self.X, index)[:, :-1]
        rows, column = index
        found = np.empty(len(rows), dtype=self.X.dtype)
        for part in row_slices(len(rows), self.shape[1]):
            found[part] = self[rows[part]][:, column]
        return found


def learn_standardization(
    X: Floats, weight: Array | None = None, standardize: bool | str = True
) -> Standardization:
    """Mean and standard deviation of every feature; 1 in place of the deviation of a constant.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        With NaN for missing values, but not in a sparse matrix.
    weight : ndarray of shape (n_samples,) or None
        Sample weights; a sample of weight w counts as w copies.
    standardize : bool, "bounded" or "robust", default=True
        False leaves features as they are; "bounded" learns from values within fences, and bounds
        all values; "robust" learns from samples that are not outlying.

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
    missing, share = np.flatnonzero(np.isnan(high)), np.empty(0)
    if missing.size:
        columns = X[:, missing]
        low[missing], high[missing] = np.fmin.reduce(columns), np.fmax.reduce(columns)
        share = np.average(np.isnan(columns), axis=0, weights=weight)
    elif not standardize:
        return Standardization.identity(X.shape[1])._replace(fill=_means(X, weight))
    bounds, clips = None, False
    if standardize == "bounded":
        few = X.shape[0] <= MAX_FENCE_ROWS
        bounds = column_fences(X, weight) if few else learn_fences(draw_fence_rows(X, weight))
        beyond = np.array([low < bounds[0], high > bounds[1]])
        clips = bool(beyond.any())
        if clips:
            bounds = np.where(beyond, last_within(X, bounds), bounds)
            low, high = np.maximum(low, bounds[0]), np.minimum(high, bounds[1])
    exponents = np.frexp(np.maximum(high, -low))[1]
    exponents[np.abs(exponents) < SAFE_EXPONENT[X.dtype]] = 0
    exponent = exponents if exponents.any() else None
    if exponent is not None and bounds is not None:
        with np.errstate(over="ignore"):
            bounds = np.ldexp(bounds, -exponent)
    counted, whole = np.ones(X.shape[0], dtype=np.bool_), np.ones(X.shape[1])
    for turn in range(1 + PASSES if standardize == "robust" else 1):
        scaler = StandardScaler()
        for rows in row_slices(*X.shape):
            chosen = counted[rows]
            if not chosen.any():
                continue
            block = X[rows] if chosen.all() else X[rows][chosen]
            if exponent is not None:
                block = np.ldexp(block, -exponent)
            if clips and bounds is not None:
                block = np.clip(block, *bounds)
            some = None if weight is None else weight[rows][chosen]
            with np.errstate(invalid="ignore"):
                scaler.partial_fit(block.astype(np.float64, copy=False), sample_weight=some)
        scale = scaler.scale_
        if turn == 0:
            whole = scale
        else:
            # Rounding can leave a weighted variance below 0.
            variance = np.maximum(scaler.var_, 0.0)
            scale = np.maximum(np.sqrt(variance), MIN_PART * whole)
            scale[(variance == 0.0) & (whole == 1.0)] = 1.0
        found = Standardization(scaler.mean_, scale, exponent)
        if bounds is not None:
            found = found._replace(bounds=bounds)
        if turn < PASSES and standardize == "robust":
            distance = _distances(X, found)
            counted = distance <= OUTLYING * quantiles(distance[:, None], weight, [0.5])[0, 0]
    return with_missing(found, missing, share, standardize) if missing.size else found


def last_within(X: Floats, fences: Array) -> Array:
    """The lowest and the highest value of each column that is within fences, as two rows.

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
    """Powers of two that bring columns with extreme `largest` values near 1; None for none."""
    exponents = np.frexp(largest)[1]
    exponents[np.abs(exponents) < SAFE_EXPONENT[dtype]] = 0
    return exponents if exponents.any() else None


def scaled_bounds(bounds: Array, exponent: NDArray[np.int32] | None) -> Array:
    """Bounds of features that are divided by powers of two; none where numbers have an end."""
    if exponent is None:
        return bounds
    with np.errstate(over="ignore"):
        return np.asarray(np.ldexp(bounds, -exponent))


def with_missing(
    found: Standardization, missing: NDArray[np.intp], share: Array, standardize: bool | str
) -> Standardization:
    """A standardisation that was learnt from the values that are there, with indicators.

    Parameters
    ----------
    found : Standardization
        With NaN as the mean of a feature that all samples lack.
    missing : ndarray of shape (n_missing,)
        Features that some samples lack.
    share : ndarray of shape (n_missing,)
        Share of the samples that lack them.
    standardize : bool or "robust"
        False leaves the values that are there as they are.
    """
    # A feature that all samples lack says nothing, whatever value it has later.
    nothing = np.isnan(found.mean)
    mean, scale = np.where(nothing, 0.0, found.mean), np.where(nothing, np.inf, found.scale)
    if standardize:
        return Standardization(mean, scale, found.exponent, None, missing, share, found.bounds)
    fill = mean if found.exponent is None else np.ldexp(mean, found.exponent)
    ones = np.where(nothing, np.inf, 1.0)
    return Standardization(np.zeros(mean.size), ones, None, fill, missing, share)


def _means(X: Floats, weight: Array | None) -> Array:
    """Means of features without missing values; 0 where numbers are too large for it."""
    with np.errstate(over="ignore", invalid="ignore"):
        sums = X.sum(axis=0, dtype=np.float64) if weight is None else weight @ X
        means = np.asarray(sums / (X.shape[0] if weight is None else weight.sum())).ravel()
    return np.where(np.isfinite(means), means, 0.0)


def _learn_sparse(X: Any, weight: Array | None, standardize: bool | str) -> Standardization:
    """The standardisation of a CSR matrix, from its entries."""
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
    found = Standardization(mean, scale, exponent)
    return found if bounds is None else found._replace(bounds=scaled_bounds(bounds, exponent))


def _distances(X: Floats, standardization: Standardization) -> Array:
    """Root mean square of the standardised features of every sample."""
    distances = np.empty(X.shape[0])
    for rows in row_slices(*X.shape):
        Z = standardization.affine(X, rows)[:, :-1]
        np.clip(Z, -MAX_DEVIATIONS, MAX_DEVIATIONS, out=Z)
        distances[rows] = np.sqrt(np.mean(Z.astype(np.float64, copy=False) ** 2, axis=1))
    return distances
