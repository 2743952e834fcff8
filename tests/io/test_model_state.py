import json
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from callbacks import Recorder
from forged_models import listed, model, node, stored, text
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import Pipeline, make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from broadlearn import BLSClassifier, BroadFeatures, IntuitionisticFuzzyBLSClassifier
from broadlearn.io.model_state import check_tree, rebuild, take_apart
from broadlearn.io.stored_types import STORED_TYPES

X, y = load_iris(return_X_y=True)


def object_array(number, items, n_dimensions=1):
    lengths = [text(number + 2, 1)] * n_dimensions
    shape = node("TupleNode", "tuple", number + 1, content=lengths)
    return node("NdArrayNode", "numpy.ndarray", number, type="json", content=items, shape=shape)


def test_there_and_back():
    fitted = BLSClassifier(1, 4, 1, 8, random_state=0).fit(X, y)
    tree, arrays = take_apart(fitted)
    again = rebuild(tree, arrays)
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    assert all(array.dtype != object for array in arrays)


def test_the_tree_has_no_addresses_of_memory():
    first, second = (
        take_apart(BLSClassifier(1, 4, 1, 8, random_state=0).fit(X, y)) for _ in range(2)
    )
    assert first[0] == second[0]


def test_a_forged_tree_of_listed_types_is_rebuilt():
    steps = listed(5, [text(6), object_array(7, [text(10), stored(12)]), stored(12)])
    tree = model(steps)
    check_tree(tree, [(3,)])
    with pytest.warns(UserWarning, match="version"):
        again = rebuild(json.dumps(tree).encode(), [np.arange(3)])
    assert type(again) is Pipeline
    assert again.steps[0] == "x"
    assert again.steps[2].tolist() == [0, 1, 2]
    assert again.steps[1].shape == (2,)
    assert again.steps[1][1] is again.steps[2]


@pytest.mark.parametrize(
    ("loader", "name"),
    [
        ("FunctionNode", "os.system"),
        ("FunctionNode", "builtins.eval"),
        ("FunctionNode", "numpy.load"),
        ("FunctionNode", "system"),
        ("TypeNode", "subprocess.Popen"),
        ("TypeNode", "bytearray"),
        ("TypeNode", "BLSClassifier"),
        ("ObjectNode", "sklearn.DecisionTreeClassifier"),
        ("ObjectNode", "sklearn.GridSearchCV"),
        ("ObjectNode", "sklearn.pipeline.Pipeline"),
        ("ObjectNode", "Pipeline"),
        ("ObjectNode", "PathSearchCV"),
        ("ObjectNode", "broadlearn.models.bls.BLSClassifier"),
        ("ObjectNode", "blsclassifier"),
        ("ObjectNode", "Standardization"),
        ("ObjectNode", "dict"),
        ("ObjectNode", None),
        ("ObjectNode", ["BLSClassifier"]),
        ("ObjectNode", 1),
        ("DictNode", "sklearn.Pipeline"),
        ("TupleNode", "list"),
        ("MethodNode", "sklearn.Pipeline"),
        ("OperatorFuncNode", "operator.methodcaller"),
        ("PartialNode", "functools.partial"),
        ("ConstructorFromReduceNode", "sklearn.Pipeline"),
        ("DefaultDictNode", "collections.defaultdict"),
        ("CachedNode", "str"),
        ("BytesNode", "bytes"),
        ("SparseMatrixNode", "scipy.sparse._csr.csr_matrix"),
        ("RandomGeneratorNode", "numpy.random._generator.Generator"),
        ("NdArrayNode", "numpy.memmap"),
        ("TreeNode", "sklearn.tree._tree.Tree"),
        ("ReduceNode", "str"),
    ],
)
def test_types_that_are_not_listed_are_refused(loader, name):
    hostile = node(loader, name, 6, content={}, file="../../0.npy")
    for tree in (
        model(hostile),
        model(listed(5, [hostile])),
        model(text(5), key=hostile),
        model(object_array(7, [hostile])),
        model({**text(5), "not looked at": [[hostile]]}),
    ):
        with pytest.raises(ValueError, match="is not among the types of model files"):
            check_tree(tree, [])


def test_a_loader_that_is_no_name_is_refused():
    with pytest.raises(ValueError, match="not among"):
        check_tree(model(node(["JsonNode"], "str", 5)), [])


@pytest.mark.parametrize("tree", [[], "x", None, {}, listed(1, []), text(1)])
def test_a_tree_that_is_no_model_is_refused(tree):
    with pytest.raises(ValueError, match="no model of a known type"):
        check_tree(tree, [])


