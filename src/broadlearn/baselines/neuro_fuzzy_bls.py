"""Neuro-fuzzy broad learning system: groups of fuzzy rules in place of feature nodes."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from broadlearn.models import ACTIVATION, BroadClassifier, document
from broadlearn.random_features import FuzzyRules
from broadlearn.utils import COUNT, GROUPS, POSITIVE, SCALE


@document
@dataclass(eq=False, repr=False)
class NeuroFuzzyBLSClassifier(BroadClassifier):
    r"""Neuro-fuzzy broad learning system classifier (NeuroFBLS).

    Each group is a first-order Takagi-Sugeno system: rule k fires with strength

    .. math:: \omega_k(x) = \frac{\tau_k(x)}{\sum_j \tau_j(x)}, \quad
        \tau_k(x) = \prod_d \exp\left(-\frac{(x_d - c_{kd})^2}{\sigma^2}\right),

    with centres :math:`c_k` from k-means, and has the output :math:`z_k(x) = a_k^T [x, 1]` with
    random :math:`a_k`. The outputs :math:`\omega_k z_k` of all rules, scaled per node, are the
    features F. Enhancement nodes are :math:`E = act(F W_E + b_E)`, and the output weights W of
    G = [F, E] minimise

    .. math:: \frac{C}{2} \|G W - T\|^2 + \frac{1}{2} \|W\|^2.

    Strengths are computed from logarithms, so they do not underflow with many columns.

    Parameters
    ----------
    n_fuzzy_groups : int, default=5
        Number of groups of rules.
    n_fuzzy_rules : int, default=20
        Number of rules per group.
    n_enhancement_nodes : int, default=500
        Number of enhancement nodes.
    {C}
    rule_width : float, default=1.5
        :math:`\sigma / \sqrt{D}`, width of the memberships, with D columns of X. The overlap of
        rules then does not depend on the number of columns.
    activation : {"tanh", "sigmoid", "relu", "sine"}, default="tanh"
        Activation of the enhancement nodes.
    enhancement_scale : float, default=1.5
        Factor on the inputs of the enhancement activation.
    {standardize, class_weight, solver}
    random_state : int, RandomState or None, default=None
        Seed of all draws and clusterings. With the same seed, fewer groups are the first of more
        groups, fewer enhancement nodes the first of more.

    Attributes
    ----------
    {classes}
    output_weights_ : ndarray of shape (n_nodes, n_outputs)
        W, rules first, then enhancement nodes; one column for two classes, else one per
        class.
    {uniform scores, solution, proba_slope, features in}

    Notes
    -----
    With more than 2,000 distinct samples, each group clusters 2,000 random ones.

    References
    ----------
    S. Feng, C. L. P. Chen, "Fuzzy broad learning system: a novel neuro-fuzzy model for regression
    and classification", IEEE Transactions on Cybernetics 50 (2020).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import NeuroFuzzyBLSClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> NeuroFuzzyBLSClassifier(random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BroadClassifier._parameter_constraints,
        "n_fuzzy_groups": [GROUPS],
        "n_fuzzy_rules": [COUNT],
        "n_enhancement_nodes": [COUNT],
        "rule_width": [SCALE],
        "activation": [ACTIVATION],
        "enhancement_scale": [POSITIVE],
    }
    n_fuzzy_groups: int = 5
    n_fuzzy_rules: int = 20
    n_enhancement_nodes: int = 500
    C: float = 1.0
    _: KW_ONLY
    rule_width: float = 1.5
    activation: str = "tanh"
    enhancement_scale: float = 1.5

    def feature_map(self) -> FuzzyRules:
        """Return the recipe of the random map."""
        return FuzzyRules(
            self.n_fuzzy_groups,
            self.n_fuzzy_rules,
            self.n_enhancement_nodes,
            self.activation,
            self.enhancement_scale,
            self.rule_width,
        )
