"""The broad feature map: X -> G = [F^m, E^l], and the smaller matrix that stands for it.

Where feature nodes are affine in the inputs (identity activation; scaling per node or none), F^m =
[Z, 1] A has rank at most D + 1. With the factorisation Aᵗ = QR, F^m = [Z, 1] Rᵗ Qᵗ, and a ridge
problem on the columns [Z, 1] Rᵗ has the same predictions; its weights w give those of F^m as Q w.
The enhancement inputs collapse likewise: F^m W_E = [Z, 1] (A W_E).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadlearn.random_features._activations import ACTIVATIONS
from broadlearn.random_features._draws import (
    draw_enhancement_weights,
    draw_feature_weights,
    draw_input_weights,
)
from broadlearn.random_features._scaling import (
    node_extremes,
    node_quantiles,
    scale_rows_in_groups,
    to_interval,
)
from broadlearn.random_features._sparse import input_moments, rebuilding_weights, scaled_nodes
from broadlearn.random_features._standardize import Standardization, affine_block, row_slices

Array = NDArray[np.float64]

# Penalty of the sparse auto-encoder, on columns of unit variance.
SPARSE_PENALTY = 1e-3


@dataclass(frozen=True)
class MapSettings:
    """What a map is drawn from; see `BroadFeatures` for the meaning of each."""

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

    @classmethod
    def of(cls, estimator: Any) -> MapSettings:
        """The settings that an estimator's parameters of the same names give."""
        return cls(**{field.name: getattr(estimator, field.name) for field in fields(cls)})

    @property
    def n_features(self) -> int:
        """Feature nodes in all, mp."""
        return self.n_feature_groups * self.n_feature_nodes

    @property
    def n_enhancements(self) -> int:
        """Enhancement nodes in all, lq."""
        return self.n_enhancement_groups * self.n_enhancement_nodes

    @property
    def affine(self) -> bool:
        """Whether feature nodes are affine in the inputs."""
        return (
            self.feature_activation == "identity"
            and self.feature_scaling != "sample"
            and self.feature_weights != "rules"
        )

    @property
    def enhances_inputs(self) -> bool:
        """Whether enhancement nodes are computed from ``[Z, 1]`` rather than from ``[F, 1]``."""
        return self.affine or self.enhancement_inputs is not None

    @property
    def enhancement_scales(self) -> float | Array:
        """The scale of all enhancement nodes, or of each: several take turns within a group."""
        if np.ndim(self.enhancement_scale) == 0:
            return float(self.enhancement_scale)  # type: ignore[arg-type]
        scales = np.asarray(self.enhancement_scale, dtype=np.float64)
        if self.enhancement_inputs is not None:
            # Nodes of two kinds take turns; each kind is to have every scale.
            scales = np.repeat(scales, 2)
        return np.tile(np.resize(scales, self.n_enhancement_nodes), self.n_enhancement_groups)

    def draw_enhancements(self, seed: int, n_features: int, n_inputs: int) -> Array:
        """Weights of the enhancement nodes behind so many feature nodes and inputs, unscaled."""
        shape = (self.n_enhancement_groups, self.n_enhancement_nodes)
        if self.enhancement_inputs is None:
            return draw_enhancement_weights(seed, *shape, n_features)
        return draw_input_weights(seed, *shape, n_inputs, self.enhancement_inputs)


