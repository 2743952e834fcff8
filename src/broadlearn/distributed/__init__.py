"""The same models on Dask arrays and dataframes, on one machine or many."""

from broadlearn.distributed._clients import check_address, connect, local_client
from broadlearn.distributed._estimators import (
    BLSClassifier,
    BLSRegressor,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
)
from broadlearn.distributed._fit import fit
from broadlearn.distributed._predict import decision_function, predict, predict_proba

__all__ = [
    "BLSClassifier",
    "BLSRegressor",
    "FuzzyBLSClassifier",
    "IntuitionisticFuzzyBLSClassifier",
    "check_address",
    "connect",
    "decision_function",
    "fit",
    "local_client",
    "predict",
    "predict_proba",
]
