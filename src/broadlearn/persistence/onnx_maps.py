"""Standardisation and random features as parts of an ONNX graph."""

from __future__ import annotations

from math import comb, exp, pi
from typing import Any

import numpy as np

from broadlearn.persistence.onnx_graph import Tensor, total
from broadlearn.random_features import (
    HIGH,
    LOW,
    BroadMap,
    FuzzyMap,
    InfiniteMap,
    NodeKernel,
    Standardization,
    input_choices,
)
from broadlearn.utils import Array


def standardize(rows: Tensor, standardization: Standardization) -> Tensor:
    """Return Z for rows."""
    exponent, bounds, fill = (
        standardization.exponent,
        standardization.bounds,
        standardization.fill,
    )
    if exponent is not None:
        # In two steps: the power itself may be beyond float64.
        half = exponent // 2
        rows = rows * np.ldexp(1.0, -half) * np.ldexp(1.0, half - exponent)
    bounded = rows if bounds is None else rows.clip(*bounds)
    Z = (bounded - standardization.mean) / standardization.scale
    return with_indicators(rows, Z, 0.0 if fill is None else fill, standardization)


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
    F = F.activate(settings.feature_activation)
    if settings.feature_scaling == "sample":
        return _scale_rows(F.reshape(*groups)).reshape(settings.n_features)
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
    """Return E^l for Z and F^m; for infinitely many nodes, their products with the samples."""
    if isinstance(broad_map, InfiniteMap):
        inputs = F
        if broad_map.settings.enhancement_inputs is not None:
            inputs = Z
        elif broad_map.affine and broad_map.basis is not None:
            inputs = Z.affine(broad_map.basis)
        E = kernel_products(inputs, broad_map.node_kernel(), broad_map.enhancement_weights.T)
    else:
        inputs = Z if broad_map.enhances_inputs else F
        E = inputs.affine(broad_map.enhancement_weights).activate(broad_map.settings.activation)
    return E if broad_map.strength == 1.0 else E * broad_map.strength


def kernel_products(A: Tensor, kernel: NodeKernel, B: Array) -> Tensor:
    """Return the mean products of nodes for rows and training samples, as `NodeKernel` does.

    Parameters
    ----------
    A : Tensor
        Rows of inputs of the nodes.
    kernel : NodeKernel
    B : ndarray of shape (n_samples, n_inputs)
        Training samples.
    """
    parts = []
    for scale in kernel.scales:
        variance, bias = scale**2 / kernel.n_weights, (scale * kernel.bias) ** 2
        if kernel.max_inputs is None:
            bias /= kernel.n_weights
            parts.append(_all_inputs(A, kernel, B, variance, bias, exp(-2.0 * bias)))
            continue
        rest = (bias / 3.0, float(np.sinc(2.0 * scale * kernel.bias / pi)))
        dense = _all_inputs(A, kernel, B, variance, *rest)
        parts.append((dense + _few_inputs(A, kernel, B, scale**2, *rest)) * 0.5)
    return total(parts) * (1.0 / len(parts))


def _all_inputs(
    A: Tensor, kernel: NodeKernel, B: Array, variance: float, bias: float, cosine: float
) -> Tensor:
    if kernel.activation != "sine":
        return _product(A, kernel.activation, B, variance, bias)
    squares, products = (A * A).sum() + np.einsum("ij,ij->i", B, B)[None], A @ (2.0 * B.T)
    near, far = (
        (part.apply("Max", 0.0) * (-0.5 * variance)).apply("Exp")
        for part in (squares - products, squares + products)
    )
    return (near - far * cosine) * 0.5


def _few_inputs(
    A: Tensor, kernel: NodeKernel, B: Array, variance: float, bias: float, cosine: float
) -> Tensor:
    few = min(kernel.max_inputs or 0, B.shape[1])
    if kernel.activation == "sine":
        near, far = (_mean_of_products(A, other, few, variance) for other in (B, -B))
        return (near - far * cosine) * 0.5
    parts = []
    for n in range(1, few + 1):
        choices = input_choices(B.shape[1], n)
        products = [
            _product(A.columns(chosen), kernel.activation, B[:, chosen], variance / n, bias)
            for chosen in choices
        ]
        parts.append(total(products) * (1.0 / (few * len(choices))))
    return total(parts)


def _product(A: Tensor, activation: str, B: Array, variance: float, bias: float) -> Tensor:
    """Return the mean product of nodes with Gaussian weights and bias of these variances."""
    flatness = {"tanh": 2.0 / pi, "sigmoid": 8.0 / pi, "relu": 0.0}[activation]
    tiny = np.finfo(np.float64).tiny
    q = np.sqrt(variance * np.einsum("ij,ij->i", B, B) + bias + flatness)[None]
    p = ((A * A).sum() * variance + (bias + flatness)).apply("Sqrt")
    products = A @ (variance * B.T / np.maximum(q, tiny)) + bias / np.maximum(q, tiny)
    cosine = (products / p.apply("Max", tiny)).clip(-1.0, 1.0)
    angle = arcsine(cosine)
    if activation == "tanh":
        return angle * (2.0 / pi)
    if activation == "sigmoid":
        return angle * (0.5 / pi) + 0.25
    sine = (1.0 - cosine * cosine).apply("Sqrt")
    return p * (q / (2.0 * pi)) * (sine + cosine * (angle + 0.5 * pi))


def arcsine(x: Tensor) -> Tensor:
    """Return the arcsine in float64, which ONNX Runtime has in float32 only.

    Twice the arcsine of the sine of half the angle, which is never near 1, and a Newton step.
    """
    from onnx import TensorProto

    half = x / ((x + 1.0).apply("Sqrt") + (1.0 - x).apply("Sqrt"))
    rough = half.apply("Cast", to=TensorProto.FLOAT).apply("Asin")
    rough = rough.apply("Cast", to=TensorProto.DOUBLE)
    return (rough + (half - rough.apply("Sin")) / rough.apply("Cos")) * 2.0


def _mean_of_products(A: Tensor, B: Array, few: int, variance: float) -> Tensor:
    """Return the mean over n from 1 to `few` and all n columns of a product of Gaussians."""
    n_columns = B.shape[1]
    sums: dict[int, list[Tensor]] = {n: [] for n in range(1, few + 1)}
    for j in range(n_columns):
        difference = A.columns([j]) - B[:, j][None]
        exponent = difference * difference * (-0.5 * variance)
        for n, known in sums.items():
            factor = (exponent * (1.0 / n)).apply("Exp")
            for i in range(min(n, j + 1) - 1, -1, -1):
                new = factor if i == 0 else factor * known[i - 1]
                if i < len(known):
                    known[i] = known[i] + new
                else:
                    known.append(new)
    return total([sums[n][-1] * (1.0 / (few * comb(n_columns, n))) for n in sums])
