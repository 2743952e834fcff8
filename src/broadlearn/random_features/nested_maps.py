"""Maps of many sizes on the same samples: drawn and scaled once, cut to size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from broadlearn.random_features.activations import ACTIVATIONS, InPlace
from broadlearn.random_features.broad_map import HIGH, LOW, BroadMap
from broadlearn.random_features.draws import (
    FEATURE_DRAWS,
    draw_enhancement_weights,
    draw_feature_weights,
    draw_input_weights,
)
from broadlearn.random_features.sparse import input_root, rebuilding_weights
from broadlearn.random_features.standardization import Standardization
from broadlearn.utils import BLOCK_NUMBERS, Array, Floats, quantiles, row_slices

# Penalty of the sparse auto-encoder, on features of unit variance, as in the original BLS code.
SPARSE_PENALTY = 1e-3


class MapFamily(Protocol):
    """Maps of many sizes on the same samples."""

    def cut(self, n_groups: int, n_nodes: int, W: Array) -> BroadMap:
        """Return the map of the given size with the weights W of the last layer."""


class MapRecipe(Protocol):
    """What a map is drawn from, before any sample is seen."""

    @property
    def n_feature_groups(self) -> int:
        """Number of feature groups, m."""

    @property
    def n_feature_nodes(self) -> int:
        """Number of nodes of a feature group, p."""

    def learn(
        self, X: Floats, standardization: Standardization, seed: int, weight: Array | None = None
    ) -> MapFamily:
        """Return maps of all sizes up to that of the recipe."""

    def draw_layer(self, seed: int, n_features: int, n_inputs: int) -> Array:
        """Draw the weights of the last layer."""


def draw_map(
    recipe: MapRecipe,
    X: Floats,
    standardization: Standardization,
    seed: int,
    weight: Array | None = None,
) -> BroadMap:
    """Draw the map of a recipe and learn its scaling from samples of positive weight."""
    m, p = recipe.n_feature_groups, recipe.n_feature_nodes
    W = recipe.draw_layer(seed, m * p, X.shape[1] + standardization.share.size)
    return recipe.learn(X, standardization, seed, weight).cut(m, p, W)


@dataclass(frozen=True)
class MapSettings:
    """What the map of a broad learning system is drawn from; a `MapRecipe`.

    See `BroadFeatures` for the meaning of each setting.
    """

    n_feature_groups: int
    n_feature_nodes: int
    n_enhancement_groups: int
    n_enhancement_nodes: int
    activation: str
    feature_activation: str
    feature_weights: str
    feature_scaling: str | None
    enhancement_scale: float | Sequence[float]
    enhancement_bias: float = 1.0
    enhancement_inputs: int | None = None
    enhancement_weights: str = "orthonormal"

    @property
    def n_features(self) -> int:
        """Total number of feature nodes, mp."""
        return self.n_feature_groups * self.n_feature_nodes

    @property
    def n_enhancements(self) -> int:
        """Total number of enhancement nodes, lq."""
        return self.n_enhancement_groups * self.n_enhancement_nodes

    @property
    def cascades_enhancements(self) -> bool:
        """Whether enhancement groups follow each other, see `CascadeSettings`."""
        return False

    def learn(
        self, X: Floats, standardization: Standardization, seed: int, weight: Array | None = None
    ) -> MapFamily:
        """Draw the feature nodes and learn their scaling."""
        if self.feature_weights == "sparse":
            return RelearntMaps(self, seed, X, standardization, weight)
        m, p, kind = self.n_feature_groups, self.n_feature_nodes, self.feature_weights
        n_inputs = X.shape[1] + standardization.share.size
        A = draw_feature_weights(seed, m, p, n_inputs, **FEATURE_DRAWS[kind])
        return self.learn_scaling(A, X, standardization, weight)

    def learn_scaling(
        self, A: Array, X: Floats, standardization: Standardization, weight: Array | None
    ) -> NestedMaps:
        """Learn the scaling of feature nodes with weights A."""
        if self.feature_scaling in (None, "sample"):
            return NestedMaps(self, A, None, None)
        weights, activate = A.astype(X.dtype, copy=False), ACTIVATIONS[self.feature_activation]
        if self.feature_scaling == "robust":
            low, high = node_quantiles(X, standardization, weights, activate, weight)
            return NestedMaps(self, A, *to_interval(low, high))
        blocks = (
            activate(standardization.affine(X, rows) @ weights)
            for rows in row_slices(X.shape[0], A.shape[1])
        )
        return NestedMaps(self, A, *scale_nodes(blocks, A.shape[1]))

    def draw_layer(self, seed: int, n_features: int, n_inputs: int) -> Array:
        """Draw unscaled weights of the enhancement nodes."""
        shape = (self.n_enhancement_groups, self.n_enhancement_nodes)
        if self.enhancement_inputs is None:
            published = self.enhancement_weights == "published"
            return draw_enhancement_weights(seed, *shape, n_features, published=published)
        return draw_input_weights(seed, *shape, n_inputs, self.enhancement_inputs)


def sizes_nest(recipe: MapRecipe) -> bool:
    """Return whether the first nodes of the last layer are the same however many follow."""
    if not isinstance(recipe, MapSettings) or recipe.enhancement_inputs is not None:
        return True
    return recipe.enhancement_weights != "published" and not recipe.cascades_enhancements


@dataclass(frozen=True)
class NestedMaps:
    """Feature nodes of the largest map on some samples; smaller maps use a part of them.

    `feature_weights` are as drawn; `scale` and `offset` scale the nodes.
    """

    settings: MapSettings
    feature_weights: Array
    scale: Array | None
    offset: Array | None

    def cut(self, n_groups: int, n_nodes: int, W: Array) -> BroadMap:
        """Return the map of the given size, collapsed if it is affine.

        The enhancement weights W are as drawn, of shape (mp + 1, lq) or (D + 1, lq).
        """
        settings = replace(self.settings, n_feature_groups=n_groups, n_feature_nodes=n_nodes)
        first = self.settings.n_feature_nodes * np.arange(n_groups)
        nodes = (first[:, None] + np.arange(n_nodes)).ravel()
        scales: Any = settings.enhancement_scale
        if np.ndim(scales):
            # Nodes of two kinds alternate; each kind gets every scale.
            scales = np.repeat(scales, 1 if settings.enhancement_inputs is None else 2)
            scales = np.resize(scales, settings.n_enhancement_nodes)
            scales = np.tile(scales, settings.n_enhancement_groups)
        W = scales * W
        W[-1] *= settings.enhancement_bias
        A = self.feature_weights[:, nodes]
        scale = None if self.scale is None else self.scale[nodes]
        offset = None if self.offset is None else self.offset[nodes]
        if settings.feature_activation != "identity" or settings.feature_scaling == "sample":
            return BroadMap(settings, A, scale, offset, W)
        if scale is not None and offset is not None:
            A = A * scale
            A[-1] += offset
        if settings.enhancement_inputs is None:
            bias = W[-1]
            W = A @ W[:-1]
            W[-1] += bias
        basis = None
        if A.shape[1] > A.shape[0]:
            R = np.asarray(np.linalg.qr(A.T, mode="r"))
            basis = np.ascontiguousarray(R.T)
        return BroadMap(settings, A, None, None, W, True, basis)


@dataclass(frozen=True)
class RelearntMaps:
    """Maps whose nodes depend on their number (sparse weights): each is learnt anew."""

    settings: MapSettings
    seed: int
    X: Floats
    standardization: Standardization
    weight: Array | None

    def cut(self, n_groups: int, n_nodes: int, W: Array) -> BroadMap:
        """Return the map of `n_groups` groups of `n_nodes` nodes with enhancement weights W."""
        settings = replace(self.settings, n_feature_groups=n_groups, n_feature_nodes=n_nodes)
        X, standardization, weight = self.X, self.standardization, self.weight
        n_inputs = X.shape[1] + standardization.share.size
        drawn = draw_feature_weights(self.seed, n_groups, n_nodes, n_inputs)
        root = input_root(X, standardization, weight)
        H = scaled_nodes(X, standardization, drawn)
        groups = [H[:, start : start + n_nodes] for start in range(0, drawn.shape[1], n_nodes)]
        # Each group's weights are replaced by the lasso that rebuilds [Z, 1] from its nodes.
        A = np.concatenate(
            [rebuilding_weights(root, group, None, SPARSE_PENALTY) for group in groups], axis=1
        )
        return settings.learn_scaling(A, X, standardization, weight).cut(n_groups, n_nodes, W)


def to_interval(low: Array, high: Array) -> tuple[Array, Array]:
    """Return scale and offset from [low, high] to [LOW, HIGH]; a constant node goes to 0."""
    width = high - low
    # Well above rounding.
    constant = width <= 1e-12 * np.maximum(np.abs(low), np.abs(high))
    scale = (HIGH - LOW) / np.where(constant, 1.0, width)
    scale = np.where(constant, 1.0, scale)
    offset = np.where(constant, -low, LOW - low * scale)
    return scale, offset


def scale_nodes(blocks: Iterable[Floats], n_nodes: int) -> tuple[Array, Array]:
    """Return scale and offset of every node from its extremes over blocks to [LOW, HIGH]."""
    low, high = np.full(n_nodes, np.inf), np.full(n_nodes, -np.inf)
    for block in blocks:
        np.minimum(low, block.min(axis=0), out=low)
        np.maximum(high, block.max(axis=0), out=high)
    return to_interval(low, high)


def node_quantiles(
    X: Floats,
    standardization: Standardization,
    weights: Floats,
    activate: InPlace,
    sample_weight: Array | None,
) -> tuple[Array, Array]:
    """Return the 10 % and 90 % quantiles of every node, or its extremes if these coincide.

    Quantiles need all samples at once, so nodes are handled a few at a time.
    """
    n_nodes, step = weights.shape[1], max(1, BLOCK_NUMBERS // (2 * X.shape[0]))
    low, high = np.empty(n_nodes), np.empty(n_nodes)
    for start in range(0, n_nodes, step):
        part = slice(start, min(start + step, n_nodes))
        blocks = (standardization.affine(X, rows) for rows in row_slices(*X.shape))
        values = np.concatenate([activate(block @ weights[:, part]) for block in blocks])
        low[part], high[part] = quantiles(values, sample_weight, [0.1, 0.9])
        flat = start + np.flatnonzero(low[part] == high[part])
        low[flat] = values[:, flat - start].min(axis=0)
        high[flat] = values[:, flat - start].max(axis=0)
    return low, high


def scaled_nodes(X: Floats, standardization: Standardization, A: Array) -> Array:
    """Return weights A scaled so that the nodes ``[Z, 1] A`` of the samples fill [LOW, HIGH]."""
    weights = A.astype(X.dtype, copy=False)
    blocks = (
        standardization.affine(X, rows) @ weights for rows in row_slices(X.shape[0], A.shape[1])
    )
    scale, offset = scale_nodes(blocks, A.shape[1])
    scaled = A * scale
    scaled[-1] += offset
    return scaled
