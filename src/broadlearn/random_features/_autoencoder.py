"""A stack of sparse auto-encoders, and hidden layers behind it.

Every auto-encoder is affine in its inputs, so that the whole stack is one affine map of [Z, 1].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadlearn.random_features._broad_map import BroadMap
from broadlearn.random_features._draws import draw_autoencoder_weights
from broadlearn.random_features._hidden_layer import HiddenLayers
from broadlearn.random_features._sparse import input_moments, rebuilding_weights, scaled_nodes
from broadlearn.random_features._standardize import Standardization

Array = NDArray[np.float64]


@dataclass(frozen=True)
class AutoencoderStack:
    """Auto-encoders on top of each other, and hidden layers of any size behind them.

    Attributes
    ----------
    layers : tuple of ndarray of shape (n_inputs + 1, n_nodes)
        βᵗ of each auto-encoder, before its nodes are scaled.
    collapsed : ndarray of shape (D + 1, n_nodes + 1)
        P with ``[Z, 1] P = [Z', 1]``, the scaled nodes of the last auto-encoder.
    activation : str
        Of the hidden layer.
    """

    layers: tuple[Array, ...]
    collapsed: Array
    activation: str

    def cut(self, n_groups: int, n_nodes: int, W: Array) -> BroadMap:
        """The map ``act([Z', 1] W)``; there are no feature nodes to cut."""
        return HiddenLayers(self.activation).cut(n_groups, n_nodes, self.collapsed @ W)


def learn_autoencoders(
    X: NDArray[np.floating],
    standardization: Standardization,
    n_layers: int,
    n_nodes: int,
    penalty: float,
    activation: str,
    seed: int,
    weight: Array | None = None,
) -> AutoencoderStack:
    """Learn a stack of sparse auto-encoders, each on the scaled nodes of the one before.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    standardization : Standardization
    n_layers, n_nodes : int
        Auto-encoders, and nodes of each.
    penalty : float
        Weight λ of the l1 norm.
    activation : str
        Of the hidden layer behind the stack.
    seed : int
    weight : ndarray of shape (n_samples,) or None
        Positive row weights.

    Returns
    -------
    AutoencoderStack
    """
    moments = input_moments(X, standardization, weight)
    P = np.eye(X.shape[1] + 1)
    layers = []
    for layer in range(n_layers):
        B = draw_autoencoder_weights(seed, layer, n_nodes, P.shape[1] - 1)
        H = scaled_nodes(X, standardization, P @ B)
        layers.append(rebuilding_weights(moments, H, P, penalty))
        P = np.column_stack([scaled_nodes(X, standardization, P @ layers[-1]), P[:, -1]])
    return AutoencoderStack(tuple(layers), P, activation)
