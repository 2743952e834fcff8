"""The recipe of a model: its parameters, its grid and its code, in a few digits.

Part of a unit's key, so that an edited model is run again. What counts:

- all parameters, those of inner estimators included, however a dict is ordered and whether a number
  is Python's or NumPy's; not a `random_state`, which a study sets itself;
- the settings that are tried;
- the code: of a model of the user's own, the source of its module and of the modules of their own
  that this one uses; of an installed package, ours included, its version.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import math
import re
import sys
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from broadlearn.study.own_modules import is_own, package_version, sources_digest
from broadlearn.study.readings import READINGS
from broadlearn.study.search_spaces import ModelSpec

RECIPE_DIGITS = 16
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def recipe_of(spec: ModelSpec, protocol: str, grid: str) -> str:
    """Short SHA-256 of a model as a protocol runs it.

    Parameters
    ----------
    spec : ModelSpec
    protocol : str
        Some run a model as it was released.
    grid : {"paper", "reduced"}

    Returns
    -------
    str

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from broadlearn.study import ModelSpec
    >>> from broadlearn.study.recipes import recipe_of
    >>> one, same, other = (
    ...     recipe_of(ModelSpec("SVC", SVC(C=C)), "nested", "paper") for C in (1, 1, 2)
    ... )
    >>> one == same, one == other
    (True, False)
    """
    released = protocol in READINGS and READINGS[protocol].released_models
    content = describe([*spec.parts(grid, released=released)])
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:RECIPE_DIGITS]


def describe(value: Any) -> Any:
    """A parameter as JSON that is the same in every process.

    Parameters
    ----------
    value : object
        A number, text, list, dict, array, estimator, class, function, or any other object.

    Returns
    -------
    object
        Of lists, dicts, texts and numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from broadlearn.study.recipes import describe
    >>> describe({"b": np.float64(0.5), "a": (1, None)})
    {'dict': [['"a"', [1, None]], ['"b"', 0.5]]}
    """
    return _describe(value, ())


def _describe(value: Any, above: tuple[int, ...]) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if id(value) in above:
        return "itself"
    inner = functools.partial(_describe, above=(*above, id(value)))
    if isinstance(value, (list, tuple)):
        return [inner(item) for item in value]
    if isinstance(value, Mapping):
        return {"dict": sorted([json.dumps(inner(k)), inner(v)] for k, v in value.items())}
    if isinstance(value, (set, frozenset)):
        return {"set": sorted(json.dumps(inner(item)) for item in value)}
    if isinstance(value, np.ndarray):
        return {"array": list(value.shape), "values": _array(value, inner)}
    if isinstance(value, (np.random.RandomState, np.random.Generator)):
        # Its state is another in every process.
        return type(value).__name__
    if isinstance(value, functools.partial):
        return {"partial": [inner(value.func), inner(value.args), inner(value.keywords)]}
    if isinstance(value, types.ModuleType):
        return {"module": value.__name__, "code": _code(value.__name__)}
    if inspect.ismethod(value):
        return {"method": value.__name__, "of": inner(value.__self__)}
    if isinstance(value, type) or inspect.isroutine(value):
        found = _named(value)
        cells = getattr(value, "__closure__", None) or ()
        return found | {"closure": [inner(cell.cell_contents) for cell in cells]}
    return _object(value, inner)


def _array(value: np.ndarray[Any, Any], inner: Any) -> Any:
    if value.dtype.kind in "biuf":
        return hashlib.sha256((value.astype("<f8") + 0.0).tobytes()).hexdigest()
    return [inner(item) for item in value.ravel().tolist()]


def _named(value: Any) -> dict[str, Any]:
    """A class or function by its name and code, and that of the classes before it."""
    lines = value.__mro__ if isinstance(value, type) else (value,)
    codes = {_code(getattr(line, "__module__", None) or "builtins") for line in lines}
    found = {"name": getattr(value, "__qualname__", repr(type(value))), "code": sorted(codes)}
    if "<" in found["name"]:
        # A lambda or an inner function is not told by its name.
        code = getattr(value, "__code__", None)
        content = () if code is None else (code.co_code, code.co_consts, code.co_names)
        found["content"] = _ADDRESS.sub("", repr(content))
    return found


def _code(module_name: str) -> str:
    module = sys.modules.get(module_name)
    if module is None:
        return module_name
    if is_own(module):
        return f"{module_name} {sources_digest(module)}"
    return package_version(module)


def _object(value: Any, inner: Any) -> dict[str, Any]:
    """An estimator by its parameters; any other object by its attributes, or by how it prints."""
    found: dict[str, Any] = {"class": _named(type(value))}
    if callable(getattr(value, "get_params", None)):
        parameters = value.get_params(deep=False)
        parameters.pop("random_state", None)
        return found | {"parameters": inner(parameters)}
    try:
        attributes = dict(vars(value))
    except TypeError:
        return found | {"printed": _ADDRESS.sub("", repr(value))}
    attributes.pop("random_state", None)
    return found | {"attributes": inner(attributes)}
