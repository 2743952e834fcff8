"""What the parameters of a broad map may be, for scikit-learn's validation."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions

ENHANCEMENT_ACTIVATIONS = {"tanh", "sigmoid", "relu", "sine"}

MAP_CONSTRAINTS: dict[str, list[Any]] = {
    "n_feature_groups": [Interval(Integral, 1, None, closed="left")],
    "n_feature_nodes": [Interval(Integral, 1, None, closed="left")],
    "n_enhancement_groups": [Interval(Integral, 1, None, closed="left")],
    "n_enhancement_nodes": [Interval(Integral, 1, None, closed="left")],
    "activation": [StrOptions(ENHANCEMENT_ACTIVATIONS)],
    "feature_activation": [StrOptions({"identity", *ENHANCEMENT_ACTIVATIONS})],
    "feature_weights": [StrOptions({"orthonormal", "random", "sparse"})],
    "feature_scaling": [StrOptions({"node", "sample", "robust"}), None],
    "enhancement_scale": [Interval(Real, 0, None, closed="neither")],
    "enhancement_bias": [Interval(Real, 0, None, closed="left")],
    "standardize": ["boolean"],
    "random_state": ["random_state"],
}
