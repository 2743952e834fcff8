import numpy as np
import pytest

from broadlearn.io.onnx_kernels import kernel_products
from broadlearn.random_features import NodeKernel

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

KERNELS = [
    NodeKernel(activation, (0.4, 1.1), bias, 3 if max_inputs else 7, max_inputs)
    for activation in ("tanh", "sigmoid", "relu", "sine")
    for max_inputs in (None, 1, 3)
    for bias in (0.0, 1.5)
]


class Graph:
    """Nodes and constants of a graph."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def node(self, kind, *inputs, output=None, **attributes):
        names = []
        for part in inputs:
            if not isinstance(part, str):
                self.constants.append(
                    onnx.numpy_helper.from_array(np.asarray(part), f"c{len(self.constants)}")
                )
                part = self.constants[-1].name
            names.append(part)
        name = f"n{len(self.nodes)}"
        self.nodes.append(onnx.helper.make_node(kind, names, [name], **attributes))
        return name


def run(kernel, A, B):
    graph, helper = Graph(), onnx.helper
    result = kernel_products(graph, "A", kernel, B)
    double = onnx.TensorProto.DOUBLE
    whole = helper.make_graph(
        graph.nodes,
        "kernel",
        [helper.make_tensor_value_info("A", double, [None, A.shape[1]])],
        [helper.make_tensor_value_info(result, double, [None, len(B)])],
        graph.constants,
    )
    model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {"A": A})[0]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_a_graph_gives_the_products_of_the_kernel(kernel):
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(20, 3)), rng.normal(size=(9, 3))
    # Samples that are alike, far away, or at the origin.
    A[0], A[1], A[2], B[3] = B[0], 1e3 * A[1], 0.0, 0.0
    np.testing.assert_allclose(run(kernel, A, B), kernel(A, B), rtol=1e-11, atol=1e-11)
