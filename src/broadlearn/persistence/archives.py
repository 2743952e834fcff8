"""skops archives: written in one canonical form, and checked before skops reads them.

skops restores a tree of nodes and runs no pickle. An archive is a zip file with the tree as
``schema.json`` and one ``.npy`` file per array. Before skops sees an archive, its directory, the
headers of its arrays and all nodes of its tree are checked, so that restoring it calls nothing but
constructors of plain values and takes memory in proportion to the archive.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import struct
import zipfile
from typing import Any, BinaryIO

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.preprocessing import OneHotEncoder

from broadlearn.persistence.trusted_types import (
    KEY_TYPES,
    NUMPY_SCALARS,
    SKLEARN_PARTS,
    TYPES,
    loaded_class,
    own_class,
    public_module,
)

TREE = "schema.json"
# Of the tree, of the directory and of the header. Restoring a tree of this size takes less than
# 250 MB, whatever it holds (measured with trees of all kinds of nodes).
MAX_TEXT_BYTES = 6 << 20
# Of one entry of an array: a text of 16,384 characters of 4 bytes. Encoders make arrays of their
# own with the types of stored ones.
MAX_ITEM_BYTES = 1 << 16
_ARRAY_NAME = re.compile(r"(0|[1-9]\d{0,6})\.npy")
# Attributes of searches that hold functions, or are larger than the model.
_RECORDS = ("cv_results_", "scorer_")

Shapes = dict[str, tuple[int, ...]]


def write_archive(model: BaseEstimator) -> bytes:
    """Return a model as an archive; raise ValueError where `read_archive` would refuse it."""
    # skops imports all of scikit-learn, which takes a second.
    from skops.io import dumps, get_untrusted_types

    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(dumps(without_records(model)))) as source,
        zipfile.ZipFile(buffer, "w") as target,
    ):
        files: dict[str, str] = {}
        tree = _canonical(json.loads(source.read(TREE)), files)
        for old, new in files.items():
            target.writestr(zipfile.ZipInfo(new), source.read(old))
        text = json.dumps(tree, separators=(",", ":"))
        target.writestr(zipfile.ZipInfo(TREE), text, zipfile.ZIP_DEFLATED)
    trusted = check_archive(buffer)
    content = buffer.getvalue()
    for name in get_untrusted_types(data=content):
        if name not in trusted:
            raise ValueError(_refusal(name))
    return content


def read_archive(file: BinaryIO) -> Any:
    """Check an archive and return its model; anything may precede it, nothing may follow it."""
    from skops.io import load

    trusted = check_archive(file)
    file.seek(0)
    model = load(file, trusted=sorted(trusted))
    if not isinstance(model, BaseEstimator):
        raise ValueError("it contains no estimator")
    _check_encoders(model)
    return model


def _check_encoders(value: Any) -> None:
    """Raise where scikit-learn's one-hot encoding would write beyond its output."""
    if isinstance(value, OneHotEncoder) and "categories_" in vars(value):
        try:
            consistent = _encodes_within_bounds(value)
        except (AttributeError, IndexError, TypeError, ValueError):
            consistent = False
        if not consistent:
            raise ValueError("the state of a OneHotEncoder in it is inconsistent")
    if isinstance(value, list | tuple | dict):
        for part in value.values() if isinstance(value, dict) else value:
            _check_encoders(part)
    elif hasattr(value, "__dict__"):
        _check_encoders(vars(value))
    elif isinstance(value, np.ndarray) and value.dtype == object:
        _check_encoders(value.tolist())


def _encodes_within_bounds(encoder: OneHotEncoder) -> bool:
    """Return whether all categories of an encoder have a column in its output."""
    n_columns = len(encoder.categories_)
    dropped = encoder._drop_idx_after_grouping
    groups = encoder._default_to_infrequent_mappings if encoder._infrequent_enabled else None
    if len(encoder._n_features_outs) != n_columns:
        return False
    for i, categories in enumerate(encoder.categories_):
        # scikit-learn finds numbers by bisection, and text by a dictionary.
        if categories.dtype.kind not in "OUS" and not np.array_equal(
            categories, np.sort(categories), equal_nan=True
        ):
            return False
        drop = None if dropped is None else dropped[i]
        codes = None if groups is None else groups[i]
        if codes is None:
            codes = np.arange(len(categories))
        size = encoder._n_features_outs[i] + (drop is not None)
        if len(codes) != len(categories) or not ((codes >= 0) & (codes < size)).all():
            return False
        if drop is not None and not 0 <= drop < size:
            return False
    return True


