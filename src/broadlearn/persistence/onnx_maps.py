"""Standardisation and random features as parts of an ONNX graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from broadlearn.persistence.onnx_graph import Tensor
from broadlearn.random_features import (
    HIGH,
    LOW,
    BroadMap,
    CascadeMap,
    FuzzyMap,
    Standardization,
)


def standardize(rows: Tensor, standardization: Standardization) -> Tensor:
    """Return Z for rows."""
    bounds = standardization.bounds
    bounded = rows if bounds is None else rows.clip(*bounds)
    Z = (bounded - standardization.mean) / standardization.scale
    fill = 0.0 if standardization.fill is None else standardization.fill
    return with_indicators(rows, Z, fill, standardization)


def with_indicators(rows: Tensor, Z: Tensor, fill: Any, standardization: Standardization) -> Tensor:
    """Return Z with `fill` for missing values, and indicators of these behind it."""
    absent = rows.apply("IsNaN")
    filled = absent.apply("Where", fill, Z)
    if not standardization.share.size:
        return filled
    n_features = len(standardization.mean)
    no, yes = standardization.indicators(np.array([[False], [True]]).repeat(n_features, 1))
    indicators = absent.columns(standardization.missing).apply("Where", yes, no)
    return filled.apply("Concat", indicators, axis=1)


def feature_nodes(Z: Tensor, broad_map: BroadMap) -> Tensor:
    """Return F^m for Z."""
    settings = broad_map.settings
    groups = (settings.n_feature_groups, settings.n_feature_nodes)
    F = Z.affine(broad_map.feature_weights)
    if broad_map.affine:
        return F
    if isinstance(broad_map, FuzzyMap):
        strengths = Z.affine(broad_map.log_strengths).reshape(*groups).apply("Softmax", axis=2)
        F = strengths.reshape(settings.n_features) * F
    if isinstance(broad_map, CascadeMap):
        return _cascade(F, broad_map)
    F = F.activate(settings.feature_activation)
    if settings.feature_scaling == "sample":
        return _scale_rows(F.reshape(*groups)).reshape(settings.n_features)
    if broad_map.feature_scale is not None:
        F = F * broad_map.feature_scale + broad_map.feature_offset
    return F


def _cascade(group: Tensor, broad_map: CascadeMap) -> Tensor:
    """Return all feature groups, given the first one before its activation."""
    groups: list[Tensor] = []
    scale, offset = broad_map.feature_scale, broad_map.feature_offset
    assert scale is not None
    assert offset is not None
    for W in (broad_map.feature_weights, *broad_map.feature_layers):
        first = len(groups) * W.shape[1]
        nodes = slice(first, first + W.shape[1])
        group = groups[-1].affine(W) if groups else group
        group = group.activate(broad_map.settings.feature_activation)
        groups.append(group * scale[nodes] + offset[nodes])
    return groups[0].apply("Concat", *groups[1:], axis=1)


def _scale_rows(grouped: Tensor) -> Tensor:
    """Return every row of every group on [LOW, HIGH], constant ones at 0."""
    low = grouped.apply("ReduceMin", np.array([2]))
    width = grouped.apply("ReduceMax", np.array([2])) - low
    constant = width.apply("Equal", 0.0)
    share = (grouped - low) / constant.apply("Where", 1.0, width)
    return share * (HIGH - LOW) + constant.apply("Where", 0.0, LOW)


def enhancement_nodes(Z: Tensor, F: Tensor, broad_map: BroadMap) -> Tensor:
    """Return E^l for Z and F^m."""
    inputs = Z if broad_map.enhances_inputs else F
    activation = broad_map.settings.activation
    E = inputs.affine(broad_map.enhancement_weights).activate(activation)
    if isinstance(broad_map, CascadeMap):
        groups = [E]
        for W in broad_map.enhancement_layers:
            groups.append(groups[-1].affine(W).activate(activation))
        return E.apply("Concat", *groups[1:], axis=1)
    return E
