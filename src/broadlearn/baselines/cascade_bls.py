"""Cascades of broad learning: groups of nodes that follow each other."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from broadlearn.models import ACTIVATION, BroadClassifier, document
from broadlearn.random_features import CascadeSettings
from broadlearn.sample_scores import SCORERS, SampleScorer, as_scorer
from broadlearn.utils import COUNT, GROUPS, POSITIVE
from broadlearn.utils.sklearn_compat import StrOptions


@document
@dataclass(eq=False, repr=False)
class CascadeBLSClassifier(BroadClassifier):
    r"""Broad learning system classifier with cascaded groups of nodes (CFBLS, CEBLS, CFEBLS).

    In a cascade each group is computed from the one before it. Cascaded feature groups are
    :math:`F_1 = map(X W_{F1} + b_{F1})`, :math:`F_i = map(F_{i-1} W_{Fi} + b_{Fi})`; cascaded
    enhancement groups :math:`E_1 = act(F^m W_{E1} + b_{E1})`,
    :math:`E_j = act(E_{j-1} W_{Ej} + b_{Ej})`. All groups are in the design matrix
    :math:`G = [F^m, E^l]`, and the output weights minimise

    .. math:: \frac{C}{2} \|S (G W - T)\|^2 + \frac{1}{2} \|W\|^2.

    Parameters
    ----------
    n_feature_groups : int, default=3
        m, number of groups of feature nodes.
    n_feature_nodes : int, default=20
        p, nodes per feature group.
    n_enhancement_groups : int, default=3
        l, number of groups of enhancement nodes.
    n_enhancement_nodes : int, default=200
        q, nodes per enhancement group.
    {C}
    cascade : {"features", "enhancements", "both"}, default="both"
        Groups that follow each other: CFBLS, CEBLS or CFEBLS. The other groups are side by side.
    sample_scores : str or SampleScorer, default="uniform"
        Weighting scheme for training samples, see :class:`BLSClassifier`.
    activation : {"tanh", "sigmoid", "relu", "sine"}, default="tanh"
        Activation of the enhancement nodes.
    feature_activation : {"tanh", "sigmoid", "relu", "sine", "identity"}, default="tanh"
        Activation of the feature nodes. A cascade of affine groups ("identity") is affine too and
        adds nothing to a single group.
    enhancement_scale : float, default=1.5
        Factor on the inputs of the enhancement activation.
    {standardize, class_weight, solver}
    random_state : int, RandomState or None, default=None
        Seed of all draws. With the same seed, fewer feature groups are the first of more groups.

    Attributes
    ----------
    {classes}
    output_weights_ : ndarray of shape (m * p + l * q, n_outputs)
        W; one column for two classes, else one per class.
    sample_scores_ : ndarray of shape (n_samples,)
        Score of each training sample.
    {solution, proba_slope, features in}

    References
    ----------
    C. L. P. Chen, Z. Liu, S. Feng, "Universal approximation capability of broad learning system and
    its structural variations", IEEE TNNLS 30 (2019).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import CascadeBLSClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> CascadeBLSClassifier(cascade="features", random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BroadClassifier._parameter_constraints,
        "n_feature_groups": [GROUPS],
        "n_feature_nodes": [COUNT],
        "n_enhancement_groups": [GROUPS],
        "n_enhancement_nodes": [COUNT],
        "cascade": [StrOptions({"features", "enhancements", "both"})],
        "sample_scores": [StrOptions(set(SCORERS)), SampleScorer],
        "activation": [ACTIVATION],
        "feature_activation": [ACTIVATION, StrOptions({"identity"})],
        "enhancement_scale": [POSITIVE],
    }
    n_feature_groups: int = 3
    n_feature_nodes: int = 20
    n_enhancement_groups: int = 3
    n_enhancement_nodes: int = 200
    C: float = 1.0
    _: KW_ONLY
    cascade: str = "both"
    sample_scores: str | SampleScorer = "uniform"
    activation: str = "tanh"
    feature_activation: str = "tanh"
    enhancement_scale: float = 1.5

    def scorer(self) -> SampleScorer:
        """Return the scorer that `sample_scores` names."""
        return as_scorer(self.sample_scores)

    def feature_map(self) -> CascadeSettings:
        """Return the recipe of the cascade."""
        return CascadeSettings(
            self.n_feature_groups,
            self.n_feature_nodes,
            self.n_enhancement_groups,
            self.n_enhancement_nodes,
            self.activation,
            self.feature_activation,
            "orthonormal",
            "node",
            self.enhancement_scale,
            cascade=self.cascade,
        )