@dataclass(frozen=True)
class BroadMap:
    """A map with its weights, ready to apply to blocks ``[Z, 1]``.

    Attributes
    ----------
    settings : MapSettings
    feature_weights : ndarray of shape (D + 1, mp)
        A. For an affine map scaling is contained.
    feature_scale, feature_offset : ndarray of shape (mp,) or None
        Scaling after the activation, where the map is not affine.
    enhancement_weights : ndarray of shape (D + 1, lq) or (mp + 1, lq)
        From ``[Z, 1]`` if the map is affine or its enhancement nodes combine inputs, else from
        ``[F, 1]``; the scale is contained.
    """

    settings: MapSettings
    feature_weights: Array
    feature_scale: Array | None
    feature_offset: Array | None
    enhancement_weights: Array

    def features(self, affine: NDArray[np.floating]) -> NDArray[np.floating]:
        """F^m for a block ``[Z, 1]``."""
        F = affine @ self.feature_weights.astype(affine.dtype, copy=False)
        if self.settings.affine:
            return F
        ACTIVATIONS[self.settings.feature_activation](F)
        if self.settings.feature_scaling == "sample":
            scale_rows_in_groups(F, self.settings.n_feature_groups)
        elif self.feature_scale is not None and self.feature_offset is not None:
            F *= self.feature_scale.astype(F.dtype, copy=False)
            F += self.feature_offset.astype(F.dtype, copy=False)
        return F

    def enhancements(
        self,
        affine: NDArray[np.floating],
        features: NDArray[np.floating] | None,
        out: NDArray[np.floating] | None = None,
    ) -> NDArray[np.floating]:
        """E^l for a block; `features` is needed where they are computed from these."""
        W = self.enhancement_weights.astype(affine.dtype, copy=False)
        if features is None or self.settings.enhances_inputs:
            U = np.matmul(affine, W, out=out)
        else:
            U = np.matmul(features, W[:-1], out=out)
            U += W[-1]
        return ACTIVATIONS[self.settings.activation](U)

    def design(
        self, affine: NDArray[np.floating], out: NDArray[np.floating] | None = None
    ) -> NDArray[np.floating]:
        """G = [F^m, E^l] for a block ``[Z, 1]``."""
        F = self.features(affine)
        shape = (F.shape[0], F.shape[1] + self.settings.n_enhancements)
        G = np.empty(shape, dtype=F.dtype) if out is None else out
        G[:, : F.shape[1]] = F
        self.enhancements(affine, F, out=G[:, F.shape[1] :])
        return G


@dataclass(frozen=True)
class ReducedMap:
    """The columns that a ridge problem is solved with in place of G.

    Attributes
    ----------
    map : BroadMap
    basis : ndarray of shape (D + 1, r) or None
        Rᵗ; None where F^m itself is used.
    rotation : ndarray of shape (mp, r) or None
        Q, with orthonormal columns.
    """

    map: BroadMap
    basis: Array | None
    rotation: Array | None

    @property
    def n_feature_columns(self) -> int:
        """Columns that stand for F^m."""
        return self.map.settings.n_features if self.basis is None else self.basis.shape[1]

    @property
    def n_columns(self) -> int:
        """Columns in all."""
        return self.n_feature_columns + self.map.settings.n_enhancements

    def __call__(
        self, affine: NDArray[np.floating], out: NDArray[np.floating] | None = None
    ) -> NDArray[np.floating]:
        """The reduced design matrix of a block ``[Z, 1]``, in `out` if that is given."""
        if self.basis is None:
            return self.map.design(affine, out)
        r = self.basis.shape[1]
        H = np.empty((affine.shape[0], self.n_columns), dtype=affine.dtype) if out is None else out
        np.matmul(affine, self.basis.astype(affine.dtype, copy=False), out=H[:, :r])
        self.map.enhancements(affine, None, out=H[:, r:])
        return H

    def full_weights(self, weights: Array) -> Array:
        """Weights of G from those of the reduced columns."""
        if self.rotation is None:
            return weights
        r = self.n_feature_columns
        return np.concatenate([self.rotation @ weights[:r], weights[r:]])


def reduce_map(broad_map: BroadMap) -> ReducedMap:
    """Rotate surplus affine feature nodes away, where there are any."""
    A = broad_map.feature_weights
    if not broad_map.settings.affine or A.shape[1] <= A.shape[0]:
        return ReducedMap(broad_map, None, None)
    Q, R = np.linalg.qr(A.T)
    return ReducedMap(broad_map, np.ascontiguousarray(R.T), Q)


def interleave(broad_map: BroadMap) -> BroadMap:
    """Order enhancement nodes by their number within a group, so that fewer are the first ones."""
    settings = broad_map.settings
    if settings.n_enhancement_groups == 1:
        return broad_map
    shape = (settings.n_enhancement_groups, settings.n_enhancement_nodes)
    order = np.arange(settings.n_enhancements).reshape(shape).T.ravel()
    return replace(broad_map, enhancement_weights=broad_map.enhancement_weights[:, order])


