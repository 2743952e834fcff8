"""Random features: X -> G = [F^m, E^l]."""

from broadlearn.random_features.activations import ACTIVATIONS
from broadlearn.random_features.broad_map import HIGH, LOW, BroadMap, MappedSamples, interleave
from broadlearn.random_features.draws import draw_feature_weights
from broadlearn.random_features.fuzzy_rules import FuzzyMap, FuzzyRules
from broadlearn.random_features.hidden_layer import AutoencoderMap, Autoencoders, HiddenLayer
from broadlearn.random_features.nested_maps import (
    MapFamily,
    MapRecipe,
    MapSettings,
    NestedMaps,
    draw_map,
    grow_map,
    kept_enhancements,
    to_interval,
)

__all__ = [
    "ACTIVATIONS",
    "HIGH",
    "LOW",
    "AutoencoderMap",
    "Autoencoders",
    "BroadMap",
    "FuzzyMap",
    "FuzzyRules",
    "HiddenLayer",
    "MapFamily",
    "MapRecipe",
    "MapSettings",
    "MappedSamples",
    "NestedMaps",
    "draw_feature_weights",
    "draw_map",
    "grow_map",
    "interleave",
    "kept_enhancements",
    "to_interval",
]
