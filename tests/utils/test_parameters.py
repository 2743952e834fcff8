import numpy as np
import pytest

from broadlearn import (
    BLSClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    NeuroFuzzyBLSClassifier,
)
from broadlearn.utils.parameters import COUNT
from broadlearn.utils.sklearn_compat import validate_parameter_constraints


@pytest.mark.parametrize("value", [1, [1], (0.5, 2), [np.float32(3)]])
def test_one_or_several_scales_are_accepted(value):
    BLSClassifier(1, 2, 1, 4, enhancement_scale=value).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("value", [[], [0.0], [1, -1], [np.inf], [np.nan], ["a"], "1", -1.0])
def test_other_scales_are_refused_by_name(value):
    with pytest.raises(ValueError, match="enhancement_scale"):
        BLSClassifier(enhancement_scale=value).fit([[0.0], [1.0]], [0, 1])


def test_counts():
    validate_parameter_constraints({"n": [COUNT]}, {"n": np.int8(1)}, "M")


@pytest.mark.parametrize(
    ("model", "name", "value"),
    [
        (IntuitionisticFuzzyBLSClassifier, "kernel_width", 1e300),
        (IntuitionisticFuzzyBLSClassifier, "kernel_width", 1e-300),
        (IntuitionisticFuzzyBLSClassifier, "neighborhood_radius", 1e300),
        (IntuitionisticFuzzyTwinSVC, "C1", 1e-300),
        (IntuitionisticFuzzyTwinSVC, "regularization", 1e300),
        (NeuroFuzzyBLSClassifier, "rule_width", 1e300),
        (HierarchicalELMClassifier, "n_autoencoders", 10**12),
    ],
)
def test_numbers_whose_squares_have_no_end_are_refused(model, name, value):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of {model.__name__} must be"):
        model(**{name: value}).fit([[0.0], [1.0]], [0, 1])
