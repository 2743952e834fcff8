"""Models that BLS was compared with (ELM, H-ELM, NeuroFBLS, IF-TSVM, RVFL), and variants of BLS."""

from broadlearn.baselines.cascade_bls import CascadeBLSClassifier
from broadlearn.baselines.elm import ELMClassifier
from broadlearn.baselines.graph_bls import Graph, GraphBLSClassifier
from broadlearn.baselines.hierarchical_elm import HierarchicalELMClassifier
from broadlearn.baselines.neuro_fuzzy_bls import NeuroFuzzyBLSClassifier
from broadlearn.baselines.rvfl import RVFLClassifier
from broadlearn.baselines.stacked_bls import StackedBLSClassifier
from broadlearn.baselines.twin_planes import PlaneSpace, distances, plane_space
from broadlearn.baselines.twin_svc import IntuitionisticFuzzyTwinSVC

__all__ = [
    "CascadeBLSClassifier",
    "ELMClassifier",
    "Graph",
    "GraphBLSClassifier",
    "HierarchicalELMClassifier",
    "IntuitionisticFuzzyTwinSVC",
    "NeuroFuzzyBLSClassifier",
    "PlaneSpace",
    "RVFLClassifier",
    "StackedBLSClassifier",
    "distances",
    "plane_space",
]
