"""What scikit-learn's objects in a model file may have: attributes that are no parameters.

The names are those of scikit-learn 1.7 to 1.9. Parameters are held against scikit-learn's own
constraints, and here where these leave them open.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_selector
from sklearn.feature_selection import chi2, f_classif, f_regression
from sklearn.impute import MissingIndicator
from sklearn.preprocessing import LabelBinarizer, OneHotEncoder, StandardScaler

from broadlearn.io.stored_attributes import Attributes
from broadlearn.io.stored_kinds import (
    Kind,
    Length,
    Lengths,
    count,
    either,
    flag,
    flags,
    index_parts,
    labels,
    mapping,
    none,
    number,
    number_type,
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
from broadlearn.io.tables import to_numbers, to_texts

# Numbers that a transformer makes of a sample.
MAX_OUTPUTS = 1_000_000


def function(value: Any, lengths: Lengths) -> bool:
    """Functions of arrays, element by element."""
    return isinstance(value, np.ufunc) or value in (to_numbers, to_texts)


def objects(kind: Kind, *wanted: Length) -> Kind:
    """Arrays of objects of a kind."""
    return lambda value, lengths: (
        type(value) is np.ndarray
        and value.dtype == object
        and lengths.fit(value.shape, wanted)
        and all(kind(item, lengths) for item in value.ravel())
    )


_step = either(part(BaseEstimator), one_of("passthrough", "drop", None))
_columns = either(
    text,
    count(),
    several(either(text, number(), flag)),
    flags(None),
    whole(None, low=-(1 << 30)),
    labels(None, texts=True),
    index_parts,
    part(make_column_selector),
)
_column_step = row_of(text, _step, _columns)
_weights = optional(mapping(text, number()))
_per_feature = reals("d", missing=True)
_level_places = optional(several(optional(whole(None)), "d"))
_dropped = optional(objects(optional(count()), "d"))
_indicator = optional(part(MissingIndicator))

_ENCODER: Attributes = {
    "categories": either(text, several(either(labels(None, missing=True), several(plain)))),
    "dtype": number_type,
    "_infrequent_enabled": flag,
    "categories_": several(labels(None, missing=True), "d"),
    "_infrequent_indices": _level_places,
    "_default_to_infrequent_mappings": _level_places,
}
_SELECTOR: Attributes = {
    "score_func": lambda value, lengths: value in (chi2, f_classif, f_regression),
    "scores_": reals("d", high=np.inf, missing=True),
    "pvalues_": optional(_per_feature),
}
_LINEAR: Attributes = {
    "coef_": either(reals("d"), reals("outputs", "d")),
    "intercept_": either(number(), reals("outputs")),
    "n_iter_": either(none, count(), whole(None)),
    "solver_": text,
}
_COMPONENTS: Attributes = {
    "components_": reals("c", "d"),
    "explained_variance_": reals("c"),
    "explained_variance_ratio_": reals("c", missing=True),
    "singular_values_": reals("c"),
}
_RANGES: Attributes = dict.fromkeys(
    ("scale_", "min_", "data_min_", "data_max_", "data_range_", "max_abs_"), _per_feature
)

SKLEARN: dict[str, Attributes] = {
    "Binarizer": {},
    "ColumnTransformer": {
        "transformers": several(_column_step),
        "remainder": _step,
        "transformer_weights": _weights,
        "_columns": several(_columns),
        "_transformer_to_input_indices": mapping(text, several(count())),
        "_remainder": _column_step,
        "sparse_output_": flag,
        "transformers_": several(_column_step),
        "output_indices_": mapping(text, index_parts),
    },
    "FeatureUnion": {
        "transformer_list": several(row_of(text, _step), least=1),
        "transformer_weights": _weights,
    },
    "FixedThresholdClassifier": {
        "estimator": part(BaseEstimator),
        "estimator_": part(BaseEstimator),
        "pos_label": plain,
        "threshold": either(one_of("auto"), number()),
    },
    "FrozenEstimator": {"estimator": part(BaseEstimator)},
    "FunctionTransformer": {
        "func": optional(function),
        "inverse_func": optional(function),
        "kw_args": optional(one_of({})),
        "inv_kw_args": optional(one_of({})),
        "feature_names_out": optional(one_of("one-to-one")),
    },
    "KBinsDiscretizer": {
        "n_bins": either(count(least=2), whole(None), several(count(least=2))),
        "bin_edges_": objects(reals(None, low=-np.inf, high=np.inf), "d"),
        "n_bins_": whole("d", low=1),
        "_encoder": part(OneHotEncoder),
        "dtype": optional(number_type),
    },
    "KNNImputer": {
        "missing_values": plain,
        "_fit_X": reals("m", "d", missing=True),
        "_mask_fit_X": flags("m", "d"),
        "_valid_mask": flags("d"),
        "indicator_": _indicator,
    },
    "LabelBinarizer": {"y_type_": text, "sparse_input_": flag, "classes_": labels(None)},
    "LabelEncoder": {"classes_": labels(None)},
    "LogisticRegression": {**_LINEAR, "classes_": labels("k")},
    "MaxAbsScaler": {**_RANGES, "n_samples_seen_": count()},
    "MinMaxScaler": {**_RANGES, "n_samples_seen_": count()},
    "MissingIndicator": {
        "missing_values": plain,
        "_precomputed": flag,
        "_n_features": count(),
        "features_": whole(None, below="d"),
    },
    "Normalizer": {},
    "OneHotEncoder": {
        **_ENCODER,
        "drop": either(none, text, labels("d", missing=True), several(plain)),
        "drop_idx_": _dropped,
        "_drop_idx_after_grouping": _dropped,
        "_n_features_outs": several(count(most=MAX_OUTPUTS), "d"),
    },
    "OrdinalEncoder": {
        **_ENCODER,
        "unknown_value": optional(number(missing=True)),
        "encoded_missing_value": number(missing=True),
        "_missing_indices": mapping(count(), count()),
    },
    "PCA": {
        **_COMPONENTS,
        "_fit_svd_solver": text,
        "mean_": reals("d"),
        "noise_variance_": number(),
        "n_samples_": count(),
        "n_components_": count("c"),
    },
    "Pipeline": {"steps": several(row_of(text, _step), least=1)},
    "PolynomialFeatures": {
        "degree": either(count(), several(count(), least=2, most=2)),
        "_min_degree": count(),
        "_max_degree": count(most=1000),
        "n_output_features_": count(most=MAX_OUTPUTS),
        "_n_out_full": count(most=MAX_OUTPUTS),
    },
    "PowerTransformer": {"lambdas_": _per_feature, "_scaler": part(StandardScaler)},
    "QuantileTransformer": {
        "n_quantiles_": count("q"),
        "references_": reals("q"),
        "quantiles_": reals("q", "d", missing=True),
    },
    "Ridge": _LINEAR,
    "RidgeClassifier": {
        **_LINEAR,
        "classes_": labels("k"),
        "_label_binarizer": part(LabelBinarizer),
    },
    "RobustScaler": {"center_": optional(_per_feature), "scale_": optional(_per_feature)},
    "SelectKBest": _SELECTOR,
    "SelectPercentile": _SELECTOR,
    "SimpleImputer": {
        "missing_values": plain,
        "fill_value": plain,
        "_fit_dtype": part(np.dtype),
        "_fill_dtype": part(np.dtype),
        "indicator_": _indicator,
        "statistics_": either(_per_feature, labels("d", missing=True)),
    },
    "StandardScaler": {
        "n_samples_seen_": either(number(0.0), whole("d"), reals("d", low=0.0)),
        "mean_": optional(_per_feature),
        "var_": optional(_per_feature),
        "scale_": optional(_per_feature),
    },
    "TargetEncoder": {
        **_ENCODER,
        "target_type_": one_of("binary", "continuous", "multiclass"),
        "classes_": optional(labels(None)),
        "target_mean_": either(number(), reals(None)),
        "encodings_": several(reals(None)),
    },
    "TruncatedSVD": _COMPONENTS,
    "VarianceThreshold": {"variances_": _per_feature},
}
