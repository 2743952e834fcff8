"""The private names of scikit-learn that we use, in one place, so that a change is seen here."""

from __future__ import annotations

from sklearn.base import _fit_context as fit_context
from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE as TREE_NODES
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
from sklearn.metrics._scorer import _MultimetricScorer as MultimetricScorer
from sklearn.metrics._scorer import _PassthroughScorer as PassthroughScorer
from sklearn.metrics._scorer import _Scorer as Scorer
from sklearn.model_selection._search import BaseSearchCV
from sklearn.preprocessing._data import _handle_zeros_in_scale as handle_zeros_in_scale
from sklearn.preprocessing._data import _is_constant_feature as is_constant_feature
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads as openmp_threads
from sklearn.utils._param_validation import (
    Interval,
    Options,
    StrOptions,
    validate_parameter_constraints,
)
from sklearn.utils.extmath import _incremental_mean_and_var as incremental_mean_and_var
from sklearn.utils.multiclass import (
    _check_partial_fit_first_call as check_partial_fit_first_call,
)
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

__all__ = [
    "TREE_NODES",
    "BaseSearchCV",
    "Interval",
    "MultimetricScorer",
    "Options",
    "PassthroughScorer",
    "Scorer",
    "StrOptions",
    "TreePredictor",
    "check_partial_fit_first_call",
    "check_sample_weight",
    "fit_context",
    "handle_zeros_in_scale",
    "incremental_mean_and_var",
    "is_constant_feature",
    "openmp_threads",
    "safe_indexing",
    "validate_parameter_constraints",
]
