"""Fewer columns for features that are scaled per sample: predictions of a ridge problem stay.

Scaled per sample, the nodes of group i are ``F_i = a_i [Z, 1] A_i + b_i 1ᵗ`` with two numbers a_i
and b_i for each sample: F_i = ``[a_i [Z, 1], b_i] M_i`` with ``M_i = [A_i; 1ᵗ]`` of D + 2 rows, and
its rank is at most D + 2 however many nodes there are. With ``M_iᵗ = Q_i R_i``, the columns
``[a_i [Z, 1], b_i] R_iᵗ`` are a rotation of F_i, to which ridge is blind. What enhancement nodes
are made of, ``F W``, is the sum of ``[a_i [Z, 1], b_i] (M_i W_i)`` over groups: the nodes
themselves are only needed for their least and largest values.

Where columns of [Z, 1] depend on each other, as after rows were standardised, fewer of them do.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from broadlearn.random_features.activations import ACTIVATIONS
from broadlearn.random_features.broad_map import BroadMap, row_intervals
from broadlearn.utils import Array, Floats

# Part of a sample, relative to the largest one, that may be beyond a span.
BEYOND = 1e-13


@dataclass(frozen=True, kw_only=True)
class CondensedMap(BroadMap):
    """A map whose columns are a rotation of those of a map that is scaled per sample.

    Attributes
    ----------
    span : ndarray of shape (D + 1, r) or None
        Orthonormal columns that all samples ``[Z, 1]`` are combinations of; None for all of them.
    group_bases : ndarray of shape (m, r + 1, r + 1)
        R_iᵗ of each group.
    group_layers : ndarray of shape (m (r + 1), lq) or None
        M_i W_i of each group; None where enhancement nodes combine inputs.
    """

    span: Array | None
    group_bases: Array
    group_layers: Array | None

    @property
    def n_feature_columns(self) -> int:
        """Columns that stand for F^m."""
        return self.group_bases.shape[0] * self.group_bases.shape[2]

    def columns(self, affine: Floats, out: Floats | None = None) -> Floats:
        """The columns that a ridge problem is solved with in place of G."""
        n_samples, n, dtype = len(affine), self.n_feature_columns, affine.dtype
        if out is None:
            out = np.empty((n_samples, self.n_columns), dtype=dtype)
        Z, A = affine, self.feature_weights
        if self.span is not None:
            Z, A = Z @ self.span.astype(dtype, copy=False), self.span.T @ A
        m = self.settings.n_feature_groups
        # Samples along the last axis: extremes of all of them are found together.
        nodes = (A.T.astype(dtype, copy=False) @ Z.T).reshape(m, -1, n_samples)
        factor, shift = (part[:, 0] for part in row_intervals(nodes, 1))
        inputs = np.empty((n_samples, m, Z.shape[1] + 1), dtype=dtype)
        np.multiply(Z[:, None], factor.T[:, :, None], out=inputs[:, :, :-1])
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
        E = ACTIVATIONS[self.settings.activation](U)
        if self.strength != 1.0:
            E *= self.strength
        return out


def condense(broad_map: BroadMap, span: Array | None = None) -> BroadMap:
    """A map with the same ridge predictions and fewer columns, if there is one.

    Samples are known to be combinations of the columns of `span`, as `common_span` finds it.

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
    n_inputs = (A if span is None else span.T).shape[0]
    if not linear or broad_map.affine or settings.n_feature_nodes <= n_inputs + 1:
        return broad_map
    shape = (settings.n_feature_groups, settings.n_feature_nodes, -1)
    inputs = A if span is None else span.T @ A
    per_group = np.concatenate([inputs, np.ones((1, A.shape[1]))]).T.reshape(shape)
    R, layers = np.asarray(np.linalg.qr(per_group, mode="r")), None
    if not broad_map.enhances_inputs:
        W = broad_map.enhancement_weights[:-1].reshape(shape)
        layers = (per_group.transpose(0, 2, 1) @ W).reshape(-1, W.shape[2])
    own = {field.name: getattr(broad_map, field.name) for field in fields(BroadMap)}
    return CondensedMap(**own, span=span, group_bases=R.transpose(0, 2, 1), group_layers=layers)


def common_span(*tables: Floats) -> Array | None:
    """Orthonormal columns that the rows of all tables are combinations of.

    Parameters
    ----------
    *tables : ndarray of shape (n_samples, n)
        The first of them tells the span.

    Returns
    -------
    ndarray of shape (n, r) or None
        None where all n columns are needed.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[1.0, -1.0, 1.0], [2.0, -2.0, 1.0], [0.5, -0.5, 1.0]])
    >>> common_span(rows).shape, common_span(rows, np.eye(3)) is None
    ((3, 2), True)
    """
    first = tables[0]
    triangle = np.linalg.qr(first.astype(np.float64, copy=False), mode="r")
    _, values, Vt = np.linalg.svd(triangle, full_matrices=len(triangle) < first.shape[1])
    rank = int(np.count_nonzero(values > BEYOND * values.max(initial=0.0)))
    beyond = Vt[rank:].T
    for table in tables:
        if np.abs(table @ beyond).max(initial=0.0) > BEYOND * np.abs(table).max(initial=0.0):
            return None
    return np.ascontiguousarray(Vt[:rank].T) if 0 < rank < len(Vt) else None
