"""Graphs of all models that can be exported give what the models give."""

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, StandardScaler

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    BroadEnsembleClassifier,
    BroadEnsembleRegressor,
    ELMClassifier,
    FuzzyBLSClassifier,
    GraphBLSClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    PathSearchCV,
    RowStandardizer,
    RVFLClassifier,
)
from broadlearn.evaluation import with_threshold
from broadlearn.persistence import to_onnx
from broadlearn.random_features import METRICS
from broadlearn.registry import REGISTRY
from broadlearn.tables import TablePreparation

skl2onnx = pytest.importorskip("skl2onnx")
onnxruntime = pytest.importorskip("onnxruntime")

X, y = load_iris(return_X_y=True)
NAMES = load_iris().target_names[y]
# Samples that were not learnt, and some far away.
ROWS = np.vstack([X[1::3] + 0.05, X[:3] + 20.0, X[:3] - 20.0])
ACTIVATIONS = ["tanh", "sigmoid", "relu", "sine"]
SMALL = {"n_feature_nodes": 6, "n_enhancement_nodes": 40, "random_state": 0}
MODELS = [
    BLSClassifier(random_state=0),
    BLSClassifier(C=1e6, random_state=0),
    FuzzyBLSClassifier(random_state=0),
    IntuitionisticFuzzyBLSClassifier(random_state=0),
    ELMClassifier(random_state=0),
    HierarchicalELMClassifier(n_autoencoder_nodes=12, random_state=0),
    BLSClassifier(sample_scores="correntropy", random_state=0),
    RVFLClassifier(random_state=0),
    GraphBLSClassifier(random_state=0),
    BroadEnsembleClassifier(ensemble_size=5),
]


