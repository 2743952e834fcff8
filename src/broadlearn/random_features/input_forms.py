"""Forms in which kernels see the columns of a table: standardised, ranks or normal scores.

Ranks and normal scores are interpolated linearly between the distinct values of a column, or
between its quantiles if there are many. They do not depend on monotone transformations of a column,
and no value lies beyond the extremes. A missing value is in the middle; indicators of missing
values follow in all forms. Constant columns are left out, so that kernels do not depend on them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from broadlearn.random_features.standardization import Standardization, learn_standardization
from broadlearn.utils import Array, Floats

FORMS = ("standardized", "ranks", "normal_scores")
# Points of a column between which ranks are interpolated: steps of less than 1 %.
MAX_KNOTS = 128


class InputForms(NamedTuple):
    """Forms of the columns of a table, learnt from training samples.

    `columns` are the positions of those that vary, the only ones in the forms; None for all.
    `knots`, of shape (n_knots, n_columns), are increasing values of each column, the last one
    repeated to fill up. Their `ranks` lie between -√3 and √3: evenly spread values have deviation
    1. Their `normal_scores` have mean 0 and deviation 1 over the training samples.
    """

    standardization: Standardization
    knots: Array
    ranks: Array
    normal_scores: Array
    columns: NDArray[np.intp] | None = None

    def __call__(self, X: Floats, form: str) -> Floats:
        """Return samples in one of the `FORMS`."""
        X = X if self.columns is None else X[:, self.columns]
        if form == "standardized":
            return self.standardization.affine(X)[:, :-1]
        heights = self.ranks if form == "ranks" else self.normal_scores
        n_features, indicators = X.shape[1], self.standardization.share.size
        out = np.empty((X.shape[0], n_features + indicators), dtype=X.dtype)
        for j in range(n_features):
            out[:, j] = np.interp(X[:, j], self.knots[:, j], heights[:, j])
        if indicators or np.isnan(np.min(out[:, :n_features], initial=0.0)):
            absent = np.isnan(X)
            out[:, :n_features][absent] = 0.0
            out[:, n_features:] = self.standardization.indicators(absent)
        return out


def learn_forms(X: Floats, weight: Array | None = None) -> InputForms:
    """Learn all forms from samples; a sample of weight w counts as w copies.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0], [2.0], [1000.0]])
    >>> learn_forms(X)(X, "ranks").ravel().round(2)
    array([-1.15,  0.  ,  1.15])
    """
    varies = (X != X[0]).any(axis=0) & ~np.isnan(X).all(axis=0)
    kept = None if varies.all() or not varies.any() else np.flatnonzero(varies)
    X = X if kept is None else X[:, kept]
    columns = [_learn_column(X[:, j].astype(np.float64), weight) for j in range(X.shape[1])]
    n_knots = max(column.shape[1] for column in columns)
    padded = [np.pad(c, ((0, 0), (0, n_knots - c.shape[1])), mode="edge") for c in columns]
    knots, ranks, scores = np.moveaxis(np.array(padded), 0, 2)
    return InputForms(learn_standardization(X, weight, "robust"), knots, ranks, scores, kept)


def _learn_column(x: Array, weight: Array | None) -> Array:
    """Return the knots of a column, their ranks and their normal scores, as three rows."""
    absent = np.isnan(x)
    if absent.any():
        x, weight = x[~absent], None if weight is None else weight[~absent]
        if not x.size:
            return np.zeros((3, 1))
    values, inverse = np.unique(x, return_inverse=True)
    counts = np.bincount(inverse, weights=weight, minlength=values.size).astype(np.float64)
    total = counts.sum()
    middle = (np.cumsum(counts) - counts / 2) / total
    if values.size > MAX_KNOTS:
        wanted = np.linspace(0.0, 1.0, MAX_KNOTS)
        chosen = np.unique(np.searchsorted(middle, wanted).clip(max=values.size - 1))
        chosen = np.unique(np.r_[0, chosen, values.size - 1])
        heights = np.interp(values, values[chosen], middle[chosen])
    else:
        chosen, heights = np.arange(values.size), middle
    normal = ndtri(heights)
    normal -= np.average(normal, weights=counts)
    deviation = np.sqrt(np.average(normal**2, weights=counts))
    normal /= deviation if deviation > 0.0 else 1.0
    return np.array([values, np.sqrt(12.0) * (heights - 0.5), normal])[:, chosen]
