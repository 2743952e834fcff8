"""The broad feature map as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from broadlearn.models.base import in_one_step
from broadlearn.models.bls_base import MAP_CONSTRAINTS
from broadlearn.random_features import MapSettings, draw_map
from broadlearn.utils import (
    READ_SPARSE,
    Floats,
    check_sparse,
    draw_seed,
    learn_standardization,
    read_rows,
    row_slices,
)
from broadlearn.utils.sklearn_compat import fit_context


class BroadFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Random feature and enhancement nodes, for any linear model to follow.

    Gives the design matrix :math:`G = [F^m, E^l]` of the broad learning system:
    :math:`F_i = map(X W_{Fi} + b_{Fi})` in m groups of p nodes, :math:`E_j = act(F^m W_{Ej} +
    b_{Ej})` in l groups of q. The estimators use the same nodes for the same seed.

    Parameters
    ----------
    n_feature_groups : int, default=1
        m, number of groups of feature nodes.
    n_feature_nodes : int, default=64
        p, nodes per feature group. Feature nodes are affine in the inputs by default: more of them
        than there are input features add nothing.
    n_enhancement_groups : int, default=1
        l, number of groups of enhancement nodes.
    n_enhancement_nodes : int, default=936
        q, nodes per enhancement group.
    activation : {"tanh", "sigmoid", "relu", "sine"}, default="tanh"
        Activation of the enhancement nodes.
    feature_activation : {"identity", "tanh", "sigmoid", "relu", "sine"}, default="identity"
        Activation of the feature nodes.
    feature_weights : {"orthonormal", "random", "sparse"}, default="orthonormal"
        How the weights of a feature group are drawn: orthonormal in blocks of as many nodes as X
        has columns, which treats all directions alike; uniform on [-1, 1], and biases on
        [-0.1, 0.1], as published; or uniform and then refined by a sparse auto-encoder.
    feature_scaling : {"node", "sample", "robust"} or None, default="node"
        "node" scales each feature node to [-1, 1] by its extremes on the training samples, "robust"
        by its 10 % and 90 % quantiles; "sample" scales each sample within a group, as the published
        code does.
    enhancement_scale : float or sequence of float, default=0.8
        Factor on the inputs of the enhancement activation. If there are several, the nodes of a
        group take turns: slow and fast nodes in one layer.
    enhancement_bias : float, default=1.5
        Factor on the biases of the enhancement nodes. Small biases make nodes nearly odd functions
        of the inputs, which suits smooth trends; larger ones, such as 8, make products of features
        (checkerboards, local structure) easier to learn.
    enhancement_inputs : int or None, default=4
        None lets every enhancement node combine all feature nodes, as published. With a number k,
        they act on the columns of X and take turns: one combines all columns, the next only 1 to k
        of them, drawn at random. This suits tables, where each column has a meaning of its own.
    standardize : bool, "bounded" or "robust", default="bounded"
        True scales the columns of X to mean 0 and standard deviation 1, as learnt in `fit`.
        "bounded" does so with gross outliers held in: a value that lies beyond the middle 95 % of
        its column by more than 15 times their width, 60 deviations in a normal column, counts as
        the last one before, in prediction too. "robust" leaves out outlying samples: those beyond
        three times the median distance from the mean.
    random_state : int, RandomState or None, default=None
        Seeds all draws. With the same seed, the nodes of a smaller map are part of those of a
        larger one.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where X has column names that are strings.

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

    _parameter_constraints: dict[str, list[Any]] = MAP_CONSTRAINTS

    def __init__(
        self,
        n_feature_groups: int = 1,
        n_feature_nodes: int = 64,
        n_enhancement_groups: int = 1,
        n_enhancement_nodes: int = 936,
        *,
        activation: str = "tanh",
        feature_activation: str = "identity",
        feature_weights: str = "orthonormal",
        feature_scaling: str | None = "node",
        enhancement_scale: float | Sequence[float] = 0.8,
        enhancement_bias: float = 1.5,
        enhancement_inputs: int | None = 4,
        standardize: bool | str = "bounded",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_feature_groups = n_feature_groups
        self.n_feature_nodes = n_feature_nodes
        self.n_enhancement_groups = n_enhancement_groups
        self.n_enhancement_nodes = n_enhancement_nodes
        self.activation = activation
        self.feature_activation = feature_activation
        self.feature_weights = feature_weights
        self.feature_scaling = feature_scaling
        self.enhancement_scale = enhancement_scale
        self.enhancement_bias = enhancement_bias
        self.enhancement_inputs = enhancement_inputs
        self.standardize = standardize
        self.random_state = random_state

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
        rows = validate_data(self, X, **READ_SPARSE)
        if not isinstance(rows, np.ndarray):
            check_sparse(self, rows)
        self._standardization = learn_standardization(rows, None, self.standardize)
        settings = MapSettings(**{f.name: getattr(self, f.name) for f in fields(MapSettings)})
        seed = draw_seed(self.random_state)
        self._map = draw_map(settings, rows, self._standardization, seed)
        self._n_features_out = settings.n_features + settings.n_enhancements
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
        rows = read_rows(self, X, **READ_SPARSE)
        if not isinstance(rows, np.ndarray):
            check_sparse(self, rows)
        G = np.empty((rows.shape[0], self._n_features_out), dtype=rows.dtype)
        for part in row_slices(*G.shape):
            self._map.design(self._standardization.affine(rows, part), out=G[part])
        return G

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = self.feature_weights != "sparse" and self.standardize != "robust"
        return tags
