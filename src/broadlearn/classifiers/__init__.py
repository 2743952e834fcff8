"""The estimators."""

from broadlearn.classifiers._bls import BLSClassifier
from broadlearn.classifiers._bls_regressor import BLSRegressor
from broadlearn.classifiers._elm import ELMClassifier
from broadlearn.classifiers._fuzzy_bls import FuzzyBLSClassifier
from broadlearn.classifiers._hierarchical_elm import HierarchicalELMClassifier
from broadlearn.classifiers._intuitionistic_fuzzy_bls import IntuitionisticFuzzyBLSClassifier
from broadlearn.classifiers._neuro_fuzzy_bls import NeuroFuzzyBLSClassifier
from broadlearn.classifiers._twin_svc import IntuitionisticFuzzyTwinSVC

__all__ = [
    "BLSClassifier",
    "BLSRegressor",
    "ELMClassifier",
    "FuzzyBLSClassifier",
    "HierarchicalELMClassifier",
    "IntuitionisticFuzzyBLSClassifier",
    "IntuitionisticFuzzyTwinSVC",
    "NeuroFuzzyBLSClassifier",
]
