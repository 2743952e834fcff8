"""What objects in a model file may have: the attributes of each class, with the kinds of values.

Parameters of estimators are held against their constraints, and fields that are not listed here
against their annotations. An estimator that keeps something new gets a line here.
"""

from __future__ import annotations

import numpy as np
from sklearn.compose import make_column_selector
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit

from broadlearn.ensemble import KernelAverage
from broadlearn.io.stored_kinds import (
    Kind,
    Length,
    count,
    either,
    flag,
    hashes,
    labels,
    mapping,
    none,
    number,
    one_of,
    optional,
    part,
    plain,
    reals,
    row_of,
    several,
    text,
    whole,
)
from broadlearn.models import Batch, StreamState
from broadlearn.random_features import (
    ACTIVATIONS,
    FORMS,
    METRICS,
    WEIGHTED,
    BroadMap,
    InputForms,
    LimitKernel,
    MapSettings,
)
from broadlearn.sample_scores import Geometry, SampleScorer
from broadlearn.utils import Standardization

Attributes = dict[str, Kind]

# Weights of models are far below; products of larger ones overflow.
MAX_WEIGHT = 1e200
MAX_SCALES = 1000
# Largest width of "few_inputs", whose features grow with it, and inputs of a node of few.
MAX_FEW_WIDTH, MAX_FEW = 100.0, 64

_type = part(type)


def weights(*wanted: Length) -> Kind:
    """Arrays of weights, none of them too large to be multiplied."""
    return reals(*wanted, low=-MAX_WEIGHT, high=MAX_WEIGHT)


def record(*wanted: Length) -> Kind:
    """Arrays of floats that no prediction depends on."""
    return reals(*wanted, low=-np.inf, high=np.inf, missing=True)


_share = number(0.0, 1.0)
_positive = number(1e-300)
_class_weight = either(
    none, one_of("balanced"), mapping(plain, number(0.0)), several(mapping(plain, number(0.0)))
)
_candidate = either(plain, part(SampleScorer), several(number()))
_candidates = mapping(text, either(several(_candidate), labels(None)))
_splitter = part(KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit)
_member = mapping(text, either(plain, part(SampleScorer), several(number())))

# Whatever estimator has them.
OF_ANY: Attributes = {
    "n_features_in_": count("d"),
    "feature_names_in_": labels("d", texts=True),
    "_sklearn_output_config": mapping(text, one_of("default", "pandas", "polars")),
    "class_weight": _class_weight,
    "cv": either(none, count(least=2), _splitter, several(row_of(whole(None), whole(None)))),
    "scoring": either(none, text, several(text), mapping(text, text)),
}

_MAP: Attributes = {
    "_standardization": part(Standardization),
    "_map": part(BroadMap),
}
_BROAD: Attributes = {
    **_MAP,
    "solver_": one_of("primal", "dual"),
    "_seed": count(),
    "_direct_weights": optional(weights("D+1", "o")),
    "output_weights_": weights("w", "o"),
}
_SCORES: Attributes = {
    "sample_scores_": record("n"),
    "membership_": record("n"),
    "nonmembership_": record("n"),
    "kernel_width_": _positive,
    "neighborhood_radius_": optional(number(0.0)),
}
_CLASSIFIER: Attributes = {
    **_BROAD,
    **_SCORES,
    "classes_": labels("k"),
    "proba_slope_": either(number(), reals("k")),
    "_constant_labels": optional(reals("k", low=-1.0, high=1.0)),
}
_STREAMS: Attributes = {"_stream": optional(part(StreamState))}
_ENSEMBLE: Attributes = {
    "members_": several(_member, least=1),
    "calibration_scores_": either(reals("c", high=np.inf), reals("c", "o", high=np.inf)),
    "_calibration_weight": optional(reals("c", low=0.0)),
    "_average": part(KernelAverage),
}

# Attributes of estimators that are no parameters, and parameters that constraints leave open.
ESTIMATORS: dict[str, Attributes] = {
    "BLSClassifier": {
        **_CLASSIFIER,
        **_STREAMS,
        "sample_scores": either(text, part(SampleScorer)),
    },
    "FuzzyBLSClassifier": {**_CLASSIFIER, **_STREAMS},
    "IntuitionisticFuzzyBLSClassifier": {**_CLASSIFIER, **_STREAMS},
    "BLSRegressor": {**_BROAD, **_STREAMS, "_one_target": flag, "intercept_": reals("o")},
    "ELMClassifier": _CLASSIFIER,
    "HierarchicalELMClassifier": _CLASSIFIER,
    "NeuroFuzzyBLSClassifier": _CLASSIFIER,
    "IntuitionisticFuzzyTwinSVC": {
        **_SCORES,
        "classes_": labels("k"),
        "_standardization": part(Standardization),
        "coef_": weights("planes", "columns"),
        "intercept_": weights("planes"),
        "dual_coef_": several(record(None), "planes"),
        "duality_gap_": record("planes"),
        "basis_": reals("columns", "D"),
    },
    "BroadEnsembleClassifier": {
        **_SCORES,
        **_ENSEMBLE,
        "classes_": labels("k"),
        "proba_slopes_": reals(2),
        "leave_one_out_decision_": either(record("n"), record("n", "k")),
        "leave_one_out_proba_": record("n", "k"),
    },
    "BroadEnsembleRegressor": {
        **_ENSEMBLE,
        "_one_target": flag,
        "intercept_": reals("o"),
        "leave_one_out_prediction_": either(record("n"), record("n", "o")),
    },
    "BroadFeatures": {**_MAP, "_n_features_out": count()},
    "RowStandardizer": {},
    "TablePreparation": {
        "kinds": optional(mapping(text, text)),
        "_plans": mapping(text, lambda value, lengths: True),
        "columns_": several(lambda value, lengths: True),
    },
}

