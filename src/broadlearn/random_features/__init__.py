"""Random features: X -> G = [F^m, E^l]."""

from broadlearn.random_features.activations import ACTIVATIONS
from broadlearn.random_features.broad_map import HIGH, LOW, BroadMap, MappedSamples, interleave
from broadlearn.random_features.cascades import CascadeMap, CascadeSettings
from broadlearn.random_features.condensed import condense
from broadlearn.random_features.draws import FEATURE_DRAWS, draw_feature_weights
from broadlearn.random_features.fuzzy_rules import FuzzyMap, FuzzyRules
from broadlearn.random_features.hidden_layer import AutoencoderMap, Autoencoders, HiddenLayer
from broadlearn.random_features.input_forms import InputForms, learn_forms
from broadlearn.random_features.limit_kernels import (
    METRICS,
    KernelBasis,
    LimitKernel,
    SamplePairs,
    Units,
    few_input_points,
    learn_units,
    squarings,
    unit_name,
)
from broadlearn.random_features.nested_maps import (
    MapRecipe,
    MapSettings,
    NestedMaps,
    draw_map,
    sizes_nest,
    to_interval,
)
from broadlearn.random_features.standardization import (
    ColumnStatistics,
    Standardization,
    StandardizedRows,
    column_statistics,
    learn_standardization,
    standardization_of,
)

__all__ = [
    "ACTIVATIONS",
    "FEATURE_DRAWS",
    "HIGH",
    "LOW",
    "METRICS",
    "AutoencoderMap",
    "Autoencoders",
    "BroadMap",
    "CascadeMap",
    "CascadeSettings",
    "ColumnStatistics",
    "FuzzyMap",
    "FuzzyRules",
    "HiddenLayer",
    "InputForms",
    "KernelBasis",
    "LimitKernel",
    "MapRecipe",
    "MapSettings",
    "MappedSamples",
    "NestedMaps",
    "SamplePairs",
    "Standardization",
    "StandardizedRows",
    "Units",
    "column_statistics",
    "condense",
    "draw_feature_weights",
    "draw_map",
    "few_input_points",
    "interleave",
    "learn_forms",
    "learn_standardization",
    "learn_units",
    "sizes_nest",
    "squarings",
    "standardization_of",
    "to_interval",
    "unit_name",
]
