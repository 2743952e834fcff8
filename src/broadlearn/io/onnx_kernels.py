"""The products of infinitely many enhancement nodes as parts of an ONNX graph.

The formulas are those of `broadlearn.random_features.NodeKernel`, with the training samples as
constants. Runtimes have no arcsine of float64: it is that of float32 and one step of Newton's.
"""

from __future__ import annotations

from math import comb, exp, pi
from typing import Any, Protocol

import numpy as np

from broadlearn.random_features import NodeKernel, input_choices
from broadlearn.utils import Array


class Graph(Protocol):
    """A graph under construction."""

    def node(self, kind: str, *inputs: Any, output: str | None = None, **attributes: Any) -> str:
        """Name of the output of a new node, of which inputs are names or constants."""


def kernel_products(graph: Graph, inputs: str, kernel: NodeKernel, B: Array) -> str:
    """Mean products of rows named `inputs` with the rows of B, as the kernel has them.

    Parameters
    ----------
    graph : Graph
    inputs : str
        What nodes combine, in float64.
    kernel : NodeKernel
    B : ndarray of shape (n_samples, n_inputs)
    """
    parts, share = [], 1.0 / len(kernel.scales)
    for scale in kernel.scales:
        variance, bias = scale**2 / kernel.n_weights, (scale * kernel.bias) ** 2
        if kernel.max_inputs is None:
            bias /= kernel.n_weights
            part = _all_inputs(graph, inputs, kernel, B, variance, bias, exp(-2.0 * bias))
            parts.append(graph.node("Mul", part, share))
            continue
        rest = (bias / 3.0, float(np.sinc(2.0 * scale * kernel.bias / pi)))
        dense = _all_inputs(graph, inputs, kernel, B, variance, *rest)
        sparse = _few_inputs(graph, inputs, kernel, B, scale**2, *rest)
        parts.append(graph.node("Mul", graph.node("Add", dense, sparse), 0.5 * share))
    return _sum(graph, parts)


def _all_inputs(
    graph: Graph,
    A: str,
    kernel: NodeKernel,
    B: Array,
    variance: float,
    bias: float,
    cosine: float,
) -> str:
    if kernel.activation != "sine":
        return _product(graph, A, kernel.activation, B, variance, bias)
    squares = graph.node("Add", _squared_lengths(graph, A), np.einsum("ij,ij->i", B, B)[None])
    products = graph.node("MatMul", A, 2.0 * B.T)
    near, far = (
        graph.node(
            "Exp",
            graph.node(
                "Mul", graph.node("Max", graph.node(kind, squares, products), 0.0), -0.5 * variance
            ),
        )
        for kind in ("Sub", "Add")
    )
    return _difference(graph, near, far, cosine)


def _few_inputs(
    graph: Graph,
    A: str,
    kernel: NodeKernel,
    B: Array,
    variance: float,
    bias: float,
    cosine: float,
) -> str:
    few = min(kernel.max_inputs or 0, B.shape[1])
    if kernel.activation == "sine":
        near, far = (_mean_of_products(graph, A, other, few, variance) for other in (B, -B))
        return _difference(graph, near, far, cosine)
    parts = []
    for n in range(1, few + 1):
        choices = input_choices(B.shape[1], n)
        products = [
            _product(
                graph,
                graph.node("Gather", A, chosen, axis=1),
                kernel.activation,
                B[:, chosen],
                variance / n,
                bias,
            )
            for chosen in choices
        ]
        parts.append(graph.node("Mul", _sum(graph, products), 1.0 / (few * len(choices))))
    return _sum(graph, parts)


def _product(graph: Graph, A: str, activation: str, B: Array, variance: float, bias: float) -> str:
    """Mean product of nodes whose weights and bias are Gaussian, with these variances."""
    flatness = {"tanh": 2.0 / pi, "sigmoid": 8.0 / pi, "relu": 0.0}[activation]
    tiny = np.finfo(np.float64).tiny
    q = np.sqrt(variance * np.einsum("ij,ij->i", B, B) + bias + flatness)[None]
    squares = graph.node("Mul", _squared_lengths(graph, A), variance)
    p = graph.node("Sqrt", graph.node("Add", squares, bias + flatness))
    products = graph.node("MatMul", A, variance * B.T / np.maximum(q, tiny))
    products = graph.node("Add", products, bias / np.maximum(q, tiny))
    cosine = graph.node("Div", products, graph.node("Max", p, tiny))
    cosine = graph.node("Clip", cosine, -1.0, 1.0)
    angle = arcsine(graph, cosine)
    if activation == "tanh":
        return graph.node("Mul", angle, 2.0 / pi)
    if activation == "sigmoid":
        return graph.node("Add", graph.node("Mul", angle, 0.5 / pi), 0.25)
    sine = graph.node("Sqrt", graph.node("Sub", 1.0, graph.node("Mul", cosine, cosine)))
    turned = graph.node("Mul", cosine, graph.node("Add", angle, 0.5 * pi))
    lengths = graph.node("Mul", p, q / (2.0 * pi))
    return graph.node("Mul", lengths, graph.node("Add", sine, turned))


def arcsine(graph: Graph, x: str) -> str:
    """Twice the arcsine of the sine of half the angle, which is never near 1."""
    from onnx import TensorProto

    roots = (graph.node("Sqrt", graph.node(kind, 1.0, x)) for kind in ("Add", "Sub"))
    half = graph.node("Div", x, graph.node("Add", *roots))
    rough = graph.node("Asin", graph.node("Cast", half, to=TensorProto.FLOAT))
    rough = graph.node("Cast", rough, to=TensorProto.DOUBLE)
    missing = graph.node("Sub", half, graph.node("Sin", rough))
    step = graph.node("Div", missing, graph.node("Cos", rough))
    return graph.node("Mul", graph.node("Add", rough, step), 2.0)


def _mean_of_products(graph: Graph, A: str, B: Array, few: int, variance: float) -> str:
    """Mean over n from 1 to `few` and all choices of n columns of a product of Gaussians."""
    n_columns = B.shape[1]
    sums: dict[int, list[str]] = {n: [] for n in range(1, few + 1)}
    for j in range(n_columns):
        away = graph.node("Sub", graph.node("Gather", A, np.array([j]), axis=1), B[:, j][None])
        exponent = graph.node("Mul", graph.node("Mul", away, away), -0.5 * variance)
        factors: dict[int, str] = {}
        for n in range(few, 0, -1):
            if 2 * n in factors:
                factors[n] = graph.node("Mul", factors[2 * n], factors[2 * n])
            else:
                factors[n] = graph.node("Exp", graph.node("Mul", exponent, 1.0 / n))
            kept = sums[n]
            for i in range(min(n, j + 1) - 1, -1, -1):
                new = factors[n] if i == 0 else graph.node("Mul", factors[n], kept[i - 1])
                if i < len(kept):
                    kept[i] = graph.node("Add", kept[i], new)
                else:
                    kept.append(new)
    means = [graph.node("Mul", sums[n][-1], 1.0 / (few * comb(n_columns, n))) for n in sums]
    return _sum(graph, means)


def _squared_lengths(graph: Graph, A: str) -> str:
    return graph.node("ReduceSumSquare", A, np.array([1]), keepdims=1)


def _difference(graph: Graph, near: str, far: str, cosine: float) -> str:
    """Half of E cos(u - v) less E cos(u + v)."""
    return graph.node("Mul", graph.node("Sub", near, graph.node("Mul", far, cosine)), 0.5)


def _sum(graph: Graph, parts: list[str]) -> str:
    total = parts[0]
    for part in parts[1:]:
        total = graph.node("Add", total, part)
    return total
