"""All that a model file may hold: classes and functions by the names that files give them.

Files hold these names and never a module, so that classes may move. A name that was released stays
for ever; to add a type, add a line.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from broadlearn.ensemble import (
    BroadEnsembleClassifier,
    KernelAverage,
)
from broadlearn.io.preparation import TablePreparation
from broadlearn.io.tables import to_numbers, to_texts
from broadlearn.models import Batch, BroadFeatures, RowStandardizer, StreamState
from broadlearn.random_features import (
    AutoencoderMap,
    BroadMap,
    FuzzyMap,
    InfiniteMap,
    InputForms,
    LimitKernel,
    MapSettings,
)
from broadlearn.registry import REGISTRY
from broadlearn.sample_scores import SCORERS, FuzzyGeometry, KernelGeometry
from broadlearn.utils import Standardization

_SKLEARN = {
    "sklearn.compose": "ColumnTransformer make_column_selector",
    "sklearn.decomposition": "PCA TruncatedSVD",
    "sklearn.feature_selection": "SelectKBest SelectPercentile VarianceThreshold",
    "sklearn.frozen": "FrozenEstimator",
    "sklearn.impute": "KNNImputer MissingIndicator SimpleImputer",
    "sklearn.linear_model": "LogisticRegression Ridge RidgeClassifier",
    "sklearn.model_selection": "FixedThresholdClassifier KFold ShuffleSplit StratifiedKFold "
    "StratifiedShuffleSplit",
    "sklearn.pipeline": "FeatureUnion Pipeline",
    "sklearn.preprocessing": "Binarizer FunctionTransformer KBinsDiscretizer LabelBinarizer "
    "LabelEncoder MaxAbsScaler MinMaxScaler Normalizer OneHotEncoder OrdinalEncoder "
    "PolynomialFeatures PowerTransformer QuantileTransformer RobustScaler StandardScaler "
    "TargetEncoder",
}
_SCALARS = "bool str_ float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64"
_FUNCTIONS = {
    "numpy": "absolute exp expm1 log log10 log1p log2 sqrt square",
    "sklearn.feature_selection": "chi2 f_classif f_regression",
}

_MODELS = [entry.estimator for entry in REGISTRY.values()]
# Named as in public, but for these: files had the first name before it was given to another model.
_RENAMED: dict[type, str] = {
    BroadEnsembleClassifier: "KernelEnsembleClassifier",
}


def _named(places: dict[str, str]) -> dict[str, Any]:
    """What other libraries have in public places, by names such as "sklearn.PCA"."""
    pairs = [(place, name) for place, names in places.items() for name in names.split()]
    return {f"{p.split('.')[0]}.{name}": getattr(import_module(p), name) for p, name in pairs}


# By the kind of node that skops makes of them.
STORED_TYPES: dict[str, dict[str, Any]] = {
    "ObjectNode": {
        **{_RENAMED.get(model, model.__name__): model for model in _MODELS},
        "KernelAverage": KernelAverage,
        **{scorer.__name__: scorer for scorer in SCORERS.values()},
        "AutoencoderMap": AutoencoderMap,
        "BroadFeatures": BroadFeatures,
        "BroadMap": BroadMap,
        "FuzzyGeometry": FuzzyGeometry,
        "FuzzyMap": FuzzyMap,
        "InfiniteMap": InfiniteMap,
        "KernelGeometry": KernelGeometry,
        "MapSettings": MapSettings,
        "RowStandardizer": RowStandardizer,
        "StreamState": StreamState,
        "TablePreparation": TablePreparation,
        **_named(_SKLEARN),
    },
    "TupleNode": {
        "tuple": tuple,
        "Batch": Batch,
        "InputForms": InputForms,
        "LimitKernel": LimitKernel,
        "Standardization": Standardization,
    },
    "DictNode": {"dict": dict},
    "ListNode": {"list": list},
    "SliceNode": {"slice": slice},
    "JsonNode": {"str": str},
    "NdArrayNode": _named({"numpy": f"ndarray {_SCALARS}"}),
    "DTypeNode": _named({"numpy": "dtype"}),
    "TypeNode": {
        **{kind.__name__: kind for kind in (bool, float, int, object, str)},
        **_named({"numpy": f"number {_SCALARS}"}),
    },
    "FunctionNode": {"table.numbers": to_numbers, "table.texts": to_texts, **_named(_FUNCTIONS)},
}


def stored_type(loader: Any, name: Any) -> Any:
    """The class or function of a name in a file; raises where there is none."""
    kinds = STORED_TYPES.get(str(loader), {})
    if str(name) not in kinds:
        raise ValueError(_refusal(name))
    return kinds[str(name)]


def name_of(loader: Any, module: Any, name: Any) -> str:
    """The name that files give to what skops found in a module; raises where it has none."""
    found = getattr(sys.modules.get(str(module)), str(name), None)
    for stored, kind in STORED_TYPES.get(str(loader), {}).items():
        if kind is found:
            return stored
    raise ValueError(_refusal(f"{module}.{name}"))


def place_of(kind: Any) -> tuple[str, str]:
    """Module and name by which skops finds a class or function."""
    # Not all functions of NumPy say where they are.
    return getattr(kind, "__module__", None) or "numpy", kind.__name__


def _refusal(name: Any) -> str:
    return f"it holds {str(name)[:100]}, which is not among the types of model files"
