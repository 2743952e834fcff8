"""Fitted models as ONNX graphs, by converters that are registered with skl2onnx.

Graphs take float32 rows and compute in float64: standardised columns and sums of nodes in float32
would cost more than the rounding of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from broadlearn.persistence.onnx_ensembles import average_output, tree_output
from broadlearn.persistence.onnx_graph import Graph, Tensor
from broadlearn.persistence.onnx_maps import enhancement_nodes, feature_nodes, standardize
from broadlearn.registry import REGISTRY
from broadlearn.solvers import MIN_SHARE
from broadlearn.utils import reason
from broadlearn.utils.sklearn_compat import BaseSearchCV

# The first version in which minima and maxima take their axes as an input.
OPSET = {"": 18, "ai.onnx.ml": 3}
# What skl2onnx lets classifiers be asked for.
OPTIONS = {
    "zipmap": [True, False, "columns"],
    "nocl": [True, False],
    "output_class_labels": [False, True],
}
NOT_IN_GRAPHS = {
    "TablePreparation": "an ONNX graph cannot prepare table columns; export a model fitted to "
    "prepared columns, such as the later steps of a pipeline, model[1:]",
    "FixedThresholdClassifier": "an ONNX graph has no decision threshold; export the inner model "
    "and compare its probabilities with the threshold",
}


def to_onnx(model: BaseEstimator, initial_types: Sequence[tuple[str, Any]] | None = None) -> Any:
    """Convert a fitted model to an ONNX graph.

    Needs the extra ``onnx``. The graph of a classifier has the outputs ``label`` and
    ``probabilities`` (one column per class, in the order of ``classes_``); boolean labels become 0
    and 1. The graph of a regressor has the output ``variable``.

    Parameters
    ----------
    model : estimator
        A classifier of the BLS or ELM family, an ensemble, `BLSRegressor`, or a pipeline of those
        with steps that skl2onnx converts.
    initial_types : list of (str, skl2onnx type), default=None
        Inputs of the graph, as skl2onnx wants them: one per column if the pipeline selects columns
        by name. By default one float32 input ``X`` of all columns.

    Returns
    -------
    onnx.ModelProto

    Raises
    ------
    ValueError
        If the model, or a step of the pipeline, cannot be converted.

    Notes
    -----
    Probabilities agree with ``predict_proba`` of the same rows as float64 to 1e-6. Columns whose
    values differ in their last digits only should be centred first, or given as
    ``DoubleTensorType``.

    Examples
    --------
    >>> import numpy as np
    >>> from onnxruntime import InferenceSession  # doctest: +SKIP
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BLSClassifier
    >>> from broadlearn.persistence import to_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> graph = to_onnx(BLSClassifier(random_state=0).fit(X, y))  # doctest: +SKIP
    >>> session = InferenceSession(graph.SerializeToString())  # doctest: +SKIP
    >>> label, proba = session.run(None, {"X": X.astype(np.float32)})  # doctest: +SKIP
    """
    try:
        import skl2onnx
        from skl2onnx.common.data_types import FloatTensorType
    except ImportError as error:
        raise ImportError('Export needs the extra onnx: pip install "broadlearn[onnx]".') from error
    kind = type(model).__name__
    if isinstance(model, BaseSearchCV):
        raise ValueError(f"A {kind} cannot be exported; export its best_estimator_ instead.")
    check_is_fitted(model)
    steps = _steps(model)
    for step in steps:
        if type(step).__name__ in NOT_IN_GRAPHS:
            why = NOT_IN_GRAPHS[type(step).__name__]
            raise ValueError(f"This {kind} cannot be exported: {why}.")
    last = steps[-1]
    if isinstance(last, tuple(e.estimator for e in REGISTRY.values() if not e.onnx)):
        raise ValueError(f"{type(last).__name__} cannot be exported.")
    if initial_types is None:
        initial_types = [("X", FloatTensorType([None, model.n_features_in_]))]
    _register_converters()
    try:
        return skl2onnx.convert_sklearn(
            model,
            name="broadlearn",
            initial_types=list(initial_types),
            target_opset=OPSET,
            options={id(last): {"zipmap": False}} if hasattr(last, "classes_") else None,
        )
    # Converters raise errors of all kinds, assertions too.
    except Exception as error:
        raise ValueError(f"This {kind} cannot be exported: {reason(error)}.") from error


def _steps(model: Any) -> list[Any]:
    """Return the steps of a pipeline and of those within it, or the model and its preparation."""
    if isinstance(model, Pipeline):
        return [inner for _, step in model.steps for inner in _steps(step)]
    return [*filter(None, [getattr(model, "_preparation", None)]), model]


@cache
def _register_converters() -> None:
    from skl2onnx import update_registered_converter
    from skl2onnx.common.shape_calculator import calculate_linear_classifier_output_shapes

    for kind in (entry.estimator for entry in REGISTRY.values() if entry.onnx):
        name = f"Broadlearn{kind.__name__}"
        if issubclass(kind, ClassifierMixin):
            shape: Any = calculate_linear_classifier_output_shapes
            update_registered_converter(kind, name, shape, _convert_classifier, options=OPTIONS)
        else:
            update_registered_converter(kind, name, _infer_shape, _convert_regressor)


def _infer_shape(operator: Any) -> None:
    """Set the type of the output of a regressor, with a column per target."""
    n_columns = np.size(operator.raw_operator.intercept_)
    operator.outputs[0].type.shape = [operator.inputs[0].get_first_dimension(), n_columns]


def _output(rows: Tensor, fitted: Any) -> Tensor:
    """Return the decisions of an ensemble, or ``G W`` of a model."""
    if hasattr(fitted, "_average"):
        return average_output(rows, fitted._average)
    broad_map, Z = fitted._map, standardize(rows, fitted._standardization)
    W_F, W_E = np.split(fitted.output_weights_.astype(np.float64), [broad_map.settings.n_features])
    F = feature_nodes(Z, broad_map)
    # The features of an affine map and their weights are one product.
    first = Z.affine(broad_map.feature_weights @ W_F) if broad_map.affine else F @ W_F
    return first + enhancement_nodes(Z, F, broad_map) @ W_E


def _evidence(decision: Tensor, fitted: Any) -> Tensor:
    """Return what class probabilities are the softmax of.

    One column of decisions for two classes becomes two that differ by the evidence.
    """
    two = fitted.classes_.size == 2
    sides = np.array([[-0.5, 0.5]]) if two else 1.0
    bounded = decision / (decision * decision + 1.0).apply("Sqrt")
    if not hasattr(fitted, "proba_slopes_"):
        return bounded * (fitted.proba_slope_ * sides)
    a, b = (slope * sides for slope in fitted.proba_slopes_[:2].tolist())
    if two:
        most = 1.0 - 2.0 * MIN_SHARE
        clipped = decision.clip(-most, most)
        logarithm = ((clipped + 1.0) / (1.0 - clipped)).apply("Log")
    else:
        logarithm = decision.apply("Max", MIN_SHARE).apply("Log")
    return bounded * a + logarithm * b


def _convert_classifier(scope: Any, operator: Any, container: Any) -> None:
    graph, fitted = Graph(scope, container), operator.raw_operator
    label, probabilities = operator.outputs
    rows = graph.input(operator)
    decision = _output(rows, fitted)
    evidence, trees = _evidence(decision, fitted), getattr(fitted, "_trees", None)
    if trees is not None:
        sides = np.array([[-0.5, 0.5]]) if fitted.classes_.size == 2 else 1.0
        evidence = evidence + tree_output(rows, trees) * (fitted.proba_slopes_[2] * sides)
    graph.finish(evidence.apply("Softmax", axis=1), probabilities)
    largest = decision if fitted.classes_.size > 2 and trees is None else evidence
    codes = largest.apply("ArgMax", axis=1, keepdims=0)
    classes = fitted.classes_
    if classes.dtype.kind not in "Uiub":
        is_text = all(isinstance(value, str) for value in classes)
        classes = classes.astype(str if is_text else np.int64)
    graph.node("Gather", classes, codes, output=label.full_name)


def _convert_regressor(scope: Any, operator: Any, container: Any) -> None:
    graph, fitted = Graph(scope, container), operator.raw_operator
    rows = graph.input(operator)
    output = _output(rows, fitted)
    if getattr(fitted, "_trees", None) is not None:
        kernels, trees = fitted.shares_.tolist()
        output = output * kernels + tree_output(rows, fitted._trees) * trees
    graph.finish(output + fitted.intercept_, operator.outputs[0])