def learn_map(
    X: NDArray[np.floating],
    standardization: Standardization,
    settings: MapSettings,
    seed: int,
    weight: NDArray[np.float64] | None = None,
) -> BroadMap:
    """Draw a map and learn its scaling from rows of positive weight.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    standardization : Standardization
    settings : MapSettings
    seed : int
    weight : ndarray of shape (n_samples,) or None
        Positive row weights.

    Returns
    -------
    BroadMap
    """
    m, p = settings.n_feature_groups, settings.n_feature_nodes
    orthonormal = settings.feature_weights == "orthonormal"
    A = draw_feature_weights(seed, m, p, X.shape[1], orthonormal=orthonormal)
    if settings.feature_weights == "sparse":
        A = _refine_groups(X, standardization, A, p, weight)
    scale, offset = learn_scaling(X, standardization, settings, A, weight)
    W = settings.draw_enhancements(seed, m * p, X.shape[1])
    return assemble_map(settings, A, scale, offset, W)


def assemble_map(
    settings: MapSettings, A: Array, scale: Array | None, offset: Array | None, W: Array
) -> BroadMap:
    """Make a map from drawn weights and learnt scaling, collapsed where it is affine.

    Parameters
    ----------
    settings : MapSettings
    A : ndarray of shape (D + 1, mp)
        Feature weights as drawn.
    scale, offset : ndarray of shape (mp,) or None
        Scaling of the feature nodes.
    W : ndarray of shape (mp + 1, lq) or (D + 1, lq)
        Enhancement weights as drawn.
    """
    W = settings.enhancement_scales * W
    W[-1] *= settings.enhancement_bias
    if not settings.affine:
        return BroadMap(settings, A, scale, offset, W)
    if scale is not None and offset is not None:
        A = A * scale
        A[-1] += offset
    if settings.enhancement_inputs is not None:
        return BroadMap(settings, A, None, None, W)
    B = A @ W[:-1]
    B[-1] += W[-1]
    return BroadMap(settings, A, None, None, B)


def _node_blocks(
    X: NDArray[np.floating], standardization: Standardization, A: Array, activation: str
) -> Callable[[slice], NDArray[np.floating]]:
    """Give the function that computes unscaled nodes for a slice of rows."""
    weights = A.astype(X.dtype, copy=False)

    def nodes(rows: slice) -> NDArray[np.floating]:
        return ACTIVATIONS[activation](affine_block(X, rows, standardization) @ weights)

    return nodes


def learn_scaling(
    X: NDArray[np.floating],
    standardization: Standardization,
    settings: MapSettings,
    A: Array,
    weight: NDArray[np.float64] | None,
) -> tuple[Array | None, Array | None]:
    """Scale and offset of every feature node; None where nothing is learnt."""
    if settings.feature_scaling in (None, "sample"):
        return None, None
    if settings.feature_scaling == "node":
        blocks = _node_blocks(X, standardization, A, settings.feature_activation)
        return to_interval(
            *node_extremes(map(blocks, row_slices(X.shape[0], A.shape[1])), A.shape[1])
        )

    def nodes(part: slice) -> NDArray[np.floating]:
        blocks = _node_blocks(X, standardization, A[:, part], settings.feature_activation)
        return np.concatenate([blocks(rows) for rows in row_slices(*X.shape)])

    step = max(1, (1 << 20) // X.shape[0])
    return to_interval(*node_quantiles(nodes, A.shape[1], step, weight))


def _refine_groups(
    X: NDArray[np.floating],
    standardization: Standardization,
    A: Array,
    n_nodes: int,
    weight: NDArray[np.float64] | None,
) -> Array:
    """Replace each group's weights by the lasso that rebuilds [Z, 1] from the group's nodes."""
    moments = input_moments(X, standardization, weight)
    H = scaled_nodes(X, standardization, A)
    inputs = np.eye(A.shape[0])
    groups = [H[:, start : start + n_nodes] for start in range(0, A.shape[1], n_nodes)]
    return np.concatenate(
        [rebuilding_weights(moments, group, inputs, SPARSE_PENALTY) for group in groups], axis=1
    )
