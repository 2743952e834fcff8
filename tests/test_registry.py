"""The registry says of every model what the rooms find when they try."""

import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.model_selection import ParameterGrid
from sklearn.utils.validation import check_is_fitted
from small_models import small_model

import broadlearn
from broadlearn import PathSearchCV
from broadlearn.out_of_core import fit_blocks
from broadlearn.persistence import to_onnx
from broadlearn.registry import REGISTRY, same_name

pytestmark = pytest.mark.usefixtures("few_kernels")
X, y = make_blobs(60, 3, centers=2, random_state=0)
ALL = pytest.mark.parametrize("entry", REGISTRY.values(), ids=list(REGISTRY))


def test_every_public_model_is_there_once():
    public = {
        value
        for value in vars(broadlearn).values()
        if isinstance(value, type) and hasattr(value, "predict")
    }
    classes = [entry.estimator for entry in REGISTRY.values()]
    assert public - {PathSearchCV} <= set(classes)
    assert len({repr(entry.make()) for entry in REGISTRY.values()}) == len(classes)
    assert [entry.name for entry in REGISTRY.values()] == list(REGISTRY)


@pytest.mark.parametrize(
    ("written", "name"),
    [("BLS", "BLS"), ("neuro-fbls", "NeuroFBLS"), ("ENSEMBLE", "Ensemble"), ("XGBoost", None)],
)
def test_models_are_found_however_their_name_is_written(written, name):
    assert same_name(written, REGISTRY) == name


@ALL
def test_entries_need_no_arguments_and_name_real_settings(entry):
    model = entry.study or entry.make()
    assert isinstance(entry.make(), entry.estimator)
    assert isinstance(model, entry.estimator)
    assert entry.published == (entry.grids.get("paper") == "paper")
    for grid in entry.grids.values():
        assert grid == "paper" or set(grid) <= set(model.get_params())


def test_the_equal_grids_have_twelve_settings():
    members = [
        e for e in REGISTRY.values() if e.grids and e.name not in ("NeuroFBLS", "IF-TSVM", "H-ELM")
    ]
    assert {len(ParameterGrid(entry.grids["equal"])) for entry in members} == {12}


@ALL
def test_path_search_takes_those_that_say_so(entry):
    search = PathSearchCV(small_model(entry.name), {"random_state": [0]}, cv=2)
    if entry.path_search:
        check_is_fitted(search.fit(X, y))
    else:
        with pytest.raises((TypeError, ValueError)):
            search.fit(X, y)


@ALL
def test_blocks_are_taken_by_those_that_say_so(entry):
    model = small_model(entry.name)
    assert hasattr(model, "partial_fit") == entry.streams
    if entry.streams:
        check_is_fitted(fit_blocks(clone(model), X, y, block_rows=20))
    else:
        with pytest.raises((TypeError, ValueError)):
            fit_blocks(clone(model), X, y, block_rows=20)


@pytest.mark.parametrize("name", [entry.name for entry in REGISTRY.values() if not entry.onnx])
def test_models_without_a_graph_are_refused(name):
    pytest.importorskip("skl2onnx")
    with pytest.raises(ValueError, match="cannot be exported"):
        to_onnx(small_model(name).fit(X, y))


def test_the_abilities_of_models():
    def names(ability):
        return [entry.name for entry in REGISTRY.values() if getattr(entry, ability)]

    lacking = set(REGISTRY) - set(names("onnx"))
    assert lacking == {"NeuroFBLS", "IF-TSVM", "CFBLS", "CEBLS", "CFEBLS", "Stacked BLS"}
    lacking = set(REGISTRY) - set(names("path_search"))
    assert lacking == {"Ensemble", "Ensemble regressor"}
    assert len(names("published")) == 7
