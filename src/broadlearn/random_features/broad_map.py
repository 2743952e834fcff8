"""The broad feature map: X -> G = [F^m, E^l], and the smaller matrix that stands for it.

Where feature nodes are affine in the inputs (identity activation; scaling per node or none), F^m =
[Z, 1] A has rank at most D + 1. With the factorisation Aᵗ = QR, F^m = [Z, 1] Rᵗ Qᵗ, and a ridge
problem on the columns [Z, 1] Rᵗ has the same predictions; its weights w give those of F^m as Q w.
The enhancement inputs collapse likewise: F^m W_E = [Z, 1] (A W_E).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from broadlearn.random_features.activations import ACTIVATIONS
from broadlearn.random_features.standardization import Standardization
from broadlearn.utils import Array, Floats, row_slices

if TYPE_CHECKING:
    from broadlearn.random_features.nested_maps import MapSettings

# Nodes are scaled to this interval, as in the published code.
LOW, HIGH = -1.0, 1.0


@dataclass(frozen=True)
class BroadMap:
    """A map with its weights, ready to apply to blocks ``[Z, 1]``.

    `feature_weights` are A, of shape (D + 1, mp), with the scaling of an affine map; otherwise
    nodes are scaled after the activation. `enhancement_weights`, with their scale, are from
    ``[Z, 1]`` if the map is affine or its enhancement nodes combine inputs, else from ``[F, 1]``.
    `basis` is Rᵗ, of shape (D + 1, r), if fewer columns stand for F^m, None for F^m itself.
    """

    settings: MapSettings
    feature_weights: Array
    feature_scale: Array | None
    feature_offset: Array | None
    enhancement_weights: Array
    affine: bool = False  # whether feature nodes are affine in the inputs
    basis: Array | None = None

    @property
    def enhances_inputs(self) -> bool:
        """Whether enhancement nodes are computed from ``[Z, 1]`` instead of ``[F, 1]``."""
        return self.affine or self.settings.enhancement_inputs is not None

    @property
    def n_features(self) -> int:
        """Number of feature nodes, mp."""
        return self.feature_weights.shape[1]

    @property
    def n_enhancements(self) -> int:
        """Number of enhancement nodes, lq."""
        return self.enhancement_weights.shape[1]

    @property
    def n_feature_columns(self) -> int:
        """Number of columns that stand for F^m."""
        return self.n_features if self.basis is None else self.basis.shape[1]

    @property
    def n_columns(self) -> int:
        """Number of columns that stand for G."""
        return self.n_feature_columns + self.n_enhancements

    def features(self, affine: Floats) -> Floats:
        """Return F^m for a block ``[Z, 1]``."""
        F = affine @ self.feature_weights.astype(affine.dtype, copy=False)
        if self.affine:
            return F
        ACTIVATIONS[self.settings.feature_activation](F)
        if self.settings.feature_scaling == "sample":
            return scale_rows_in_groups(F, self.settings.n_feature_groups)
        return self._scaled(F)

    def _scaled(self, F: Floats, first: int = 0) -> Floats:
        """Scale features in place, if a scaling was learnt; `first` is the number of the first."""
        if self.feature_scale is not None and self.feature_offset is not None:
            own = slice(first, first + F.shape[1])
            F *= self.feature_scale[own].astype(F.dtype, copy=False)
            F += self.feature_offset[own].astype(F.dtype, copy=False)
        return F

    def enhancements(
        self, affine: Floats, features: Floats | None, out: Floats | None = None
    ) -> Floats:
        """Return E^l for a block; `features` are needed if nodes combine them."""
        W = self.enhancement_weights.astype(affine.dtype, copy=False)
        E = np.empty((len(affine), W.shape[1]), affine.dtype) if out is None else out
        inputs, bias = affine, None
        if features is not None and not self.enhances_inputs:
            inputs, W, bias = features, W[:-1], W[-1]
        # 1 MB of nodes at a time stays in the cache until they are activated.
        for rows in row_slices(len(E), W.shape[1], 1 << 17):
            U = np.matmul(inputs[rows], W, out=E[rows])
            if bias is not None:
                U += bias
            ACTIVATIONS[self.settings.activation](U)
        return E

    def design(self, affine: Floats, out: Floats | None = None) -> Floats:
        """Return G = [F^m, E^l] for a block ``[Z, 1]``."""
        F = self.features(affine)
        n = F.shape[1]
        shape = (F.shape[0], n + self.n_enhancements)
        G = np.empty(shape, dtype=F.dtype) if out is None else out
        G[:, :n] = F
        self.enhancements(affine, F, out=G[:, n:])
        return G

    def columns(self, affine: Floats, out: Floats | None = None) -> Floats:
        """Return the columns that a ridge problem is solved with in place of G."""
        if self.basis is None:
            return self.design(affine, out)
        r = self.basis.shape[1]
        shape = (affine.shape[0], r + self.enhancement_weights.shape[1])
        H = np.empty(shape, dtype=affine.dtype) if out is None else out
        np.matmul(affine, self.basis.astype(affine.dtype, copy=False), out=H[:, :r])
        self.enhancements(affine, None, out=H[:, r:])
        return H

    def node_weights(self, weights: Array) -> Array:
        """Return output weights of all nodes from those of the columns: Q w for F^m."""
        if self.basis is None:
            return weights
        r, Q = self.basis.shape[1], np.linalg.qr(self.feature_weights.T)[0]
        return np.concatenate([Q @ weights[:r], weights[r:]])


class MappedSamples:
    """Design matrix of some samples, with rows made on demand."""

    def __init__(self, broad_map: BroadMap, X: Floats, standardization: Standardization) -> None:
        self.map, self.X, self.standardization = broad_map, X, standardization
        self.n_rows, self.n_columns = X.shape[0], broad_map.n_columns

    @property
    def n_nodes(self) -> int:
        """Number of nodes that the columns stand for."""
        return self.map.settings.n_features + self.map.settings.n_enhancements

    def __call__(self, rows: slice | NDArray[np.intp], out: Floats | None = None) -> Floats:
        """Return the columns that stand for the given rows of G, in `out` if given."""
        return self.map.columns(self.standardization.affine(self.X, rows), out)


def interleave(broad_map: BroadMap) -> BroadMap:
    """Order enhancement nodes by their number within a group: a smaller size comes first."""
    settings = broad_map.settings
    if settings.n_enhancement_groups == 1 or settings.cascades_enhancements:
        return broad_map
    shape = (settings.n_enhancement_groups, settings.n_enhancement_nodes)
    order = np.arange(settings.n_enhancements).reshape(shape).T.ravel()
    return replace(broad_map, enhancement_weights=broad_map.enhancement_weights[:, order])


def row_intervals(grouped: Floats, axis: int) -> tuple[Floats, Floats]:
    """Return factor and shift that scale nodes along an axis to [LOW, HIGH]; constant ones to 0."""
    low = grouped.min(axis=axis, keepdims=True)
    width = grouped.max(axis=axis, keepdims=True) - low
    constant = width == 0.0
    factor = (HIGH - LOW) / np.where(constant, 1.0, width)
    return factor, np.where(constant, 0.0, LOW) - factor * low


def scale_rows_in_groups(F: Floats, n_groups: int) -> Floats:
    """Scale every row of every group to [LOW, HIGH], in place; constant ones to 0."""
    grouped = F.reshape(F.shape[0], n_groups, -1)
    factor, shift = row_intervals(grouped, 2)
    grouped *= factor
    grouped += shift
    return F
