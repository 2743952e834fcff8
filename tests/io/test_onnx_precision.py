import numpy as np
import pytest
from sklearn.datasets import load_iris

from broadlearn import BLSClassifier, BLSRegressor
from broadlearn.io.onnx_export import to_onnx
from broadlearn.io.onnx_precision import MAX_ERROR, single_error, single_suffices

pytestmark = pytest.mark.slow

types = pytest.importorskip("skl2onnx.common.data_types")
onnxruntime = pytest.importorskip("onnxruntime")

X, y = load_iris(return_X_y=True)
SINGLE, DOUBLE = types.FloatTensorType([None, 4]), types.DoubleTensorType([None, 4])


def test_small_weights_are_single_and_large_ones_are_not():
    plain = BLSClassifier(random_state=0).fit(X, y)
    large = BLSClassifier(C=1e6, random_state=0).fit(X, y)
    assert single_suffices(plain, SINGLE)
    assert not single_suffices(plain, DOUBLE)
    assert not single_suffices(large, SINGLE)


@pytest.mark.parametrize(
    "model",
    [
        BLSRegressor(random_state=0),
        BLSClassifier(standardize=False, random_state=0),
        BLSClassifier(feature_activation="tanh", random_state=0),
        BLSClassifier(n_enhancement_nodes="infinite", random_state=0),
    ],
    ids=str,
)
def test_where_nothing_is_known_graphs_are_double(model):
    assert single_error(model.fit(X, y)) == np.inf


@pytest.mark.parametrize("activation", ["tanh", "sine", "relu", "sigmoid"])
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_the_error_is_as_estimated_for_two_classes_and_more(activation, C):
    for labels in (y, y == 1):
        model = BLSClassifier(C=C, activation=activation, random_state=0).fit(X, labels)
        assert single_suffices(model, SINGLE)
        graph = to_onnx(model)
        products = [node for node in graph.graph.node if node.op_type == "Gemm"]
        assert len(products) == 2
        session = onnxruntime.InferenceSession(
            graph.SerializeToString(), providers=["CPUExecutionProvider"]
        )
        rows = np.random.default_rng(0).choice(X, 2000).astype(np.float32)
        rows += np.random.default_rng(1).normal(scale=0.3, size=rows.shape).astype(np.float32)
        found = session.run(None, {"X": rows})[1]
        error = np.abs(found - model.predict_proba(rows.astype(np.float64))).max()
        assert error <= min(MAX_ERROR, 3 * single_error(model) + 1e-7)
