"""Models that the broad learning systems were compared with: ELM, H-ELM, NeuroFBLS, IF-TSVM."""

from broadlearn.baselines.elm import ELMClassifier
from broadlearn.baselines.hierarchical_elm import HierarchicalELMClassifier
from broadlearn.baselines.neuro_fuzzy_bls import NeuroFuzzyBLSClassifier
from broadlearn.baselines.twin_planes import PlaneSpace, distances, plane_space
from broadlearn.baselines.twin_svc import IntuitionisticFuzzyTwinSVC

__all__ = [
    "ELMClassifier",
    "HierarchicalELMClassifier",
    "IntuitionisticFuzzyTwinSVC",
    "NeuroFuzzyBLSClassifier",
    "PlaneSpace",
    "distances",
    "plane_space",
]
