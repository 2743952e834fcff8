"""Extreme learning machine: one random hidden layer, one ridge solution."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from broadlearn.models import ACTIVATION, BroadClassifier, document
from broadlearn.random_features import HiddenLayer
from broadlearn.utils import COUNT


@document
@dataclass(eq=False, repr=False)
class ELMClassifier(BroadClassifier):
    r"""Extreme learning machine classifier.

    The hidden layer :math:`H = act(X W + b)` has random weights, uniform on [-1, 1]; the output
    weights :math:`\beta` minimise

    .. math:: \frac{C}{2} \|H \beta - T\|^2 + \frac{1}{2} \|\beta\|^2

    in closed form, with T the one-hot targets (for two classes one column of -1 and 1).

    Parameters
    ----------
    {hidden nodes, C, activation, standardize, class_weight, solver, random_state}

    Attributes
    ----------
    {classes, hidden weights, uniform scores, solution, proba_slope, features in}

    References
    ----------
    G.-B. Huang, Q.-Y. Zhu, C.-K. Siew, "Extreme learning machine: theory and applications",
    Neurocomputing 70 (2006).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import ELMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ELMClassifier(random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BroadClassifier._parameter_constraints,
        "n_hidden_nodes": [COUNT],
        "activation": [ACTIVATION],
    }
    n_hidden_nodes: int = 1000
    C: float = 1.0
    _: KW_ONLY
    activation: str = "sigmoid"

    def feature_map(self) -> HiddenLayer:
        """Return the recipe of the random map."""
        return HiddenLayer(self.n_hidden_nodes, self.activation)
