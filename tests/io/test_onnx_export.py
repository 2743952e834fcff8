import sys

import numpy as np
import pytest
from sklearn import config_context
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, StandardScaler

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    BroadEnsembleClassifier,
    BroadFeatures,
    ELMClassifier,
    FuzzyBLSClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    NeuroFuzzyBLSClassifier,
    PathSearchCV,
    RowStandardizer,
)
from broadlearn.io.onnx_export import to_onnx

pytestmark = pytest.mark.slow

pytest.importorskip("skl2onnx")
onnxruntime = pytest.importorskip("onnxruntime")

X, y = load_iris(return_X_y=True)
NAMES = load_iris().target_names[y]
ACTIVATIONS = ["tanh", "sigmoid", "relu", "sine"]
SMALL = {"n_feature_nodes": 6, "n_enhancement_nodes": 40, "random_state": 0}


def run(graph, **inputs):
    """Outputs of a graph by name."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        graph.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs), strict=True))


def check_parity(model, rows):
    """Compare with the model in double precision, on the rows that the graph sees and as given."""
    single = rows.astype(np.float32)
    found = run(to_onnx(model), X=single)
    assert list(found) == ["label", "probabilities"]
    assert found["probabilities"].dtype == np.float32
    for form, tolerance in ((single.astype(np.float64), 1e-6), (rows, 1e-5)):
        np.testing.assert_allclose(
            found["probabilities"], model.predict_proba(form), rtol=0, atol=tolerance
        )
    np.testing.assert_array_equal(found["label"], model.predict(single.astype(np.float64)))


FAMILIES = [
    BLSClassifier(random_state=0),
    BLSClassifier(C=1e6, random_state=0),
    FuzzyBLSClassifier(random_state=0),
    IntuitionisticFuzzyBLSClassifier(random_state=0),
    ELMClassifier(random_state=0),
    HierarchicalELMClassifier(n_autoencoder_nodes=12, random_state=0),
    NeuroFuzzyBLSClassifier(random_state=0),
]


@pytest.mark.parametrize("labels", [NAMES, y, y == 1, NAMES == "setosa"], ids=lambda y: str(y[0]))
@pytest.mark.parametrize("model", FAMILIES, ids=lambda model: type(model).__name__)
def test_classifiers_of_all_families(model, labels):
    check_parity(model.fit(X, labels), X)


@pytest.mark.parametrize(
    "step",
    [
        StandardScaler(),
        MinMaxScaler(),
        PCA(3, random_state=0),
        RowStandardizer(),
        make_pipeline(RowStandardizer(), StandardScaler()),
    ],
    ids=str,
)
@pytest.mark.parametrize("model", FAMILIES, ids=lambda model: type(model).__name__)
def test_all_families_in_pipelines(model, step):
    pipeline = make_pipeline(step, model).fit(X, NAMES)
    found = run(to_onnx(pipeline), X=X.astype(np.float32))
    np.testing.assert_allclose(found["probabilities"], pipeline.predict_proba(X), rtol=0, atol=1e-5)
    assert found["label"].tolist() == pipeline.predict(X).tolist()


@pytest.mark.parametrize("scaling", ["node", "sample", "robust", None])
@pytest.mark.parametrize("feature_activation", ["identity", *ACTIVATIONS])
def test_feature_activations_and_scalings(feature_activation, scaling):
    model = BLSClassifier(
        3, feature_activation=feature_activation, feature_scaling=scaling, **SMALL
    )
    check_parity(model.fit(X, y), X)


@pytest.mark.parametrize("feature_activation", ["identity", "tanh"])
def test_enhancement_nodes_on_inputs(feature_activation):
    model = BLSClassifier(
        2,
        feature_activation=feature_activation,
        enhancement_inputs=2,
        enhancement_scale=(0.3, 2.0),
        **SMALL,
    )
    check_parity(model.fit(X, y), X)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("standardize", [True, False, "bounded", "robust"])
def test_activations(activation, standardize):
    options = {"activation": activation, "standardize": standardize, "random_state": 0}
    for model in (
        BLSClassifier(2, 6, 2, 20, feature_weights="sparse", **options),
        ELMClassifier(40, **options),
        HierarchicalELMClassifier(40, n_autoencoder_nodes=6, **options),
        NeuroFuzzyBLSClassifier(2, 4, 40, **options),
    ):
        check_parity(model.fit(X, NAMES), X)


def test_values_beyond_the_bounds_of_a_model():
    rows, far = X.copy(), X.copy()
    rows[3] *= 1e12
    far[:5] *= [[1e2], [1e6], [-1e12], [1e30], [1.0]]
    far[5, 1] = np.nan
    check_parity(BLSClassifier(**SMALL).fit(rows, y), far)
    check_parity(BLSClassifier(**SMALL).fit(rows * 1e20, y), X * 1e20)


def test_rows_that_are_constant_within_a_group():
    model = BLSClassifier(1, 1, 1, 20, feature_scaling="sample", random_state=0).fit(X, y)
    check_parity(model, X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_models_that_predict_in_single_precision(dtype):
    # At C = 1e6 the model's own rounding in single precision reaches 1e-5; the graph has none.
    rows, labels = load_breast_cancer(return_X_y=True)
    single = rows.astype(np.float32)
    model = BLSClassifier(C=100.0, random_state=0).fit(rows.astype(dtype), labels)
    check_parity(model, rows)
    found = run(to_onnx(model), X=single)["probabilities"]
    np.testing.assert_allclose(found, model.predict_proba(single), rtol=0, atol=1e-5)


def test_columns_of_extreme_size():
    # Single precision has no more than 1e38, and rounds what is below 1e-38.
    scales = np.array([1e30, 1e-30, 1.0, 1e6])
    rows = (X * scales).astype(np.float32).astype(np.float64)
    model = BLSClassifier(**SMALL).fit(rows.astype(np.float32), y)
    assert model._standardization.exponent is not None
    check_parity(model, rows)


def test_a_row_at_a_time_and_no_rows_at_all():
    graph = to_onnx(BLSClassifier(**SMALL).fit(X, NAMES))
    single = X.astype(np.float32)
    whole = run(graph, X=single)
    for i in (0, 70, 149):
        alone = run(graph, X=single[i : i + 1])
        assert alone["label"][0] == whole["label"][i]
        np.testing.assert_allclose(alone["probabilities"][0], whole["probabilities"][i], atol=1e-6)
    assert run(graph, X=single[:0])["probabilities"].shape == (0, 3)


def test_double_precision_inputs():
    from skl2onnx.common.data_types import DoubleTensorType

    model = BLSClassifier(**SMALL).fit(X, y)
    graph = to_onnx(model, [("rows", DoubleTensorType([None, 4]))])
    found = run(graph, rows=X)
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(X), rtol=0, atol=1e-12)


def test_regression_and_features():
    single = X.astype(np.float32)
    for target in (X[:, 0], X[:, :2]):
        model = BLSRegressor(**SMALL).fit(X, target)
        found = run(to_onnx(model), X=single)["variable"]
        np.testing.assert_allclose(found, model.predict(X).reshape(150, -1), rtol=0, atol=1e-5)
    for scaling in ("node", "sample"):
        features = BroadFeatures(2, feature_scaling=scaling, **SMALL).fit(X)
        (found,) = run(to_onnx(features), X=single).values()
        np.testing.assert_allclose(found, features.transform(X), rtol=0, atol=1e-5)


def test_pipelines():
    rows = np.where(np.random.default_rng(0).random(X.shape) < 0.05, np.nan, X)
    model = make_pipeline(SimpleImputer(), StandardScaler(), BLSClassifier(**SMALL))
    check_parity(model.fit(rows, NAMES), rows)
    check_parity(make_pipeline(make_pipeline(ELMClassifier(40, random_state=0))).fit(X, y), X)
    check_parity(make_pipeline(BroadFeatures(**SMALL), LogisticRegression()).fit(X, y), X)


def test_standardised_rows():
    rows = RowStandardizer().fit(X)
    level = np.array([[5, 5, 5, 5], [0.1, 0.1, 0.1, 0.1], [0, 0, 0, 1e30], [-3e38, 0, 0, 3e38]])
    single = np.r_[X, level, X + 1000].astype(np.float32)
    (found,) = run(to_onnx(rows), X=single).values()
    np.testing.assert_allclose(found, rows.transform(single), rtol=0, atol=1e-6)
    assert not found[150:152].any()


def test_standardised_rows_of_one_column_and_of_float64():
    from skl2onnx.common.data_types import DoubleTensorType

    rows = RowStandardizer().fit(X[:, :1])
    (found,) = run(to_onnx(rows), X=X[:, :1].astype(np.float32)).values()
    np.testing.assert_array_equal(found, np.zeros((150, 1)))
    rows, large = RowStandardizer().fit(X), X * 1e300
    (found,) = run(to_onnx(rows, [("X", DoubleTensorType([None, 4]))]), X=large).values()
    np.testing.assert_allclose(found, rows.transform(large), rtol=1e-12, atol=1e-14)


def test_pipelines_that_select_columns_by_name():
    pandas = pytest.importorskip("pandas")
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType

    draw = np.random.default_rng(0)
    table = pandas.DataFrame({"length": X[:, 2], "town": draw.choice(["Ulm", "Köln"], 150)})
    prepare = ColumnTransformer(
        [
            ("numbers", StandardScaler(), ["length"]),
            ("texts", OneHotEncoder(sparse_output=False), ["town"]),
        ]
    )
    model = make_pipeline(prepare, FuzzyBLSClassifier(**SMALL)).fit(table, NAMES)
    graph = to_onnx(
        model, [("length", FloatTensorType([None, 1])), ("town", StringTensorType([None, 1]))]
    )
    found = run(
        graph,
        length=table[["length"]].to_numpy(np.float32),
        town=table[["town"]].to_numpy(object),
    )
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(table), atol=1e-5)
    assert found["label"].tolist() == model.predict(table).tolist()


def test_a_column_that_is_named_like_a_part_of_the_graph_is_refused():
    pandas = pytest.importorskip("pandas")
    from broadlearn.io import TablePreparation

    table = pandas.DataFrame(X, columns=["a b", "a_b", "probabilities", "label"])
    model = make_pipeline(TablePreparation(), BLSClassifier(**SMALL)).fit(table, y)
    with pytest.raises(ValueError, match="Column 'probabilities' must be renamed: the graph uses"):
        to_onnx(model)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (IntuitionisticFuzzyTwinSVC(), "IntuitionisticFuzzyTwinSVC has no probabilities"),
        (make_pipeline(IntuitionisticFuzzyTwinSVC()), "TwinSVC has no probabilities"),
        (
            make_pipeline(FunctionTransformer(np.log1p), BLSClassifier(**SMALL)),
            "This Pipeline cannot be exported: FunctionTransformer is not supported",
        ),
        (
            PathSearchCV(BLSClassifier(**SMALL), {"C": [1.0]}),
            "PathSearchCV cannot be exported; export its best_estimator_",
        ),
    ],
)
def test_what_cannot_be_exported_is_refused_in_one_sentence(model, reason):
    with pytest.raises(ValueError, match=reason) as caught:
        to_onnx(model.fit(X, y))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("model", [BLSClassifier(), RowStandardizer()])
def test_a_model_that_is_not_fitted_is_refused(model):
    with pytest.raises(NotFittedError):
        to_onnx(model)


def test_without_the_extra_its_name_is_given(monkeypatch):
    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    with pytest.raises(ImportError, match=r'pip install "broadlearn\[onnx\]"'):
        to_onnx(BLSClassifier(**SMALL).fit(X, y))


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(
    "form",
    [
        {"enhancement_inputs": 2},
        {"enhancement_inputs": None},
        {"enhancement_inputs": None, "n_feature_nodes": 2},
        {"enhancement_inputs": None, "feature_activation": "tanh", "enhancement_scale": (0.5, 2.0)},
    ],
    ids=str,
)
def test_infinitely_many_nodes(form, activation):
    model = BLSClassifier(
        n_enhancement_nodes="infinite", activation=activation, C=100.0, random_state=0, **form
    )
    check_parity(model.fit(X[::2], NAMES[::2]), X)
    rows, labels = load_breast_cancer(return_X_y=True)
    check_parity(model.fit(rows[::8], labels[::8]), rows[::2])


def test_infinitely_many_nodes_of_a_regressor_and_many_in_their_place():
    model = BLSRegressor(n_enhancement_nodes="infinite", random_state=0).fit(X, X[:, :2])
    single = X.astype(np.float32)
    found = run(to_onnx(model), X=single)["variable"]
    np.testing.assert_allclose(found, model.predict(single.astype(np.float64)), atol=1e-5)
    model = BLSClassifier(n_enhancement_nodes="infinite", random_state=0)
    with config_context(working_memory=0.1), pytest.warns(UserWarning, match="nodes are drawn"):
        model.fit(X, y)
    check_parity(model, X)


@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize(
    "model",
    [
        BLSClassifier(**SMALL),
        BLSClassifier(n_enhancement_nodes="infinite", random_state=0),
        ELMClassifier(30, random_state=0),
        make_pipeline(StandardScaler(), NeuroFuzzyBLSClassifier(2, 3, 20, random_state=0)),
    ],
    ids=lambda model: type(model).__name__,
)
def test_several_labels(model, n_labels):
    labels = np.column_stack([X[:, 0] > 5.8, np.ones(len(X)), X[:, 3] > 1.3])[:, :n_labels]
    check_parity(model.fit(X, labels), X)
    found = run(to_onnx(model), X=X.astype(np.float32))
    assert found["label"].shape == found["probabilities"].shape == (150, n_labels)
    assert found["label"][:, 1].all()


@pytest.mark.parametrize(
    "model",
    [
        BLSClassifier(**SMALL),
        BLSClassifier(standardize=False, feature_scaling="sample", **SMALL),
        BLSClassifier(n_enhancement_nodes="infinite", random_state=0),
        NeuroFuzzyBLSClassifier(2, 3, 20, random_state=0),
        BroadEnsembleClassifier(),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("in_training", [True, False])
def test_missing_values(model, in_training):
    rows = X.copy()
    rows[::3, 1] = rows[1::4, 2] = np.nan
    check_parity(model.fit(rows if in_training else X, NAMES), rows)


def test_whatever_a_converter_raises_is_one_sentence(monkeypatch):
    def fail(*args, **kwargs):
        raise AssertionError("One output was already added.\nAll of them: ...")

    model = BLSClassifier(n_feature_nodes=3, n_enhancement_nodes=5, random_state=0).fit(X, y)
    monkeypatch.setattr("skl2onnx.convert_sklearn", fail)
    with pytest.raises(ValueError, match=r"cannot be exported: One output was already added\.$"):
        to_onnx(model)
