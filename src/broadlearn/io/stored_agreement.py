"""How the parts of a model in a file must go together, beyond the lengths that have names.

What a rule refuses would fail, or take much memory, in some prediction.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from broadlearn.baselines import IntuitionisticFuzzyTwinSVC
from broadlearn.ensemble import (
    BroadEnsembleClassifier,
    BroadEnsembleRegressor,
    KernelAverage,
)
from broadlearn.io.column_compound import AMOUNTS
from broadlearn.io.column_dates import PARTS
from broadlearn.io.column_encoding import Encoding
from broadlearn.io.column_reading import KINDS, LEFT_OUT, Reading
from broadlearn.io.preparation import TablePreparation
from broadlearn.io.stored_kinds import (
    Kind,
    Lengths,
    count,
    flag,
    mapping,
    number,
    one_of,
    several,
    text,
)
from broadlearn.io.stored_steps import STEP_RULES, Rule, has_learnt
from broadlearn.models import BLSRegressor, BroadClassifier, BroadFeatures, StreamState
from broadlearn.random_features import (
    FORMS,
    METRICS,
    WEIGHTED,
    BroadMap,
    LimitKernel,
    unit_name,
)
from broadlearn.sample_scores import Geometry, SampleScorer
from broadlearn.utils import Standardization

# Nodes of few inputs cost memory by the square of these, for infinitely many of them.
MAX_FEW_OF_INFINITE = 128
# Width of "few_inputs", whose features grow with its root.
MAX_FEW_WIDTH = 100.0
MAX_PARTS = 1000

READING: dict[str, Kind] = {
    "kind": one_of(*KINDS, *LEFT_OUT),
    "how": one_of("number", "words", "date", "parts", "compound", ""),
    "decimal": one_of(".", ","),
    "factors": mapping(text, number()),
    "empty": several(number()),
    "order": text,
    "clock": flag,
    "n_parts": count(least=1, most=MAX_PARTS),
    "amount": one_of("", *AMOUNTS),
    "levels": several(text),
    "codes": mapping(text, count()),
    "doubt": text,
    "remark": text,
}
ENCODING: dict[str, Kind] = {
    "names": several(text, "names", least=1),
    "use": text,
    "fill": several(number()),
    "indicator": flag,
    "start": number(),
    "places": several(count(least=-1)),
    "table": several(several(number(), "names")),
}
RECORD: dict[str, Kind] = {
    **dict.fromkeys(("name", "kind", "example", "use", "doubt"), text),
    "missing": number(0.0, 1.0),
    "distinct": count(),
}


def standardization(value: Any, lengths: Lengths) -> bool:
    """Features and indicators are the inputs of a map; bounds are a lower and an upper one."""
    if value.bounds is not None and not (value.bounds[0] <= value.bounds[1]).all():
        return False
    return bool((value.missing < value.mean.size).all()) and lengths.fit(
        (value.mean.size + value.missing.size,), ("D",)
    )


def broad_map(value: Any, lengths: Lengths) -> bool:
    """Weights are those of the nodes that the settings tell of, on inputs that there are."""
    settings, weights = value.settings, value.enhancement_weights
    n_inputs, n_features = value.feature_weights.shape
    rows = n_inputs if value.enhances_inputs else n_features + 1
    if value.kernel:
        few, rows = settings.enhancement_inputs, n_features
        if few is not None:
            rows = n_inputs - 1
        elif value.basis is not None:
            rows = value.basis.shape[1]
        if settings.activation == "sine" and min(few or 0, n_inputs) > MAX_FEW_OF_INFINITE:
            return False
    return (
        weights.shape == (rows, settings.n_enhancements)
        and settings.n_features == n_features
        and (value.basis is None) == (value.rotation is None)
        and (value.feature_scale is None) == (value.feature_offset is None)
        and (settings.n_feature_groups > 0 or not n_features)
    )


def n_outputs(value: Any) -> int:
    """Columns of decisions: one for two classes, else one per class or label."""
    two = value.classes_.size == 2 and getattr(value, "_constant_labels", None) is None
    return 1 if two else int(value.classes_.size)


def fitted_map(value: Any, lengths: Lengths) -> bool:
    """Output weights are those of all nodes, for all classes or targets."""
    stream = getattr(value, "_stream", None)
    if stream is not None and not stream_of(value, stream):
        return False
    if not hasattr(value, "output_weights_"):
        return stream is not None or not has_learnt(value)
    W, layer = value.output_weights_, value._map.enhancement_weights
    targets = n_outputs(value) if hasattr(value, "classes_") else value.intercept_.size
    slope = getattr(value, "proba_slope_", None)
    several_labels = getattr(value, "_constant_labels", None) is not None
    return (
        W.shape == (value._map.feature_weights.shape[1] + layer.shape[1], targets)
        and (value._direct_weights is not None or not value._map.affine)
        and (isinstance(slope, np.ndarray) == several_labels)
        and _one_target(value, targets)
        and (not hasattr(value, "classes_") or value.classes_.size > 1)
    )


def stream_of(model: Any, stream: StreamState) -> bool:
    """Sums are those of the columns of the map and the targets of the model."""
    n, T = stream.map.n_columns, stream.shift.size + 1
    several_labels = stream.weight.ndim == 2
    if hasattr(model, "classes_"):
        if stream.weight.shape[-1] != model.classes_.size or stream.shift.size:
            return False
        if several_labels != (model._constant_labels is not None):
            return False
        T = n_outputs(model) + stream.ones
    elif stream.weight.shape != (1,) or not stream.shift.size:
        return False
    sample = stream.sample
    return (
        hasattr(model, "n_features_in_")
        and (stream.sums is None or stream.sums.shape == (n + T, n + T))
        and (stream.factor is None or stream.factor.shape == (n, n))
        and (sample is None) == (stream.priority is None)
        and (sample is None or sample.T.shape[1] == T - stream.ones)
        and (sample is None or (sample.codes.ndim == 2) == several_labels)
        and (sample is None or sample.codes.max(initial=0) < max(stream.weight.shape[-1], 2))
        and np.dtype(stream.dtype) in (np.float32, np.float64)
        and not stream.map.kernel
    )


def features(value: Any, lengths: Lengths) -> bool:
    """As many nodes as the map has."""
    if not hasattr(value, "_map"):
        return not has_learnt(value)
    layers = (value._map.feature_weights, value._map.enhancement_weights)
    return bool(value._n_features_out == sum(layer.shape[1] for layer in layers))


def planes(value: Any, lengths: Lengths) -> bool:
    """Two planes for two classes, else two for each, in the columns that there are."""
    if not hasattr(value, "coef_"):
        return not has_learnt(value)
    n_classes = value.classes_.size
    return (
        len(value.coef_) == (2 if n_classes == 2 else 2 * n_classes)
        and n_classes > 1
        and (hasattr(value, "basis_") or lengths.fit(value.coef_.shape, (None, "D")))
    )


def average(value: Any, lengths: Lengths) -> bool:
    """All distances that kernels are measured by are known, and how much columns matter."""
    weighted = {WEIGHTED + form for form in value.forms.relevance or ()}
    return all(
        unit_name(METRICS[k.family], k.inputs) in value.units
        and (k.inputs in FORMS or k.inputs in weighted)
        for k in value.kernels
    )


def limit_kernel(value: Any, lengths: Lengths) -> bool:
    """Nodes of few inputs look at a power of two of them, and are not too narrow."""
    if value.family != "few_inputs":
        return True
    few = int(value.n_inputs)
    return few >= 2 and few & (few - 1) == 0 and value.width <= MAX_FEW_WIDTH


def ensemble(value: Any, lengths: Lengths) -> bool:
    """Coefficients for all classes or targets, and a row for each member."""
    if not hasattr(value, "_average"):
        return not has_learnt(value)
    outputs = value._average.coefficients.shape[2]
    wanted = n_outputs(value) if hasattr(value, "classes_") else value.intercept_.size
    keys = {"family", "inputs", "scores"}
    return (
        outputs == wanted
        and all(keys <= row.keys() for row in value.members_)
        and _one_target(value, outputs)
        and (not hasattr(value, "classes_") or value.classes_.size > 1)
        and (hasattr(value, "_calibration_weight") == hasattr(value, "calibration_scores_"))
    )


def _one_target(value: Any, n_targets: int) -> bool:
    return n_targets == 1 or not getattr(value, "_one_target", False)


def geometry(value: Any, lengths: Lengths) -> bool:
    """References are sorted by class, with some of each."""
    bounds = getattr(value, "bounds", None)
    if bounds is None:
        return True
    ends = bounds.tolist()
    return (
        ends[0] == 0
        and ends[-1] == len(value.references)
        and all(a < b for a, b in pairwise(ends))
        and bool(value.weight.all())
    )


def scorer(value: Any, lengths: Lengths) -> bool:
    """Parameters make sense to the scorer."""
    value.check()
    return True


def preparation(value: Any, lengths: Lengths) -> bool:
    """Columns are read and become numbers as they do after a fit."""
    if not hasattr(value, "_plans"):
        return not has_learnt(value)
    known = getattr(value, "feature_names_in_", [f"x{j}" for j in range(value.n_features_in_)])
    return (
        len(value._plans) > 0
        and set(value._plans) <= set(known)
        and all(_has(record, RECORD) for record in value.columns_)
        and all(_plan(*plan) for plan in value._plans.values())
    )


def _has(value: Any, kinds: dict[str, Kind]) -> bool:
    lengths = Lengths()
    return all(kind(getattr(value, name), lengths) for name, kind in kinds.items())


def _plan(reading: Reading, encoding: Encoding) -> bool:
    if not (_has(reading, READING) and _has(encoding, ENCODING)):
        return False
    n_levels, n_names, fill = len(reading.levels), len(encoding.names), encoding.fill
    most = max(reading.codes.values(), default=0)
    if reading.kind in LEFT_OUT or not reading.how:
        return False
    if (reading.how == "compound") != bool(reading.amount):
        return False
    if reading.how == "words" and most >= max(n_levels, 2 if reading.kind == "boolean" else 1):
        return False
    if encoding.places or encoding.table:
        places = encoding.places or (0,) * (n_levels + 2)
        sizes = {len(places), len(encoding.table) if encoding.table else n_levels + 2}
        return reading.how == "words" and sizes == {n_levels + 2} and max(places) < n_names
    if reading.how == "date" and not set(encoding.names[: len(fill)]) <= set(PARTS):
        return False
    wanted = {"parts": reading.n_parts, "date": len(fill)}.get(reading.how, 1)
    return len(fill) == wanted > 0 and n_names == wanted + encoding.indicator


def named_columns(value: Any, lengths: Lengths) -> bool:
    """Columns that have names are counted."""
    return "feature_names_in_" not in vars(value) or "n_features_in_" in vars(value)


RULES: dict[type, Rule] = {
    BaseEstimator: named_columns,
    Standardization: standardization,
    BroadMap: broad_map,
    BroadClassifier: fitted_map,
    BLSRegressor: fitted_map,
    BroadFeatures: features,
    IntuitionisticFuzzyTwinSVC: planes,
    KernelAverage: average,
    LimitKernel: limit_kernel,
    BroadEnsembleClassifier: ensemble,
    BroadEnsembleRegressor: ensemble,
    Geometry: geometry,
    SampleScorer: scorer,
    TablePreparation: preparation,
    **STEP_RULES,
}
