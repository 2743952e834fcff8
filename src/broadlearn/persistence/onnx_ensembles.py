"""Averages of kernel models as parts of an ONNX graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from broadlearn.ensemble import BoostedTrees, KernelAverage, samples_in
from broadlearn.persistence.onnx_graph import Tensor, total
from broadlearn.persistence.onnx_maps import standardize, with_indicators
from broadlearn.random_features import (
    METRICS,
    InputForms,
    KernelBasis,
    LimitKernel,
    few_input_points,
    squarings,
    unit_name,
)


def average_output(rows: Tensor, average: KernelAverage) -> Tensor:
    """Return what a `KernelAverage` gives for rows."""
    forms, kernels = average.forms, average.kernels
    basis = KernelBasis(samples_in(forms, average.basis.astype(np.float64, copy=False), kernels))
    samples = {form: _in_form(rows, forms, form) for form in basis.samples}
    bases: dict[tuple[str, str, float], Tensor] = {}
    outputs: list[Tensor] = []
    last: LimitKernel | None = None
    for kernel, weights in zip(kernels, average.coefficients, strict=True):
        if kernel.base not in bases:
            bases[kernel.base] = _base(samples[kernel.inputs], basis, *kernel.base)
        squared = squarings(last, kernel)
        if not squared:
            unit = average.units[unit_name(METRICS[kernel.family], kernel.inputs)]
            K = _values(samples[kernel.inputs], bases[kernel.base], basis, kernel, unit)
        for _ in range(squared):
            K = K * K
        last = kernel
        outputs.append(K @ weights.astype(np.float64))
    return total(outputs) + average.constant


def tree_output(rows: Tensor, trees: BoostedTrees) -> Tensor:
    """Return the sum of trees, rounded to float32 by ONNX Runtime."""
    from onnx import TensorProto
    from onnx.numpy_helper import from_array

    sizes = np.diff(trees.starts)
    of_tree = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(len(of_tree)) - np.repeat(trees.starts[:-1], sizes)
    leaf = trees.children[:, 0] == 0
    output = rows.graph.node(
        "TreeEnsembleRegressor",
        rows,
        op_domain="ai.onnx.ml",
        op_version=3,
        n_targets=len(trees.baseline),
        base_values_as_tensor=from_array(trees.baseline),
        nodes_treeids=of_tree.tolist(),
        nodes_nodeids=place.tolist(),
        nodes_modes=np.where(leaf, "LEAF", "BRANCH_LEQ").tolist(),
        nodes_featureids=np.where(leaf, 0, trees.features).tolist(),
        nodes_values_as_tensor=from_array(np.where(leaf, 0.0, trees.thresholds)),
        nodes_missing_value_tracks_true=trees.missing_first.astype(int).tolist(),
        nodes_truenodeids=trees.children[:, 0].tolist(),
        nodes_falsenodeids=trees.children[:, 1].tolist(),
        target_treeids=of_tree[leaf].tolist(),
        target_nodeids=place[leaf].tolist(),
        target_ids=trees.outputs[of_tree[leaf]].tolist(),
        target_weights_as_tensor=from_array(trees.values[leaf]),
    )
    return output.apply("Cast", to=TensorProto.DOUBLE)


def _in_form(rows: Tensor, forms: InputForms, form: str) -> Tensor:
    """Return rows in one of the forms that kernels take."""
    rows = rows if forms.columns is None else rows.columns(forms.columns)
    if form == "standardized":
        return standardize(rows, forms.standardization)
    # On straight lines between knots.
    knots, heights = forms.knots.T, getattr(forms, form).T
    widths = np.diff(knots, axis=1)
    slopes = np.diff(heights, axis=1) / np.where(widths > 0.0, widths, 1.0)
    within = (rows.apply("Unsqueeze", np.array([2])) - knots[:, :-1]).clip(0.0, widths)
    Z = (within * slopes).sum(axis=2, keepdims=0) + heights[:, 0]
    return with_indicators(rows, Z, 0.0, forms.standardization)


def _base(Z: Tensor, basis: KernelBasis, metric: str, form: str, width: float) -> Tensor:
    """Return products or distances of rows and basis samples."""
    B: Any = basis.samples[form]
    if metric == "product":
        return Z @ B.T
    if metric == "columns":
        return _few_inputs(Z, basis, form, width)
    if metric == "squared" and B.shape[1] == 1:
        # ONNX Runtime would move the scale of one column into the product, rounded to float32.
        difference = Z - B.T
        return difference * difference
    if metric == "squared":
        sums = (Z * Z).sum() + basis.lowered_squares(form)
        return ((Z @ B.T) * -2.0 + sums).apply("Max", 0.0)
    # |a - b| = a + b - 2 min(a, b), column by column: all at once would take rows x basis x columns
    # numbers.
    least = total([Z.columns([j]).apply("Min", B[:, j]) for j in range(B.shape[1])])
    return Z.sum() + B.sum(axis=1) - least * 2.0


def _few_inputs(Z: Tensor, basis: KernelBasis, form: str, width: float) -> Tensor:
    """Return products of the features of few inputs, from Chebyshev polynomials of the columns."""
    to_features = few_input_points(width)[0]
    x = (Z * (1.0 / np.sqrt(3.0))).clip(-1.0, 1.0)
    polynomials = [x * 0.0 + 1.0, x]
    for _ in range(2, len(to_features)):
        polynomials.append(x * polynomials[-1] * 2.0 - polynomials[-2])
    parts = [part.apply("Unsqueeze", np.array([2])) for part in polynomials]
    features: Any = basis.features(form, width)
    own = parts[0].apply("Concat", *parts[1:], axis=2) @ to_features
    return own.reshape(len(features)) @ (features / basis.samples[form].shape[1])


def _values(
    Z: Tensor, base: Tensor, basis: KernelBasis, kernel: LimitKernel, unit: float
) -> Tensor:
    """Return the values of a kernel."""
    if kernel.family == "linear":
        return base * (1.0 / unit**2)
    if kernel.family == "few_inputs":
        for _ in range(kernel.n_inputs.bit_length() - 1):
            base = base * base
        return base
    if kernel.family == "arcsine":
        squares: Any = basis.squares(kernel.inputs).astype(np.float64)
        twice = 2.0 * kernel.width**2 / np.sqrt(basis.samples[kernel.inputs].shape[1])
        own = ((Z * Z).sum() * twice + (1.0 + twice)).apply("Sqrt")
        cosine = (base + 1.0) * twice / own / np.sqrt(1.0 + twice * (1.0 + squares))
        return _arcsine(cosine.clip(-1.0, 1.0)) * (2.0 / np.pi)
    if kernel.family == "spherical_cauchy":
        base = base.apply("Sqrt")
    rate = kernel.width / (unit**2 if kernel.family == "gaussian" else unit)
    return (base * -rate).apply("Exp")


def _arcsine(x: Tensor) -> Tensor:
    """Return the arcsine in float64, which ONNX Runtime has in float32 only.

    Twice the arcsine of the sine of half the angle, which is never near 1, and a Newton step.
    """
    from onnx import TensorProto

    half = x / ((x + 1.0).apply("Sqrt") + (1.0 - x).apply("Sqrt"))
    rough = half.apply("Cast", to=TensorProto.FLOAT).apply("Asin")
    rough = rough.apply("Cast", to=TensorProto.DOUBLE)
    return (rough + (half - rough.apply("Sin")) / rough.apply("Cos")) * 2.0
