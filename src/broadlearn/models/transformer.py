"""The broad feature map as a scikit-learn transformer."""

from __future__ import annotations

from copy import copy
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from broadlearn.models.base import in_one_step
from broadlearn.models.parameters import MAP_CONSTRAINTS, NodeParameters, document
from broadlearn.random_features import draw_map, learn_standardization
from broadlearn.utils import READ_SPARSE, Floats, draw_seed, read_rows, row_slices
from broadlearn.utils.sklearn_compat import fit_context


@document
@dataclass(eq=False, repr=False)
class BroadFeatures(
    NodeParameters, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    r"""Random feature and enhancement nodes, as input of any linear model.

    {nodes}
    The estimators use the same nodes for the same seed.

    Parameters
    ----------
    {nodes and groups}
    {node kinds, standardize, random_state}

    Attributes
    ----------
    {features in}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from broadlearn import BroadFeatures
    >>> X, y = load_iris(return_X_y=True)
    >>> BroadFeatures(2, 3, 1, 10, random_state=0).fit_transform(X).shape
    (150, 16)
    >>> model = make_pipeline(BroadFeatures(random_state=0), RidgeClassifier())
    >>> model.fit(X, y).score(X, y) > 0.95
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = MAP_CONSTRAINTS
    _: KW_ONLY
    standardize: bool | str = "bounded"
    random_state: int | np.random.RandomState | None = None

    @in_one_step
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Draw the nodes and learn standardisation and scaling.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        rows = read_rows(self, X, reset=True, **READ_SPARSE)
        self._standardization = learn_standardization(rows, None, self.standardize)
        seed = draw_seed(self.random_state)
        self._map = draw_map(self.feature_map(), rows, self._standardization, seed)
        self._n_features_out = self._map.settings.n_features + self._map.settings.n_enhancements
        return self

    def transform(self, X: ArrayLike) -> Floats:
        """Map samples to nodes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        G : ndarray of shape (n_samples, m * p + l * q)
            Feature groups first, then enhancement groups.
        """
        check_is_fitted(self)
        fitted = copy(self)
        rows = read_rows(fitted, X, **READ_SPARSE)
        G = np.empty((rows.shape[0], fitted._n_features_out), dtype=rows.dtype)
        for part in row_slices(*G.shape):
            fitted._map.design(fitted._standardization.affine(rows, part), out=G[part])
        return G

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = self.feature_weights != "sparse" and self.standardize != "robust"
        return tags
