from copy import copy
from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    BroadEnsembleClassifier,
    BroadFeatures,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
)
from broadlearn.io import TablePreparation
from broadlearn.io.column_encoding import Encoding
from broadlearn.io.column_reading import Reading
from broadlearn.io.column_records import ColumnRecord
from broadlearn.io.model_checks import check_model
from broadlearn.io.stored_agreement import ENCODING, READING, RECORD, RULES
from broadlearn.random_features import LimitKernel

X, y = load_iris(return_X_y=True)
NODES = {"n_feature_nodes": 3, "n_enhancement_nodes": 5, "random_state": 0}
LABELS = np.column_stack([y == 0, y == 1]) * 1


def refused(model):
    with pytest.raises(ValueError, match=r"do not go together|is not whole|of another kind"):
        check_model(model)


def test_rules_are_of_classes():
    assert all(isinstance(kind, type) for kind in RULES)


def test_output_weights_are_those_of_all_classes():
    for targets in (y, y > 0, LABELS):
        model = BLSClassifier(**NODES).fit(X, targets)
        check_model(model)
        W = model.output_weights_
        vars(model).update(output_weights_=np.hstack([W, W]), _direct_weights=None)
        refused(model)


def test_missing_values_add_inputs():
    rows = X.copy()
    rows[::3, 1] = np.nan
    model = BLSClassifier(**NODES).fit(rows, y)
    check_model(model)
    fewer = model._standardization._replace(missing=np.empty(0, np.intp), share=np.empty(0))
    vars(model)["_standardization"] = fewer
    refused(model)


@pytest.mark.parametrize(
    "change",
    [
        {"sums": np.zeros((3, 3))},
        {"factor": np.zeros((3, 3))},
        {"weight": np.ones(2)},
        {"priority": None},
        {"ones": True},
        {"shift": np.zeros(1)},
        {"dtype": np.dtype("i8")},
    ],
    ids=lambda change: next(iter(change)),
)
def test_sums_of_a_stream_are_those_of_its_map(change):
    model = IntuitionisticFuzzyBLSClassifier(**NODES).warm_up(X, y).partial_fit(X, y)
    check_model(model)
    vars(model)["_stream"] = replace(model._stream, **change)
    refused(model)


def test_streams_of_targets_and_labels():
    for model, targets in (
        (BLSRegressor(**NODES), X[:, 0]),
        (BLSRegressor(**NODES), X[:, :2]),
        (BLSClassifier(**NODES), LABELS),
        (BLSClassifier(**NODES), y > 0),
    ):
        check_model(model.warm_up(X, targets))
        check_model(model.partial_fit(X, targets))
        stream = model._stream
        vars(model)["_stream"] = replace(stream, sums=stream.sums[1:, 1:].copy())
        refused(model)


def test_a_stream_knows_its_number_of_columns():
    model = BLSClassifier(**NODES).warm_up(X, y)
    check_model(model)
    del model.n_features_in_
    refused(model)


def test_references_are_sorted_by_class():
    model = IntuitionisticFuzzyBLSClassifier(**NODES).warm_up(X, y).partial_fit(X, y)
    geometry = replace(model._stream.geometry, bounds=np.array([0, 60, 50, 150]))
    vars(model)["_stream"] = replace(model._stream, geometry=geometry)
    refused(model)


def test_as_many_nodes_as_the_map_has():
    model = BroadFeatures(1, 3, 1, 4).fit(X)
    check_model(model)
    model._n_features_out = 10**9
    refused(model)


def test_two_planes_per_class():
    model = IntuitionisticFuzzyTwinSVC().fit(X, y)
    check_model(model)
    model.classes_ = np.arange(2)
    refused(model)


@pytest.mark.parametrize(
    "kernel",
    [
        LimitKernel("few_inputs", "ranks", 1e9, 2),
        LimitKernel("few_inputs", "ranks", 1.0, 3),
        LimitKernel("few_inputs", "ranks", 1.0, 0),
        LimitKernel("cauchy", "other", 1.0, 0),
        LimitKernel("gaussian", "ranks", np.nan, 0),
    ],
    ids=str,
)
def test_kernels_that_would_take_much_memory(kernel):
    model = BroadEnsembleClassifier(ensemble_size=2).fit(X[::5], y[::5])
    check_model(model)
    vars(model)["_average"] = replace(model._average, kernels=[kernel] * 2)
    refused(model)


def test_kernels_see_columns_by_how_much_they_matter_only_where_that_is_known():
    rows = np.random.default_rng(0).normal(size=(240, 8))
    rare = (rows[:, 2] > 0.5) & (rows[:, 5] < -0.3)
    model = BroadEnsembleClassifier(ensemble_size=2, class_weight="balanced").fit(rows, rare)
    assert model._average.forms.relevance
    check_model(model)
    for relevance in (None, {}, {"ranks": np.ones(3), "standardized": np.ones(3)}, {"other": 1.0}):
        forms = model._average.forms._replace(relevance=relevance)
        other = copy(model)
        vars(other)["_average"] = replace(model._average, forms=forms)
        refused(other)


def test_distances_that_kernels_need_are_known():
    model = BroadEnsembleClassifier(ensemble_size=2).fit(X[::5], y[::5])
    vars(model)["_average"] = replace(model._average, units={})
    refused(model)


@pytest.mark.parametrize(
    ("column", "part", "change"),
    [
        ("word", 1, {"places": (0, 1)}),
        ("word", 1, {"places": (0, 1, 2, 9, -1)}),
        ("word", 0, {"codes": {"x": 7}}),
        ("word", 0, {"kind": "identifier"}),
        ("number", 1, {"fill": (1.0, 2.0)}),
        ("number", 1, {"fill": ("x",)}),
        ("number", 1, {"names": ()}),
        ("number", 0, {"how": "parts", "n_parts": 10**9}),
        ("number", 0, {"how": "date"}),
        ("number", 0, {"factors": {"": "x"}}),
        ("number", 0, {"amount": "seconds"}),
        ("number", 0, {"how": "compound"}),
        ("number", 0, {"how": "compound", "amount": "x"}),
    ],
)
def test_plans_of_columns(column, part, change):
    table = pd.DataFrame({"number": X[:, 0], "word": np.array(["x", "y", "z"])[y]})
    model = TablePreparation().fit(table)
    check_model(model)
    plan = list(model._plans[column])
    plan[part] = replace(plan[part], **change)
    model._plans[column] = tuple(plan)
    refused(model)


def test_all_fields_of_plans_are_known():
    for kind, known in ((Reading, READING), (Encoding, ENCODING), (ColumnRecord, RECORD)):
        assert {field.name for field in fields(kind)} == set(known)


def test_columns_with_names_are_counted():
    model = BLSClassifier(**NODES).fit(pd.DataFrame(X, columns=list("abcd")), y)
    check_model(model)
    del model.n_features_in_
    refused(model)