def run(graph, **inputs):
    """Return the outputs of a graph by name."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        graph.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs), strict=True))


def assert_equal(model, rows=ROWS, tolerance=1e-6):
    """Compare a graph with its model, on the float32 rows that the graph sees."""
    single = rows.astype(np.float32)
    found, exact = run(to_onnx(model), X=single), single.astype(np.float64)
    assert list(found) == ["label", "probabilities"]
    assert found["probabilities"].dtype == np.float32
    expected = model.predict_proba(exact)
    np.testing.assert_allclose(found["probabilities"], expected, rtol=0, atol=tolerance)
    np.testing.assert_array_equal(found["label"], model.predict(exact))


def test_every_classifier_is_here():
    known = {type(model) for model in MODELS} | {BLSRegressor, BroadEnsembleRegressor}
    assert {entry.estimator for entry in REGISTRY.values() if entry.onnx} == known


@pytest.mark.parametrize("labels", [NAMES, NAMES == "setosa"], ids=lambda y: str(y[0]))
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_every_classifier(model, labels):
    assert_equal(model.fit(X, labels))


@pytest.mark.parametrize(
    "step", [StandardScaler(), MinMaxScaler(), PCA(3, random_state=0)], ids=str
)
def test_pipelines(step):
    for model in (BLSClassifier(**SMALL), BroadEnsembleClassifier(ensemble_size=3)):
        assert_equal(make_pipeline(step, model).fit(X, NAMES), X, tolerance=1e-5)


@pytest.mark.parametrize("scaling", ["node", "sample", "robust", None])
@pytest.mark.parametrize("feature_activation", ["identity", "tanh", "sine"])
def test_feature_nodes(feature_activation, scaling):
    options = {"feature_activation": feature_activation, "feature_scaling": scaling}
    for inputs in (None, 2):
        model = BLSClassifier(3, enhancement_inputs=inputs, **options, **SMALL)
        assert_equal(model.fit(X, y), X)


@pytest.mark.parametrize(
    ("activation", "standardize"),
    [*((name, True) for name in ACTIVATIONS), ("tanh", False), ("tanh", "robust")],
)
def test_activations(activation, standardize):
    options = {"activation": activation, "standardize": standardize, "random_state": 0}
    for model in (
        BLSClassifier(2, 6, 2, 20, feature_weights="sparse", **options),
        ELMClassifier(40, **options),
    ):
        assert_equal(model.fit(X, NAMES), X)


def test_missing_values_and_extreme_ones():
    rows, far = X.copy(), X.copy()
    rows[3] *= 1e12
    rows[::7, 2] = np.nan
    far[:5] *= [[1e2], [1e6], [-1e12], [1e30], [1.0]]
    far[5:9, 1] = np.nan
    for model in (BLSClassifier(**SMALL), BroadEnsembleClassifier(ensemble_size=4)):
        assert_equal(model.fit(rows, y), far)
    assert_equal(BLSClassifier(**SMALL).fit(X * 1e20, y), X * 1e20)


def test_all_kernels_of_the_ensemble():
    model = BroadEnsembleClassifier(ensemble_size=40).fit(X[::3], NAMES[::3])
    assert {member["family"] for member in model.members_} == set(METRICS)
    assert_equal(model)
    one = BroadEnsembleClassifier(ensemble_size=40).fit(X[::3, :1], NAMES[::3])
    assert_equal(one, ROWS[:, :1])


def test_regressors():
    single = ROWS[:50].astype(np.float32)
    exact = single.astype(np.float64)
    for targets in (X[:, 0], X[:, :2]):
        for model in (BLSRegressor(**SMALL), BroadEnsembleRegressor(ensemble_size=4)):
            found = run(to_onnx(model.fit(X, targets)), X=single)["variable"]
            expected = model.predict(exact).reshape(found.shape)
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_columns_that_skl2onnx_prepares():
    pd = pytest.importorskip("pandas")
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType

    table = pd.DataFrame({"long": X[:, 2], "town": np.where(X[:, 1] > 3, "Ulm", "Köln")})
    encode = make_column_transformer(
        (StandardScaler(), ["long"]), (OneHotEncoder(handle_unknown="ignore"), ["town"])
    )
    model = make_pipeline(encode, BLSClassifier(**SMALL)).fit(table, NAMES)
    types = [("long", FloatTensorType([None, 1])), ("town", StringTensorType([None, 1]))]
    columns = {
        "long": X[:, 2:3].astype(np.float32),
        "town": table[["town"]].to_numpy(dtype=object),
    }
    found = run(to_onnx(model, types), **columns)
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(table), atol=1e-5)
    assert found["label"].tolist() == model.predict(table).tolist()


def test_labels_of_all_types():
    for labels in (NAMES.astype(object), y == 1, y.astype(np.uint8)):
        model = ELMClassifier(10, random_state=0).fit(X, labels)
        found = run(to_onnx(model), X=X.astype(np.float32))["label"]
        expected = model.predict(X.astype(np.float32).astype(np.float64))
        np.testing.assert_array_equal(found, expected.astype(found.dtype))


def test_what_cannot_be_exported_is_refused_in_a_sentence():
    bls = BLSClassifier(**SMALL).fit(X, NAMES)
    search = PathSearchCV(BLSClassifier(**SMALL), {"C": [1.0, 10.0]}).fit(X, NAMES)
    two = BLSClassifier(**SMALL).fit(X, y == 1)
    table = make_pipeline(TablePreparation(), BLSClassifier(**SMALL)).fit(X, NAMES)
    published = make_pipeline(RowStandardizer(), BLSClassifier(**SMALL)).fit(X, NAMES)
    function = make_pipeline(FunctionTransformer(np.exp), BLSClassifier(**SMALL)).fit(X, NAMES)
    refused = {
        "export its best_estimator_ instead": search,
        "graph has no decision threshold": with_threshold(two, True, 0.3),
        "cannot prepare table columns": table,
        "RowStandardizer": published,
        "FunctionTransformer": function,
    }
    for why, model in refused.items():
        with pytest.raises(ValueError, match=why) as error:
            to_onnx(model)
        assert "\n" not in str(error.value)
    with pytest.raises(NotFittedError):
        to_onnx(BLSClassifier())
    assert to_onnx(table[1:]).graph.node
    assert to_onnx(bls).graph.node


@pytest.mark.parametrize("k", [2, 3])
def test_trees_of_the_ensemble(k):
    rows = np.random.default_rng(0).uniform(-1, 1, size=(1200, 2))
    labels = np.floor(4 * rows).sum(axis=1) % k
    rows[::50, 0] = np.nan
    model = BroadEnsembleClassifier(ensemble_size=3, random_state=0).fit(rows, labels)
    assert model.proba_slopes_[2] > 0
    assert_equal(model, rows[::9])
    regressor = BroadEnsembleRegressor(ensemble_size=3, random_state=0).fit(rows, labels)
    assert regressor.shares_[1] > 0
    single = rows[::9].astype(np.float32)
    found = run(to_onnx(regressor), X=single)["variable"].ravel()
    np.testing.assert_allclose(found, regressor.predict(single.astype(np.float64)), atol=1e-5)