def without_records(value: Any) -> Any:
    """Return a model without the records of its searches."""
    if type(value) in (list, tuple):
        return type(value)(map(without_records, value))
    if not isinstance(value, BaseEstimator):
        return value
    bare = object.__new__(type(value))
    for name, part in vars(value).items():
        if name not in _RECORDS:
            bare.__dict__[name] = without_records(part)
    return bare


def _canonical(node: Any, files: dict[str, str]) -> Any:
    """Number arrays in order of appearance, name classes by rooms, drop addresses of objects."""
    if isinstance(node, list):
        return [_canonical(item, files) for item in node]
    if not isinstance(node, dict):
        return node
    renamed = {key: _canonical(value, files) for key, value in node.items() if key != "__id__"}
    if "__loader__" not in node:
        return renamed
    renamed["__module__"] = public_module(str(node["__module__"]), node["__class__"])
    if "file" in node:
        number = len(files)
        renamed["file"] = files.setdefault(node["file"], f"{number}.npy")
        renamed["__id__"] = int(renamed["file"].removesuffix(".npy")) + 1
    return renamed


def check_archive(file: BinaryIO) -> set[str]:
    """Raise unless an archive is safe to restore; return the types that skops has to trust."""
    # all_estimators, which skops calls, imports the classes that nodes name.
    import skops.io  # noqa: F401

    n_bytes = file.seek(0, os.SEEK_END)
    _check_end(file, n_bytes)
    with zipfile.ZipFile(file) as archive:
        shapes = _check_members(archive, n_bytes)
        tree = json.loads(archive.read(TREE))
    return check_tree(tree, shapes)


def _check_end(file: BinaryIO, n_bytes: int) -> None:
    """Raise where the directory is not at the end, or larger than models need.

    `zipfile` reads all of the directory at once, and takes ten times its size for it.
    """
    file.seek(max(0, n_bytes - 98))
    tail = file.read().rjust(98, b"\0")
    if tail[-22:-18] != b"PK\5\6" or tail[-2:] != b"\0\0":
        raise ValueError("it does not end with the directory of an archive")
    (size,) = struct.unpack("<L", tail[-10:-6])
    if tail[-42:-38] == b"PK\6\7":
        (size,) = struct.unpack("<Q", tail[40:48])
    if size > MAX_TEXT_BYTES:
        raise ValueError("it has more parts than a model file may have")


def _check_members(archive: zipfile.ZipFile, n_bytes: int) -> Shapes:
    """Raise unless all files of an archive are known and of their size; return shapes of arrays."""
    infos = archive.infolist()
    if len({info.filename for info in infos}) < len(infos):
        raise ValueError("two of its parts have the same name")
    if sum(info.compress_size for info in infos) > n_bytes:
        raise ValueError("its parts overlap")
    shapes = {}
    for info in infos:
        if info.filename == TREE:
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError("its tree is compressed in an unknown way")
            if info.file_size > MAX_TEXT_BYTES:
                raise ValueError(
                    "its state has too many parts, such as levels of text or names of columns"
                )
            continue
        stored = info.compress_type == zipfile.ZIP_STORED and info.compress_size == info.file_size
        if not stored or not _ARRAY_NAME.fullmatch(info.filename):
            raise ValueError(f"it contains an unknown part {info.filename[:40]!r}")
        with archive.open(info) as file:
            shapes[info.filename] = _check_array(file, info.file_size)
    return shapes


def _check_array(file: Any, n_bytes: int) -> tuple[int, ...]:
    """Return the shape of an array, if its header declares exactly the bytes that follow it."""
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("an array in it has an unknown format")
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    if dtype.kind not in "biufUSmM" or dtype.subdtype is not None:
        raise ValueError(f"it contains an array of type {str(dtype)[:40]}")
    if dtype.itemsize > MAX_ITEM_BYTES:
        raise ValueError(f"a text in it is longer than {MAX_ITEM_BYTES // 4:,} characters")
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != n_bytes - file.tell():
        raise ValueError("the size of an array in it differs from its header")
    return tuple(shape)


def check_tree(tree: Any, shapes: Shapes) -> set[str]:
    """Raise unless all nodes of a tree are safe to restore; return types for skops to trust."""
    protocol = tree.get("protocol") if isinstance(tree, dict) else None
    # 2 is the first form of skops' trees with the nodes that are checked here.
    if type(protocol) is not int or protocol < 2:
        raise ValueError("its tree has an unknown structure")
    trusted: set[str] = set()
    stack: list[Any] = [tree]
    while stack:
        try:
            stack.extend(_check_node(stack.pop(), shapes, trusted))
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError("a node of its tree is incomplete") from error
    return trusted


