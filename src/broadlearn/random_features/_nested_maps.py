"""Maps of many sizes on the same rows: drawn and scaled once, cut to size."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from broadlearn.random_features._broad_map import (
    BroadMap,
    MapSettings,
    assemble_map,
    learn_map,
    learn_scaling,
)
from broadlearn.random_features._draws import draw_feature_weights
from broadlearn.random_features._standardize import Standardization

Array = NDArray[np.float64]


@dataclass(frozen=True)
class NestedMaps:
    """Feature nodes of the largest map on some rows, of which smaller maps take a part.

    Attributes
    ----------
    settings : MapSettings
        Of the largest map.
    feature_weights : ndarray of shape (D + 1, mp)
    scale, offset : ndarray of shape (mp,) or None
    """

    settings: MapSettings
    feature_weights: Array
    scale: Array | None
    offset: Array | None

    def cut(self, n_groups: int, n_nodes: int, W: Array) -> BroadMap:
        """The map of `n_groups` groups of `n_nodes` nodes with enhancement weights W.

        It is the map that `learn_map` gives for these sizes on the same rows.
        """
        settings = replace(self.settings, n_feature_groups=n_groups, n_feature_nodes=n_nodes)
        first = self.settings.n_feature_nodes * np.arange(n_groups)
        nodes = (first[:, None] + np.arange(n_nodes)).ravel()
        scale = None if self.scale is None else self.scale[nodes]
        offset = None if self.offset is None else self.offset[nodes]
        return assemble_map(settings, self.feature_weights[:, nodes], scale, offset, W)


@dataclass(frozen=True)
class RelearntMaps:
    """Maps whose nodes depend on how many there are (sparse weights): each learnt anew."""

    settings: MapSettings
    seed: int
    X: NDArray[np.floating]
    standardization: Standardization
    weight: Array | None

    def cut(self, n_groups: int, n_nodes: int, W: Array) -> BroadMap:
        """The map of `n_groups` groups of `n_nodes` nodes; W is drawn again with it."""
        settings = replace(self.settings, n_feature_groups=n_groups, n_feature_nodes=n_nodes)
        return learn_map(self.X, self.standardization, settings, self.seed, self.weight)


def learn_nested_maps(
    X: NDArray[np.floating],
    standardization: Standardization,
    settings: MapSettings,
    seed: int,
    weight: Array | None = None,
) -> NestedMaps | RelearntMaps:
    """Prepare maps of all sizes up to that of `settings` on the same rows.

    Parameters
    ----------
    X, standardization, settings, seed, weight
        As for `learn_map`.
    """
    if settings.feature_weights == "sparse":
        return RelearntMaps(settings, seed, X, standardization, weight)
    A = draw_feature_weights(
        seed,
        settings.n_feature_groups,
        settings.n_feature_nodes,
        X.shape[1],
        orthonormal=settings.feature_weights == "orthonormal",
    )
    scale, offset = learn_scaling(X, standardization, settings, A, weight)
    return NestedMaps(settings, A, scale, offset)
