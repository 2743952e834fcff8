"""How far each row can be trusted: scores in [0, 1] from class geometry."""

from broadlearn.sample_scores._fuzzy import fuzzy_membership
from broadlearn.sample_scores._intuitionistic import intuitionistic_scores
from broadlearn.sample_scores._kernel_scores import IntuitionisticScores
from broadlearn.sample_scores._neighbors import neighbor_agreement

__all__ = [
    "IntuitionisticScores",
    "fuzzy_membership",
    "intuitionistic_scores",
    "neighbor_agreement",
]
