import numpy as np
import pytest

from broadlearn.utils.checks import (
    MAX_VALUE,
    STANDARDIZE,
    PositiveNumbers,
    check_range,
    check_weights,
)
from broadlearn.utils.sklearn_compat import validate_parameter_constraints


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([0.0, 0.0], "sample_weight is zero for every row"),
        ([1.0, -1.0], "sample_weight"),
        ([1.0, np.nan], "sample_weight contains NaN"),
        ([1.0], "sample_weight"),
    ],
)
def test_bad_weights_are_named(weight, message):
    with pytest.raises(ValueError, match=message):
        check_weights(weight, np.ones((2, 1)))


def test_weights_are_float64_and_one_by_default():
    np.testing.assert_array_equal(check_weights(None, np.ones((3, 1))), np.ones(3))
    found = check_weights([0, 2], np.ones((2, 1), dtype=np.float32))
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, [0.0, 2.0])


def test_values_whose_squares_overflow_are_refused():
    X = np.array([[-MAX_VALUE, 0.0]])
    assert check_range(X) is X
    with pytest.raises(ValueError, match=r"X holds values beyond 1e\+140.*standardize=True"):
        check_range(X * 1.01)


@pytest.mark.parametrize("value", [[1], (0.5, 2), [np.float32(3)]])
def test_positive_numbers_are_accepted(value):
    validate_parameter_constraints({"scale": [PositiveNumbers()]}, {"scale": value}, "Model")


@pytest.mark.parametrize("value", [[], [0.0], [1, -1], [np.inf], [np.nan], ["a"], 1.0, "1"])
def test_others_are_refused_with_a_sentence(value):
    with pytest.raises(ValueError, match="a list or tuple of one or more positive numbers"):
        validate_parameter_constraints({"scale": [PositiveNumbers()]}, {"scale": value}, "Model")


def test_standardize_is_a_truth_value_or_robust():
    for value in (True, False, "robust"):
        validate_parameter_constraints({"standardize": STANDARDIZE}, {"standardize": value}, "M")
    with pytest.raises(ValueError, match="'robust'"):
        validate_parameter_constraints({"standardize": STANDARDIZE}, {"standardize": "no"}, "M")
