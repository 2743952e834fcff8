import numpy as np
import pytest

from broadlearn.io.onnx_graph import Graph
from broadlearn.utils import learn_standardization

pytestmark = pytest.mark.slow

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")


class Collected:
    """Stands for skl2onnx's scope and container."""

    def __init__(self):
        self.nodes, self.constants, self.count = [], [], 0

    def get_unique_variable_name(self, name):
        self.count += 1
        return f"{name}{self.count}"

    get_unique_operator_name = get_unique_variable_name

    def add_initializer(self, name, kind, shape, content):
        self.constants.append(onnx.helper.make_tensor(name, kind, shape, content))

    def add_node(self, kind, inputs, outputs, name, **attributes):
        self.nodes.append(onnx.helper.make_node(kind, inputs, outputs, name, **attributes))


def values(rows, build):
    """What a graph gives for rows, built by a function of the graph and the name of its input."""
    collected = Collected()
    output = build(Graph(collected, collected), "rows")
    types = [
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.DOUBLE, [None, None])
        for name in ("rows", output)
    ]
    graph = onnx.helper.make_graph(
        collected.nodes, "test", types[:1], types[1:], collected.constants
    )
    model = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=9
    )
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {"rows": rows})[0]


def test_affine_maps_and_activations():
    rng = np.random.default_rng(0)
    rows, W = rng.normal(size=(5, 3)), rng.normal(size=(4, 2))
    found = values(rows, lambda graph, name: graph.activate(graph.affine(name, W), "tanh"))
    np.testing.assert_allclose(found, np.tanh(np.column_stack([rows, np.ones(5)]) @ W), atol=1e-12)
    np.testing.assert_array_equal(
        values(rows, lambda graph, name: graph.reshape(graph.columns(name, 3)[1], 5)),
        rows[:, 1].reshape(1, 5),
    )


@pytest.mark.parametrize("in_training", [True, False])
def test_missing_values_are_filled_and_told(in_training):
    rows = np.array([[1.0, np.nan], [2.0, 3.0], [np.nan, 5.0], [4.0, 5.0]])
    learnt = learn_standardization(rows if in_training else np.nan_to_num(rows))
    found = values(rows, lambda graph, name: graph.with_indicators(name, name, 7.0, learnt))
    expected = np.column_stack([np.nan_to_num(rows, nan=7.0), learnt.affine(rows)[:, 2:-1]])
    np.testing.assert_allclose(found, expected)
