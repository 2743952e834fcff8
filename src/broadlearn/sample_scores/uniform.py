"""All samples count alike: the plain broad learning system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from broadlearn.sample_scores.scorer import Samples, SampleScorer, Trust


@dataclass(frozen=True)
class UniformScorer(SampleScorer):
    """Trusts all samples alike.

    Examples
    --------
    >>> from broadlearn import BLSClassifier
    >>> from broadlearn.sample_scores import UniformScorer
    >>> BLSClassifier(sample_scores=UniformScorer())  # the default, "uniform"
    BLSClassifier(sample_scores=UniformScorer())
    """

    streams: ClassVar[bool] = True

    def draws(self, n_samples: int) -> bool:
        """Nothing is drawn."""
        return False

    def score(self, samples: Samples) -> Trust:
        """Score samples: no scores are needed."""
        return Trust(None)

    def sketch(self, samples: Samples, first: int = 0) -> None:
        """Nothing has to be known of the classes."""
