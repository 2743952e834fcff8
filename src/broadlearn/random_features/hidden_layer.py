"""A single hidden layer as a map without feature nodes, and sparse auto-encoders in front of it.

Every auto-encoder is affine in its inputs, so a whole stack is one affine map of [Z, 1].
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from broadlearn.random_features.broad_map import BroadMap
from broadlearn.random_features.draws import draw_hidden_weights
from broadlearn.random_features.nested_maps import MapFamily, MapSettings, scaled_nodes
from broadlearn.random_features.sparse import input_root, rebuilding_weights
from broadlearn.random_features.standardization import Standardization
from broadlearn.utils import Array, Floats


@dataclass(frozen=True)
class HiddenLayer:
    """Maps ``[Z, 1] -> act([Z, 1] W)``, behind Z if linked; a `MapRecipe` that learns nothing."""

    n_nodes: int
    activation: str
    direct_links: bool = field(default=False, kw_only=True)
    n_feature_groups: ClassVar[int] = 0
    n_feature_nodes: ClassVar[int] = 0

    def learn(
        self, X: Floats, standardization: Standardization, seed: int, weight: Array | None = None
    ) -> MapFamily:
        """Return itself: there is nothing to learn."""
        return self

    def draw_layer(self, seed: int, n_features: int, n_inputs: int) -> Array:
        """Draw the weights of the hidden nodes."""
        return draw_hidden_weights(seed, self.n_nodes, n_inputs)

    def cut(self, n_groups: int, n_nodes: int, W: Array) -> BroadMap:
        """Return the map with hidden weights W; feature nodes are the inputs, if linked."""
        A = np.eye(W.shape[0])[:, : -1 if self.direct_links else 0]
        settings = self._settings(W, A.shape[1])
        return BroadMap(settings, A, None, None, W, affine=True)

    def _settings(self, W: Array, n_links: int = 0) -> MapSettings:
        kinds = (self.activation, "identity", "random", None)
        return MapSettings(1, n_links, 1, W.shape[1], *kinds, enhancement_scale=1.0)


@dataclass(frozen=True)
class AutoencoderMap(BroadMap):
    """A hidden layer behind auto-encoders; `layers` are βᵗ of each, before its nodes are scaled."""

    layers: tuple[Array, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True)
class Autoencoders(HiddenLayer):
    """Sparse auto-encoders on top of each other, and a hidden layer behind them; a `MapRecipe`.

    `penalty` is the weight λ of the l1 norm.
    """

    n_layers: int
    n_autoencoder_nodes: int
    penalty: float

    def learn(
        self, X: Floats, standardization: Standardization, seed: int, weight: Array | None = None
    ) -> AutoencoderStack:
        """Learn the auto-encoders, each on the scaled nodes of the previous one."""
        root, n_inputs = input_root(X, standardization, weight), X.shape[1]
        n_inputs += standardization.share.size
        P: Array | None = None
        layers: list[Array] = []
        for layer in range(self.n_layers):
            width = n_inputs if P is None else self.n_autoencoder_nodes
            B = draw_hidden_weights(seed, self.n_autoencoder_nodes, width, layer)
            H = scaled_nodes(X, standardization, B if P is None else P @ B)
            layers.append(rebuilding_weights(root, H, P, self.penalty))
            nodes = scaled_nodes(X, standardization, layers[-1] if P is None else P @ layers[-1])
            P = np.column_stack([nodes, np.eye(n_inputs + 1, 1, -n_inputs)])
        return AutoencoderStack(self, tuple(layers), P)

    def draw_layer(self, seed: int, n_features: int, n_inputs: int) -> Array:
        """Draw the weights of the hidden nodes behind the last auto-encoder."""
        inputs = self.n_autoencoder_nodes if self.n_layers else n_inputs
        return draw_hidden_weights(seed, self.n_nodes, inputs)


@dataclass(frozen=True)
class AutoencoderStack:
    """Learnt auto-encoders, and hidden layers of any size behind them.

    `collapsed` is P with ``[Z, 1] P = [Z', 1]``, the scaled nodes of the last auto-encoder; None
    if there is none.
    """

    recipe: Autoencoders
    layers: tuple[Array, ...]
    collapsed: Array | None

    def cut(self, n_groups: int, n_nodes: int, W: Array) -> AutoencoderMap:
        """Return the map ``act([Z', 1] W)``; there are no feature nodes."""
        W = W if self.collapsed is None else self.collapsed @ W
        empty = np.empty((W.shape[0], 0))
        settings = self.recipe._settings(W)
        return AutoencoderMap(settings, empty, None, None, W, affine=True, layers=self.layers)