def _check_node(node: Any, shapes: Shapes, trusted: set[str]) -> list[Any]:
    """Return the nodes within a node; raise unless the node itself is safe."""
    place, loader = (node["__module__"], node["__class__"]), node["__loader__"]
    name, stored = ".".join(place), loader == "NdArrayNode" and node["type"] == "numpy"
    if "__id__" in node and not stored:
        # skops restores nodes of one number once; walks over such nodes could take for ever.
        raise ValueError("an object in it is used twice")
    if loader == "ObjectNode":
        return _check_object(place, node.get("content"), trusted)
    inner = _check_stored(node, name, shapes) if stored else _check_plain(node, place, trusted)
    if inner is None:
        raise ValueError(_refusal(name))
    return inner


def _check_stored(node: Any, name: str, shapes: Shapes) -> list[Any] | None:
    """Return no node for an array or a NumPy scalar that has a file; None for other types."""
    file = node["file"]
    if file not in shapes or node["__id__"] != int(file.removesuffix(".npy")) + 1:
        raise ValueError("an array in it is missing")
    is_scalar = name in NUMPY_SCALARS and shapes[file] == ()
    return [] if name == "numpy.ndarray" or is_scalar else None


def _check_plain(node: Any, place: tuple[str, str], trusted: set[str]) -> list[Any] | None:
    """Return the nodes within a plain value; None for a value of another type."""
    name, content = ".".join(place), node.get("content")
    match node["__loader__"]:
        case "ListNode" | "TupleNode" if name in ("builtins.list", "builtins.tuple"):
            return list(content)
        case "TupleNode" if issubclass(own_class(*place) or object, tuple):
            trusted.add(name)
            return list(content)
        case "DictNode" if name == "builtins.dict":
            _check_keys(node["key_types"], len(content))
            return [node["key_types"], *content.values()]
        case "DTypeNode" if name == "numpy.dtype" and content["__loader__"] == "NdArrayNode":
            trusted.add(name)
            return [content]
        case "NdArrayNode" if name == "numpy.ndarray" and node["type"] == "json":
            # skops hands nested lists to NumPy, which would unfold arrays within them.
            if len(node["shape"]["content"]) != 1:
                raise ValueError("an array of objects in it has more than one dimension")
            return [node["shape"], *content]
    return [] if _is_single(node, name) else None


def _is_single(node: Any, name: str) -> bool:
    """Return whether a node is a plain value without nodes within it."""
    match node["__loader__"]:
        case "JsonNode" if name == "builtins.str":
            # Other values have nodes of their own; as text they could be many small objects.
            if node["content"].lstrip()[:1] in ("[", "{"):
                raise ValueError("a plain value in it has children")
            return True
        case "SliceNode" if name == "builtins.slice":
            ends = {type(node["content"][end]) for end in ("start", "stop", "step")}
            return ends <= {int, type(None)}
        case "TypeNode":
            return name in TYPES
    return False


def _check_keys(types: Any, n_keys: int) -> None:
    """Raise unless the types of keys, which are called with keys as text, are plain."""
    names = [f"{node['__module__']}.{node['__class__']}" for node in types["content"]]
    if types["__loader__"] != "ListNode" or not KEY_TYPES.issuperset(names):
        raise ValueError(_refusal(", ".join(names)))
    if len(names) != n_keys:
        raise ValueError("a dictionary in it is incomplete")


def _check_object(place: tuple[str, str], state: Any, trusted: set[str]) -> list[Any]:
    """Raise unless the attributes of an object are no methods; return them."""
    name = ".".join(place)
    own = own_class(*place)
    if own is not None or name in SKLEARN_PARTS:
        trusted.add(name)
    # skops refuses what is neither trusted here nor by itself.
    kind = own or loaded_class(*place)
    if kind is None:
        raise ValueError(_refusal(name))
    if state is None or state["__loader__"] == "JsonNode":
        return [] if state is None else [state]
    if state["__loader__"] != "DictNode":
        raise ValueError(_refusal(name))
    for key, value in state["content"].items():
        if callable(getattr(kind, key, None)) or key.startswith(("__", "_doc_link")):
            raise ValueError(f"{place[1][:100]} in it has an attribute {key[:100]!r}")
        if key == "memory" and value.get("content") != "null":
            raise ValueError(f"memory of {place[1][:100]} is not None")
    return [state]


def _refusal(name: str) -> str:
    return f"it contains {name[:100]}, a type that model files may not contain"
