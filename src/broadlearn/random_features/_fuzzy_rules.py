"""Groups of Takagi-Sugeno rules as feature nodes.

Rule k of a group has a Gaussian membership for every column, ``exp(-((z_d - c_kd)/σ)²)``, and a
first-order consequent, ``[z, 1] a_k``. Its firing strength, the product of the memberships divided
by the sum over the rules of its group, is a softmax of logarithms that are, but for a term that all
rules share, affine in z: it neither overflows nor underflows, however many columns there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from broadlearn.random_features._broad_map import BroadMap, MapSettings
from broadlearn.random_features._draws import draw_feature_weights, draw_group_seed
from broadlearn.random_features._scaling import node_extremes, to_interval
from broadlearn.random_features._standardize import Standardization, affine_block, row_slices

Array = NDArray[np.float64]

# Rows that a group clusters; of larger tables each group draws its own.
CLUSTERED_ROWS = 2000


@dataclass(frozen=True)
class FuzzyMap(BroadMap):
    """A map whose feature nodes are rules: firing strength times consequent, scaled.

    Attributes
    ----------
    log_strengths : ndarray of shape (D + 1, mp)
        Weights of the rules' log strengths, up to a term that a group shares.
    """

    log_strengths: Array

    def features(self, affine: NDArray[np.floating]) -> NDArray[np.floating]:
        """Outputs of all rules for a block ``[Z, 1]``."""
        F = firing_strengths(affine, self.log_strengths, self.settings.n_feature_groups)
        F *= affine @ self.feature_weights.astype(F.dtype, copy=False)
        if self.feature_scale is not None and self.feature_offset is not None:
            F *= self.feature_scale.astype(F.dtype, copy=False)
            F += self.feature_offset.astype(F.dtype, copy=False)
        return F


def firing_strengths(
    affine: NDArray[np.floating], log_strengths: Array, n_groups: int
) -> NDArray[np.floating]:
    """Firing strengths of all rules for a block ``[Z, 1]``; those of a group sum to one.

    Parameters
    ----------
    affine : ndarray of shape (n_rows, D + 1)
    log_strengths : ndarray of shape (D + 1, n_groups * n_rules)
    n_groups : int

    Returns
    -------
    ndarray of shape (n_rows, n_groups * n_rules)
    """
    logs = affine @ log_strengths.astype(affine.dtype, copy=False)
    grouped = logs.reshape(logs.shape[0], n_groups, -1)
    grouped -= grouped.max(axis=2, keepdims=True)
    np.exp(grouped, out=grouped)
    grouped /= grouped.sum(axis=2, keepdims=True)
    return logs


class FuzzyMaps:
    """Maps of many sizes on the same rows; centres are learnt once for each number of rules.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    standardization : Standardization
    first : ndarray of shape (n_distinct,)
        Positions of the distinct rows of X.
    weight : ndarray of shape (n_distinct,)
        Sum of the weights of all copies of each.
    settings : MapSettings
        Of the largest map.
    width : float
        Width σ of the memberships, in units of the square root of the number of columns.
    seed : int
    """

    def __init__(
        self,
        X: NDArray[np.floating],
        standardization: Standardization,
        first: NDArray[np.intp],
        weight: Array,
        settings: MapSettings,
        width: float,
        seed: int,
    ) -> None:
        self.X, self.standardization, self.settings = X, standardization, settings
        self.sigma2 = width**2 * X.shape[1]
        self.seed = seed
        Z = affine_block(X[first], slice(0, first.size), standardization)[:, :-1]
        # Rounded, so that the last digits of a mean do not decide to which centre a row is nearest,
        # and in an order that does not depend on how the rows are stored.
        rounded: Array = np.round(Z, 9).astype(np.float64)
        order = np.lexsort(rounded.T[::-1])
        self.Z, self.weight = rounded[order], weight[order]
        self._whole: dict[int, FuzzyMap] = {}

    def cut(self, n_groups: int, n_nodes: int, W: Array) -> FuzzyMap:
        """The map of `n_groups` groups of `n_nodes` rules with enhancement weights W."""
        if n_nodes not in self._whole:
            self._whole[n_nodes] = self._learn(n_nodes)
        whole = self._whole[n_nodes]
        settings = replace(whole.settings, n_feature_groups=n_groups)
        n = n_groups * n_nodes
        return FuzzyMap(
            settings,
            whole.feature_weights[:, :n],
            None if whole.feature_scale is None else whole.feature_scale[:n],
            None if whole.feature_offset is None else whole.feature_offset[:n],
            settings.enhancement_scale * W,
            whole.log_strengths[:, :n],
        )

    def _learn(self, n_rules: int) -> FuzzyMap:
        """Rules of all groups, with the scaling of their outputs but without enhancement nodes."""
        X, n_groups = self.X, self.settings.n_feature_groups
        settings = replace(self.settings, n_feature_nodes=n_rules)
        A = draw_feature_weights(self.seed, n_groups, n_rules, X.shape[1])
        with threadpool_limits(1):
            centres = np.concatenate([self._centres(i, n_rules) for i in range(n_groups)])
        logs = np.vstack([2.0 * centres.T, -np.einsum("kd,kd->k", centres, centres)]) / self.sigma2
        raw = FuzzyMap(settings, A, None, None, np.empty((A.shape[1] + 1, 0)), logs)
        blocks = (
            raw.features(affine_block(X, rows, self.standardization))
            for rows in row_slices(X.shape[0], A.shape[1])
        )
        scale, offset = to_interval(*node_extremes(blocks, A.shape[1]))
        return replace(raw, feature_scale=scale, feature_offset=offset)

    def _centres(self, group: int, n_rules: int) -> Array:
        """Centres of a group by k-means; rules share centres where distinct rows are too few."""
        Z, weight = self.Z, self.weight
        seed = draw_group_seed(self.seed, group)
        if len(Z) > CLUSTERED_ROWS:
            draw = np.random.default_rng(seed)
            drawn = draw.choice(len(Z), CLUSTERED_ROWS, p=weight / weight.sum())
            chosen, counts = np.unique(drawn, return_counts=True)
            Z, weight = Z[chosen], counts.astype(np.float64)
        if len(Z) <= n_rules:
            centres: Array = Z[np.arange(n_rules) % len(Z)]
        else:
            means = KMeans(n_rules, n_init=1, random_state=seed).fit(Z, sample_weight=weight)
            centres = np.asarray(means.cluster_centers_, dtype=np.float64)
        return centres
