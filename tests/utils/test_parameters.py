import numpy as np
import pytest

from broadlearn import (
    BLSClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    NeuroFuzzyBLSClassifier,
    PathSearchCV,
)
from broadlearn.utils.parameters import COUNT, N_JOBS, POSITIVE, STANDARDIZE, PositiveNumbers
from broadlearn.utils.sklearn_compat import validate_parameter_constraints


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


@pytest.mark.parametrize("number", [1, 2.5, np.float32(2), np.int64(3), 1e300])
def test_numbers_of_numpy_are_numbers(number):
    validate_parameter_constraints({"C": [POSITIVE]}, {"C": number}, "M")


@pytest.mark.parametrize("number", [0, -1, np.nan, np.inf, "1", None])
def test_what_no_float_holds_is_refused(number):
    with pytest.raises(ValueError, match=r"'C' parameter of M must be a float in the range \(0"):
        validate_parameter_constraints({"C": [POSITIVE]}, {"C": number}, "M")


def test_counts_and_processes():
    validate_parameter_constraints({"n": [COUNT]}, {"n": np.int8(1)}, "M")
    for jobs in (None, 1, -1, np.int64(2)):
        validate_parameter_constraints({"n_jobs": N_JOBS}, {"n_jobs": jobs}, "M")
    for jobs in (0, 10**12, 1.5):
        with pytest.raises(ValueError, match="'n_jobs' parameter of M must be"):
            validate_parameter_constraints({"n_jobs": N_JOBS}, {"n_jobs": jobs}, "M")


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
def test_numbers_whose_squares_or_loops_have_no_end_are_refused(model, name, value):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of {model.__name__} must be"):
        model(**{name: value}).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    ("name", "value"),
    [("C", 10**400), ("enhancement_scale", [1.0, 10**400]), ("kernel_width", 10**400)],
)
def test_whole_numbers_that_no_float_holds_are_named(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be a number that a float holds"):
        IntuitionisticFuzzyBLSClassifier(**{name: value}).fit([[0.0], [1.0]], [0, 1])


def test_labels_of_a_search_are_checked_first():
    X = np.arange(4.0)[:, None]
    search = PathSearchCV(BLSClassifier(random_state=0), {"C": [1.0]}, cv=2)
    with pytest.raises(ValueError, match="y must hold labels of one type"):
        search.fit(X, np.array([1, "a", 1, "a"], dtype=object))
    with pytest.raises(ValueError, match="requires y"):
        search.fit(X, None)
    with pytest.raises(ValueError, match="Input X contains infinity"):
        search.fit(X + np.inf, [0, 1, 0, 1])
