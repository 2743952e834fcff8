"""Hierarchical extreme learning machine: sparse auto-encoders, then a random layer and a ridge."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

from broadlearn.baselines.elm import ELMClassifier
from broadlearn.models import document
from broadlearn.random_features import AutoencoderMap, Autoencoders
from broadlearn.utils import COUNT, GROUPS, POSITIVE, Floats
from broadlearn.utils.sklearn_compat import Interval


@document
@dataclass(eq=False, repr=False)
class HierarchicalELMClassifier(ELMClassifier):
    r"""Hierarchical extreme learning machine classifier (H-ELM).

    Sparse auto-encoders learn the inputs of an extreme learning machine without labels. Each one
    maps its inputs, with a column of ones, by random weights to nodes H, scaled to [-1, 1]; the
    lasso

    .. math:: \min_\beta \frac{1}{2n} \|H \beta - X\|^2 + \lambda \|\beta\|_1

    rebuilds the inputs from them, and :math:`X \beta^T`, scaled to [-1, 1] per node, are the inputs
    of the next layer. It is solved by FISTA with a step from the largest eigenvalue of
    :math:`H^T H / n`. Behind the last auto-encoder stands a hidden layer
    :math:`act(X W + b)` with random weights, whose output weights are the ridge solution of
    :class:`ELMClassifier`.

    Parameters
    ----------
    n_hidden_nodes : int, default=1000
        Number of nodes of the hidden layer behind the auto-encoders.
    {C}
    n_autoencoders : int, default=2
        Number of stacked auto-encoders; 0 gives an extreme learning machine.
    n_autoencoder_nodes : int, default=64
        Number of nodes of each auto-encoder.
    l1_penalty : float, default=1e-3
        :math:`\lambda`, weight of the l1 norm, on columns of unit variance.
    {activation, standardize, class_weight, solver, random_state}

    Attributes
    ----------
    autoencoder_weights_ : list of ndarray of shape (n_inputs + 1, n_autoencoder_nodes)
        :math:`\beta^T` of each auto-encoder, the weight of the column of ones as the last row.
    {classes, hidden weights, uniform scores, solution, proba_slope, features in}

    Notes
    -----
    The auto-encoders have no activation, as in the published code, so the stack is one affine map;
    it is applied in one product.

    References
    ----------
    J. Tang, C. Deng, G.-B. Huang, "Extreme learning machine for multilayer perceptron", IEEE TNNLS
    27 (2016).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import HierarchicalELMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> HierarchicalELMClassifier(random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ELMClassifier._parameter_constraints,
        "n_autoencoders": [Interval(Integral, 0, GROUPS.right, closed="both")],
        "n_autoencoder_nodes": [COUNT],
        "l1_penalty": [POSITIVE],
    }
    _: KW_ONLY
    n_autoencoders: int = 2
    n_autoencoder_nodes: int = 64
    l1_penalty: float = 1e-3

    def feature_map(self) -> Autoencoders:
        """Return the recipe of the random map."""
        return Autoencoders(
            self.n_hidden_nodes,
            self.activation,
            self.n_autoencoders,
            self.n_autoencoder_nodes,
            self.l1_penalty,
        )

    @property
    def autoencoder_weights_(self) -> list[Floats]:
        """Transposed weights of each auto-encoder."""
        broad_map: AutoencoderMap = self._map
        return [layer.astype(self.output_weights_.dtype) for layer in broad_map.layers]
