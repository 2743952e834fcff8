"""Cascades: feature groups, or enhancement groups, each computed from the group before it.

``F_1 = map([Z, 1] A_1)`` and ``F_i = map([F_{i-1}, 1] A_i)``; ``E_1 = act([F^m, 1] W_1)`` and
``E_j = act([E_{j-1}, 1] W_j)``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from broadlearn.random_features.activations import ACTIVATIONS
from broadlearn.random_features.broad_map import BroadMap
from broadlearn.random_features.draws import (
    FEATURE_DRAWS,
    draw_enhancement_weights,
    draw_feature_weights,
)
from broadlearn.random_features.nested_maps import MapSettings, scale_nodes
from broadlearn.random_features.standardization import Standardization
from broadlearn.utils import Array, Floats, row_slices


@dataclass(frozen=True)
class CascadeMap(BroadMap):
    """A map whose groups follow each other.

    The layers are weights of the groups after those of `feature_weights`, each of shape (p + 1, p),
    and of `enhancement_weights`, each of shape (q + 1, q).
    """

    feature_layers: tuple[Array, ...] = field(default=(), kw_only=True)
    enhancement_layers: tuple[Array, ...] = field(default=(), kw_only=True)

    @property
    def n_features(self) -> int:
        """Number of feature nodes."""
        return super().n_features + sum(W.shape[1] for W in self.feature_layers)

    @property
    def n_enhancements(self) -> int:
        """Number of enhancement nodes."""
        return super().n_enhancements + sum(W.shape[1] for W in self.enhancement_layers)

    def features(self, affine: Floats) -> Floats:
        """Return F^m for a block ``[Z, 1]``."""
        groups = [self._group(affine @ self.feature_weights.astype(affine.dtype, copy=False), 0)]
        for i, W in enumerate(self.feature_layers, start=1):
            groups.append(self._group(with_bias(groups[-1], W), i * W.shape[1]))
        return np.concatenate(groups, axis=1)

    def _group(self, nodes: Floats, first: int) -> Floats:
        """Activate and scale nodes in place; `first` is the number of the first one."""
        return self._scaled(ACTIVATIONS[self.settings.feature_activation](nodes), first)

    def enhancements(
        self, affine: Floats, features: Floats | None, out: Floats | None = None
    ) -> Floats:
        """Return E^l for a block of features."""
        n = super().n_enhancements
        E = np.empty((len(affine), self.n_enhancements), affine.dtype) if out is None else out
        group = super().enhancements(affine, features, out=E[:, :n])
        for W in self.enhancement_layers:
            group = ACTIVATIONS[self.settings.activation](with_bias(group, W))
            E[:, n : n + group.shape[1]] = group
            n += group.shape[1]
        return E


def with_bias(nodes: Floats, W: Array) -> Floats:
    """Return ``[nodes, 1] W``."""
    W = W.astype(nodes.dtype, copy=False)
    return np.asarray(nodes @ W[:-1] + W[-1])


@dataclass(frozen=True)
class CascadeSettings(MapSettings):
    """What a cascade is drawn from; a `MapRecipe`.

    `cascade` says which groups follow each other: "features", "enhancements" or "both".
    """

    cascade: str = field(default="both", kw_only=True)

    @property
    def cascades_enhancements(self) -> bool:
        """Whether there are enhancement groups that follow each other."""
        return self.cascade != "features" and self.n_enhancement_groups > 1

    def learn(
        self, X: Floats, standardization: Standardization, seed: int, weight: Array | None = None
    ) -> CascadeMaps:
        """Draw the feature nodes and learn their scaling, group after group."""
        m, p, kind = self.n_feature_groups, self.n_feature_nodes, FEATURE_DRAWS["orthonormal"]
        side_by_side = m if self.cascade == "enhancements" else 1
        n_inputs = X.shape[1] + standardization.share.size
        A = draw_feature_weights(seed, side_by_side, p, n_inputs, **kind)
        deeper = draw_feature_weights(seed, m, p, p, **kind)
        layers = tuple(deeper[:, i * p : (i + 1) * p] for i in range(side_by_side, m))
        scale, offset, no_layer = np.ones(m * p), np.zeros(m * p), np.empty((m * p + 1, 0))
        nodes = CascadeMap(self, A, scale, offset, no_layer, feature_layers=layers)
        for first in range(0, m * p, A.shape[1]):
            # The scaling of a group decides on the values of the next one.
            own = slice(first, first + A.shape[1])
            blocks = (
                nodes.features(standardization.affine(X, rows))[:, own]
                for rows in row_slices(X.shape[0], m * p)
            )
            scale[own], offset[own] = scale_nodes(blocks, A.shape[1])
        return CascadeMaps(nodes, scale, offset, X, standardization, seed)

    def draw_layer(self, seed: int, n_features: int, n_inputs: int) -> Array:
        """Draw the weights of the enhancement nodes that combine features."""
        n_groups = 1 if self.cascades_enhancements else self.n_enhancement_groups
        return draw_enhancement_weights(seed, n_groups, self.n_enhancement_nodes, n_features)


@dataclass(frozen=True)
class CascadeMaps:
    """Maps with the first feature groups of a cascade, which do not depend on later groups.

    Groups of fewer nodes have other inputs, so they are learnt anew.
    """

    nodes: CascadeMap
    scale: Array
    offset: Array
    X: Floats
    standardization: Standardization
    seed: int

    def cut(self, n_groups: int, n_nodes: int, W: Array) -> BroadMap:
        """Return the map of the first `n_groups` groups with enhancement weights W."""
        given, n = self.nodes.settings, n_groups * n_nodes
        if n_nodes != given.n_feature_nodes:
            fewer = replace(given, n_feature_nodes=n_nodes)
            return fewer.learn(self.X, self.standardization, self.seed).cut(n_groups, n_nodes, W)
        layers: list[Array] = []
        if given.cascades_enhancements:
            q = given.n_enhancement_nodes
            deeper = draw_enhancement_weights(self.seed, given.n_enhancement_groups, q, q)
            scaled = given.enhancement_scale * deeper[:, q:]
            layers = np.split(scaled, given.n_enhancement_groups - 1, axis=1)
        return CascadeMap(
            replace(given, n_feature_groups=n_groups),
            self.nodes.feature_weights[:, :n],
            self.scale[:n],
            self.offset[:n],
            given.enhancement_scale * W,
            feature_layers=self.nodes.feature_layers[: n_groups - 1],
            enhancement_layers=tuple(layers),
        )
