"""Fast, closed-form classifiers that stay accurate when rows are noisy, mislabelled or outlying."""

from broadlearn.audit import audit
from broadlearn.baselines import (
    ELMClassifier,
    HierarchicalELMClassifier,
    IntuitionisticFuzzyTwinSVC,
    NeuroFuzzyBLSClassifier,
)
from broadlearn.ensemble import (
    BroadEnsembleClassifier,
    BroadEnsembleRegressor,
    PathEnsembleClassifier,
)
from broadlearn.io import load, save
from broadlearn.models import (
    PUBLISHED_FORM,
    BLSClassifier,
    BLSRegressor,
    BroadFeatures,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
    RowStandardizer,
)
from broadlearn.search import PathSearchCV

__version__ = "0.1.0"

__all__ = [
    "PUBLISHED_FORM",
    "BLSClassifier",
    "BLSRegressor",
    "BroadEnsembleClassifier",
    "BroadEnsembleRegressor",
    "BroadFeatures",
    "ELMClassifier",
    "FuzzyBLSClassifier",
    "HierarchicalELMClassifier",
    "IntuitionisticFuzzyBLSClassifier",
    "IntuitionisticFuzzyTwinSVC",
    "NeuroFuzzyBLSClassifier",
    "PathEnsembleClassifier",
    "PathSearchCV",
    "RowStandardizer",
    "__version__",
    "audit",
    "load",
    "save",
]
