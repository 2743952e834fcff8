"""Fuzzy broad learning system: samples weighted by nearness to the centre of their class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from broadlearn.models.bls_base import BLSBase
from broadlearn.sample_scores import FuzzyScorer
from broadlearn.utils import POSITIVE


class FuzzyBLSClassifier(BLSBase):
    r"""Fuzzy broad learning system classifier (F-BLS).

    A broad learning system whose samples count by their fuzzy membership s in their own class,
    :math:`s = 1 - \|x - c\| / (R + \delta)`, with c and R the centre and radius of the class in
    input space. The output weights minimise

    .. math:: \frac{C}{2} \|S (G W - T)\|^2 + \frac{1}{2} \|W\|^2, \quad S = diag(s).

    Parameters
    ----------
    n_feature_groups : int, default=1
        m, number of groups of feature nodes.
    n_feature_nodes : int, default=64
        p, nodes per feature group. Feature nodes are affine in the inputs by default: more of them
        than there are input features add nothing.
    n_enhancement_groups : int, default=1
        l, number of groups of enhancement nodes.
    n_enhancement_nodes : int or "infinite", default=936
        q, nodes per enhancement group. "infinite" is the limit of many nodes, by the closed form of
        their products and as strong as 1,000: for tables of up to some 5,000 samples, of which the
        model keeps all. See :ref:`infinitely_many_nodes`.
    C : float, default=1.0
        Weight of the errors relative to the penalty on W; a larger C fits more closely.
    delta : float, default=1e-4
        Added to the radius, so that the outermost sample of a class keeps a small weight. Centres
        and radii are those of the standardised features.
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
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which multiply `sample_weight`; a class that a dict does not name
        has weight 1. "balanced" weights are inversely proportional to the weight of each class
        in y; `partial_fit`, which never has all of y, takes a dict only.
    solver : {"auto", "primal", "dual"}, default="auto"
        The form of the ridge problem; "auto" factorises the smaller Gram matrix.
    random_state : int, RandomState or None, default=None
        Seeds all draws. With the same seed, the nodes of a smaller model are part of those of a
        larger one.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    output_weights_ : ndarray of shape (m * p + l * q, n_outputs)
        W; one column for two classes, else one per class. With infinitely many nodes, coefficients
        of the training samples follow the weights of the m * p feature nodes.
    sample_scores_ : ndarray of shape (n_samples,)
        Score of each training sample: its membership.
    membership_ : ndarray of shape (n_samples,)
        Membership of each training sample in its own class.
    solver_ : {"primal", "dual"}
        The form that was solved.
    proba_slope_ : float
        Slope of the decision values in `predict_proba`, learnt from held-out decisions.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where X has column names that are strings.

    References
    ----------
    M. Sajid, A. K. Malik, M. Tanveer, "Intuitionistic fuzzy broad learning system: enhancing
    robustness against noise and outliers", IEEE Transactions on Fuzzy Systems (2024).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import FuzzyBLSClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = FuzzyBLSClassifier(random_state=0).fit(X, y)
    >>> int(model.sample_scores_.argmin())
    41
    """

    _parameter_constraints: dict[str, list[Any]] = {
        **BLSBase._parameter_constraints,
        "delta": [POSITIVE],
    }

    def __init__(
        self,
        n_feature_groups: int = 1,
        n_feature_nodes: int = 64,
        n_enhancement_groups: int = 1,
        n_enhancement_nodes: int | str = 936,
        C: float = 1.0,
        *,
        delta: float = 1e-4,
        activation: str = "tanh",
        feature_activation: str = "identity",
        feature_weights: str = "orthonormal",
        feature_scaling: str | None = "node",
        enhancement_scale: float | Sequence[float] = 0.8,
        enhancement_bias: float = 1.5,
        enhancement_inputs: int | None = 4,
        standardize: bool | str = "bounded",
        class_weight: dict[Any, float] | str | None = None,
        solver: str = "auto",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_feature_groups = n_feature_groups
        self.n_feature_nodes = n_feature_nodes
        self.n_enhancement_groups = n_enhancement_groups
        self.n_enhancement_nodes = n_enhancement_nodes
        self.C = C
        self.activation = activation
        self.feature_activation = feature_activation
        self.feature_weights = feature_weights
        self.feature_scaling = feature_scaling
        self.enhancement_scale = enhancement_scale
        self.enhancement_bias = enhancement_bias
        self.enhancement_inputs = enhancement_inputs
        self.standardize = standardize
        self.class_weight = class_weight
        self.solver = solver
        self.random_state = random_state
        self.delta = delta

    def scorer(self) -> FuzzyScorer:
        """Samples are trusted by their fuzzy membership."""
        return FuzzyScorer(self.delta)
