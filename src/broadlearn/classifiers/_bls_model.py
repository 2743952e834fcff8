"""The parameters and maps that the broad learning systems share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from broadlearn.classifiers._base import BroadModel, MapFamily
from broadlearn.classifiers._rows import Array, FitTask
from broadlearn.random_features._broad_map import MapSettings
from broadlearn.random_features._constraints import MAP_CONSTRAINTS
from broadlearn.random_features._nested_maps import learn_nested_maps


class BLSModel(BroadModel):
    """A model on feature and enhancement nodes."""

    # Models that were saved before there were such parameters have none.
    enhancement_bias: float = 1.0
    enhancement_inputs: int | None = None
    _parameter_constraints: dict[str, list[Any]] = {
        **BroadModel._parameter_constraints,
        **MAP_CONSTRAINTS,
    }

    def __init__(
        self,
        n_feature_groups: int = 1,
        n_feature_nodes: int = 64,
        n_enhancement_groups: int = 1,
        n_enhancement_nodes: int = 936,
        C: float = 1.0,
        *,
        activation: str = "tanh",
        feature_activation: str = "identity",
        feature_weights: str = "orthonormal",
        feature_scaling: str | None = "node",
        enhancement_scale: float | Sequence[float] = 0.8,
        enhancement_bias: float = 1.5,
        enhancement_inputs: int | None = 4,
        standardize: bool | str = True,
        solver: str = "auto",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_feature_groups = n_feature_groups
        self.n_feature_nodes = n_feature_nodes
        self.n_enhancement_groups = n_enhancement_groups
        self.n_enhancement_nodes = n_enhancement_nodes
        self.C = C
        self.activation = activation
        self.feature_activation = feature_activation
        self.feature_weights = feature_weights
        self.feature_scaling = feature_scaling
        self.enhancement_scale = enhancement_scale
        self.enhancement_bias = enhancement_bias
        self.enhancement_inputs = enhancement_inputs
        self.standardize = standardize
        self.solver = solver
        self.random_state = random_state

    def _sizes(self) -> tuple[int, int]:
        return self.n_feature_groups, self.n_feature_nodes

    def _map_family(self, task: FitTask, seed: int) -> MapFamily:
        return learn_nested_maps(
            task.X, task.standardization, MapSettings.of(self), seed, task.weight
        )

    def _draw_layer(self, seed: int, n_features: int) -> Array:
        return MapSettings.of(self).draw_enhancements(seed, n_features, self.n_features_in_)
