import numpy as np
import pytest

from broadlearn import (
    BLSClassifier,
    BLSRegressor,
    BroadFeatures,
    ELMClassifier,
    FuzzyBLSClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    NeuroFuzzyBLSClassifier,
)


@pytest.mark.parametrize("value", [1, [1], (0.5, 2), [np.float32(3)]])
def test_one_or_several_scales_are_accepted(value):
    BLSClassifier(1, 2, 1, 4, enhancement_scale=value).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("value", [[], [0.0], [1, -1], [np.inf], [np.nan], ["a"], "1", -1.0])
def test_other_scales_are_refused_by_name(value):
    with pytest.raises(ValueError, match="enhancement_scale"):
        BLSClassifier(enhancement_scale=value).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    ("model", "name", "value"),
    [
        (BLSClassifier, "n_enhancement_nodes", 0),
        (BLSClassifier, "n_enhancement_nodes", 10**7),
        (BLSClassifier, "n_feature_groups", 10**13),
        (BLSClassifier, "activation", "softmax"),
        (BLSRegressor, "C", -1.0),
        (BroadFeatures, "feature_weights", "dense"),
        (FuzzyBLSClassifier, "delta", 0.0),
        (IntuitionisticFuzzyBLSClassifier, "landmarks", 1),
        (IntuitionisticFuzzyBLSClassifier, "kernel_width", 0.0),
        (IntuitionisticFuzzyBLSClassifier, "kernel_width", 1e300),
        (IntuitionisticFuzzyBLSClassifier, "kernel_width", 1e-300),
        (IntuitionisticFuzzyBLSClassifier, "neighborhood_radius", 1e300),
        (IntuitionisticFuzzyTwinSVC, "C1", 1e-300),
        (IntuitionisticFuzzyTwinSVC, "kernel", "cubic"),
        (IntuitionisticFuzzyTwinSVC, "n_basis_rows", 0),
        (IntuitionisticFuzzyTwinSVC, "regularization", 1e300),
        (ELMClassifier, "n_hidden_nodes", 0),
        (ELMClassifier, "standardize", "much"),
        (HierarchicalELMClassifier, "n_autoencoders", -1),
        (HierarchicalELMClassifier, "n_autoencoders", 10**12),
        (HierarchicalELMClassifier, "n_autoencoder_nodes", 0),
        (HierarchicalELMClassifier, "l1_penalty", 0.0),
        (NeuroFuzzyBLSClassifier, "n_fuzzy_groups", 0),
        (NeuroFuzzyBLSClassifier, "n_fuzzy_rules", 0),
        (NeuroFuzzyBLSClassifier, "rule_width", 0),
        (NeuroFuzzyBLSClassifier, "rule_width", 1e300),
    ],
)
def test_bad_parameters_are_named(model, name, value):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of {model.__name__} must be"):
        model(**{name: value}).fit([[0.0], [1.0]], [0, 1])