@pytest.mark.parametrize("protocol", [0, 1, True, None, "2", 2.0])
def test_a_tree_of_an_older_form_is_refused(protocol):
    with pytest.raises(ValueError, match="form of its tree"):
        check_tree(model(text(5), protocol=protocol), [])


@pytest.mark.parametrize("number", [None, 0, -1, True, "5", 5.0])
def test_objects_without_a_number_are_refused(number):
    with pytest.raises(ValueError, match="has no number"):
        check_tree(model(text(number)), [])


def test_numbers_stand_for_one_object():
    check_tree(model(listed(5, [text(6), text(6)])), [])
    with pytest.raises(ValueError, match="the same number"):
        check_tree(model(listed(5, [text(6), text(6, "other")])), [])


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        (listed(5, [stored(6), stored(7)]), "is used twice"),
        (stored(5, 1), "is not stored"),
        (node("NdArrayNode", "numpy.ndarray", 5, type="numpy", file=["0.npy"]), "is not stored"),
        (node("NdArrayNode", "numpy.ndarray", 5, type="other"), "is not stored"),
        (stored(5, name="numpy.float64"), "a number in it is stored as an array"),
        (text(5), "that nothing in it uses"),
        (object_array(5, [stored(8)], 2), "more than text and numbers"),
        (object_array(5, [listed(8, [stored(9)])], 2), "more than text and numbers"),
        (object_array(5, ["x"], 2), "more than text and numbers"),
    ],
)
def test_arrays_that_could_grow_are_refused(steps, reason):
    with pytest.raises(ValueError, match=reason):
        check_tree(model(steps), [(1000,)])


def test_a_module_in_a_hostile_tree_is_not_looked_at():
    tree = model(text(5))
    for part in (tree, tree["content"]["content"]["steps"], tree["content"]["key_types"]):
        part["__module__"] = "no.such.module"
    with pytest.warns(UserWarning, match="version"):
        again = rebuild(json.dumps(tree).encode(), [])
    assert type(again) is Pipeline
    assert again.steps == "x"


def test_a_class_that_moves_keeps_loading(monkeypatch):
    fitted = BLSClassifier(1, 4, 1, 8, random_state=0).fit(X, y)
    tree, arrays = take_apart(fitted)
    monkeypatch.setitem(sys.modules, "another.house", SimpleNamespace(BLSClassifier=BLSClassifier))
    monkeypatch.setattr(BLSClassifier, "__module__", "another.house")
    moved = rebuild(tree, arrays)
    np.testing.assert_array_equal(moved.predict_proba(X), fitted.predict_proba(X))
    assert take_apart(fitted)[0] == tree


def test_a_class_that_is_replaced_keeps_loading(monkeypatch):
    class Renamed(BLSClassifier):
        pass

    tree, arrays = take_apart(BLSClassifier(1, 4, 1, 8, random_state=0).fit(X, y))
    monkeypatch.setitem(STORED_TYPES["ObjectNode"], "BLSClassifier", Renamed)
    monkeypatch.setattr(sys.modules[__name__], "Renamed", Renamed, raising=False)
    again = rebuild(tree, arrays)
    assert type(again) is Renamed
    assert again.n_enhancement_nodes == 8


def test_the_tree_names_no_modules():
    model = make_pipeline(
        make_union(StandardScaler(), SelectKBest(k=2), FunctionTransformer(np.log1p)),
        BroadFeatures(1, 4, 1, 8, random_state=0),
        IntuitionisticFuzzyBLSClassifier(1, 4, 1, 8, random_state=0).warm_up(X, y),
    ).fit(X, y)
    text = take_apart(model)[0].decode()
    assert "__module__" not in text
    assert "broadlearn" not in text
    names = {part.lstrip("_") for part in re.findall(r"sklearn\.(\w+)", text)}
    assert names == {"FeatureUnion", "FunctionTransformer", "Pipeline", "SelectKBest"} | {
        "StandardScaler",
        "f_classif",
    }


def test_a_parameter_that_looks_like_a_node_is_refused():
    with pytest.raises(ValueError, match="is not among the types"):
        take_apart(BLSClassifier(C={"__loader__": [1.0]}))


def test_callbacks_are_no_part_of_a_model():
    fitted = Pipeline([("scale", StandardScaler()), ("model", BLSClassifier(1, 5, 1, 10))])
    fitted.fit(X, y)
    without = take_apart(fitted)[0]
    seen = Recorder()
    fitted.set_callbacks(seen)["model"].set_callbacks(seen)
    assert take_apart(fitted)[0] == without
    assert fitted._skl_callbacks == fitted["model"]._skl_callbacks == [seen]
