"""Fewer columns for features that are scaled per sample, with the same ridge predictions.

Scaled per sample, the nodes of group i are ``F_i = a_i [Z, 1] A_i + b_i 1ᵗ`` with two numbers a_i
and b_i for each sample: F_i = ``[a_i [Z, 1], b_i] M_i`` with ``M_i = [A_i; 1ᵗ]`` of D + 2 rows, and
its rank is at most D + 2 however many nodes there are. With ``M_iᵗ = Q_i R_i``, the columns
``[a_i [Z, 1], b_i] R_iᵗ`` are a rotation of F_i, which does not change ridge predictions. Inputs of
enhancement nodes, ``F W``, are the sum of ``[a_i [Z, 1], b_i] (M_i W_i)`` over groups: the nodes
themselves are only needed for their minimum and maximum.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from broadlearn.random_features.activations import ACTIVATIONS
from broadlearn.random_features.broad_map import BroadMap, row_intervals
from broadlearn.utils import Array, Floats


@dataclass(frozen=True, kw_only=True)
class CondensedMap(BroadMap):
    """A map whose columns are a rotation of those of a map that is scaled per sample.

    `group_bases`, of shape (m, D + 2, D + 2), are R_iᵗ of each group; `group_layers`, of shape
    (m (D + 2), lq), are M_i W_i, or None if enhancement nodes combine inputs.
    """

    group_bases: Array
    group_layers: Array | None

    @property
    def n_feature_columns(self) -> int:
        """Number of columns that stand for F^m."""
        return self.group_bases.shape[0] * self.group_bases.shape[2]

    def columns(self, affine: Floats, out: Floats | None = None) -> Floats:
        """Return the columns that a ridge problem is solved with in place of G."""
        n_samples, n, dtype = len(affine), self.n_feature_columns, affine.dtype
        if out is None:
            out = np.empty((n_samples, self.n_columns), dtype=dtype)
        m = self.settings.n_feature_groups
        # With samples along the last axis, their extremes are found together.
        nodes = (self.feature_weights.T.astype(dtype, copy=False) @ affine.T).reshape(
            m, -1, n_samples
        )
        factor, shift = (part[:, 0] for part in row_intervals(nodes, 1))
        inputs = np.empty((n_samples, m, affine.shape[1] + 1), dtype=dtype)
        np.multiply(affine[:, None], factor.T[:, :, None], out=inputs[:, :, :-1])
        inputs[:, :, -1] = shift.T
        bases = self.group_bases.astype(dtype, copy=False)
        grouped = np.matmul(inputs.transpose(1, 0, 2), bases)
        out[:, :n].reshape(n_samples, m, -1)[:] = grouped.transpose(1, 0, 2)
        if self.group_layers is None:
            self.enhancements(affine, None, out=out[:, n:])
            return out
        layers = self.group_layers.astype(dtype, copy=False)
        U = np.matmul(inputs.reshape(n_samples, -1), layers, out=out[:, n:])
        U += self.enhancement_weights[-1].astype(dtype, copy=False)
        ACTIVATIONS[self.settings.activation](U)
        return out


def condense(broad_map: BroadMap) -> BroadMap:
    """Return a map with the same ridge predictions and fewer columns, if there is one.

    Examples
    --------
    >>> import numpy as np
    >>> from broadlearn.random_features import MapSettings, condense, draw_map
    >>> from broadlearn.random_features import learn_standardization
    >>> X = np.random.default_rng(0).normal(size=(20, 3))
    >>> settings = MapSettings(2, 40, 1, 6, "tanh", "identity", "random", "sample", 1.0)
    >>> standardization = learn_standardization(X, None, True)
    >>> plain = draw_map(settings, X, standardization, seed=0)
    >>> plain.n_columns, condense(plain).n_columns
    (86, 16)
    """
    settings, A = broad_map.settings, broad_map.feature_weights
    linear = settings.feature_activation == "identity" and settings.feature_scaling == "sample"
    if not linear or settings.n_feature_nodes <= A.shape[0] + 1:
        return broad_map
    shape = (settings.n_feature_groups, settings.n_feature_nodes, -1)
    per_group = np.concatenate([A, np.ones((1, A.shape[1]))]).T.reshape(shape)
    R, layers = np.asarray(np.linalg.qr(per_group, mode="r")), None
    if not broad_map.enhances_inputs:
        W = broad_map.enhancement_weights[:-1].reshape(shape)
        layers = (per_group.transpose(0, 2, 1) @ W).reshape(-1, W.shape[2])
    own = {field.name: getattr(broad_map, field.name) for field in fields(BroadMap)}
    return CondensedMap(**own, group_bases=R.transpose(0, 2, 1), group_layers=layers)
