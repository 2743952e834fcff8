"""Equal weights of all samples: the plain broad learning system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from broadlearn.sample_scores.scorer import Samples, SampleScorer, Trust


@dataclass(frozen=True)
class UniformScorer(SampleScorer):
    """Give all samples the same weight.

    Examples
    --------
    >>> from broadlearn import BLSClassifier
    >>> from broadlearn.sample_scores import UniformScorer
    >>> BLSClassifier(sample_scores=UniformScorer())  # the default, "uniform"
    BLSClassifier(sample_scores=UniformScorer())
    """

    streams: ClassVar[bool] = True
    is_random: ClassVar[bool] = False

    def score(self, samples: Samples) -> Trust:
        """Return no scores."""
        return Trust(None)
