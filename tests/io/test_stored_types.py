import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from broadlearn import BLSClassifier
from broadlearn.io.stored_types import STORED_TYPES, name_of, place_of, stored_type
from broadlearn.io.tables import to_numbers

NAMED = [(loader, *pair) for loader, kinds in STORED_TYPES.items() for pair in kinds.items()]


@pytest.mark.parametrize(("loader", "name", "kind"), NAMED, ids=[name for _, name, _ in NAMED])
def test_names_lead_to_a_class_and_back(loader, name, kind):
    from skops.io._utils import gettype

    assert stored_type(loader, name) is kind
    assert gettype(*place_of(kind)) is kind
    assert name_of(loader, *place_of(kind)) == name


def test_names():
    assert name_of("ObjectNode", BLSClassifier.__module__, "BLSClassifier") == "BLSClassifier"
    assert name_of("ObjectNode", StandardScaler.__module__, "StandardScaler") == (
        "sklearn.StandardScaler"
    )
    assert stored_type("FunctionNode", "numpy.log1p") is np.log1p
    assert stored_type("FunctionNode", "table.numbers") is to_numbers


def test_a_name_means_one_thing():
    kinds = {}
    for _, name, kind in NAMED:
        assert kinds.setdefault(name, kind) is kind


@pytest.mark.parametrize(
    ("loader", "name"),
    [("ObjectNode", "tuple"), ("no", "tuple"), (None, "tuple"), ("TupleNode", ["tuple"])],
)
def test_other_names_are_refused(loader, name):
    with pytest.raises(ValueError, match=r"tuple.*, which is not among the types of model files"):
        stored_type(loader, name)


def test_what_has_no_name_is_refused():
    with pytest.raises(ValueError, match=r"it holds os\.getcwd, which is not among"):
        name_of("FunctionNode", "os", "getcwd")
    with pytest.raises(ValueError, match=r"it holds None\.None, which is not among"):
        name_of(["FunctionNode"], None, None)
