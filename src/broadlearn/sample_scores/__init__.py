"""Weights of training samples: X, y -> scores between 0 and 1."""

from broadlearn.sample_scores.correntropy import CorrentropyScorer
from broadlearn.sample_scores.functions import fuzzy_membership, intuitionistic_scores
from broadlearn.sample_scores.fuzzy import FuzzyScorer
from broadlearn.sample_scores.held_out import HeldOutScorer, margin_scores, margins_of
from broadlearn.sample_scores.huber import HuberScorer
from broadlearn.sample_scores.intuitionistic import IntuitionisticScorer, IntuitionisticScores
from broadlearn.sample_scores.named import SCORERS, as_scorer
from broadlearn.sample_scores.parameters import SCORE_CONSTRAINTS, SCORE_PARAGRAPHS
from broadlearn.sample_scores.residual_density import ResidualDensityScorer
from broadlearn.sample_scores.residuals import ResidualScorer
from broadlearn.sample_scores.scorer import (
    Geometry,
    Samples,
    SampleScorer,
    Trust,
    learn_geometry,
    untrusted,
)
from broadlearn.sample_scores.uniform import UniformScorer

__all__ = [
    "SCORERS",
    "SCORE_CONSTRAINTS",
    "SCORE_PARAGRAPHS",
    "CorrentropyScorer",
    "FuzzyScorer",
    "Geometry",
    "HeldOutScorer",
    "HuberScorer",
    "IntuitionisticScorer",
    "IntuitionisticScores",
    "ResidualDensityScorer",
    "ResidualScorer",
    "SampleScorer",
    "Samples",
    "Trust",
    "UniformScorer",
    "as_scorer",
    "fuzzy_membership",
    "intuitionistic_scores",
    "learn_geometry",
    "margin_scores",
    "margins_of",
    "untrusted",
]
