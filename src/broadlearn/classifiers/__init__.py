"""The estimators."""

from broadlearn.classifiers._bls import BLSClassifier
from broadlearn.classifiers._bls_regressor import BLSRegressor
from broadlearn.classifiers._elm import ELMClassifier
from broadlearn.classifiers._fuzzy_bls import FuzzyBLSClassifier
from broadlearn.classifiers._intuitionistic_fuzzy_bls import IntuitionisticFuzzyBLSClassifier

__all__ = [
    "BLSClassifier",
    "BLSRegressor",
    "ELMClassifier",
    "FuzzyBLSClassifier",
    "IntuitionisticFuzzyBLSClassifier",
]
