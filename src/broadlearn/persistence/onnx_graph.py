"""Tensors of an ONNX graph that combine like arrays, so that formulas read as in NumPy."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ACTIVATIONS = {"tanh": "Tanh", "sigmoid": "Sigmoid", "relu": "Relu", "sine": "Sin"}


class Graph:
    """Adds nodes and constants to the graph that skl2onnx builds. Numbers are float64."""

    def __init__(self, scope: Any, container: Any) -> None:
        self.scope, self.container = scope, container

    def input(self, operator: Any) -> Tensor:
        """Return the input of an operator."""
        from onnx import TensorProto

        return self.node("Cast", Tensor(self, operator.inputs[0].full_name), to=TensorProto.DOUBLE)

    def finish(self, tensor: Tensor, variable: Any) -> None:
        """Give a result the type and name of an output of the operator."""
        from skl2onnx.common.data_types import guess_proto_type

        self.node("Cast", tensor, output=variable.full_name, to=guess_proto_type(variable.type))

    def node(self, kind: str, *inputs: Any, output: str | None = None, **attributes: Any) -> Tensor:
        """Return the output of a new node; inputs are tensors or become constants."""
        name: str = output or self.scope.get_unique_variable_name(kind.lower())
        label = self.scope.get_unique_operator_name(kind)
        names = [part.name if isinstance(part, Tensor) else self._constant(part) for part in inputs]
        self.container.add_node(kind, names, [name], name=label, **attributes)
        return Tensor(self, name)

    def _constant(self, value: Any) -> str:
        """Store a constant and return its name: texts, whole numbers or float64."""
        from onnx.numpy_helper import from_array

        array = np.asarray(value)
        types: dict[str, Any] = {"U": object, "i": np.int64, "u": np.int64, "b": np.int64}
        name: str = self.scope.get_unique_variable_name("constant")
        content = array.astype(types.get(array.dtype.kind, np.float64))
        self.container.initializers.append(from_array(content, name))
        return name


class Tensor:
    """A named result within a graph."""

    # Lets arrays leave operations to tensors.
    __array_ufunc__ = None

    def __init__(self, graph: Graph, name: str) -> None:
        self.graph, self.name = graph, name

    def apply(self, kind: str, *others: Any, **attributes: Any) -> Tensor:
        """Return the output of a node with this tensor as the first input."""
        return self.graph.node(kind, self, *others, **attributes)

    def __add__(self, other: Any) -> Tensor:
        return self.apply("Add", other)

    def __sub__(self, other: Any) -> Tensor:
        return self.apply("Sub", other)

    def __rsub__(self, other: Any) -> Tensor:
        return self.graph.node("Sub", other, self)

    def __mul__(self, other: Any) -> Tensor:
        return self.apply("Mul", other)

    def __truediv__(self, other: Any) -> Tensor:
        return self.apply("Div", other)

    def __matmul__(self, other: Any) -> Tensor:
        return self.apply("MatMul", other)

    def affine(self, weights: NDArray[np.floating]) -> Tensor:
        """Return ``[rows, 1] weights``."""
        return self @ weights[:-1] + weights[-1]

    def clip(self, low: Any, high: Any) -> Tensor:
        """Return values between bounds."""
        return self.apply("Max", low).apply("Min", high)

    def columns(self, places: Any) -> Tensor:
        """Return some columns."""
        return self.apply("Gather", np.asarray(places), axis=1)

    def sum(self, axis: int = 1, keepdims: int = 1) -> Tensor:
        """Return sums over an axis."""
        return self.apply("ReduceSum", np.array([axis]), keepdims=keepdims)

    def reshape(self, *lengths: int) -> Tensor:
        """Return rows of another shape."""
        return self.apply("Reshape", np.array([-1, *lengths]))

    def activate(self, activation: str) -> Tensor:
        """Return nodes after their activation."""
        return self if activation == "identity" else self.apply(_ACTIVATIONS[activation])


def total(parts: list[Tensor]) -> Tensor:
    """Return the sum of tensors."""
    return reduce(add, parts)
