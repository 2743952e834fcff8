"""Random vector functional link network: a random hidden layer beside the inputs themselves."""

from __future__ import annotations

from dataclasses import dataclass

from broadlearn.baselines.elm import ELMClassifier
from broadlearn.models import document
from broadlearn.random_features import HiddenLayer


@document
@dataclass(eq=False, repr=False)
class RVFLClassifier(ELMClassifier):
    r"""Random vector functional link classifier: an extreme learning machine with direct links.

    The design matrix :math:`G = [X, act(X W + b)]` has the standardised inputs and a hidden layer
    with random weights, uniform on [-1, 1]. The output weights :math:`\beta` minimise

    .. math:: \frac{C}{2} \|G \beta - T\|^2 + \frac{1}{2} \|\beta\|^2.

    Parameters
    ----------
    {hidden nodes, C, activation, standardize, class_weight, solver, random_state}

    Attributes
    ----------
    {classes}
    output_weights_ : ndarray of shape (n_features + n_hidden_nodes, n_outputs)
        One column for two classes, else one per class. Indicators of missing values, if any, follow
        the features.
    {uniform scores, solution, proba_slope, features in}

    References
    ----------
    Y.-H. Pao, Y. Takefuji, "Functional-link net computing: theory, system architecture, and
    functionalities", Computer 25 (1992).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import RVFLClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> RVFLClassifier(random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    def feature_map(self) -> HiddenLayer:
        """Return the recipe of the hidden layer, with direct links."""
        return HiddenLayer(self.n_hidden_nodes, self.activation, direct_links=True)
