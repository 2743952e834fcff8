"""Groups of Takagi-Sugeno rules as feature nodes.

Rule k of a group has a Gaussian membership for every feature, ``exp(-((z_d - c_kd)/σ)²)``, and a
first-order consequent, ``[z, 1] a_k``. Its firing strength, the product of the memberships divided
by the sum over the rules of its group, is a softmax of logarithms that are, but for a term that all
rules share, affine in z: it neither overflows nor underflows, however many features there are.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from sklearn.cluster import KMeans

from broadlearn.random_features.broad_map import BroadMap
from broadlearn.random_features.draws import (
    draw_enhancement_weights,
    draw_feature_weights,
    draw_group_seed,
)
from broadlearn.random_features.nested_maps import MapSettings, scale_nodes
from broadlearn.random_features.standardization import Standardization
from broadlearn.utils import Array, Floats, distinct_rows, one_thread, row_slices

# Largest number of samples that a group clusters, to limit time; each group draws its own.
MAX_CLUSTERED = 2000


@dataclass(frozen=True)
class FuzzyMap(BroadMap):
    """A map whose feature nodes are rules: firing strength times consequent, scaled.

    `log_strengths`, of shape (D + 1, mp), are weights of the rules' log strengths, up to a term
    that a group shares.
    """

    log_strengths: Array = field(kw_only=True)

    def features(self, affine: Floats) -> Floats:
        """Return the outputs of all rules for a block ``[Z, 1]``."""
        F = firing_strengths(affine, self.log_strengths, self.settings.n_feature_groups)
        F *= affine @ self.feature_weights.astype(F.dtype, copy=False)
        return self._scaled(F)


def firing_strengths(affine: Floats, log_strengths: Array, n_groups: int) -> Floats:
    """Return firing strengths for a block ``[Z, 1]``; those of a group sum to one."""
    logs = affine @ log_strengths.astype(affine.dtype, copy=False)
    grouped = logs.reshape(logs.shape[0], n_groups, -1)
    grouped -= grouped.max(axis=2, keepdims=True)
    np.exp(grouped, out=grouped)
    grouped /= grouped.sum(axis=2, keepdims=True)
    return logs


@dataclass(frozen=True)
class FuzzyRules:
    """Groups of rules, and enhancement nodes behind them; a `MapRecipe`.

    Feature nodes are rules. The width σ of the memberships is in units of the square root of the
    number of features.
    """

    n_feature_groups: int
    n_feature_nodes: int
    n_enhancement_nodes: int
    activation: str
    enhancement_scale: float
    width: float

    def learn(
        self, X: Floats, standardization: Standardization, seed: int, weight: Array | None = None
    ) -> FuzzyMaps:
        """Return maps of up to `n_feature_groups` groups, which cluster the distinct samples."""
        return FuzzyMaps(self, X, standardization, seed, weight)

    def draw_layer(self, seed: int, n_features: int, n_inputs: int) -> Array:
        """Draw the weights of the enhancement nodes."""
        return draw_enhancement_weights(seed, 1, self.n_enhancement_nodes, n_features)


class FuzzyMaps:
    """Maps of many sizes on the same samples; centres are learnt once per number of rules."""

    def __init__(
        self,
        recipe: FuzzyRules,
        X: Floats,
        standardization: Standardization,
        seed: int,
        weight: Array | None,
    ) -> None:
        self.recipe, self.X, self.standardization, self.seed = recipe, X, standardization, seed
        given = np.ones(len(X)) if weight is None else weight
        distinct = distinct_rows(X, np.zeros(len(X), dtype=np.intp), given)
        Z = standardization.affine(X[distinct.first])[:, :-1]
        # Rounded and sorted, so that neither the last digits of a mean nor the order of the samples
        # decide which centre is nearest.
        rounded: Array = np.round(Z, 9).astype(np.float64)
        order = np.lexsort(rounded.T[::-1])
        self.Z, self.weight = rounded[order], distinct.weight[order]
        self._whole: dict[int, FuzzyMap] = {}

    def cut(self, n_groups: int, n_nodes: int, W: Array) -> FuzzyMap:
        """Return the map of `n_groups` groups of `n_nodes` rules with enhancement weights W."""
        if n_nodes not in self._whole:
            self._whole[n_nodes] = self._learn(n_nodes)
        whole, n = self._whole[n_nodes], n_groups * n_nodes
        return FuzzyMap(
            replace(whole.settings, n_feature_groups=n_groups),
            whole.feature_weights[:, :n],
            None if whole.feature_scale is None else whole.feature_scale[:n],
            None if whole.feature_offset is None else whole.feature_offset[:n],
            self.recipe.enhancement_scale * W,
            log_strengths=whole.log_strengths[:, :n],
        )

    def _learn(self, n_rules: int) -> FuzzyMap:
        """Learn the rules of all groups and the scaling of their outputs."""
        recipe, X, n_groups = self.recipe, self.X, self.recipe.n_feature_groups
        settings = MapSettings(
            n_feature_groups=n_groups,
            n_feature_nodes=n_rules,
            n_enhancement_groups=1,
            n_enhancement_nodes=recipe.n_enhancement_nodes,
            activation=recipe.activation,
            feature_activation="identity",
            feature_weights="rules",
            feature_scaling="node",
            enhancement_scale=recipe.enhancement_scale,
        )
        n_inputs = self.Z.shape[1]
        A = draw_feature_weights(self.seed, n_groups, n_rules, n_inputs)
        with one_thread():
            centres = np.concatenate([self._centres(i, n_rules) for i in range(n_groups)])
        logs = np.vstack([2.0 * centres.T, -np.einsum("kd,kd->k", centres, centres)])
        logs /= recipe.width**2 * n_inputs
        no_layer = np.empty((A.shape[1] + 1, 0))
        raw = FuzzyMap(settings, A, None, None, no_layer, log_strengths=logs)
        blocks = (
            raw.features(self.standardization.affine(X, rows))
            for rows in row_slices(X.shape[0], A.shape[1])
        )
        scale, offset = scale_nodes(blocks, A.shape[1])
        return replace(raw, feature_scale=scale, feature_offset=offset)

    def _centres(self, group: int, n_rules: int) -> Array:
        """Return k-means centres; rules share centres if distinct samples are too few."""
        Z, weight = self.Z, self.weight
        seed = draw_group_seed(self.seed, group)
        if len(Z) > MAX_CLUSTERED:
            draw = np.random.default_rng(seed)
            drawn = draw.choice(len(Z), MAX_CLUSTERED, p=weight / weight.sum())
            chosen, counts = np.unique(drawn, return_counts=True)
            Z, weight = Z[chosen], counts.astype(np.float64)
        if len(Z) <= n_rules:
            return np.asarray(Z[np.arange(n_rules) % len(Z)])
        means = KMeans(n_rules, n_init=1, random_state=seed).fit(Z, sample_weight=weight)
        return np.asarray(means.cluster_centers_, dtype=np.float64)
