"""Broad features: X -> G = [F^m, E^l]."""

from broadlearn.random_features._transformer import BroadFeatures

__all__ = ["BroadFeatures"]
