import inspect

import pytest

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    BroadFeatures,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
)
from broadlearn.classifiers._bls_model import BLSModel

SHARED = {p for p in inspect.signature(BLSModel).parameters}


@pytest.mark.parametrize(
    "model", [BLSClassifier, BLSRegressor, FuzzyBLSClassifier, IntuitionisticFuzzyBLSClassifier]
)
def test_models_share_parameters_and_defaults(model):
    own, shared = inspect.signature(model).parameters, inspect.signature(BLSModel).parameters
    assert set(own) >= SHARED
    for name in SHARED:
        assert own[name].default == shared[name].default
    assert set(model._parameter_constraints) == set(own)


def test_the_transformer_has_the_same_nodes_by_default():
    own, shared = (
        inspect.signature(BroadFeatures).parameters,
        inspect.signature(BLSModel).parameters,
    )
    for name in own:
        assert own[name].default == shared[name].default
    assert set(BroadFeatures._parameter_constraints) == set(own)
    model = BLSModel()
    nodes = (
        model.n_feature_groups * model.n_feature_nodes
        + model.n_enhancement_groups * model.n_enhancement_nodes
    )
    assert nodes == 1000
