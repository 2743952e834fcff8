"""Fuzzy membership: nearness of a sample to the centre of its own class, in input space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from broadlearn.sample_scores.parameters import SCORE_CONSTRAINTS, document
from broadlearn.sample_scores.scorer import (
    Geometry,
    Samples,
    SampleScorer,
    Trust,
    class_floors,
    refuse_absent,
)
from broadlearn.utils import Array, Floats


@document
@dataclass(frozen=True)
class FuzzyScorer(SampleScorer):
    """Fuzzy membership of samples in their own class, ``1 - ‖x - c‖ / (R + delta)``.

    c and R are the centre and the radius (largest distance to the centre) of the class.

    Parameters
    ----------
    delta : float, default=1e-4
        Added to the radius, so that the outermost sample of a class keeps a small weight.
    {small_class}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BLSClassifier
    >>> from broadlearn.sample_scores import FuzzyScorer
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BLSClassifier(sample_scores=FuzzyScorer(delta=0.1), random_state=0).fit(X, y)
    >>> int(model.sample_scores_.argmin())
    41
    """

    delta: float = 1e-4
    small_class: int = 10
    streams: ClassVar[bool] = True
    is_random: ClassVar[bool] = False
    constraints: ClassVar[Mapping[str, Any]] = {
        name: SCORE_CONSTRAINTS[name] for name in ("delta", "small_class")
    }

    def score(self, samples: Samples) -> Trust:
        """Return memberships as scores, lifted in small classes."""
        membership = class_memberships(*samples[:4], self.delta)
        score = np.maximum(membership, class_floors(samples, self.small_class))
        return Trust(score, {"membership_": membership})

    def sketch(self, samples: Samples, first: int = 0) -> Centres:
        """Return weighted sums of the samples of each class."""
        n_samples = samples.codes.size
        indicator = np.zeros((samples.n_classes, n_samples))
        indicator[samples.codes, np.arange(n_samples)] = samples.weight
        sums = indicator @ samples.Z.astype(np.float64, copy=False)
        return Centres(sums, indicator.sum(axis=1))

    def geometry(self, sketch: Centres) -> FuzzyGeometry:
        """Return the exact centres."""
        refuse_absent(sketch.class_weight)
        centres = sketch.sums / sketch.class_weight[:, None]
        return FuzzyGeometry(centres, np.zeros(len(centres)), self.delta)


def class_memberships(
    Z: Floats, codes: NDArray[np.intp], weight: Array, n_classes: int, delta: float
) -> Array:
    """Return memberships of samples in their own class; 0 in a class without weight."""
    membership = np.zeros(Z.shape[0])
    for c in range(n_classes):
        rows = np.flatnonzero(codes == c)
        rows_weight = weight[rows]
        if not rows_weight.any():
            continue
        members = Z[rows].astype(np.float64, copy=False)
        # The centre of equal samples must equal them exactly, whatever the weights.
        origin = members[np.argmax(rows_weight > 0.0)]
        centre = origin + rows_weight @ (members - origin) / rows_weight.sum()
        distance = np.linalg.norm(members - centre, axis=1)
        radius = distance[rows_weight > 0.0].max()
        membership[rows] = np.clip(1.0 - distance / (radius + delta), 0.0, 1.0)
    return membership


@dataclass(frozen=True)
class Centres:
    """Weighted sums of the samples of each class, and their weights."""

    sums: Array
    class_weight: Array

    def merge(self, other: Centres) -> Centres:
        """Return the sums of the samples of both."""
        return Centres(self.sums + other.sums, self.class_weight + other.class_weight)


@dataclass(frozen=True)
class FuzzyGeometry(Geometry):
    """Centres and radii of the classes in input space."""

    centres: Array
    radii: Array
    delta: float

    def distances(self, Z: Floats, codes: NDArray[np.intp]) -> Array:
        """Return the distances of samples to the centre of their own class."""
        return np.asarray(np.linalg.norm(Z - self.centres[codes], axis=1), dtype=np.float64)

    def with_radii(self, radii: Array) -> FuzzyGeometry:
        """Return a copy with the radii of the classes."""
        return replace(self, radii=radii)

    def trust(self, Z: Floats, codes: NDArray[np.intp]) -> Trust:
        """Return memberships of samples in their own class; 0 beyond the radius."""
        theta = 1.0 - self.distances(Z, codes) / (self.radii[codes] + self.delta)
        membership = np.clip(theta, 0.0, 1.0)
        return Trust(membership, {"membership_": membership})
