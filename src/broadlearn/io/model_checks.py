"""A model from a file is held against what its classes have: attributes, kinds, shapes, limits.

Nothing of a file decides what is run, started or written: attributes that are not known are
refused before anything is made, and parameters that start processes or write files are not read.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from sklearn.base import BaseEstimator

from broadlearn.io.errors import reason
from broadlearn.io.stored_agreement import RULES
from broadlearn.io.stored_attributes import ESTIMATORS, FORMER, OF_ANY, PARTS, RESET, STATES
from broadlearn.io.stored_kinds import (
    Kind,
    Lengths,
    count,
    flag,
    number,
    numbers,
    optional,
    several,
    text,
)
from broadlearn.io.stored_sklearn import SKLEARN
from broadlearn.utils.sklearn_compat import validate_parameter_constraints

VERSION = "_sklearn_version"
_PLAIN_VERSION = re.compile(r"[\w.+]{1,40}")
# Attributes of estimators that they all may have.
_COMMON = ("n_features_in_", "feature_names_in_", "_sklearn_output_config")
# What fields of these annotations hold.
_ANNOTATED: dict[str, Kind] = {
    "int": count(),
    "float": number(),
    "bool": flag,
    "str": text,
    "Array": numbers,
    "Floats": numbers,
    "tuple[float, ...]": several(number()),
}


@cache
def parameters(kind: type) -> dict[str, Any]:
    """Parameters of an estimator with their defaults."""
    found = inspect.signature(kind).parameters.values()
    return {p.name: p.default for p in found}


@cache
def known_attributes(kind: type) -> dict[str, Kind | None]:
    """Names that an object of a class may have, with the kind of value if that is given here.

    Examples
    --------
    >>> from broadlearn import BLSClassifier
    >>> found = known_attributes(BLSClassifier)
    >>> "C" in found, "output_weights_" in found, "predict" in found
    (True, True, False)
    """
    table: dict[str, Kind | None] = {}
    for base in reversed(kind.__mro__):
        table.update(PARTS.get(base, {}))
    if issubclass(kind, BaseEstimator):
        tables = {**SKLEARN, **ESTIMATORS}
        own = next(tables[base.__name__] for base in kind.__mro__ if base.__name__ in tables)
        names = [*parameters(kind), *_COMMON]
        return {**{name: OF_ANY.get(name) for name in names}, **own}
    if is_dataclass(kind):
        annotations = {field.name: field.type for field in fields(kind)}
    elif issubclass(kind, tuple):
        annotations = kind.__annotations__
    else:
        return table
    return {name: table.get(name) or _annotated(annotations[name]) for name in annotations}


def _annotated(annotation: Any) -> Kind | None:
    name = str(annotation)
    if name.endswith(" | None"):
        found = _annotated(name.removesuffix(" | None"))
        return None if found is None else optional(found)
    return _ANNOTATED.get(name)


def reset_parameters(kind: type) -> dict[str, Any]:
    """Parameters that are never read from files, with the defaults that stand for them.

    Examples
    --------
    >>> from sklearn.pipeline import Pipeline
    >>> reset_parameters(Pipeline)
    {'memory': None, 'verbose': False}
    """
    if not issubclass(kind, BaseEstimator):
        return {}
    known = parameters(kind)
    former = dict.fromkeys(FORMER.get(kind.__name__, ()), inspect.Parameter.empty)
    return {**{name: known[name] for name in RESET if name in known}, **former}


def check_state(kind: type, state: Any) -> None:
    """Raise unless an object has attributes that its class has, by the node that says them."""
    content = state.get("content") if isinstance(state, dict) else None
    if content == "null" and not known_attributes(kind):
        return
    if not isinstance(content, dict) or state.get("__loader__") != "DictNode":
        raise ValueError(f"{kind.__name__} in it has no attributes")
    known = {*known_attributes(kind), *STATES.get(kind.__name__, ()), *reset_parameters(kind)}
    for name, node in content.items():
        if name == VERSION and kind.__module__.startswith("sklearn."):
            _check_version(node)
        elif name not in known:
            raise ValueError(f"{kind.__name__} has no attribute {name[:100]!r}")


def _check_version(node: Any) -> None:
    found = node.get("content") if isinstance(node, dict) else None
    if not isinstance(found, str) or not _PLAIN_VERSION.fullmatch(found.strip('"')):
        raise ValueError("the version of scikit-learn that it names is none")


def check_model(model: Any) -> None:
    """Raise unless all of a model is of the kinds, shapes and sizes that its classes have.

    Parameters that a file lacks get their defaults.
    """
    # Parts are checked for each model that has them; what is seen is kept, for the sake of its id.
    seen: dict[tuple[int, int], Any] = {}
    stack: list[tuple[Any, Lengths]] = [(model, Lengths())]
    rules: list[tuple[Any, Lengths]] = []
    while stack:
        value, lengths = stack.pop()
        kind, is_model = type(value), isinstance(value, BaseEstimator)
        key = (id(value), 0 if is_model else id(lengths))
        if key in seen:
            continue
        seen[key] = (value, lengths)
        if is_model:
            lengths = Lengths()
            _check_parameters(value)
        if kind in (list, tuple, dict):
            inner = value.values() if kind is dict else value
            stack.extend((item, lengths) for item in inner)
        elif _has_parts(kind):
            held = dict(_held(value))
            _check_held(value, held, lengths)
            stack.extend((item, lengths) for item in held.values())
            rules.append((value, lengths))
    for value, lengths in reversed(rules):
        _check_rules(value, lengths)


def _has_parts(kind: type) -> bool:
    return (
        issubclass(kind, BaseEstimator)
        or any(base in PARTS for base in kind.__mro__)
        or (is_dataclass(kind) and kind.__module__.startswith("broadlearn.sample_scores"))
    )


def _held(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, tuple):
        yield from zip(getattr(value, "_fields", ()), value, strict=True)
    else:
        yield from vars(value).items()


def _check_parameters(model: Any) -> None:
    """Parameters within their constraints; those that are lacking get their defaults."""
    kind: Any = type(model)
    for name, default in parameters(kind).items():
        if not hasattr(model, name):
            if default is inspect.Parameter.empty:
                raise ValueError(f"{kind.__name__} lacks its {name}")
            setattr(model, name, default)
    given = {name: getattr(model, name) for name in parameters(kind)}
    constraints = getattr(kind, "_parameter_constraints", {})
    validate_parameter_constraints(constraints, given, kind.__name__)


def _check_held(value: Any, held: dict[str, Any], lengths: Lengths) -> None:
    kind: Any = type(value)
    known = known_attributes(kind)
    for name, item in held.items():
        if name not in known:
            raise ValueError(f"{kind.__name__} has no attribute {str(name)[:100]!r}")
        check = known[name]
        if check is not None and not check(item, lengths):
            raise ValueError(f"{kind.__name__} has {name} of another kind, shape or size")
    if isinstance(value, BaseEstimator):
        return
    for name in known:
        if not hasattr(value, name) and is_dataclass(value):
            raise ValueError(f"{type(value).__name__} lacks its {name}")


def _check_rules(value: Any, lengths: Lengths) -> None:
    kind = type(value)
    for base in kind.__mro__:
        rule = RULES.get(base)
        if rule is None:
            continue
        try:
            agrees = rule(value, lengths)
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            raise ValueError(f"{kind.__name__} is not whole: {reason(error)}") from error
        if not agrees:
            raise ValueError(f"the parts of {kind.__name__} do not go together")
