"""Extreme learning machine: one random hidden layer, one ridge solution."""

from __future__ import annotations

from typing import Any

import numpy as np

from broadlearn.models import ACTIVATION, BroadClassifier, document
from broadlearn.random_features import HiddenLayer
from broadlearn.utils import COUNT


@document
class ELMClassifier(BroadClassifier):
    r"""Extreme learning machine classifier.

    The hidden layer :math:`H = act(X W + b)` has random weights, uniform on [-1, 1]; the output
    weights :math:`\beta` minimise

    .. math:: \frac{C}{2} \|H \beta - T\|^2 + \frac{1}{2} \|\beta\|^2

    in closed form, with T the one-hot targets (for two classes one column of -1 and 1).

    Parameters
    ----------
    n_hidden_nodes : int, default=1000
        Nodes of the hidden layer.
    {C}
    activation : {"sigmoid", "tanh", "relu", "sine"}, default="sigmoid"
        Activation of the hidden layer.
    {standardize}
    {class_weight}
    {solver}
    random_state : int, RandomState or None, default=None
        Seeds the draw. With the same seed, a smaller model's nodes are the first of a larger one's.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    output_weights_ : ndarray of shape (n_hidden_nodes, n_outputs)
        One column for two classes, else one per class.
    sample_scores_ : ndarray of shape (n_samples,)
        Score of each training sample, 1 for this model.
    {solution}
    {proba_slope}
    {features in}

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

    _parameter_constraints: dict[str, list[Any]] = {
        **BroadClassifier._parameter_constraints,
        "n_hidden_nodes": [COUNT],
        "activation": [ACTIVATION],
    }

    def __init__(
        self,
        n_hidden_nodes: int = 1000,
        C: float = 1.0,
        *,
        activation: str = "sigmoid",
        standardize: bool | str = "bounded",
        class_weight: dict[Any, float] | str | None = None,
        solver: str = "auto",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_hidden_nodes = n_hidden_nodes
        self.C = C
        self.activation = activation
        self.standardize = standardize
        self.class_weight = class_weight
        self.solver = solver
        self.random_state = random_state

    def feature_map(self) -> HiddenLayer:
        """What the random map is drawn from, as the parameters say."""
        return HiddenLayer(self.n_hidden_nodes, self.activation)
