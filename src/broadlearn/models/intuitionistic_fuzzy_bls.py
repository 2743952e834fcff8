"""Intuitionistic fuzzy broad learning system: samples weighted by their class and neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from broadlearn.models.bls_base import BLSBase
from broadlearn.sample_scores import IntuitionisticScorer
from broadlearn.utils import MAX_SCALE, POSITIVE, SCALE
from broadlearn.utils.sklearn_compat import Interval, StrOptions

SCORE_CONSTRAINTS: dict[str, list[Any]] = {
    "kernel_width": [SCALE, StrOptions({"auto"})],
    "neighborhood_radius": [Interval(Real, 0, MAX_SCALE, closed="both"), None],
    "delta": [POSITIVE],
    "landmarks": [Interval(Integral, 2, None, closed="left"), StrOptions({"auto"}), None],
}


class IntuitionisticFuzzyBLSClassifier(BLSBase):
    r"""Intuitionistic fuzzy broad learning system classifier (IF-BLS).

    A broad learning system whose samples count by how far they can be trusted: near the centre of
    their own class in the feature space of a Gaussian kernel of width :math:`\mu` (membership
    :math:`\theta`), and not among samples of other classes (heterogeneity :math:`\Theta` within the
    radius :math:`\varepsilon`, non-membership :math:`\nu = (1 - \theta)\Theta`). The score is
    :math:`\theta` if :math:`\nu = 0`, 0 if :math:`\theta \le \nu`, else
    :math:`(1 - \nu) / (2 - \theta - \nu)`; the output weights minimise

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
    kernel_width : float or "auto", default="auto"
        mu. "auto" takes, of eleven widths around the typical distance within a class, the one at
        which the least trusted class has the largest mean score. Scores are those of the
        standardised features.
    neighborhood_radius : float, default=None
        epsilon, a distance in kernel space; None takes the largest class radius.
    delta : float, default=1e-4
        Added to the class radius.
    landmarks : int, "auto" or None, default="auto"
        Estimate scores from this many samples drawn per class, where there are too many samples to
        compare all pairs. "auto" compares all pairs of up to 20,000 samples, and of more draws
        2,000 per class (40,000 in all where classes are many). None compares all pairs, in time
        that grows with their square.
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
        Score of each training sample.
    membership_, nonmembership_ : ndarray of shape (n_samples,)
        theta and nu of each training sample.
    kernel_width_, neighborhood_radius_ : float
        mu and epsilon that were used.
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
    A sample of class 1 that was labelled 0 by mistake gets no say:

    >>> import numpy as np
    >>> from broadlearn import IntuitionisticFuzzyBLSClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(0, 1, (50, 2)), rng.normal(5, 1, (50, 2))])
    >>> y = np.repeat([0, 1], 50)
    >>> y[99] = 0
    >>> model = IntuitionisticFuzzyBLSClassifier(random_state=0).fit(X, y)
    >>> float(model.sample_scores_[99])
    0.0
    """

    _parameter_constraints: dict[str, list[Any]] = {
        **BLSBase._parameter_constraints,
        **SCORE_CONSTRAINTS,
    }

    def __init__(
        self,
        n_feature_groups: int = 1,
        n_feature_nodes: int = 64,
        n_enhancement_groups: int = 1,
        n_enhancement_nodes: int | str = 936,
        C: float = 1.0,
        *,
        kernel_width: float | str = "auto",
        neighborhood_radius: float | None = None,
        delta: float = 1e-4,
        landmarks: int | str | None = "auto",
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
        self.kernel_width = kernel_width
        self.neighborhood_radius = neighborhood_radius
        self.delta = delta
        self.landmarks = landmarks

    def scorer(self) -> IntuitionisticScorer:
        """Samples are trusted by their intuitionistic fuzzy score."""
        return IntuitionisticScorer(
            self.kernel_width, self.neighborhood_radius, self.delta, self.landmarks
        )
