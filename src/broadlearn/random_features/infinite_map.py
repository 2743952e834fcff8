"""The broad map of infinitely many enhancement nodes: X -> [F^m, K], exact and without a draw.

A ridge model on infinitely many nodes is one on a kernel of samples, `NodeKernel`. Its weights are
those of F^m and one coefficient per training sample x_i, and the columns behind F^m are
``STRENGTH * k(x, x_i)``: the map predicts as every other one.

The kernel matrix has n_samples² numbers. If it does not fit into scikit-learn's
``working_memory``, a map of `MANY_NODES` nodes is drawn instead.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, cast

import numpy as np
from sklearn import get_config

from broadlearn.random_features.broad_map import BroadMap
from broadlearn.random_features.nested_maps import MapFamily, MapSettings
from broadlearn.random_features.node_kernels import NodeKernel
from broadlearn.random_features.standardization import Standardization
from broadlearn.utils import Array, Floats

# The number of enhancement nodes that stands for infinitely many.
INFINITE = "infinite"
# Infinitely many nodes count as much as this many drawn ones, so that C has the same meaning.
STRENGTH = 1000.0
# Nodes drawn instead for too many samples.
MANY_NODES = 4000
# Kernel matrices that a fit holds at a time, and megabytes above which it warns.
MATRICES, LARGE = 4, 500.0


@dataclass(frozen=True)
class InfiniteMap(BroadMap):
    """A `BroadMap` of infinitely many enhancement nodes.

    `enhancement_weights`, of shape (n_inputs, n_samples), holds the inputs of the nodes for the
    training samples; `strength` multiplies the kernel.
    """

    kernel: ClassVar[bool] = True

    def columns(self, affine: Floats, out: Floats | None = None) -> Floats:
        """Return the columns ``[F, K]`` of a ridge problem, in float64."""
        return super().columns(affine.astype(np.float64, copy=False), out)

    def enhancements(
        self, affine: Floats, features: Floats | None, out: Floats | None = None
    ) -> Floats:
        """Return the kernel with the training samples, in place of E^l."""
        rows = self.inputs(affine, features).astype(np.float64, copy=False)
        K = self.node_kernel()(rows, self.enhancement_weights.T, cast(Array | None, out))
        K *= self.strength
        return K

    def inputs(self, affine: Floats, features: Floats | None = None) -> Floats:
        """Return the inputs of the nodes: columns of X, F^m, or the columns that stand for it."""
        if self.settings.enhancement_inputs is not None:
            return affine[:, :-1]
        if self.basis is not None:
            return affine @ self.basis.astype(affine.dtype, copy=False)
        return self.features(affine) if features is None else features

    def node_kernel(self) -> NodeKernel:
        """Return the kernel: the mean product of two samples over all nodes."""
        given, n_inputs = self.settings, self.feature_weights.shape[0] - 1
        return NodeKernel(
            given.activation,
            tuple(np.atleast_1d(given.enhancement_scale).tolist()),
            given.enhancement_bias,
            n_inputs if given.enhancement_inputs else given.n_features + 1,
            given.enhancement_inputs,
        )


@dataclass(frozen=True)
class InfiniteNodes:
    """Infinitely many enhancement nodes behind feature nodes; a `MapRecipe`.

    Attributes
    ----------
    settings : MapSettings
        Settings of the feature nodes, and of the enhancement nodes if they were drawn.
    working_memory : float or None
        Megabytes that kernel matrices may take; None for scikit-learn's configuration, 1,024 by
        default.
    """

    settings: MapSettings
    working_memory: float | None = None

    def __post_init__(self) -> None:
        if self.working_memory is None:
            object.__setattr__(self, "working_memory", get_config()["working_memory"])

    @property
    def n_feature_groups(self) -> int:
        """Number of feature groups, m."""
        return self.settings.n_feature_groups

    @property
    def n_feature_nodes(self) -> int:
        """Number of nodes of a feature group, p."""
        return self.settings.n_feature_nodes

    def draw_layer(self, seed: int, n_features: int, n_inputs: int) -> Array:
        """Return no columns: there is nothing to draw."""
        n = n_features if self.settings.enhancement_inputs is None else n_inputs
        return np.empty((n + 1, 0))

    def learn(
        self, X: Floats, standardization: Standardization, seed: int, weight: Array | None = None
    ) -> MapFamily:
        """Draw the feature nodes and learn their scaling; warn if much memory is needed."""
        n, name = X.shape[0], f"n_enhancement_nodes={INFINITE!r}"
        needed, limit = MATRICES * 8.0 * n**2 / 2**20, cast(float, self.working_memory)
        nodes = 0
        if needed > limit:
            nodes = MANY_NODES
            warnings.warn(
                f"{name} would take {needed:,.0f} MB for matrices of {n:,} x {n:,} samples, more "
                f"than scikit-learn's working_memory of {limit:,.0f} MB, so {MANY_NODES:,} nodes "
                "are drawn instead; sklearn.set_config raises the limit.",
                stacklevel=5,
            )
        elif needed > LARGE:
            warnings.warn(
                f"{name} takes about {needed:,.0f} MB for matrices of {n:,} x {n:,} samples.",
                stacklevel=5,
            )
        settings = replace(self.settings, n_enhancement_groups=1, n_enhancement_nodes=nodes)
        family = settings.learn(X, standardization, seed, weight)
        if nodes:
            return ManyNodes(settings, family, seed, X.shape[1] + standardization.share.size)
        return InfiniteMaps(family, X, standardization)


@dataclass(frozen=True)
class InfiniteMaps:
    """Maps of infinitely many nodes behind feature nodes of many sizes."""

    family: MapFamily
    X: Floats
    standardization: Standardization

    def cut(self, n_groups: int, n_nodes: int, W: Array) -> InfiniteMap:
        """Return the map of `n_groups` groups of `n_nodes` feature nodes, with the samples."""
        base = self.family.cut(n_groups, n_nodes, W)
        parts: dict[str, Any] = {f.name: getattr(base, f.name) for f in fields(base)}
        bare = InfiniteMap(**{**parts, "strength": STRENGTH})
        inputs = bare.inputs(self.standardization.affine(self.X).astype(np.float64, copy=False))
        settings = replace(base.settings, n_enhancement_nodes=len(inputs))
        return replace(bare, settings=settings, enhancement_weights=np.array(inputs.T, order="C"))


@dataclass(frozen=True)
class ManyNodes:
    """Maps of many drawn nodes in place of infinitely many, with the same strength."""

    settings: MapSettings
    family: MapFamily
    seed: int
    n_inputs: int

    def cut(self, n_groups: int, n_nodes: int, W: Array) -> BroadMap:
        """Draw the enhancement nodes behind so many feature groups and nodes."""
        drawn = self.settings.draw_layer(self.seed, n_groups * n_nodes, self.n_inputs)
        strength = (STRENGTH / self.settings.n_enhancements) ** 0.5
        return replace(self.family.cut(n_groups, n_nodes, drawn), strength=strength)
