"""Extreme learning machine: one random hidden layer, one ridge solution."""

from __future__ import annotations

from typing import Any

import numpy as np

from broadlearn.models import ACTIVATION, BroadClassifier
from broadlearn.random_features import HiddenLayer
from broadlearn.utils import COUNT


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
    C : float, default=1.0
        Weight of the errors against the size of the output weights; a larger one fits closer.
    activation : {"sigmoid", "tanh", "relu", "sine"}, default="sigmoid"
        Activation of the hidden layer.
    standardize : bool, "bounded" or "robust", default="bounded"
        True scales the columns of X to mean 0 and standard deviation 1, as learnt in `fit`.
        "bounded" does so with gross outliers held in: a value that lies beyond the middle 95 % of
        its column by more than 15 times their width, 60 deviations in a normal column, counts as
        the last one before, in prediction too. "robust" leaves out outlying samples: those beyond
        three times the median distance from the mean.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which multiply `sample_weight`; a class that a dict does not name
        has weight 1. "balanced" weights are inversely proportional to the weight of each class
        in y.
    solver : {"auto", "primal", "dual"}, default="auto"
        The form of the ridge problem; "auto" factorises the smaller Gram matrix.
    random_state : int, RandomState or None, default=None
        Seeds the draw. With the same seed, a smaller model's nodes are the first of a larger one's.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Of several labels their numbers from 0, as scikit-learn has it.
    output_weights_ : ndarray of shape (n_hidden_nodes, n_outputs)
        One column for two classes, else one per class or label.
    sample_scores_ : ndarray of shape (n_samples,)
        Score of each training sample, 1 for this model.
    solver_ : {"primal", "dual"}
        The form that was solved.
    proba_slope_ : float or ndarray of shape (n_labels,)
        Slope of the decision values in `predict_proba`, learnt from held-out decisions; of several
        labels one each.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where X has column names that are strings.

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = self.class_weight is None
        return tags
