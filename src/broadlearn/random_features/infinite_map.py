"""The broad map of infinitely many enhancement nodes: X -> [F^m, K], exactly and without a draw.

A ridge model on infinitely many nodes is one on the products of samples, `NodeKernel`. Its weights
are then those of F^m and one coefficient per training sample x_i, and the columns behind F^m are
``STRENGTH * k(x, x_i)``: the map has the form of every other one, and prediction is the same.

The matrix of these products has the square of the samples in numbers. Where it would not fit into
scikit-learn's ``working_memory``, a map of `MANY_NODES` nodes takes its place.
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
from broadlearn.utils import Array, Floats, Standardization

# The number of enhancement nodes that stands for infinitely many.
INFINITE = "infinite"
# Infinitely many nodes count as much as so many do, so that C means what it means there.
STRENGTH = 1000.0
# Nodes of the map that is taken where there are too many samples.
MANY_NODES = 4000
# Matrices of samples x samples that a fit holds at a time, and megabytes of them that it mentions.
MATRICES, LARGE = 4, 500.0


@dataclass(frozen=True)
class InfiniteMap(BroadMap):
    """A map whose enhancement nodes are infinitely many, ready to apply to blocks ``[Z, 1]``.

    All is as for `BroadMap`, but that `enhancement_weights`, of shape (n_inputs, n_samples), holds
    the inputs of the nodes for the training samples, and `strength` multiplies mean products.
    """

    kernel: ClassVar[bool] = True

    def columns(self, affine: Floats, out: Floats | None = None) -> Floats:
        """The columns ``[F, K]`` of a ridge problem; coefficients of samples need float64."""
        return super().columns(affine.astype(np.float64, copy=False), out)

    def enhancements(
        self, affine: Floats, features: Floats | None, out: Floats | None = None
    ) -> Floats:
        """Products with the training samples, in place of E^l."""
        rows = self.inputs(affine, features).astype(np.float64, copy=False)
        K = self.node_kernel()(rows, self.enhancement_weights.T, cast(Array | None, out))
        K *= self.strength
        return K

    def inputs(self, affine: Floats, features: Floats | None = None) -> Floats:
        """What the nodes combine: columns of X, or F^m or the fewer columns that stand for it."""
        if self.settings.enhancement_inputs is not None:
            return affine[:, :-1]
        if self.basis is not None:
            return affine @ self.basis.astype(affine.dtype, copy=False)
        return self.features(affine) if features is None else features

    def node_kernel(self) -> NodeKernel:
        """The mean product of two samples over all nodes."""
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
        Those of the feature nodes hold, and how enhancement nodes would be drawn.
    working_memory : float or None
        Megabytes that the matrices of samples x samples may take; None for what scikit-learn is
        configured to at the time, 1,024 by default.
    """

    settings: MapSettings
    working_memory: float | None = None

    def __post_init__(self) -> None:
        if self.working_memory is None:
            object.__setattr__(self, "working_memory", get_config()["working_memory"])

    @property
    def n_feature_groups(self) -> int:
        """Feature groups, m."""
        return self.settings.n_feature_groups

    @property
    def n_feature_nodes(self) -> int:
        """Nodes of a feature group, p."""
        return self.settings.n_feature_nodes

    def draw_layer(self, seed: int, n_features: int, n_inputs: int) -> Array:
        """There is nothing to draw."""
        n = n_features if self.settings.enhancement_inputs is None else n_inputs
        return np.empty((n + 1, 0))

    def learn(
        self, X: Floats, standardization: Standardization, seed: int, weight: Array | None = None
    ) -> MapFamily:
        """Draw the feature nodes and learn their scaling; says what memory will be needed."""
        n, name = X.shape[0], f"n_enhancement_nodes={INFINITE!r}"
        needed, limit = MATRICES * 8.0 * n**2 / 2**20, cast(float, self.working_memory)
        nodes = 0
        if needed > limit:
            nodes = MANY_NODES
            warnings.warn(
                f"{name} would take {needed:,.0f} MB for matrices of {n:,} x {n:,} samples, more "
                f"than scikit-learn's working_memory of {limit:,.0f} MB, which "
                f"sklearn.set_config changes, so {MANY_NODES:,} nodes are drawn instead.",
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
        """The map of so many feature groups and nodes, which keeps the samples."""
        base = self.family.cut(n_groups, n_nodes, W)
        parts: dict[str, Any] = {f.name: getattr(base, f.name) for f in fields(base)}
        bare = InfiniteMap(**{**parts, "strength": STRENGTH})
        inputs = bare.inputs(self.standardization.affine(self.X).astype(np.float64, copy=False))
        settings = replace(base.settings, n_enhancement_nodes=len(inputs))
        return replace(bare, settings=settings, enhancement_weights=np.array(inputs.T, order="C"))


@dataclass(frozen=True)
class ManyNodes:
    """Maps of many nodes in place of infinitely many, drawn as ever and as strong as those."""

    settings: MapSettings
    family: MapFamily
    seed: int
    n_inputs: int

    def cut(self, n_groups: int, n_nodes: int, W: Array) -> BroadMap:
        """The map of so many feature groups and nodes; its enhancement nodes are drawn here."""
        drawn = self.settings.draw_layer(self.seed, n_groups * n_nodes, self.n_inputs)
        strength = (STRENGTH / self.settings.n_enhancements) ** 0.5
        return replace(self.family.cut(n_groups, n_nodes, drawn), strength=strength)
