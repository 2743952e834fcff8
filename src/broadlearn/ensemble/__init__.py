"""Averages of kernel ridge models: broad learning at infinite width."""

from broadlearn.ensemble.boosted_trees import BoostedTrees
from broadlearn.ensemble.classifier import BroadEnsembleClassifier
from broadlearn.ensemble.kernel_average import KernelAverage, samples_in
from broadlearn.ensemble.regressor import BroadEnsembleRegressor

__all__ = [
    "BoostedTrees",
    "BroadEnsembleClassifier",
    "BroadEnsembleRegressor",
    "KernelAverage",
    "samples_in",
]
