"""How scikit-learn's steps in a model file must go together.

What a rule refuses would fail, or take much memory, in some prediction.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    TargetEncoder,
)

from broadlearn.io.stored_kinds import Lengths

Rule = Callable[[Any, Lengths], bool]


def has_learnt(value: Any) -> bool:
    """Whether a model has learnt anything."""
    return any(name.endswith("_") and not name.startswith("_") for name in vars(value))


def columns(value: Any, lengths: Lengths) -> bool:
    """Every step knows its columns, of those that there are."""
    names = [name for name, *_ in value.transformers]
    if len(set(names)) < len(names) or not all(_is_step(step) for _, step, _ in value.transformers):
        return False
    if not hasattr(value, "transformers_"):
        return not has_learnt(value)
    places, n = value._transformer_to_input_indices, value.n_features_in_
    fitted = [name for name, *_ in value.transformers_]
    return (
        all(place < n for some in places.values() for place in some)
        and set(fitted) <= places.keys()
        and set(fitted) - {"remainder"} <= set(names)
        and set(fitted) <= value.output_indices_.keys()
        and all(_is_step(step) for _, step, _ in value.transformers_)
    )


def _is_step(step: Any) -> bool:
    return isinstance(step, str) or hasattr(step, "transform")


def union(value: Any, lengths: Lengths) -> bool:
    """Steps have names of their own, and transform."""
    names = [name for name, _ in value.transformer_list]
    return len(set(names)) == len(names) and all(_is_step(s) for _, s in value.transformer_list)


def pipeline(value: Any, lengths: Lengths) -> bool:
    """Steps have names of their own, and all but the last transform."""
    names, steps = zip(*value.steps, strict=True)
    inner = all(s in (None, "passthrough") or hasattr(s, "transform") for s in steps[:-1])
    reserved = {"steps", "memory", "verbose", "transform_input"} & set(names)
    return len(set(names)) == len(names) and inner and steps[-1] != "drop" and not reserved


def threshold(value: Any, lengths: Lengths) -> bool:
    """A fitted one has an estimator that it decides by."""
    return hasattr(value, "estimator_") or not has_learnt(value)


def polynomials(value: Any, lengths: Lengths) -> bool:
    """As many products as the degrees give."""
    if not hasattr(value, "n_output_features_"):
        return not has_learnt(value)
    n, low, high = value.n_features_in_, value._min_degree, value._max_degree
    if value.interaction_only:
        sizes = {k: sum(comb(n, i) for i in range(k, min(high, n) + 1)) for k in (max(low, 1), 1)}
    else:
        sizes = {k: comb(n + high, high) - comb(n + k - 1, k - 1) for k in (max(low, 1), 1)}
    bias = int(bool(value.include_bias))
    return bool(
        value.n_output_features_ == sizes[max(low, 1)] + bias
        and value._n_out_full == sizes[1] + bias
    )


def encoder(value: Any, lengths: Lengths) -> bool:
    """Places are those of levels that there are."""
    if not hasattr(value, "categories_"):
        return not has_learnt(value)
    sizes = [len(levels) for levels in value.categories_]
    within = True
    for name in ("_infrequent_indices", "_default_to_infrequent_mappings"):
        found = getattr(value, name, None) or [None] * len(sizes)
        pairs = zip(found, sizes, strict=True)
        within &= all(some is None or bool((some < size).all()) for some, size in pairs)
        if name.startswith("_default"):
            pairs = zip(found, sizes, strict=True)
            # A missing value is not mapped.
            within &= all(some is None or size - some.size in (0, 1) for some, size in pairs)
    if value._infrequent_enabled and not hasattr(value, "_default_to_infrequent_mappings"):
        return False
    if isinstance(value, OneHotEncoder):
        dropped = [value.drop_idx_, value._drop_idx_after_grouping]
        for some in dropped:
            found = [None] * len(sizes) if some is None else some.tolist()
            within &= all(k is None or k < n for k, n in zip(found, sizes, strict=True))
        outs = value._n_features_outs
        within &= (value.drop_idx_ is None) == (value._drop_idx_after_grouping is None)
        within &= all(0 <= out <= size for out, size in zip(outs, sizes, strict=True))
    if isinstance(value, OrdinalEncoder):
        within &= all(j < len(sizes) and k < sizes[j] for j, k in value._missing_indices.items())
    if isinstance(value, TargetEncoder):
        classes = 1
        if value.target_type_ == "multiclass":
            classes = len(value.classes_)
            within &= np.shape(value.target_mean_) == (classes,)
        else:
            within &= np.ndim(value.target_mean_) == 0
        wanted = [size for size in sizes for _ in range(classes)]
        within &= [len(some) for some in value.encodings_] == wanted
    return bool(within)


def linear(value: Any, lengths: Lengths) -> bool:
    """A row of coefficients for each class or label, one for two classes."""
    if not hasattr(value, "coef_"):
        return not has_learnt(value)
    n_classes, binarizer = value.classes_.size, getattr(value, "_label_binarizer", None)
    labels = binarizer is not None and binarizer.y_type_.startswith("multilabel")
    rows = 1 if n_classes == 2 and not labels else n_classes
    same = binarizer is None or np.array_equal(binarizer.classes_, value.classes_)
    return bool(len(np.atleast_2d(value.coef_)) == rows and n_classes > 1 and same)


def bins(value: Any, lengths: Lengths) -> bool:
    """Edges are those of the bins."""
    if not hasattr(value, "bin_edges_"):
        return not has_learnt(value)
    edges = [edge.size - 1 for edge in value.bin_edges_]
    return edges == value.n_bins_.tolist()


STEP_RULES: dict[type, Rule] = {
    ColumnTransformer: columns,
    FeatureUnion: union,
    Pipeline: pipeline,
    FixedThresholdClassifier: threshold,
    PolynomialFeatures: polynomials,
    OneHotEncoder: encoder,
    OrdinalEncoder: encoder,
    TargetEncoder: encoder,
    KBinsDiscretizer: bins,
    LogisticRegression: linear,
    RidgeClassifier: linear,
}
