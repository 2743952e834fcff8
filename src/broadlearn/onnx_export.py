"""Models as ONNX graphs, alone or in pipelines, by converters that skl2onnx is told of.

Graphs take float32 rows but compute in float64: standardising columns and adding up a thousand
nodes in float32 would cost more than the rounding of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from broadlearn._onnx_tables import LevelTable, column_inputs, exportable
from broadlearn.classifiers import (
    BLSClassifier,
    BLSRegressor,
    ELMClassifier,
    FuzzyBLSClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    NeuroFuzzyBLSClassifier,
)
from broadlearn.ensemble import BroadEnsembleClassifier
from broadlearn.random_features import BroadFeatures
from broadlearn.random_features._broad_map import BroadMap, MapSettings
from broadlearn.random_features._fuzzy_rules import FuzzyMap
from broadlearn.random_features._scaling import HIGH, LOW
from broadlearn.random_features._standardize import Standardization

CLASSIFIERS = (
    BLSClassifier,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
    ELMClassifier,
    HierarchicalELMClassifier,
    NeuroFuzzyBLSClassifier,
    BroadEnsembleClassifier,
)
# The first version in which minima and maxima take their axes as an input.
OPSET = {"": 18, "ai.onnx.ml": 3}

_NODES = {"tanh": "Tanh", "sigmoid": "Sigmoid", "relu": "Relu", "sine": "Sin"}


def to_onnx(model: BaseEstimator, initial_types: Sequence[tuple[str, Any]] | None = None) -> Any:
    """Convert a fitted model to an ONNX graph.

    Needs the extra ``onnx``. A classifier's graph has the outputs ``label`` and ``probabilities``
    (one column a class, in the order of ``classes_``); boolean labels become 0 and 1. That of a
    regressor has the output ``variable``.

    Parameters
    ----------
    model : estimator
        A classifier of the BLS or ELM family, `BLSRegressor`, `BroadFeatures`, or a pipeline of
        those with steps that skl2onnx converts, or with `broadlearn.tables.column_preparation`.
    initial_types : list of (str, skl2onnx type), default=None
        Inputs of the graph, as skl2onnx wants them: one a column where the pipeline selects
        columns by name. None is one float32 input ``X`` of all columns; of a pipeline with
        `column_preparation` one of shape (n_samples, 1) a column, named like it: text, or float32
        for numbers and booleans. There a missing number is nan, and a missing text is empty.

    Returns
    -------
    onnx.ModelProto

    Raises
    ------
    ValueError
        Where the model, or a step of the pipeline, cannot be converted.

    Notes
    -----
    The graph takes float32 rows and computes in float64. It agrees with ``predict_proba`` of the
    same rows as float64; of float32 rows the model itself computes in float32, which at C = 1e6 may
    differ by 1e-5. Columns whose values differ in their last digits only should be centred first,
    or given as ``DoubleTensorType``.

    Examples
    --------
    >>> import numpy as np
    >>> from onnxruntime import InferenceSession  # doctest: +SKIP
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BLSClassifier
    >>> from broadlearn.onnx_export import to_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> graph = to_onnx(BLSClassifier(random_state=0).fit(X, y))  # doctest: +SKIP
    >>> session = InferenceSession(graph.SerializeToString())  # doctest: +SKIP
    >>> label, proba = session.run(None, {"X": X.astype(np.float32)})  # doctest: +SKIP
    """
    skl2onnx = _import_skl2onnx()
    kind = type(model).__name__
    if isinstance(model, BaseSearchCV):
        raise ValueError(f"A {kind} cannot be exported; export its best_estimator_ instead.")
    check_is_fitted(model)
    last = model
    while isinstance(last, Pipeline):
        last = last.steps[-1][1]
    if isinstance(last, IntuitionisticFuzzyTwinSVC):
        raise ValueError(f"{type(last).__name__} has no probabilities and cannot be exported.")
    if initial_types is None:
        initial_types = _inputs(model)
    _register_converters()
    options = {id(last): {"zipmap": False}} if hasattr(last, "classes_") else None
    try:
        graph = skl2onnx.convert_sklearn(
            exportable(model),
            name="broadlearn",
            initial_types=list(initial_types),
            target_opset=OPSET,
            options=options,
        )
    except (RuntimeError, NameError, NotImplementedError, TypeError, ValueError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        raise ValueError(f"This {kind} cannot be exported: {reason}.") from error
    _name_inputs(graph.graph, [name for name, _ in initial_types])
    return graph


def _import_skl2onnx() -> Any:
    try:
        import onnx  # noqa: F401
        import skl2onnx
    except ImportError as error:
        raise ImportError('Export needs the extra onnx: pip install "broadlearn[onnx]".') from error
    return skl2onnx


def _inputs(model: Any) -> list[tuple[str, Any]]:
    """Inputs of the graph: one a column of a table, or one of all columns."""
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType

    columns = column_inputs(model)
    if columns is None:
        return [("X", FloatTensorType([None, model.n_features_in_]))]
    return [
        (name, StringTensorType([None, 1]) if is_text else FloatTensorType([None, 1]))
        for name, is_text in columns.items()
    ]


def _name_inputs(graph: Any, names: Sequence[str]) -> None:
    """Give the inputs their own names, of which skl2onnx keeps letters and digits only."""
    given = {old.name: new for old, new in zip(graph.input, names, strict=True)}
    taken = {name for node in graph.node for name in (*node.input, *node.output)} - set(given)
    for name in names:
        if name in taken:
            raise ValueError(f"Column {name!r} must be renamed: the graph uses that name itself.")
    for variable in graph.input:
        variable.name = given[variable.name]
    for node in graph.node:
        node.input[:] = [given.get(name, name) for name in node.input]


@cache
def _register_converters() -> None:
    from skl2onnx import update_registered_converter
    from skl2onnx.common.shape_calculator import calculate_linear_classifier_output_shapes

    for classifier in CLASSIFIERS:
        update_registered_converter(
            classifier,
            f"Broadlearn{classifier.__name__}",
            calculate_linear_classifier_output_shapes,
            _convert_classifier,
            options={
                "zipmap": [True, False, "columns"],
                "nocl": [True, False],
                "output_class_labels": [False, True],
            },
        )
    for kind, convert in ((BLSRegressor, _convert_regressor), (BroadFeatures, _convert_features)):
        update_registered_converter(kind, f"Broadlearn{kind.__name__}", _infer_shape, convert)
    update_registered_converter(
        LevelTable, "BroadlearnLevelTable", _infer_shape_of_levels, _convert_levels
    )


def _infer_shape(operator: Any) -> None:
    """Set the type of a single output: that of the input, with a column a target or node."""
    from skl2onnx.common.utils import check_input_and_output_numbers

    check_input_and_output_numbers(operator, input_count_range=1, output_count_range=1)
    fitted = operator.raw_operator
    n_columns = (
        fitted.intercept_.size if isinstance(fitted, BLSRegressor) else fitted._n_features_out
    )
    operator.outputs[0].type.shape = [operator.inputs[0].get_first_dimension(), n_columns]


def _infer_shape_of_levels(operator: Any) -> None:
    from skl2onnx.common.data_types import FloatTensorType

    n_columns = sum(rows.shape[1] for rows in operator.raw_operator.rows)
    n_rows = operator.inputs[0].get_first_dimension()
    operator.outputs[0].type = FloatTensorType([n_rows, n_columns])


class _Graph:
    """Adds nodes and constants of float64 to a graph, under names of its own."""

    def __init__(self, scope: Any, container: Any) -> None:
        self.scope, self.container = scope, container

    def constant(self, value: Any) -> str:
        """Name of an array that becomes part of the graph."""
        from onnx import TensorProto

        array = np.asarray(value)
        content: NDArray[Any]
        if array.dtype.kind in "US":
            kind, content = TensorProto.STRING, np.char.encode(array.astype(str), "utf-8")
        elif array.dtype.kind in "iub":
            kind, content = TensorProto.INT64, array.astype(np.int64)
        else:
            kind, content = TensorProto.DOUBLE, array.astype(np.float64)
        name: str = self.scope.get_unique_variable_name("constant")
        self.container.add_initializer(name, kind, list(array.shape), content.ravel().tolist())
        return name

    def node(self, kind: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        """Name of the output of a new node."""
        name: str = output or self.scope.get_unique_variable_name(kind.lower())
        label = self.scope.get_unique_operator_name(kind)
        self.container.add_node(kind, list(inputs), [name], name=label, **attributes)
        return name

    def affine(self, rows: str, weights: NDArray[np.floating]) -> str:
        """``[rows, 1] weights``."""
        product = self.node("MatMul", rows, self.constant(weights[:-1]))
        return self.node("Add", product, self.constant(weights[-1]))


def _standardized(graph: _Graph, operator: Any, standardization: Standardization) -> str:
    """Z from the input of an operator."""
    from onnx import TensorProto

    rows = graph.node("Cast", operator.inputs[0].full_name, to=TensorProto.DOUBLE)
    if standardization.exponent is not None:
        # In two steps: the power itself may be beyond float64.
        half = standardization.exponent // 2
        for exponent in (half, standardization.exponent - half):
            rows = graph.node("Mul", rows, graph.constant(np.ldexp(1.0, -exponent)))
    centred = graph.node("Sub", rows, graph.constant(standardization.mean))
    return graph.node("Div", centred, graph.constant(standardization.scale))


def _activated(graph: _Graph, name: str, activation: str) -> str:
    return name if activation == "identity" else graph.node(_NODES[activation], name)


def _features(graph: _Graph, Z: str, broad_map: BroadMap) -> str:
    """F^m from Z."""
    settings = broad_map.settings
    F = graph.affine(Z, broad_map.feature_weights)
    if settings.affine:
        return F
    if isinstance(broad_map, FuzzyMap):
        logs = _grouped(graph, graph.affine(Z, broad_map.log_strengths), settings)
        strengths = _ungrouped(graph, graph.node("Softmax", logs, axis=2), settings)
        F = graph.node("Mul", strengths, F)
    F = _activated(graph, F, settings.feature_activation)
    if settings.feature_scaling == "sample":
        return _ungrouped(graph, _scaled_rows(graph, _grouped(graph, F, settings)), settings)
    if broad_map.feature_scale is not None:
        F = graph.node("Mul", F, graph.constant(broad_map.feature_scale))
        F = graph.node("Add", F, graph.constant(broad_map.feature_offset))
    return F


def _grouped(graph: _Graph, nodes: str, settings: MapSettings) -> str:
    """Feature nodes with an axis of groups."""
    shape = np.array([-1, settings.n_feature_groups, settings.n_feature_nodes])
    return graph.node("Reshape", nodes, graph.constant(shape))


def _ungrouped(graph: _Graph, nodes: str, settings: MapSettings) -> str:
    return graph.node("Reshape", nodes, graph.constant(np.array([-1, settings.n_features])))


def _scaled_rows(graph: _Graph, grouped: str) -> str:
    """Every row of every group on [LOW, HIGH], constant ones at 0."""
    axis = graph.constant(np.array([2]))
    low = graph.node("ReduceMin", grouped, axis)
    width = graph.node("Sub", graph.node("ReduceMax", grouped, axis), low)
    constant = graph.node("Equal", width, graph.constant(0.0))
    divisor = graph.node("Where", constant, graph.constant(1.0), width)
    offset = graph.node("Where", constant, graph.constant(0.0), graph.constant(LOW))
    share = graph.node("Div", graph.node("Sub", grouped, low), divisor)
    return graph.node("Add", graph.node("Mul", share, graph.constant(HIGH - LOW)), offset)


def _enhancements(graph: _Graph, Z: str, F: str, broad_map: BroadMap) -> str:
    """E^l from Z where the map is affine, else from F^m."""
    inputs = Z if broad_map.settings.enhances_inputs else F
    U = graph.affine(inputs, broad_map.enhancement_weights)
    return _activated(graph, U, broad_map.settings.activation)


def _output(graph: _Graph, operator: Any) -> str:
    """``G W``, with the features of an affine map and their weights as one product."""
    fitted = operator.raw_operator
    broad_map, W = fitted._map, fitted.output_weights_
    n_features = broad_map.settings.n_features
    Z = _standardized(graph, operator, fitted._standardization)
    if broad_map.settings.affine:
        direct = broad_map.feature_weights @ W[:n_features].astype(np.float64)
        E = _enhancements(graph, Z, Z, broad_map)
        first = graph.affine(Z, direct)
    else:
        F = _features(graph, Z, broad_map)
        E = _enhancements(graph, Z, F, broad_map)
        first = graph.node("MatMul", F, graph.constant(W[:n_features]))
    return graph.node("Add", first, graph.node("MatMul", E, graph.constant(W[n_features:])))


def _cast_output(graph: _Graph, name: str, variable: Any) -> None:
    """Give a result the type and name of an output of the operator."""
    from skl2onnx.common.data_types import guess_proto_type

    graph.node("Cast", name, output=variable.full_name, to=guess_proto_type(variable.type))


def _convert_classifier(scope: Any, operator: Any, container: Any) -> None:
    from onnx import TensorProto

    graph, fitted = _Graph(scope, container), operator.raw_operator
    label, probabilities = operator.outputs
    decision = _output(graph, operator)
    squared = graph.node("Mul", decision, decision)
    length = graph.node("Sqrt", graph.node("Add", squared, graph.constant(1.0)))
    bounded = graph.node("Div", decision, length)
    scaled = graph.node("Mul", bounded, graph.constant(fitted.proba_slope_))
    if fitted.classes_.size == 2:
        second = graph.node("Sigmoid", scaled)
        first = graph.node("Sub", graph.constant(1.0), second)
        shares = graph.node("Concat", first, second, axis=1)
        positive = graph.node("Greater", decision, graph.constant(0.0))
        column = graph.node("Cast", positive, to=TensorProto.INT64)
        codes = graph.node("Reshape", column, graph.constant(np.array([-1])))
    else:
        shares = graph.node("Softmax", scaled, axis=1)
        codes = graph.node("ArgMax", decision, axis=1, keepdims=0)
    _cast_output(graph, shares, probabilities)
    classes = fitted.classes_
    if classes.dtype.kind not in "USiub":
        is_text = all(isinstance(value, str) for value in classes)
        classes = classes.astype(str if is_text else np.int64)
    graph.node("Gather", graph.constant(classes), codes, output=label.full_name)


def _convert_regressor(scope: Any, operator: Any, container: Any) -> None:
    graph = _Graph(scope, container)
    intercept = graph.constant(operator.raw_operator.intercept_)
    prediction = graph.node("Add", _output(graph, operator), intercept)
    _cast_output(graph, prediction, operator.outputs[0])


def _convert_features(scope: Any, operator: Any, container: Any) -> None:
    graph, fitted = _Graph(scope, container), operator.raw_operator
    Z = _standardized(graph, operator, fitted._standardization)
    F = _features(graph, Z, fitted._map)
    E = _enhancements(graph, Z, F, fitted._map)
    _cast_output(graph, graph.node("Concat", F, E, axis=1), operator.outputs[0])


def _convert_levels(scope: Any, operator: Any, container: Any) -> None:
    """Look up the numbers of each text, column by column."""
    graph, table = _Graph(scope, container), operator.raw_operator
    texts = operator.inputs[0].full_name
    parts = []
    for j, (levels, rows) in enumerate(zip(table.levels, table.rows, strict=True)):
        codes = graph.node(
            "LabelEncoder",
            graph.node("Gather", texts, graph.constant(np.array(j)), axis=1),
            op_domain="ai.onnx.ml",
            op_version=2,
            keys_strings=levels,
            values_int64s=list(range(len(levels))),
            default_int64=len(levels),
        )
        parts.append(graph.node("Gather", graph.constant(rows), codes, axis=0))
    _cast_output(graph, graph.node("Concat", *parts, axis=1), operator.outputs[0])
