"""A model as a tree of plain text and a list of arrays, taken apart and rebuilt by skops.

skops runs no pickle, but trusts many types by itself. So every node of a tree is first held against
a fixed list, on saving as on loading, and what would make rebuilding cost more than the tree itself
is refused: one array for several objects, objects that share a number but not their content.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_selection import SelectKBest, SelectPercentile, VarianceThreshold
from sklearn.impute import KNNImputer, MissingIndicator, SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

from broadlearn.classifiers import (
    BLSClassifier,
    BLSRegressor,
    ELMClassifier,
    FuzzyBLSClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    NeuroFuzzyBLSClassifier,
)
from broadlearn.classifiers._stream import Batch, StreamState
from broadlearn.distributed import _estimators as dask_models
from broadlearn.ensemble import BroadEnsembleClassifier
from broadlearn.random_features import BroadFeatures
from broadlearn.random_features._broad_map import BroadMap, MapSettings, ReducedMap
from broadlearn.random_features._fuzzy_rules import FuzzyMap
from broadlearn.random_features._standardize import Standardization
from broadlearn.sample_scores._geometry import FuzzyGeometry, KernelGeometry

# The form of skops' trees that is known here; later ones are read by skops' own rules for them.
FIRST_PROTOCOL = 2

# Names, modules included, are part of the file format: a class that moves must stay importable
# from where it was.
_MODELS = (
    BLSClassifier,
    BLSRegressor,
    BroadEnsembleClassifier,
    BroadFeatures,
    ELMClassifier,
    FuzzyBLSClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyBLSClassifier,
    IntuitionisticFuzzyTwinSVC,
    NeuroFuzzyBLSClassifier,
    dask_models.BLSClassifier,
    dask_models.BLSRegressor,
    dask_models.FuzzyBLSClassifier,
    dask_models.IntuitionisticFuzzyBLSClassifier,
    Binarizer,
    ColumnTransformer,
    FeatureUnion,
    FunctionTransformer,
    KBinsDiscretizer,
    KNNImputer,
    LabelBinarizer,
    LabelEncoder,
    LogisticRegression,
    MaxAbsScaler,
    MinMaxScaler,
    MissingIndicator,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PCA,
    Pipeline,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    Ridge,
    RidgeClassifier,
    RobustScaler,
    SelectKBest,
    SelectPercentile,
    SimpleImputer,
    StandardScaler,
    TargetEncoder,
    TruncatedSVD,
    VarianceThreshold,
)
_PARTS = (
    BroadMap,
    FuzzyGeometry,
    FuzzyMap,
    KernelGeometry,
    MapSettings,
    ReducedMap,
    StreamState,
    make_column_selector,
)
_NUMBERS = {
    *("numpy.bool", "numpy.str_", "numpy.float32", "numpy.float64"),
    *(f"numpy.{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


MODEL_TYPES = frozenset(map(_name, _MODELS))
ALLOWED: dict[str, frozenset[str]] = {
    "ObjectNode": MODEL_TYPES.union(map(_name, _PARTS)),
    "TupleNode": frozenset({"builtins.tuple", _name(Batch), _name(Standardization)}),
    "DictNode": frozenset({"builtins.dict"}),
    "ListNode": frozenset({"builtins.list"}),
    "SliceNode": frozenset({"builtins.slice"}),
    "JsonNode": frozenset({"builtins.str"}),
    "NdArrayNode": frozenset({"numpy.ndarray", *_NUMBERS}),
    "DTypeNode": frozenset({"numpy.dtype"}),
    "TypeNode": frozenset(
        {"builtins.bool", "builtins.float", "builtins.int", "builtins.object", "builtins.str"}
        | {"numpy.number", *_NUMBERS}
    ),
    "FunctionNode": frozenset(
        {"broadlearn.tables._numbers", "broadlearn.tables._texts"}
        | {f"numpy.{name}" for name in ("absolute", "exp", "expm1", "log", "log10", "log1p")}
        | {f"numpy.{name}" for name in ("log2", "sqrt", "square")}
        | {
            f"sklearn.feature_selection._univariate_selection.{name}"
            for name in ("chi2", "f_classif", "f_regression")
        }
    ),
}


def take_apart(model: Any) -> tuple[bytes, list[NDArray[Any]]]:
    """Tree and arrays of a model; the same model gives the same ones.

    Parameters
    ----------
    model : estimator

    Returns
    -------
    tree : bytes
        As JSON. Array k is named ``"k.npy"`` in it.
    arrays : list of ndarray
    """
    # skops imports all of scikit-learn: a second that only saving and loading should take.
    from skops.io import dumps

    with zipfile.ZipFile(io.BytesIO(dumps(model))) as archive:
        files: dict[str, str] = {}
        tree = _renumber(json.loads(archive.read("schema.json")), {}, files)
        arrays = [np.load(io.BytesIO(archive.read(f)), allow_pickle=False) for f in files]
    check_tree(tree, [array.shape for array in arrays])
    return json.dumps(tree, separators=(",", ":")).encode(), arrays


def _renumber(node: Any, seen: dict[Any, Any], files: dict[str, str]) -> Any:
    """The tree with objects and files numbered in order, in place of addresses in memory.

    Of an object that occurs again, skops may give other addresses of what is in it.
    """
    if isinstance(node, list):
        return [_renumber(item, seen, files) for item in node]
    if not isinstance(node, dict):
        return node
    if "__loader__" not in node:
        return {key: _renumber(value, seen, files) for key, value in node.items()}
    _check_type(node)
    address = node["__id__"]
    if address not in seen:
        renumbered: dict[str, Any] = {"__id__": len(seen) + 1}
        seen[address] = renumbered
        for key, value in node.items():
            if key == "file":
                renumbered[key] = files.setdefault(value, f"{len(files)}.npy")
            elif key != "__id__":
                renumbered[key] = _renumber(value, seen, files)
    return seen[address]


def check_tree(tree: Any, shapes: Sequence[tuple[int, ...]]) -> set[str]:
    """Raise unless a tree holds a model of listed types and rebuilds in proportion to its size.

    Parameters
    ----------
    tree : dict
    shapes : sequence of tuple of int
        Of the arrays.

    Returns
    -------
    set of str
        Names of the types and functions in the tree.
    """
    if not isinstance(tree, dict) or f"{tree.get('__module__')}.{tree.get('__class__')}" not in (
        MODEL_TYPES
    ):
        raise ValueError("it holds no model of a known type")
    protocol = tree.get("protocol")
    if type(protocol) is not int or protocol < FIRST_PROTOCOL:
        raise ValueError("the form of its tree is unknown")
    seen: dict[int, Any] = {}
    owners: dict[str, int] = {}
    files = {f"{k}.npy": shape for k, shape in enumerate(shapes)}
    names = set()
    stack: list[Any] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack.extend(node)
        if not isinstance(node, dict):
            continue
        if "__loader__" in node:
            names.add(_check_type(node))
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
        stack.extend(node.values())
    if len(owners) < len(files):
        raise ValueError("an array is stored that nothing in it uses")
    return names


def _check_type(node: dict[str, Any]) -> str:
    loader, name = node["__loader__"], f"{node.get('__module__')}.{node.get('__class__')}"
    if not isinstance(loader, str) or name not in ALLOWED.get(loader, ()):
        raise ValueError(f"it holds {name[:100]}, which is not among the types of model files")
    return name


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
    if node["__class__"] != "ndarray" and files[file] != ():
        raise ValueError("a number in it is stored as an array")


def _is_plain(node: Any) -> bool:
    """Whether a node is a text or number, or a list of such."""
    if not isinstance(node, dict):
        return False
    if node.get("__loader__") == "ListNode":
        return all(map(_is_plain, node.get("content", ())))
    loader, kind = node.get("__loader__"), node.get("__class__")
    return loader == "JsonNode" or (loader == "NdArrayNode" and kind != "ndarray")


def rebuild(tree: bytes, arrays: Sequence[NDArray[Any]]) -> Any:
    """Rebuild the model from its tree and arrays, after `check_tree`.

    Parameters
    ----------
    tree : bytes
    arrays : sequence of ndarray

    Returns
    -------
    estimator
    """
    names = check_tree(json.loads(tree), [array.shape for array in arrays])
    from skops.io import load

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("schema.json", tree)
        for k, array in enumerate(arrays):
            with archive.open(f"{k}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    return load(buffer, trusted=sorted(names))
