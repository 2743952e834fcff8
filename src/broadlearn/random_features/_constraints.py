"""What the parameters of a broad map may be, for scikit-learn's validation."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, Options, StrOptions

ENHANCEMENT_ACTIVATIONS = {"tanh", "sigmoid", "relu", "sine"}


# The nodes of the published code, for ``BLSClassifier(**PUBLISHED_FORM)`` and its relatives.
PUBLISHED_FORM: dict[str, Any] = {
    "feature_weights": "random",
    "feature_scaling": "sample",
    "enhancement_scale": 0.8,
    "enhancement_bias": 0.1,
    "enhancement_inputs": None,
}


class PositiveNumbers(Options):
    """One or more finite positive numbers in a list or tuple.

    Examples
    --------
    >>> PositiveNumbers().is_satisfied_by([0.5, 2]), PositiveNumbers().is_satisfied_by([1, "a"])
    (True, False)
    """

    def __init__(self) -> None:
        # scikit-learn takes constraints of its own kinds only; this one has no fixed options.
        super().__init__(tuple, set())

    def is_satisfied_by(self, val: Any) -> bool:
        """Whether `val` is one."""
        return (
            isinstance(val, list | tuple)
            and len(val) > 0
            and all(isinstance(x, Real) and 0.0 < float(x) < np.inf for x in val)
        )

    def __str__(self) -> str:
        return "a list or tuple of one or more positive numbers"


STANDARDIZE: list[Any] = ["boolean", StrOptions({"robust"})]

MAP_CONSTRAINTS: dict[str, list[Any]] = {
    "n_feature_groups": [Interval(Integral, 1, None, closed="left")],
    "n_feature_nodes": [Interval(Integral, 1, None, closed="left")],
    "n_enhancement_groups": [Interval(Integral, 1, None, closed="left")],
    "n_enhancement_nodes": [Interval(Integral, 1, None, closed="left")],
    "activation": [StrOptions(ENHANCEMENT_ACTIVATIONS)],
    "feature_activation": [StrOptions({"identity", *ENHANCEMENT_ACTIVATIONS})],
    "feature_weights": [StrOptions({"orthonormal", "random", "sparse"})],
    "feature_scaling": [StrOptions({"node", "sample", "robust"}), None],
    "enhancement_scale": [Interval(Real, 0, None, closed="neither"), PositiveNumbers()],
    "enhancement_bias": [Interval(Real, 0, None, closed="left")],
    "enhancement_inputs": [Interval(Integral, 1, None, closed="left"), None],
    "standardize": STANDARDIZE,
    "random_state": ["random_state"],
}
