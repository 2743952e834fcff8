import numpy as np
import pytest
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from broadlearn import (
    BLSClassifier,
    ELMClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    NeuroFuzzyBLSClassifier,
    PathSearchCV,
)
from broadlearn.sample_scores import FuzzyScorer
from broadlearn.search.grid import resolve_grids


def test_order_is_that_of_parameter_grid():
    grid = {"n_enhancement_nodes": [5, 9], "C": [1.0, 2.0, 3.0], "activation": ["tanh", "relu"]}
    (found,) = resolve_grids(BLSClassifier(), grid)
    assert found.candidates() == list(ParameterGrid(grid))


@pytest.mark.parametrize(
    ("model", "size"),
    [
        (BLSClassifier, 8470),
        (IntuitionisticFuzzyBLSClassifier, 93170),
        (ELMClassifier, 147),
        (HierarchicalELMClassifier, 147),
        (NeuroFuzzyBLSClassifier, 8470),
    ],
)
def test_published_grids(model, size):
    (found,) = resolve_grids(model(), "paper")
    assert found.size == size


def test_default_grid_is_small_and_valid():
    for model in (BLSClassifier, IntuitionisticFuzzyBLSClassifier, ELMClassifier):
        (found,) = resolve_grids(model(), None)
        assert 20 < found.size < 500


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ({"n_nodes": [1]}, "Invalid parameter 'n_nodes' for estimator BLSClassifier"),
        ({"C": []}, "'C' need to be a non-empty sequence"),
        ({"C": 1.0}, "'C' needs to be a list or a numpy array"),
        ({"C": "1"}, "'C' needs to be a list or a numpy array"),
        ({"C": ["large"]}, "'C' parameter of BLSClassifier must be a float"),
        ({"C": [1.0, -1.0]}, "'C' parameter of BLSClassifier must be a float"),
        ({"C": np.ones((2, 2))}, "'C' should be one-dimensional"),
        ({"n_feature_nodes": [5, 0]}, "'n_feature_nodes' parameter of BLSClassifier"),
        ({"n_enhancement_nodes": [-5]}, "'n_enhancement_nodes' parameter of BLSClassifier"),
        ({"n_enhancement_nodes": [2.5]}, "'n_enhancement_nodes' parameter of BLSClassifier"),
        ([3], "Parameter grid is not a dict"),
    ],
)
def test_bad_grids_are_named(grid, message):
    with pytest.raises((TypeError, ValueError), match=message):
        resolve_grids(BLSClassifier(), grid)


def test_lists_of_scales_are_values():
    (grid,) = resolve_grids(BLSClassifier(), {"enhancement_scale": [(0.5, 2.0), 1.0, [0.1, 3.0]]})
    assert grid.candidates()[0] == {"enhancement_scale": (0.5, 2.0)}
    assert grid.size == 3
    search = PathSearchCV(BLSClassifier(), {"enhancement_scale": [(0.5, -2.0)]})
    with pytest.raises(ValueError, match="enhancement_scale must be one or more positive numbers"):
        search.fit(np.eye(20), np.arange(20) % 2)


def test_scorers_are_values():
    (grid,) = resolve_grids(BLSClassifier(), {"sample_scores": [FuzzyScorer(0.5), "held_out"]})
    assert [candidate["sample_scores"] for candidate in grid.candidates()] == [
        FuzzyScorer(0.5),
        "held_out",
    ]
    with pytest.raises(ValueError, match="'sample_scores' parameter of BLSClassifier"):
        resolve_grids(BLSClassifier(), {"sample_scores": ["trusted"]})


PIPELINE = Pipeline([("scale", StandardScaler()), ("model", BLSClassifier())])


def test_grids_of_pipelines_have_the_names_of_steps():
    (default,) = resolve_grids(PIPELINE, None)
    assert default.names == ("model__C", "model__n_enhancement_nodes")
    (paper,) = resolve_grids(PIPELINE, "paper")
    assert paper.size == 8470
    grid = {"scale": [MinMaxScaler()], "scale__clip": [True, False], "model__C": [1.0]}
    (found,) = resolve_grids(PIPELINE, grid)
    assert found.candidates() == list(ParameterGrid(grid))


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ({"C": [1.0]}, "Invalid parameter 'C' for estimator Pipeline"),
        ({"scale__mean": [1.0]}, "Invalid parameter 'mean' for estimator StandardScaler"),
        ({"model__nodes": [1]}, "Invalid parameter 'nodes' for estimator BLSClassifier"),
        ({"model__C": [-1.0]}, "'C' parameter of BLSClassifier must be a float"),
        ({"model": [BLSClassifier()]}, "must not contain 'model', which would replace the BLS"),
        ({"steps": [[]]}, "must not contain 'steps'"),
        ({"scale__with_mean": True}, "'scale__with_mean' needs to be a list"),
    ],
)
def test_bad_grids_of_pipelines_are_named(grid, message):
    with pytest.raises((TypeError, ValueError), match=message):
        resolve_grids(PIPELINE, grid)
