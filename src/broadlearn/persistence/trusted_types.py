"""The types that a model file may hold.

A rule, not a list of models: estimators and plain records of this package, by the room that they
are in. scikit-learn's estimators are those that skops trusts by itself. Functions, methods and
types that are called when they are read are never trusted.
"""

from __future__ import annotations

import re
import sys
from dataclasses import is_dataclass
from importlib import import_module
from typing import Any

from sklearn.base import BaseEstimator

# Rooms with fitted state. Importing them runs nothing but definitions.
_OWN_MODULE = re.compile(
    r"broadlearn\.(utils|random_features|solvers|sample_scores|models|baselines|search|ensemble"
    r"|evaluation|tables)(\.[a-z][a-z0-9_]*)*"
)
# Plain objects of scikit-learn that skops does not trust by itself.
_SPLITTERS = (
    *("KFold", "StratifiedKFold", "GroupKFold", "StratifiedGroupKFold", "TimeSeriesSplit"),
    *("ShuffleSplit", "StratifiedShuffleSplit", "RepeatedKFold", "RepeatedStratifiedKFold"),
)
SKLEARN_PARTS = frozenset(
    {
        "sklearn.calibration._CalibratedClassifier",
        "sklearn.calibration._SigmoidCalibration",
        *(f"sklearn.model_selection._split.{name}" for name in _SPLITTERS),
    }
)
NUMPY_SCALARS = frozenset(
    {
        *(f"numpy.{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
        *(f"numpy.float{bits}" for bits in (16, 32, 64)),
        *("numpy.bool", "numpy.bool_", "numpy.str_"),
    }
)
KEY_TYPES = NUMPY_SCALARS | {f"builtins.{name}" for name in ("str", "int", "float", "bool")}
TYPES = KEY_TYPES | {"builtins.object"}


def own_class(module: str, name: str) -> type[Any] | None:
    """Return the estimator or plain record of this package in a module or room, or None."""
    if not _OWN_MODULE.fullmatch(module):
        return None
    try:
        found = getattr(import_module(module), name, None)
    except ImportError:
        return None
    if not isinstance(found, type) or not _OWN_MODULE.fullmatch(found.__module__):
        return None
    is_record = is_dataclass(found) or found.__bases__ == (tuple,)
    return found if is_record or issubclass(found, BaseEstimator) else None


def public_module(module: str, name: str) -> str:
    """Return the room that exports a class, or else its module: classes may move in their room."""
    room = ".".join(module.split(".")[:2])
    found = own_class(module, name)
    return room if found is not None and own_class(room, name) is found else module


def loaded_class(module: str, name: str) -> type[Any] | None:
    """Return a class of scikit-learn by name, if its module is imported."""
    found = getattr(sys.modules.get(module), name, None) if module.startswith("sklearn.") else None
    return found if isinstance(found, type) else None
