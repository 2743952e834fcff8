"""Fewer columns for features that are scaled per sample: predictions of a ridge problem stay.

Scaled per sample, the nodes of group i are ``F_i = a_i [Z, 1] A_i + b_i 1ᵗ`` with two numbers a_i
and b_i for each sample: F_i = ``[a_i [Z, 1], b_i] M_i`` with ``M_i = [A_i; 1ᵗ]`` of D + 2 rows, and
its rank is at most D + 2 however many nodes there are. With ``M_iᵗ = Q_i R_i``, the columns
``[a_i [Z, 1], b_i] R_iᵗ`` are a rotation of F_i, to which ridge is blind.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from broadlearn.random_features.broad_map import BroadMap, row_intervals, scale_rows_in_groups
from broadlearn.utils import Array, Floats


@dataclass(frozen=True, kw_only=True)
class CondensedMap(BroadMap):
    """A map whose columns are a rotation of those of a map that is scaled per sample.

    Attributes
    ----------
    group_bases : ndarray of shape (m, D + 2, D + 2)
        R_iᵗ of each group.
    """

    group_bases: Array

    @property
    def n_feature_columns(self) -> int:
        """Columns that stand for F^m."""
        return self.group_bases.shape[0] * self.group_bases.shape[2]

    def columns(self, affine: Floats, out: Floats | None = None) -> Floats:
        """The columns that a ridge problem is solved with in place of G."""
        n_samples, n, dtype = len(affine), self.n_feature_columns, affine.dtype
        if out is None:
            out = np.empty((n_samples, self.n_columns), dtype=dtype)
        F = affine @ self.feature_weights.astype(dtype, copy=False)
        m = self.settings.n_feature_groups
        factor, shift = row_intervals(F, m)
        bases = self.group_bases.astype(dtype, copy=False)
        stretched = affine @ bases[:, :-1].transpose(1, 0, 2).reshape(affine.shape[1], n)
        grouped = stretched.reshape(n_samples, m, -1)
        grouped *= factor
        grouped += shift * bases[:, -1]
        out[:, :n] = stretched
        self.enhancements(affine, scale_rows_in_groups(F, m, (factor, shift)), out=out[:, n:])
        return out


def condense(broad_map: BroadMap) -> BroadMap:
    """A map with the same ridge predictions and fewer columns, if there is one.

    Examples
    --------
    >>> import numpy as np
    >>> from broadlearn.random_features import MapSettings, condense, draw_map
    >>> from broadlearn.utils import learn_standardization
    >>> X = np.random.default_rng(0).normal(size=(20, 3))
    >>> settings = MapSettings(2, 40, 1, 6, "tanh", "identity", "random", "sample", 1.0)
    >>> standardization = learn_standardization(X, None, True)
    >>> plain = draw_map(settings, X, standardization, seed=0)
    >>> plain.n_columns, condense(plain).n_columns
    (86, 16)
    """
    settings, A = broad_map.settings, broad_map.feature_weights
    linear = settings.feature_activation == "identity" and settings.feature_scaling == "sample"
    if not linear or broad_map.affine or settings.n_feature_nodes <= A.shape[0] + 1:
        return broad_map
    per_group = A.T.reshape(settings.n_feature_groups, settings.n_feature_nodes, -1)
    ones = np.ones((*per_group.shape[:2], 1))
    R = np.asarray(np.linalg.qr(np.concatenate([per_group, ones], axis=2), mode="r"))
    own = {field.name: getattr(broad_map, field.name) for field in fields(BroadMap)}
    return CondensedMap(**own, group_bases=R.transpose(0, 2, 1))
