"""Broad features: X -> G = [F^m, E^l]."""

from broadlearn.random_features._constraints import PUBLISHED_FORM
from broadlearn.random_features._transformer import BroadFeatures

__all__ = ["PUBLISHED_FORM", "BroadFeatures"]
