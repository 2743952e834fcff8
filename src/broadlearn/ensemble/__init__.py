"""Averages of many models as one: at infinite width, or the best candidates of a search."""

from broadlearn.ensemble.choice import ROBUST_GRID
from broadlearn.ensemble.classifier import BroadEnsembleClassifier
from broadlearn.ensemble.kernel_average import KernelAverage, samples_in
from broadlearn.ensemble.path_ensemble import PathEnsembleClassifier
from broadlearn.ensemble.regressor import BroadEnsembleRegressor

__all__ = [
    "ROBUST_GRID",
    "BroadEnsembleClassifier",
    "BroadEnsembleRegressor",
    "KernelAverage",
    "PathEnsembleClassifier",
    "samples_in",
]
