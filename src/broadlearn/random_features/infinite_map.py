"""The broad map of infinitely many enhancement nodes: X -> [F^m, K], exact and without a draw.

A ridge model on infinitely many nodes is one on a kernel of samples, `NodeKernel`. Its weights are
those of F^m and one coefficient per training sample x_i, and the columns behind F^m are
``STRENGTH * k(x, x_i)``: the map predicts as every other one.

The kernel matrix has n_samples² numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, cast

import numpy as np

from broadlearn.random_features.broad_map import BroadMap
from broadlearn.random_features.nested_maps import MapFamily, MapSettings
from broadlearn.random_features.node_kernels import NodeKernel
from broadlearn.random_features.standardization import Standardization
from broadlearn.utils import Array, Floats, TooLargeError, free_memory, size_text

# The number of enhancement nodes that stands for infinitely many.
INFINITE = "infinite"
# Infinitely many nodes count as much as this many drawn ones, so that C has the same meaning.
STRENGTH = 1000.0
# Kernel matrices that a fit holds at a time: the kernel, its scaled copy, the factor and a spare.
MATRICES = 4


@dataclass(frozen=True)
class InfiniteMap(BroadMap):
    """A `BroadMap` of infinitely many enhancement nodes.

    `enhancement_weights`, of shape (n_inputs, n_samples), holds the inputs of the nodes for the
    training samples.
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
        K *= STRENGTH
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
    """Infinitely many enhancement nodes behind feature nodes; a `MapRecipe`."""

    settings: MapSettings

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
        """Draw the feature nodes and learn their scaling."""
        n, free = X.shape[0], free_memory()
        needed = MATRICES * 8 * n**2
        if needed > free:
            raise TooLargeError(
                f"n_enhancement_nodes={INFINITE!r} needs {size_text(needed)} of memory for "
                f"matrices of {n:,} x {n:,} samples, and {size_text(free)} are free; use a number "
                "of nodes, such as 4000."
            )
        settings = replace(self.settings, n_enhancement_groups=1, n_enhancement_nodes=0)
        family = settings.learn(X, standardization, seed, weight)
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
        bare = InfiniteMap(**parts)
        inputs = bare.inputs(self.standardization.affine(self.X).astype(np.float64, copy=False))
        settings = replace(base.settings, n_enhancement_nodes=len(inputs))
        return replace(bare, settings=settings, enhancement_weights=np.array(inputs.T, order="C"))
