"""Standardisation and random features as parts of an ONNX graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from broadlearn.persistence.onnx_graph import Tensor
from broadlearn.random_features import HIGH, LOW, BroadMap, Standardization


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
    F = Z.affine(broad_map.feature_weights)
    if broad_map.affine:
        return F
    F = F.activate(settings.feature_activation)
    if settings.feature_scaling == "sample":
        grouped = F.reshape(settings.n_feature_groups, settings.n_feature_nodes)
        return _scale_rows(grouped).reshape(settings.n_features)
    if broad_map.feature_scale is not None:
        F = F * broad_map.feature_scale + broad_map.feature_offset
    return F


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
    return inputs.affine(broad_map.enhancement_weights).activate(broad_map.settings.activation)
