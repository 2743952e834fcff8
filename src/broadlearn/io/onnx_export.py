"""Models as ONNX graphs, alone or in pipelines, by converters that skl2onnx is told of.

Graphs take float32 rows. Columns are standardised and nodes added up in float64, which in float32
would cost more than the rounding of the rows; nodes themselves are computed in float32 where that
keeps probabilities to 3e-6, see `broadlearn.io.onnx_precision`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from broadlearn.ensemble import BroadEnsembleClassifier, BroadEnsembleRegressor
from broadlearn.io.errors import reason
from broadlearn.io.onnx_ensembles import average_output
from broadlearn.io.onnx_graph import Graph
from broadlearn.io.onnx_kernels import kernel_products
from broadlearn.io.onnx_precision import single_suffices
from broadlearn.io.onnx_tables import (
    LevelTable,
    NumberColumns,
    column_inputs,
    convert_levels,
    convert_numbers,
    exportable,
)
from broadlearn.models import BLSRegressor, BroadFeatures, RowStandardizer
from broadlearn.random_features import HIGH, LOW, BroadMap, FuzzyMap, InfiniteMap
from broadlearn.registry import entries_that
from broadlearn.solvers import MIN_SHARE
from broadlearn.utils import Standardization
from broadlearn.utils.sklearn_compat import BaseSearchCV

# The first version in which minima and maxima take their axes as an input.
OPSET = {"": 18, "ai.onnx.ml": 3}

# What skl2onnx lets classifiers be asked for.
OPTIONS = {
    "zipmap": [True, False, "columns"],
    "nocl": [True, False],
    "output_class_labels": [False, True],
}


def to_onnx(model: BaseEstimator, initial_types: Sequence[tuple[str, Any]] | None = None) -> Any:
    """Convert a fitted model to an ONNX graph.

    Needs the extra ``onnx``. A classifier's graph has the outputs ``label`` and ``probabilities``
    (one column per class, in the order of ``classes_``); boolean labels become 0 and 1. Of several
    labels, both have a column for each. The graph of a regressor has the output ``variable``.

    Parameters
    ----------
    model : estimator
        A classifier of the BLS or ELM family, an ensemble, `BLSRegressor`, `BroadFeatures`,
        `RowStandardizer`, or a pipeline of those with steps that skl2onnx converts, or with
        `broadlearn.io.TablePreparation`.
    initial_types : list of (str, skl2onnx type), default=None
        Inputs of the graph, as skl2onnx wants them: one per column where the pipeline selects
        columns by name. By default one float32 input ``X`` of all columns; for a pipeline with
        `TablePreparation` one input of shape (n_samples, 1) per column, named like it: text, or
        float32 for numbers and booleans. There a missing number is nan, and a missing text is
        empty; a number that the table has as text is given as the number, and words are spelt as
        in the table or in lower case. Dates cannot be exported.

    Returns
    -------
    onnx.ModelProto

    Raises
    ------
    ValueError
        Where the model, or a step of the pipeline, cannot be converted.

    Notes
    -----
    The graph takes float32 rows. Its probabilities agree with ``predict_proba`` of the same rows as
    float64 to 3e-6 or better: nodes are computed in float32 where that suffices, elsewhere (as at
    large C) in float64, and so are graphs with inputs of ``DoubleTensorType``. Of float32 rows the
    model itself computes in float32, which at C = 1e6 may differ by 1e-5. Rows are best given in
    batches of some hundred to a thousand, which stay in the cache. Columns whose values differ in
    their last digits only should be centred first, or given as ``DoubleTensorType``.

    Examples
    --------
    >>> import numpy as np
    >>> from onnxruntime import InferenceSession  # doctest: +SKIP
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BLSClassifier
    >>> from broadlearn.io import to_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> graph = to_onnx(BLSClassifier(random_state=0).fit(X, y))  # doctest: +SKIP
    >>> session = InferenceSession(graph.SerializeToString())  # doctest: +SKIP
    >>> label, proba = session.run(None, {"X": X.astype(np.float32)})  # doctest: +SKIP
    """
    try:
        import onnx  # noqa: F401
        import skl2onnx
    except ImportError as error:
        raise ImportError('Export needs the extra onnx: pip install "broadlearn[onnx]".') from error
    kind = type(model).__name__
    if isinstance(model, BaseSearchCV):
        raise ValueError(f"A {kind} cannot be exported; export its best_estimator_ instead.")
    check_is_fitted(model)
    last = model
    while isinstance(last, Pipeline):
        last = last.steps[-1][1]
    if isinstance(last, tuple(entry.estimator for entry in entries_that(onnx=False))):
        raise ValueError(f"{type(last).__name__} has no probabilities and cannot be exported.")
    _register_converters()
    options = {id(last): {"zipmap": False}} if hasattr(last, "classes_") else None
    try:
        if initial_types is None:
            initial_types = _inputs(model)
        graph = skl2onnx.convert_sklearn(
            exportable(model),
            name="broadlearn",
            initial_types=list(initial_types),
            target_opset=OPSET,
            options=options,
        )
    except NotFittedError:
        raise
    # Converters raise whatever happens to them, assertions too.
    except Exception as error:
        raise ValueError(f"This {kind} cannot be exported: {reason(error)}.") from error
    _name_inputs(graph.graph, [name for name, _ in initial_types])
    return graph


def _inputs(model: Any) -> list[tuple[str, Any]]:
    """Inputs of the graph: one per column of a table, or one of all columns."""
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType

    columns = column_inputs(model)
    if columns is None:
        check_is_fitted(model, "n_features_in_")
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

    others = {
        BLSRegressor: _convert_regressor,
        BroadEnsembleRegressor: _convert_regressor,
        BroadFeatures: _convert_features,
        RowStandardizer: _convert_rows,
        LevelTable: _by_graph(convert_levels),
        NumberColumns: _by_graph(convert_numbers),
    }
    for kind, convert in others.items():
        update_registered_converter(kind, f"Broadlearn{kind.__name__}", _infer_shape, convert)
    for kind in (entry.estimator for entry in entries_that(onnx=True)):
        if issubclass(kind, ClassifierMixin):
            update_registered_converter(
                kind,
                f"Broadlearn{kind.__name__}",
                _infer_shapes,
                _convert_classifier,
                options=OPTIONS,
            )


def _infer_shapes(operator: Any) -> None:
    """Set the types of labels and probabilities; several labels have a column each."""
    from skl2onnx.common.shape_calculator import calculate_linear_classifier_output_shapes

    calculate_linear_classifier_output_shapes(operator)
    if getattr(operator.raw_operator, "_constant_labels", None) is not None:
        label, probabilities = (output.type for output in operator.outputs)
        label.shape = probabilities.shape


def _by_graph(convert: Callable[[Any, Any], None]) -> Callable[[Any, Any, Any], None]:
    return lambda scope, operator, container: convert(Graph(scope, container), operator)


def _infer_shape(operator: Any) -> None:
    """Set the type of a single output, with a column per target, node, input or number."""
    from skl2onnx.common.data_types import FloatTensorType
    from skl2onnx.common.utils import check_input_and_output_numbers

    check_input_and_output_numbers(operator, input_count_range=1, output_count_range=1)
    fitted, output = operator.raw_operator, operator.outputs[0]
    if isinstance(fitted, NumberColumns):
        output.type = FloatTensorType()
        n_columns = len(fitted.fill) + int(fitted.indicator)
    elif isinstance(fitted, LevelTable):
        output.type = FloatTensorType()
        n_columns = sum(rows.shape[1] for rows in fitted.rows)
    elif isinstance(fitted, BLSRegressor | BroadEnsembleRegressor):
        n_columns = fitted.intercept_.size
    elif isinstance(fitted, RowStandardizer):
        n_columns = fitted.n_features_in_
    else:
        n_columns = fitted._n_features_out
    output.type.shape = [operator.inputs[0].get_first_dimension(), n_columns]


def _standardized(graph: Graph, operator: Any, standardization: Standardization) -> str:
    """Z from the input of an operator."""
    from onnx import TensorProto

    rows = graph.node("Cast", operator.inputs[0].full_name, to=TensorProto.DOUBLE)
    if standardization.exponent is not None:
        # In two steps: the power itself may be beyond float64.
        half = standardization.exponent // 2
        for exponent in (half, standardization.exponent - half):
            rows = graph.node("Mul", rows, np.ldexp(1.0, -exponent))
    bounded = rows
    if standardization.bounds is not None:
        low, high = standardization.bounds
        bounded = graph.node("Min", graph.node("Max", rows, low), high)
    Z = graph.node("Div", graph.node("Sub", bounded, standardization.mean), standardization.scale)
    fill = 0.0 if standardization.fill is None else standardization.fill
    return graph.with_indicators(rows, Z, fill, standardization)


def _features(graph: Graph, Z: str, broad_map: BroadMap) -> str:
    """F^m from Z."""
    settings = broad_map.settings
    groups = (settings.n_feature_groups, settings.n_feature_nodes)
    F = graph.affine(Z, broad_map.feature_weights)
    if broad_map.affine:
        return F
    if isinstance(broad_map, FuzzyMap):
        logs = graph.reshape(graph.affine(Z, broad_map.log_strengths), *groups)
        strengths = graph.reshape(graph.node("Softmax", logs, axis=2), settings.n_features)
        F = graph.node("Mul", strengths, F)
    F = graph.activate(F, settings.feature_activation)
    if settings.feature_scaling == "sample":
        return graph.reshape(_scaled_rows(graph, graph.reshape(F, *groups)), settings.n_features)
    if broad_map.feature_scale is not None:
        F = graph.node("Mul", F, broad_map.feature_scale)
        F = graph.node("Add", F, broad_map.feature_offset)
    return F


def _scaled_rows(graph: Graph, grouped: str) -> str:
    """Every row of every group on [LOW, HIGH], constant ones at 0."""
    axis = np.array([2])
    low = graph.node("ReduceMin", grouped, axis)
    width = graph.node("Sub", graph.node("ReduceMax", grouped, axis), low)
    constant = graph.node("Equal", width, 0.0)
    divisor = graph.node("Where", constant, 1.0, width)
    offset = graph.node("Where", constant, 0.0, LOW)
    share = graph.node("Div", graph.node("Sub", grouped, low), divisor)
    return graph.node("Add", graph.node("Mul", share, HIGH - LOW), offset)


def _enhancements(graph: Graph, Z: str, F: str, broad_map: BroadMap) -> str:
    """E^l from Z where the map is affine, else from F^m; of a kernel its products."""
    if isinstance(broad_map, InfiniteMap):
        inputs = F
        if broad_map.settings.enhancement_inputs is not None:
            inputs = Z
        elif broad_map.affine:
            first = broad_map.feature_weights if broad_map.basis is None else broad_map.basis
            inputs = graph.affine(Z, first)
        samples = broad_map.enhancement_weights.T
        E = kernel_products(graph, inputs, broad_map.node_kernel(), samples)
    else:
        U = graph.affine(Z if broad_map.enhances_inputs else F, broad_map.enhancement_weights)
        E = graph.activate(U, broad_map.settings.activation)
    return E if broad_map.strength == 1.0 else graph.node("Mul", E, broad_map.strength)


def _output(graph: Graph, operator: Any) -> str:
    """``G W``, with the features of an affine map and their weights as one product."""
    fitted = operator.raw_operator
    broad_map, affine = fitted._map, fitted._map.affine
    W = fitted.output_weights_.astype(np.float64)
    W_F, W_E = np.split(W, [broad_map.settings.n_features])
    Z = _standardized(graph, operator, fitted._standardization)
    if single_suffices(fitted, operator.inputs[0].type):
        first = graph.affine(Z, broad_map.feature_weights @ W_F)
        single = graph.in_single()
        E = _enhancements(single, single.cast(Z), "", broad_map)
        return graph.node("Gemm", graph.cast(E), W_E, first)
    F = Z if affine else _features(graph, Z, broad_map)
    E = _enhancements(graph, Z, F, broad_map)
    if affine:
        first = graph.affine(Z, broad_map.feature_weights @ W_F)
    else:
        first = graph.node("MatMul", F, W_F)
    return graph.node("Add", first, graph.node("MatMul", E, W_E))


def _average_output(graph: Graph, operator: Any) -> str:
    """The average of an ensemble of infinite width."""
    from onnx import TensorProto

    average = operator.raw_operator._average
    rows = graph.node("Cast", operator.inputs[0].full_name, to=TensorProto.DOUBLE)
    Z = _standardized(graph, operator, average.forms.standardization)
    return average_output(graph, rows, Z, average)


def _evidence(graph: Graph, decision: str, fitted: Any) -> str:
    """What class probabilities are the softmax of, or those of labels the logistic function.

    One column of decisions for two classes becomes two that differ by the evidence.
    """
    several = getattr(fitted, "_constant_labels", None) is not None
    two = not several and fitted.classes_.size == 2
    sides = np.array([[-0.5, 0.5]]) if two else 1.0
    squared = graph.node("Mul", decision, decision)
    length = graph.node("Sqrt", graph.node("Add", squared, 1.0))
    bounded = graph.node("Div", decision, length)
    if not hasattr(fitted, "proba_slopes_"):
        return graph.node("Mul", bounded, fitted.proba_slope_ * sides)
    a, b = (slope * sides for slope in fitted.proba_slopes_.tolist())
    if two:
        most = 1.0 - 2.0 * MIN_SHARE
        clipped = graph.node("Min", graph.node("Max", decision, -most), most)
        odds = graph.node("Div", graph.node("Add", clipped, 1.0), graph.node("Sub", 1.0, clipped))
        logarithm = graph.node("Log", odds)
    else:
        logarithm = graph.node("Log", graph.node("Max", decision, MIN_SHARE))
    return graph.node("Add", graph.node("Mul", bounded, a), graph.node("Mul", logarithm, b))


def _convert_classifier(scope: Any, operator: Any, container: Any) -> None:
    from onnx import TensorProto

    graph, fitted = Graph(scope, container), operator.raw_operator
    label, probabilities = operator.outputs
    average = isinstance(fitted, BroadEnsembleClassifier)
    output = _average_output if average else _output
    decision = output(graph, operator)
    constant = getattr(fitted, "_constant_labels", None)
    if constant is not None:
        decision = graph.node("Add", decision, constant)
        shares = graph.node("Sigmoid", _evidence(graph, decision, fitted))
        graph.finish(shares, probabilities)
        positive = graph.node("Greater", decision, 0.0)
        graph.node("Cast", positive, to=TensorProto.INT64, output=label.full_name)
        return
    scaled = _evidence(graph, decision, fitted)
    shares = graph.node("Softmax", scaled, axis=1)
    largest = scaled if fitted.classes_.size == 2 else decision
    codes = graph.node("ArgMax", largest, axis=1, keepdims=0)
    graph.finish(shares, probabilities)
    classes = fitted.classes_
    if classes.dtype.kind not in "USiub":
        is_text = all(isinstance(value, str) for value in classes)
        classes = classes.astype(str if is_text else np.int64)
    graph.node("Gather", classes, codes, output=label.full_name)


def _convert_regressor(scope: Any, operator: Any, container: Any) -> None:
    graph, fitted = Graph(scope, container), operator.raw_operator
    average = isinstance(fitted, BroadEnsembleRegressor)
    output = _average_output if average else _output
    prediction = graph.node("Add", output(graph, operator), fitted.intercept_)
    graph.finish(prediction, operator.outputs[0])


def _convert_features(scope: Any, operator: Any, container: Any) -> None:
    graph, fitted = Graph(scope, container), operator.raw_operator
    Z = _standardized(graph, operator, fitted._standardization)
    F = _features(graph, Z, fitted._map)
    E = _enhancements(graph, Z, F, fitted._map)
    graph.finish(graph.node("Concat", F, E, axis=1), operator.outputs[0])


def _convert_rows(scope: Any, operator: Any, container: Any) -> None:
    """Every row to mean 0 and deviation 1; differences first, so that constant ones are zero."""
    from onnx import TensorProto

    graph, axis = Graph(scope, container), np.array([1])

    def divide(rows: str, sizes: str) -> str:
        constant = graph.node("Equal", sizes, 0.0)
        return graph.node("Div", rows, graph.node("Where", constant, 1.0, sizes))

    rows = graph.node("Cast", operator.inputs[0].full_name, to=TensorProto.DOUBLE)
    first = graph.node("Slice", rows, np.array([0]), np.array([1]), axis)
    rows = graph.node("Sub", rows, first)
    rows = divide(rows, graph.node("ReduceMax", graph.node("Abs", rows), axis))
    rows = graph.node("Sub", rows, graph.node("ReduceMean", rows, axis))
    rows = divide(rows, graph.node("ReduceL2", rows, axis))
    length = np.sqrt(max(1, operator.raw_operator.n_features_in_ - 1))
    graph.finish(graph.node("Mul", rows, length), operator.outputs[0])
