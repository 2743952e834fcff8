"""Averages of many candidates of a search, as one model."""

from broadlearn.ensemble.choice import ROBUST_GRID
from broadlearn.ensemble.classifier import BroadEnsembleClassifier

__all__ = ["ROBUST_GRID", "BroadEnsembleClassifier"]
