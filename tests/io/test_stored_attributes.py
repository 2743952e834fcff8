import inspect

import pytest
from sklearn.base import BaseEstimator

from broadlearn.io.stored_attributes import ESTIMATORS, FORMER, PARTS, RESET, STATES
from broadlearn.io.stored_types import STORED_TYPES

OURS = [
    kind
    for kind in STORED_TYPES["ObjectNode"].values()
    if issubclass(kind, BaseEstimator) and kind.__module__.startswith("broadlearn.")
]


@pytest.mark.parametrize("kind", OURS, ids=lambda kind: kind.__name__)
def test_every_estimator_of_files_has_a_table(kind):
    assert kind.__name__ in ESTIMATORS


def test_tables_are_of_estimators_that_there_are():
    names = {kind.__name__ for kind in OURS}
    assert set(ESTIMATORS) == names
    assert set(FORMER) | set(STATES) <= names


@pytest.mark.parametrize("kind", OURS, ids=lambda kind: kind.__name__)
def test_no_attribute_is_a_method(kind):
    for name in ESTIMATORS[kind.__name__]:
        assert not callable(getattr(kind, name, None)), name


@pytest.mark.parametrize("kind", OURS, ids=lambda kind: kind.__name__)
def test_what_starts_and_writes_has_a_default(kind):
    for name, parameter in inspect.signature(kind).parameters.items():
        if name in RESET:
            assert parameter.default in (None, False, 0)


def test_fields_are_those_of_the_parts():
    for kind, fields in PARTS.items():
        names = {
            name
            for some in (kind, *kind.__subclasses__())
            for name in (*getattr(some, "_fields", ()), *getattr(some, "__annotations__", ()))
        }
        if names:
            assert set(fields) <= names, kind
