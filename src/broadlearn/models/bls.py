"""Broad learning system: random feature and enhancement nodes, one ridge solution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from broadlearn.models.bls_base import BLSBase
from broadlearn.models.parameters import document
from broadlearn.sample_scores import SCORERS, SampleScorer, as_scorer
from broadlearn.utils.sklearn_compat import StrOptions


@document
class BLSClassifier(BLSBase):
    r"""Broad learning system classifier (BLS).

    Random feature nodes :math:`F_i = map(X W_{Fi} + b_{Fi})` in m groups of p, and enhancement
    nodes :math:`E_j = act(F^m W_{Ej} + b_{Ej})` in l groups of q, make the design matrix
    :math:`G = [F^m, E^l]`. The output weights minimise

    .. math:: \frac{C}{2} \|S (G W - T)\|^2 + \frac{1}{2} \|W\|^2

    in closed form, with T the one-hot targets (for two classes one column of -1 and 1, which gives
    the same decisions) and S the diagonal matrix of the sample scores, the identity by default.

    Parameters
    ----------
    {feature nodes}
    {enhancement nodes}
    {C}
    sample_scores : str or SampleScorer, default="uniform"
        Weighting scheme for training samples. "uniform" weights all samples alike. "fuzzy" and
        "intuitionistic" are the published scores. "neighbors" is the share of the sample's own
        class among its nearest samples. "held_out" measures how clearly a first model fitted
        without the sample predicts its label. Objects of :mod:`broadlearn.sample_scores` and your
        own subclasses of `SampleScorer` work too.
    {node kinds}
    {standardize}
    {class_weight}
    {solver}
    {random_state}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    {output weights}
    sample_scores_ : ndarray of shape (n_samples,)
        Score of each training sample. Other results of the scorer are attributes too, such as
        `membership_`.
    {solution}
    {proba_slope}
    {features in}

    References
    ----------
    C. L. P. Chen, Z. Liu, "Broad learning system: an effective and efficient incremental learning
    system without the need for deep architecture", IEEE TNNLS 29 (2018).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BLSClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> BLSClassifier(random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    _parameter_constraints: dict[str, list[Any]] = {
        **BLSBase._parameter_constraints,
        "sample_scores": [StrOptions(set(SCORERS)), SampleScorer],
    }

    def __init__(
        self,
        n_feature_groups: int = 1,
        n_feature_nodes: int = 64,
        n_enhancement_groups: int = 1,
        n_enhancement_nodes: int | str = 936,
        C: float = 1.0,
        *,
        sample_scores: str | SampleScorer = "uniform",
        activation: str = "tanh",
        feature_activation: str = "identity",
        feature_weights: str = "orthonormal",
        feature_scaling: str | None = "node",
        enhancement_scale: float | Sequence[float] = 0.8,
        enhancement_bias: float = 1.5,
        enhancement_inputs: int | None = 4,
        enhancement_weights: str = "orthonormal",
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
        self.enhancement_weights = enhancement_weights
        self.standardize = standardize
        self.class_weight = class_weight
        self.solver = solver
        self.random_state = random_state
        self.sample_scores = sample_scores

    def scorer(self) -> SampleScorer:
        """Return the scorer that `sample_scores` names."""
        return as_scorer(self.sample_scores)
