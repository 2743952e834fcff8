"""Means and deviations of features, learnt block by block, safe for any magnitude.

Robust means and deviations are those of the samples that are not outlying: judged first with the
means and deviations of all samples, then with their own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from broadlearn.utils.arrays import Array, Floats, quantiles, row_slices

# Squares of numbers whose binary exponents lie beyond these overflow or vanish.
SAFE_EXPONENT = {np.dtype(np.float64): 400, np.dtype(np.float32): 50}
# Samples further from the mean than this many times the median are outlying, where a single feature
# counts for this many deviations at most; passes over the samples in which that is found out.
OUTLYING, MAX_DEVIATIONS, PASSES = 3.0, 10.0, 3
# Deviations are not taken below this part of those of all samples: a feature that is constant but
# for a few samples, which then are outlying, must not be blown up.
MIN_PART = 0.25


class Standardization(NamedTuple):
    """``Z = (X / 2**exponent - mean) / scale``, feature by feature.

    Attributes
    ----------
    mean, scale : ndarray of shape (n_features,)
    exponent : ndarray of shape (n_features,) or None
        Powers of two that bring features of extreme magnitude near 1 first; None where none is
        needed.
    """

    mean: Array
    scale: Array
    exponent: NDArray[np.int32] | None

    @classmethod
    def identity(cls, n_features: int) -> Standardization:
        """Leaves features as they are."""
        return cls(np.zeros(n_features), np.ones(n_features), None)

    def affine(self, X: Floats, rows: slice | NDArray[np.intp] = slice(None)) -> Floats:
        """``[Z, 1]`` for some samples: standardised features and a column of ones."""
        part = X[rows]
        block = np.empty((part.shape[0], X.shape[1] + 1), dtype=X.dtype)
        if self.exponent is not None:
            part = np.ldexp(part, -self.exponent)
        np.subtract(part, self.mean, out=block[:, :-1], casting="same_kind")
        block[:, :-1] /= self.scale
        block[:, -1] = 1.0
        return block


def learn_standardization(
    X: Floats, weight: Array | None = None, standardize: bool | str = True
) -> Standardization:
    """Mean and standard deviation of every feature; 1 in place of the deviation of a constant.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    weight : ndarray of shape (n_samples,) or None
        Sample weights; a sample of weight w counts as w copies.
    standardize : bool or "robust", default=True
        False leaves features as they are; "robust" learns from samples that are not outlying.

    Examples
    --------
    >>> import numpy as np
    >>> learn_standardization(np.array([[1e300, 5.0], [3e300, 5.0]])).scale[1]
    np.float64(1.0)
    >>> X = np.r_[np.tile([-1.0, 1.0], 20), 100.0][:, None]
    >>> learn_standardization(X, standardize="robust").scale.round()
    array([4.])
    """
    if not standardize:
        return Standardization.identity(X.shape[1])
    exponents = np.frexp(np.maximum(X.max(axis=0), -X.min(axis=0)))[1]
    exponents[np.abs(exponents) < SAFE_EXPONENT[X.dtype]] = 0
    exponent = exponents if exponents.any() else None
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
            some = None if weight is None else weight[rows][chosen]
            scaler.partial_fit(block.astype(np.float64, copy=False), sample_weight=some)
        scale = scaler.scale_
        if turn == 0:
            whole = scale
        else:
            scale = np.maximum(np.sqrt(scaler.var_), MIN_PART * whole)
            scale[(scaler.var_ == 0.0) & (whole == 1.0)] = 1.0
        found = Standardization(scaler.mean_, scale, exponent)
        if turn < PASSES and standardize == "robust":
            distance = _distances(X, found)
            counted = distance <= OUTLYING * quantiles(distance[:, None], weight, [0.5])[0, 0]
    return found


def _distances(X: Floats, standardization: Standardization) -> Array:
    """Root mean square of the standardised features of every sample."""
    distances = np.empty(X.shape[0])
    for rows in row_slices(*X.shape):
        Z = standardization.affine(X, rows)[:, :-1]
        np.clip(Z, -MAX_DEVIATIONS, MAX_DEVIATIONS, out=Z)
        distances[rows] = np.sqrt(np.mean(Z.astype(np.float64, copy=False) ** 2, axis=1))
    return distances
