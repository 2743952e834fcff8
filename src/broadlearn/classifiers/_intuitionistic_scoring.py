"""Intuitionistic fuzzy scores of training rows, for the classifiers that weigh rows by them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from broadlearn.classifiers._rows import Array
from broadlearn.classifiers._scored_classifier import RowTrust, ScoredClassifier, standardized_rows
from broadlearn.random_features._draws import draw_seed
from broadlearn.random_features._standardize import Standardization
from broadlearn.sample_scores._kernel_scores import score_rows
from broadlearn.sample_scores._kernel_width import choose_kernel_width

# Above so many rows, all pairs take minutes.
MANY_ROWS = 100_000

SCORE_CONSTRAINTS: dict[str, list[Any]] = {
    "kernel_width": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
    "neighborhood_radius": [Interval(Real, 0, None, closed="left"), None],
    "delta": [Interval(Real, 0, None, closed="neither")],
    "landmarks": [Interval(Integral, 2, None, closed="left"), None],
}


class IntuitionisticScoring(ScoredClassifier):
    """A classifier whose rows count by their intuitionistic fuzzy score."""

    kernel_width: float | str
    neighborhood_radius: float | None
    delta: float
    landmarks: int | None
    random_state: int | np.random.RandomState | None

    def _score_parameters(self) -> tuple[str, ...]:
        return tuple(SCORE_CONSTRAINTS)

    def _score_rows(
        self,
        X: NDArray[np.floating],
        codes: NDArray[np.intp],
        weight: Array | None,
        standardization: Standardization,
    ) -> RowTrust:
        trust, width, radius = self._score_widths(
            X, codes, weight, standardization, [self.kernel_width]
        )[0]
        self.kernel_width_, self.neighborhood_radius_ = width, radius
        return trust

    def _score_widths(
        self,
        X: NDArray[np.floating],
        codes: NDArray[np.intp],
        weight: Array | None,
        standardization: Standardization,
        kernel_widths: Sequence[float | str],
    ) -> list[tuple[RowTrust, float, float]]:
        """Score rows for several widths at once; with each, the width and radius used."""
        if self.landmarks is None and X.shape[0] > MANY_ROWS:
            warnings.warn(
                f"Scoring all pairs of {X.shape[0]} rows takes time proportional to their square; "
                "landmarks=2000 estimates the scores in time proportional to the rows.",
                stacklevel=4,
            )
        Z = standardized_rows(X, standardization)
        weight = np.ones(X.shape[0]) if weight is None else weight
        auto = (
            choose_kernel_width(
                Z,
                codes,
                weight,
                self.classes_.size,
                epsilon=self.neighborhood_radius,
                delta=self.delta,
            )
            if any(isinstance(width, str) for width in kernel_widths)
            else np.nan
        )
        widths = [auto if isinstance(width, str) else float(width) for width in kernel_widths]
        scores = score_rows(
            Z,
            codes,
            weight,
            self.classes_.size,
            widths,
            epsilon=self.neighborhood_radius,
            delta=self.delta,
            landmarks=self.landmarks,
            random_state=None if self.landmarks is None else draw_seed(self.random_state),
        )
        parts = zip(scores.score, scores.membership, scores.nonmembership, strict=True)
        return [
            (RowTrust(*part), width, float(radius))
            for part, width, radius in zip(parts, widths, scores.radius, strict=True)
        ]

    def _zero_score_remedy(self) -> str:
        return (
            f"Use a larger kernel_width (now {self.kernel_width_:g}), a smaller "
            f"neighborhood_radius (now {self.neighborhood_radius_:g}), or kernel_width='auto'."
        )
