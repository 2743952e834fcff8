"""Row standardisation as a scikit-learn transformer."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin

from broadlearn.models.base import in_one_step
from broadlearn.utils import FLOAT_TYPES, Floats, check_range, read_rows


class RowStandardizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Standardise every row to mean 0 and standard deviation 1.

    Gives :math:`z_{ij} = (x_{ij} - \bar x_i) / s_i`, where :math:`\bar x_i` and :math:`s_i` are
    mean and standard deviation (with one degree of freedom less than there are columns) of row i.
    Constant rows become zero. This keeps the shape of a row and removes its level and size. It
    helps for curves and spectra, where all columns measure one quantity and level and size say
    nothing about the target. It harms where they do, and where columns differ in kind.

    Nothing is learnt: `transform` works without `fit`, which stores the number and names of the
    columns. Sparse matrices are refused, because the result is dense.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if they are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from broadlearn import BLSClassifier, RowStandardizer
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=200)
    >>> shapes = np.sin(np.linspace(0.0, 3.0, 20) * (1 + y[:, None]))
    >>> X = rng.normal(size=(200, 1)) * 1e4 + rng.lognormal(0.0, 3.0, (200, 1)) * shapes
    >>> model = make_pipeline(RowStandardizer(), BLSClassifier(random_state=0))
    >>> model.fit(X[:100], y[:100]).score(X[100:], y[100:])
    1.0
    """

    @in_one_step
    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Store the number and names of the columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        read_rows(self, X, reset=True, dtype=FLOAT_TYPES)
        return self

    def transform(self, X: ArrayLike) -> Floats:
        """Standardise every row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        Z : ndarray of shape (n_samples, n_features)
            A new array.
        """
        return standardize_rows(check_range(read_rows(self, X, dtype=FLOAT_TYPES)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.requires_fit = False
        return tags


def standardize_rows(X: Floats) -> Floats:
    """Return rows of mean 0 and standard deviation 1, as `RowStandardizer` does.

    Examples
    --------
    >>> import numpy as np
    >>> standardize_rows(np.array([[1.0, 2.0, 3.0], [7.0, 7.0, 7.0]]))
    array([[-1.,  0.,  1.],
           [ 0.,  0.,  0.]])
    """
    # Differences of close numbers are exact: a small deviation around a large level keeps its
    # digits, and constant rows become exactly zero.
    Z = np.array(X, dtype=np.float64, order="C")
    Z -= Z[:, :1].copy()
    Z -= Z.mean(axis=1, keepdims=True)
    deviation = np.sqrt(np.einsum("ij,ij->i", Z, Z) / max(1, X.shape[1] - 1))
    deviation[deviation == 0.0] = 1.0
    return np.asarray(Z / deviation[:, None], dtype=np.result_type(X.dtype, np.float32))