# Parameters that estimators had once; what files say of them is left out.
FORMER: dict[str, tuple[str, ...]] = {}
# Parameters that start, write or print: never those of a file.
RESET = ("memory", "n_jobs", "verbose")
# Attributes under which states hold others.
STATES: dict[str, tuple[str, ...]] = {"TablePreparation": ("_learnt",)}

# Fields of the parts of models.
PARTS: dict[type, Attributes] = {
    Standardization: {
        "mean": reals("d"),
        "scale": reals("d", low=1e-250, high=np.inf),
        "exponent": optional(whole("d", low=-5000)),
        "fill": optional(reals("d")),
        "missing": whole("s", below="d"),
        "share": reals("s", low=0.0, high=1.0),
        "bounds": optional(record(2, "d")),
    },
    MapSettings: {
        "activation": one_of(*ACTIVATIONS),
        "feature_activation": one_of(*ACTIVATIONS),
        "feature_scaling": optional(text),
        "enhancement_scale": either(number(), several(number(), least=1, most=MAX_SCALES)),
        "enhancement_inputs": optional(count(least=1)),
    },
    BroadMap: {
        "settings": part(MapSettings),
        "feature_weights": weights("D+1", "mp"),
        "feature_scale": optional(reals("mp")),
        "feature_offset": optional(reals("mp")),
        "enhancement_weights": reals("inputs", "lq"),
        "basis": optional(weights("D+1", "r")),
        "rotation": optional(weights("mp", "r")),
        "log_strengths": weights("D+1", "mp"),
        "layers": several(reals(None, None)),
    },
    StreamState: {
        "dtype": part(np.dtype),
        "standardization": part(Standardization),
        "map": part(BroadMap),
        "sample": optional(part(Batch)),
        "geometry": optional(part(Geometry)),
        "shift": reals(None),
        "weight": either(reals("k", low=0.0), reals(2, "k", low=0.0)),
        "sums": optional(reals("sums", "sums")),
        "priority": optional(hashes("sample")),
        "factor": optional(reals(None, None)),
        "factor_C": number(missing=True),
    },
    Batch: {
        "X": reals("sample", "d", missing=True),
        "T": reals("sample", None),
        "codes": either(whole("sample", below="k"), whole("sample", "k")),
        "weight": reals("sample", low=0.0),
        "score": optional(reals("sample", low=0.0)),
    },
    KernelAverage: {
        "forms": part(InputForms),
        "units": mapping(text, _positive),
        "basis": reals("basis", "d", missing=True),
        "kernels": several(part(LimitKernel), "members", least=1),
        "coefficients": weights("members", "basis", "o"),
        "offset": optional(weights("o")),
    },
    InputForms: {
        "standardization": part(Standardization),
        "knots": reals("knots", "d"),
        "ranks": weights("knots", "d"),
        "normal_scores": weights("knots", "d"),
        "relevance": optional(mapping(one_of(*FORMS), reals("D", low=0.0, high=1.0))),
    },
    LimitKernel: {
        "family": one_of(*METRICS),
        "inputs": one_of(*FORMS, *(WEIGHTED + form for form in FORMS)),
        "width": number(1e-100, MAX_WEIGHT),
        "n_inputs": count(most=MAX_FEW),
    },
    Geometry: {
        "centres": reals("k", "D"),
        "references": reals("references", "D"),
        "bounds": whole("k+1"),
        "weight": reals("references", low=0.0),
        "within": reals("k"),
        "radii": reals("k", low=0.0),
        "kernel_width": _positive,
        "delta": number(0.0),
        "epsilon": optional(number(0.0)),
        "floors": optional(reals("k", low=0.0, high=1.0)),
    },
    SampleScorer: {
        "kernel_width": either(text, _positive),
        "neighborhood_radius": optional(number(0.0)),
        "landmarks": either(one_of("auto", None), count(least=1)),
    },
    make_column_selector: {
        "pattern": optional(text),
        "dtype_include": either(none, text, _type, several(either(text, _type))),
        "dtype_exclude": either(none, text, _type, several(either(text, _type))),
    },
}
_splits: Attributes = {
    "n_splits": count(least=1, most=10_000),
    "shuffle": flag,
    "random_state": optional(count(most=2**32 - 1)),
    "test_size": optional(number(0.0)),
    "train_size": optional(number(0.0)),
    "_default_test_size": _share,
}
PARTS.update(dict.fromkeys((KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit), _splits))
