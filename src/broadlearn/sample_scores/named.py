"""Scorers by name, as the parameter ``sample_scores`` of a model takes them."""

from __future__ import annotations

from broadlearn.sample_scores.correntropy import CorrentropyScorer
from broadlearn.sample_scores.fuzzy import FuzzyScorer
from broadlearn.sample_scores.held_out import HeldOutScorer
from broadlearn.sample_scores.huber import HuberScorer
from broadlearn.sample_scores.intuitionistic import IntuitionisticScorer
from broadlearn.sample_scores.residual_density import ResidualDensityScorer
from broadlearn.sample_scores.scorer import SampleScorer
from broadlearn.sample_scores.uniform import UniformScorer

SCORERS: dict[str, type[SampleScorer]] = {
    "uniform": UniformScorer,
    "fuzzy": FuzzyScorer,
    "intuitionistic": IntuitionisticScorer,
    "held_out": HeldOutScorer,
    "correntropy": CorrentropyScorer,
    "huber": HuberScorer,
    "residual_density": ResidualDensityScorer,
}


def as_scorer(sample_scores: str | SampleScorer) -> SampleScorer:
    """Return the scorer of a name, with default parameters, or the scorer itself, checked.

    Examples
    --------
    >>> as_scorer("fuzzy")
    FuzzyScorer(delta=0.0001, small_class=10)
    """
    scorer = SCORERS[sample_scores]() if isinstance(sample_scores, str) else sample_scores
    scorer.check()
    return scorer
