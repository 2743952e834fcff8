"""A model as a tree of plain text and a list of arrays, taken apart and rebuilt by skops.

skops runs no pickle, but trusts many types by itself. So every node of a tree is first held against
a fixed list, on saving as on loading, and what would make rebuilding cost more than the tree itself
is refused: one array for several objects, objects that share a number but not their content.
"""

from __future__ import annotations

import inspect
import io
import json
import zipfile
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import Pipeline

from broadlearn.io.model_checks import check_state, reset_parameters
from broadlearn.io.stored_types import name_of, place_of, stored_type
from broadlearn.utils import has_callbacks

# The form of skops' trees that is known here; later ones are read by skops' own rules for them.
FIRST_PROTOCOL = 2


def take_apart(model: Any) -> tuple[bytes, list[NDArray[Any]]]:
    """Tree of a model as JSON, and its arrays, of which the tree names number k ``"k.npy"``.

    The same model gives the same ones. Parameters such as ``n_jobs`` are left at their defaults.
    """
    # skops imports all of scikit-learn: a second that only saving and loading should take.
    from skops.io import dumps

    with zipfile.ZipFile(io.BytesIO(dumps(without_record(model)))) as archive:
        files: dict[str, str] = {}
        tree = _rename(json.loads(archive.read("schema.json")), {}, files)
        arrays = [np.load(io.BytesIO(archive.read(f)), allow_pickle=False) for f in files]
    check_tree(tree, [array.shape for array in arrays])
    return json.dumps(tree, separators=(",", ":")).encode(), arrays


def without_record(model: Any) -> Any:
    """The model without callbacks and the record of its search, which may be larger than itself."""
    bare = copy(model)
    if has_callbacks(bare):
        bare.set_callbacks()
    if isinstance(model, Pipeline):
        bare.steps = [(name, without_record(step)) for name, step in model.steps]
    elif isinstance(model, FixedThresholdClassifier):
        bare.estimator = bare.estimator_ = without_record(model.estimator_)
    elif isinstance(model, FrozenEstimator):
        bare.estimator = without_record(model.estimator)
    elif hasattr(model, "cv_results_"):
        del bare.cv_results_
    return bare


def _reset(kind: type, state: dict[str, Any], number: Callable[[Any], Any]) -> None:
    """Change what is never read among the attributes of an object to defaults.

    `number` gives that of a default.
    """
    for name, default in reset_parameters(kind).items():
        content = state["content"]
        if name not in content:
            continue
        if default is inspect.Parameter.empty:
            del state["key_types"]["content"][list(content).index(name)], content[name]
            continue
        content[name] = {
            "__loader__": "JsonNode",
            "__module__": "builtins",
            "__class__": "str",
            "__id__": number(default),
            "content": json.dumps(default),
            "is_json": True,
        }


def _rename(node: Any, seen: dict[Any, Any], files: dict[str, str]) -> Any:
    """The tree with types by their names, and objects and files by numbers, in order.

    skops has modules for the former and addresses in memory for the latter; of an object that
    occurs again, it may give other addresses of what is in it.
    """
    if isinstance(node, list):
        return [_rename(item, seen, files) for item in node]
    if not isinstance(node, dict):
        return node
    if "__loader__" not in node:
        return {key: _rename(value, seen, files) for key, value in node.items()}
    name = name_of(node["__loader__"], node.pop("__module__", None), node.pop("__class__", None))
    address = node.pop("__id__")
    if node["__loader__"] == "ObjectNode":
        # As skops does, numbers are addresses.
        _reset(stored_type("ObjectNode", name), node["content"], id)
    if address not in seen:
        renamed = seen[address] = {"__id__": len(seen) + 1, "__class__": name}
        for key, value in node.items():
            if key == "file":
                renamed[key] = files.setdefault(value, f"{len(files)}.npy")
            else:
                renamed[key] = _rename(value, seen, files)
    return seen[address]


def check_tree(tree: Any, shapes: Sequence[tuple[int, ...]]) -> None:
    """Raise unless a tree holds a model of listed types and rebuilds in proportion to its size."""
    kind = None
    if isinstance(tree, dict) and "__loader__" in tree:
        kind = stored_type(tree["__loader__"], tree.get("__class__"))
    if not isinstance(kind, type) or not issubclass(kind, BaseEstimator):
        raise ValueError("it holds no model of a known type")
    protocol = tree.get("protocol")
    if type(protocol) is not int or protocol < FIRST_PROTOCOL:
        raise ValueError("the form of its tree is unknown")
    seen: dict[int, Any] = {}
    owners: dict[str, int] = {}
    files = {f"{k}.npy": shape for k, shape in enumerate(shapes)}
    stack: list[Any] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack.extend(node)
        if not isinstance(node, dict):
            continue
        if "__loader__" in node:
            kind = stored_type(node["__loader__"], node.get("__class__"))
            number = node.get("__id__")
            if type(number) is not int or number < 1:
                raise ValueError("an object in it has no number")
            if number in seen:
                if seen[number] != node:
                    raise ValueError("two objects in it have the same number")
                continue
            seen[number] = node
            if node["__loader__"] == "NdArrayNode":
                _check_array(node, files, owners)
            elif node["__loader__"] == "ObjectNode":
                check_state(kind, node.get("content"))
        stack.extend(node.values())
    if len(owners) < len(files):
        raise ValueError("an array is stored that nothing in it uses")


def _check_array(
    node: dict[str, Any], files: dict[str, tuple[int, ...]], owners: dict[str, int]
) -> None:
    """Raise unless an array is stored for this object alone, or holds objects one by one."""
    if node.get("type") == "json":
        shape = node.get("shape")
        # Of lists and arrays in more dimensions than one NumPy makes a single array, which is large
        # if they are all the same one.
        flat = (
            isinstance(shape, dict)
            and shape.get("__loader__") == "TupleNode"
            and len(shape["content"]) == 1
        )
        if not flat and not all(map(_is_plain, node.get("content", ()))):
            raise ValueError("an array of objects in it holds more than text and numbers")
        return
    file = node.get("file")
    if not isinstance(file, str) or file not in files:
        raise ValueError("an array in it is not stored")
    if owners.setdefault(file, node["__id__"]) != node["__id__"]:
        raise ValueError("an array in it is used twice")
    if node["__class__"] != "numpy.ndarray" and files[file] != ():
        raise ValueError("a number in it is stored as an array")


def _is_plain(node: Any) -> bool:
    """Whether a node is a text or number, or a list of such."""
    if not isinstance(node, dict):
        return False
    if node.get("__loader__") == "ListNode":
        return all(map(_is_plain, node.get("content", ())))
    loader, name = node.get("__loader__"), node.get("__class__")
    return loader == "JsonNode" or (loader == "NdArrayNode" and name != "numpy.ndarray")


def rebuild(tree: bytes, arrays: Sequence[NDArray[Any]]) -> Any:
    """Rebuild the model from its tree and arrays, after `check_tree`."""
    check_tree(json.loads(tree), [array.shape for array in arrays])
    from skops.io import load

    trusted = set()

    def locate(node: dict[str, Any]) -> dict[str, Any]:
        if "__loader__" in node:
            kind = stored_type(node["__loader__"], node["__class__"])
            if node["__loader__"] == "ObjectNode":
                _reset(kind, node["content"], repr)
            place = place_of(kind)
            node["__module__"], node["__class__"] = place
            trusted.add(".".join(place))
        return node

    located = json.loads(tree, object_hook=locate)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("schema.json", json.dumps(located))
        for k, array in enumerate(arrays):
            with archive.open(f"{k}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    return load(buffer, trusted=sorted(trusted))
