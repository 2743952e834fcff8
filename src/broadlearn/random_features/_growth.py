"""Larger maps from smaller ones: what was drawn and scaled before stays as it is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from broadlearn.random_features._broad_map import BroadMap, MapSettings, assemble_map, learn_map
from broadlearn.random_features._standardize import Standardization

Array = NDArray[np.float64]


def grow_map(
    old: BroadMap,
    settings: MapSettings,
    seed: int,
    X: NDArray[np.floating],
    standardization: Standardization,
    weight: Array | None = None,
) -> BroadMap:
    """Enlarge a map by groups of feature nodes, groups of enhancement nodes, or nodes of these.

    Feature nodes of the old map keep their weights and scaling; new ones are scaled on the rows
    given. Enhancement nodes of the old map are part of the new one unless feature groups are added:
    those feed all enhancement nodes, which are then drawn anew.

    Parameters
    ----------
    old : BroadMap
    settings : MapSettings
        Of the new map: those of the old one but for larger numbers of groups or enhancement nodes.
    seed : int
        The seed of the old map.
    X, standardization, weight
        As for `learn_map`.

    Returns
    -------
    BroadMap
    """
    A, scale, offset = old.feature_weights, old.feature_scale, old.feature_offset
    n_old = old.settings.n_features
    if settings.n_features > n_old:
        new = learn_map(X, standardization, settings, seed, weight)
        A = np.concatenate([A, new.feature_weights[:, n_old:]], axis=1)
        if scale is not None and new.feature_scale is not None:
            scale = np.concatenate([scale, new.feature_scale[n_old:]])
        if offset is not None and new.feature_offset is not None:
            offset = np.concatenate([offset, new.feature_offset[n_old:]])
    W = settings.draw_enhancements(seed, settings.n_features, X.shape[1])
    return assemble_map(settings, A, scale, offset, W)


def kept_enhancements(old: MapSettings, new: MapSettings) -> NDArray[np.intp]:
    """Columns of the new enhancement nodes that are those of the old map, in its order.

    Examples
    --------
    >>> from dataclasses import replace
    >>> old = MapSettings(1, 2, 2, 2, "tanh", "identity", "random", "node", 1.0)
    >>> kept_enhancements(old, replace(old, n_enhancement_nodes=3))
    array([0, 1, 3, 4])
    """
    if new.n_features != old.n_features:
        return np.empty(0, dtype=np.intp)
    first = new.n_enhancement_nodes * np.arange(old.n_enhancement_groups)
    return (first[:, None] + np.arange(old.n_enhancement_nodes)).ravel()
