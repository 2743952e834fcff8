"""What one unit of a study gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from statistics import fmean, stdev
from typing import Any


@dataclass(frozen=True)
class UnitResult:
    """What a unit gave.

    Attributes
    ----------
    fold_scores : sequence of float
        Accuracy on each test fold, as a fraction.
    chosen : mapping, or sequence of mappings
        Parameters: one set for all folds ("paper") or one per fold ("nested").
    seconds : float
    metrics : mapping of str to sequence of float, default={}
        What else was measured on each test fold, by name, see `broadlearn.study.metrics`.

    Examples
    --------
    >>> from broadlearn.study import UnitResult
    >>> result = UnitResult([0.5, 0.75, 1.0], {"C": 100.0}, 1.5)
    >>> result.mean, result.sd
    (0.75, 0.25)
    """

    fold_scores: Sequence[float]
    chosen: Mapping[str, Any] | Sequence[Mapping[str, Any]]
    seconds: float
    metrics: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, values in self.metrics.items():
            if len(values) != len(self.fold_scores) or not all(map(isfinite, values)):
                raise ValueError(
                    f"metrics must hold a finite number a fold, got {values!r} for {name!r}."
                )
        if len(self.fold_scores) == 0 or not all(isfinite(score) for score in self.fold_scores):
            raise ValueError(
                f"fold_scores must be one or more finite numbers, got {self.fold_scores!r}."
            )

    @property
    def mean(self) -> float:
        """Mean over folds."""
        return fmean(float(score) for score in self.fold_scores)

    @property
    def sd(self) -> float | None:
        """Standard deviation over folds with ddof=1; None for a single fold."""
        scores = [float(score) for score in self.fold_scores]
        return stdev(scores) if len(scores) > 1 else None
