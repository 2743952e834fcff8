"""Averages of kernel models as nodes of an ONNX graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from broadlearn.ensemble import KernelAverage, samples_in
from broadlearn.io.onnx_kernels import arcsine
from broadlearn.random_features import (
    METRICS,
    WEIGHTED,
    InputForms,
    KernelBasis,
    LimitKernel,
    few_input_points,
    squarings,
    unit_name,
)
from broadlearn.utils import Array


def average_output(graph: Any, rows: str, standardized: str, average: KernelAverage) -> str:
    """The average for rows, given as they are and standardised.

    `graph` adds nodes, see `broadlearn.io.onnx_export`.
    """
    forms, kernels = average.forms, average.kernels
    basis = KernelBasis(samples_in(forms, average.basis.astype(np.float64, copy=False), kernels))
    samples = {"standardized": standardized}
    for form in ("ranks", "normal_scores"):
        if form in basis.samples:
            samples[form] = _interpolated(graph, rows, forms, form)
    for form, scale in (forms.relevance or {}).items():
        if WEIGHTED + form in basis.samples:
            if form not in samples:
                samples[form] = _interpolated(graph, rows, forms, form)
            samples[WEIGHTED + form] = graph.node("Mul", samples[form], scale)
    bases: dict[tuple[str, str, float], str] = {}
    last: LimitKernel | None = None
    K = ""
    total = graph.constant(average.constant)
    for kernel, weights in zip(kernels, average.coefficients, strict=True):
        if kernel.base not in bases:
            bases[kernel.base] = _base(graph, samples[kernel.inputs], basis, *kernel.base)
        unit = average.units[unit_name(METRICS[kernel.family], kernel.inputs)]
        squared = squarings(last, kernel)
        for _ in range(squared):
            K = graph.node("Mul", K, K)
        if not squared:
            Z, base = samples[kernel.inputs], bases[kernel.base]
            K = _values(graph, Z, base, basis, kernel, unit)
        last = kernel
        total = graph.node("Add", total, graph.node("MatMul", K, weights.astype(np.float64)))
    return str(total)


def _interpolated(graph: Any, rows: str, forms: InputForms, form: str) -> str:
    """Columns on straight lines between their knots."""
    knots, heights = forms.knots.T, getattr(forms, form).T
    widths = np.diff(knots, axis=1)
    slopes = np.diff(heights, axis=1) / np.where(widths > 0.0, widths, 1.0)
    beyond = graph.node("Sub", graph.node("Unsqueeze", rows, np.array([2])), knots[:, :-1])
    within = graph.node("Min", graph.node("Max", beyond, 0.0), widths)
    rise = graph.node("ReduceSum", graph.node("Mul", within, slopes), np.array([2]), keepdims=0)
    Z = graph.node("Add", rise, heights[:, 0])
    return str(graph.with_indicators(rows, Z, 0.0, forms.standardization))


def _squares(graph: Any, Z: str) -> str:
    return str(graph.node("ReduceSum", graph.node("Mul", Z, Z), np.array([1])))


def _base(graph: Any, Z: str, basis: KernelBasis, metric: str, form: str, width: float) -> str:
    B: Any = basis.samples[form]
    if metric == "product":
        return str(graph.node("MatMul", Z, B.T))
    if metric == "columns":
        return _few_inputs(graph, Z, basis, form, width)
    if metric == "squared" and B.shape[1] == 1:
        # ONNX Runtime would move the scale of one column into the product, rounded to float32.
        difference = graph.node("Sub", Z, B.T)
        return str(graph.node("Mul", difference, difference))
    if metric == "squared":
        products = graph.node("Mul", graph.node("MatMul", Z, B.T), -2.0)
        sums = graph.node("Add", _squares(graph, Z), basis.lowered_squares(form))
        return str(graph.node("Max", graph.node("Add", products, sums), 0.0))
    # |a - b| = a + b - 2 min(a, b), column by column: all at once would take rows x basis x columns
    # numbers, and differences and their absolute values a pass more.
    least = ""
    for j, column in enumerate(graph.columns(Z, B.shape[1])):
        part = graph.node("Min", column, B[:, j])
        least = graph.node("Add", least, part) if least else part
    sums = graph.node("Add", graph.node("ReduceSum", Z, np.array([1])), B.sum(axis=1))
    return str(graph.node("Sub", sums, graph.node("Mul", least, 2.0)))


def _few_inputs(graph: Any, Z: str, basis: KernelBasis, form: str, width: float) -> str:
    """Products of the features of few inputs, from Chebyshev polynomials of the columns."""
    to_features = few_input_points(width)[0]
    scaled = graph.node("Mul", Z, 1.0 / np.sqrt(3.0))
    x = graph.node("Min", graph.node("Max", scaled, -1.0), 1.0)
    polynomials = [graph.node("Add", graph.node("Mul", x, 0.0), 1.0), x]
    for _ in range(2, len(to_features)):
        twice = graph.node("Mul", graph.node("Mul", x, polynomials[-1]), 2.0)
        polynomials.append(graph.node("Sub", twice, polynomials[-2]))
    last = np.array([2])
    stacked = graph.node(
        "Concat", *(graph.node("Unsqueeze", part, last) for part in polynomials), axis=2
    )
    features: Any = basis.features(form, width)
    own = graph.reshape(graph.node("MatMul", stacked, to_features), len(features))
    n_columns = basis.samples[form].shape[1]
    return str(graph.node("MatMul", own, features / n_columns))


def _values(
    graph: Any, Z: str, base: str, basis: KernelBasis, kernel: LimitKernel, unit: float
) -> str:
    if kernel.family == "linear":
        return str(graph.node("Mul", base, 1.0 / unit**2))
    if kernel.family == "few_inputs":
        for _ in range(kernel.n_inputs.bit_length() - 1):
            base = graph.node("Mul", base, base)
        return base
    if kernel.family == "arcsine":
        return _arcsine(graph, Z, base, basis, kernel)
    if kernel.family == "spherical_cauchy":
        base = graph.node("Sqrt", base)
    rate = kernel.width / (unit**2 if kernel.family == "gaussian" else unit)
    return str(graph.node("Exp", graph.node("Mul", base, -rate)))


def _arcsine(graph: Any, Z: str, base: str, basis: KernelBasis, kernel: LimitKernel) -> str:
    squares: Array = basis.squares(kernel.inputs).astype(np.float64)
    twice = 2.0 * kernel.width**2 / np.sqrt(basis.samples[kernel.inputs].shape[1])
    own = graph.node("Add", graph.node("Mul", _squares(graph, Z), twice), 1.0 + twice)
    cosine = graph.node("Mul", graph.node("Add", base, 1.0), twice)
    cosine = graph.node("Div", cosine, graph.node("Sqrt", own))
    cosine = graph.node("Div", cosine, np.sqrt(1.0 + twice * (1.0 + squares)))
    clipped = graph.node("Min", graph.node("Max", cosine, -1.0), 1.0)
    return str(graph.node("Mul", arcsine(graph, clipped), 2.0 / np.pi))
