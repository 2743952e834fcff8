import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from broadlearn import BLSClassifier, FuzzyBLSClassifier
from broadlearn.io.model_checks import (
    check_model,
    check_state,
    known_attributes,
    parameters,
    reset_parameters,
)
from broadlearn.io.stored_types import STORED_TYPES
from broadlearn.random_features import BroadMap, MapSettings
from broadlearn.sample_scores import FuzzyScorer, UniformScorer

X, y = load_iris(return_X_y=True)
NODES = {"n_feature_nodes": 3, "n_enhancement_nodes": 5, "random_state": 0}


def fitted(**parameters):
    return BLSClassifier(**{**NODES, **parameters}).fit(X, y)


def state(**content):
    return {"__loader__": "DictNode", "content": content}


def test_names_come_from_parameters_fields_and_tables():
    assert {"C", "classes_", "_map", "feature_names_in_"} <= known_attributes(BLSClassifier).keys()
    assert known_attributes(FuzzyScorer).keys() == {"delta"}
    assert known_attributes(UniformScorer) == {}
    assert known_attributes(MapSettings)["n_feature_groups"] is not None
    assert "kernel" not in known_attributes(BroadMap)


def test_parameters_have_their_defaults():
    assert parameters(Pipeline)["memory"] is None
    assert reset_parameters(Pipeline) == {"memory": None, "verbose": False}
    assert reset_parameters(BLSClassifier) == {}
    assert reset_parameters(MapSettings) == {}


@pytest.mark.parametrize("name", ["predict", "__class__", "_doc_link_template", "evil", ""])
def test_unknown_attributes_are_refused_by_name(name):
    for kind in (BLSClassifier, StandardScaler, Pipeline, MapSettings, FuzzyScorer):
        with pytest.raises(ValueError, match=re.escape(f"{kind.__name__} has no attribute")):
            check_state(kind, state(**{name: {}}))


def test_known_attributes_pass():
    check_state(BLSClassifier, state(C={}, _map={}))
    check_state(UniformScorer, {"__loader__": "JsonNode", "content": "null"})


@pytest.mark.parametrize("wrong", [None, [], {}, {"content": []}, {"content": {}}])
def test_an_object_without_attributes_is_refused(wrong):
    with pytest.raises(ValueError, match="BLSClassifier in it has no attributes"):
        check_state(BLSClassifier, wrong)


@pytest.mark.parametrize("version", ["\x1b[2J", "", "x" * 50, 1, None, "1.9\n"])
def test_versions_are_plain(version):
    check_state(StandardScaler, state(_sklearn_version={"content": '"1.9.1"'}))
    with pytest.raises(ValueError, match="the version of scikit-learn"):
        check_state(StandardScaler, state(_sklearn_version={"content": version}))


def test_a_fitted_model_passes_and_is_as_it_was():
    model = make_pipeline(StandardScaler(), BLSClassifier(**NODES)).fit(X, y)
    before = {name: dict(vars(step)) for name, step in model.steps}
    check_model(model)
    assert {name: dict(vars(step)) for name, step in model.steps} == before


def test_parameters_that_a_file_lacks_get_their_defaults():
    model = fitted()
    del model.C
    check_model(model)
    assert model.C == 1.0
    pipeline = make_pipeline(StandardScaler())
    del pipeline.steps
    with pytest.raises(ValueError, match="Pipeline lacks its steps"):
        check_model(pipeline)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("C", -1.0, "The 'C' parameter of BLSClassifier must be"),
        ("class_weight", {"a": "b"}, "BLSClassifier has class_weight of another kind"),
        ("random_state", [1], "The 'random_state' parameter"),
        ("sample_scores", 3, "sample_scores"),
        ("n_features_in_", 5, "of another kind, shape or size"),
        ("classes_", np.array([0, 1]), "BLSClassifier has|BLSClassifier do not go together"),
        ("output_weights_", np.full((8, 3), np.nan), "output_weights_ of another kind"),
        ("output_weights_", np.zeros((7, 3)), "do not go together"),
        ("proba_slope_", np.ones(3), "do not go together"),
        ("_seed", "x", "_seed of another kind"),
        ("evil", 1, "BLSClassifier has no attribute 'evil'"),
        ("predict", 1, "BLSClassifier has no attribute 'predict'"),
        ("_map", None, "_map of another kind"),
    ],
)
def test_other_attributes_are_refused(name, value, sentence):
    model = fitted()
    vars(model)[name] = value
    with pytest.raises(ValueError, match=sentence):
        check_model(model)


def test_parts_are_checked_with_the_model_that_has_them():
    model = fitted()
    other = BLSClassifier(**NODES).fit(X[:, :2], y)
    vars(model)["_standardization"] = other._standardization
    with pytest.raises(ValueError, match="of another kind, shape or size"):
        check_model(model)
    model = fitted()
    settings = replace(model._map.settings, n_enhancement_nodes=6)
    vars(model)["_map"] = replace(model._map, settings=settings)
    with pytest.raises(ValueError, match="the parts of BroadMap do not go together"):
        check_model(model)


def test_steps_are_checked_too():
    model = make_pipeline(StandardScaler(), FuzzyBLSClassifier(**NODES)).fit(X, y)
    model[0].mean_ = np.zeros(3)
    with pytest.raises(ValueError, match="StandardScaler has mean_ of another kind"):
        check_model(model)


def test_scorers_are_checked():
    model = fitted(sample_scores=FuzzyScorer())
    object.__setattr__(model.sample_scores, "delta", -1.0)
    with pytest.raises(ValueError, match="delta"):
        check_model(model)


def test_every_field_of_every_part_has_a_kind():
    kinds = [kind for kinds in STORED_TYPES.values() for kind in kinds.values()]
    ours = [k for k in kinds if str(getattr(k, "__module__", "")).startswith("broadlearn.")]
    for kind in ours:
        if isinstance(kind, type) and not issubclass(kind, BaseEstimator):
            lacking = [name for name, check in known_attributes(kind).items() if check is None]
            assert not lacking, kind
