"""A single hidden layer as a map without feature nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadlearn.random_features._broad_map import BroadMap, MapSettings

Array = NDArray[np.float64]


@dataclass(frozen=True)
class HiddenLayers:
    """Maps ``[Z, 1] -> act([Z, 1] W)``; there are no feature nodes to cut.

    Attributes
    ----------
    activation : str
    """

    activation: str

    def cut(self, n_groups: int, n_nodes: int, W: Array) -> BroadMap:
        """The map with hidden weights W."""
        settings = MapSettings(
            n_feature_groups=n_groups,
            n_feature_nodes=n_nodes,
            n_enhancement_groups=1,
            n_enhancement_nodes=W.shape[1],
            activation=self.activation,
            feature_activation="identity",
            feature_weights="random",
            feature_scaling=None,
            enhancement_scale=1.0,
        )
        return BroadMap(settings, np.empty((W.shape[0], 0)), None, None, W)
