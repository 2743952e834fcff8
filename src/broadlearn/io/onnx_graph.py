"""Nodes and constants of an ONNX graph, added one by one under names of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadlearn.utils import Standardization

_NODES = {"tanh": "Tanh", "sigmoid": "Sigmoid", "relu": "Relu", "sine": "Sin"}


class Graph:
    """Adds nodes and constants to a graph, under names of its own.

    Constants are of float64, or of float32 where it is `single`.
    """

    def __init__(self, scope: Any, container: Any, single: bool = False) -> None:
        self.scope, self.container, self.single = scope, container, single

    def in_single(self) -> Graph:
        """The same graph, to which constants of float32 are added."""
        return Graph(self.scope, self.container, single=True)

    def cast(self, name: str) -> str:
        """Numbers in the precision of the constants."""
        from onnx import TensorProto

        return self.node("Cast", name, to=TensorProto.FLOAT if self.single else TensorProto.DOUBLE)

    def constant(self, value: Any) -> str:
        """Name of an array that becomes part of the graph."""
        from onnx import TensorProto

        array = np.asarray(value)
        content: NDArray[Any]
        if array.dtype.kind in "US":
            kind, content = TensorProto.STRING, np.char.encode(array.astype(str), "utf-8")
        elif array.dtype.kind in "iub":
            kind, content = TensorProto.INT64, array.astype(np.int64)
        elif self.single:
            kind, content = TensorProto.FLOAT, array.astype(np.float32)
        else:
            kind, content = TensorProto.DOUBLE, array.astype(np.float64)
        name: str = self.scope.get_unique_variable_name("constant")
        self.container.add_initializer(name, kind, list(array.shape), content.ravel().tolist())
        return name

    def node(self, kind: str, *inputs: Any, output: str | None = None, **attributes: Any) -> str:
        """Name of the output of a new node, of which inputs are names or constants."""
        name: str = output or self.scope.get_unique_variable_name(kind.lower())
        label = self.scope.get_unique_operator_name(kind)
        names = [part if isinstance(part, str) else self.constant(part) for part in inputs]
        self.container.add_node(kind, names, [name], name=label, **attributes)
        return name

    def affine(self, rows: str, weights: NDArray[np.floating]) -> str:
        """``[rows, 1] weights``."""
        if self.single:
            return self.node("Gemm", rows, weights[:-1], weights[-1])
        return self.node("Add", self.node("MatMul", rows, weights[:-1]), weights[-1])

    def with_indicators(
        self, rows: str, Z: str, fill: Any, standardization: Standardization
    ) -> str:
        """Z of rows with `fill` for missing values, and indicators of these behind it."""
        absent = self.node("IsNaN", rows)
        filled = self.node("Where", absent, fill, Z)
        if not standardization.share.size:
            return filled
        lacking = self.node("Gather", absent, standardization.missing, axis=1)
        no, yes = standardization.indicators(
            np.array([[False], [True]]).repeat(len(standardization.mean), 1)
        )
        return self.node("Concat", filled, self.node("Where", lacking, yes, no), axis=1)

    def columns(self, rows: str, n_columns: int) -> list[str]:
        """The columns of rows, each of one column still."""
        return [
            self.node("Slice", rows, np.array([j]), np.array([j + 1]), np.array([1]))
            for j in range(n_columns)
        ]

    def reshape(self, name: str, *lengths: int) -> str:
        """Rows of another shape."""
        return self.node("Reshape", name, np.array([-1, *lengths]))

    def activate(self, name: str, activation: str) -> str:
        """Nodes after their activation."""
        return name if activation == "identity" else self.node(_NODES[activation], name)

    def finish(self, name: str, variable: Any) -> None:
        """Give a result the type and name of an output of the operator."""
        from skl2onnx.common.data_types import guess_proto_type

        self.node("Cast", name, output=variable.full_name, to=guess_proto_type(variable.type))
