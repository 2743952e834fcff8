"""Fuzzy membership: how near a sample is to the centre of its own class, in input space."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from broadlearn.sample_scores.scorer import (
    LARGE_CLASS,
    Geometry,
    Samples,
    SampleScorer,
    Trust,
    class_floors,
    refuse_absent,
    require_positive,
)
from broadlearn.utils import Array, Floats


@dataclass(frozen=True)
class FuzzyScorer(SampleScorer):
    """Fuzzy membership of samples in their own class, ``1 - ‖x - c‖ / (R + delta)``.

    c and R are the centre and the radius (largest distance to the centre) of the class. The score
    is the membership, but no less than ``1 - n / 10`` in a class of n < 10 distinct samples, of
    which the farthest is no outlier.

    Parameters
    ----------
    delta : float, default=1e-4
        Added to the radius, so that the outermost sample of a class keeps a small weight.

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
    streams: ClassVar[bool] = True

    def draws(self, n_samples: int) -> bool:
        """Nothing is drawn."""
        return False

    def check(self) -> None:
        """Raise unless delta is a positive number."""
        require_positive(delta=self.delta)

    def score(self, samples: Samples) -> Trust:
        """Score samples: the membership is the score, but in small classes."""
        floors = class_floors(*samples[:4])[samples.codes]
        return _as_trust(class_memberships(*samples[:4], self.delta), floors)

    def sketch(self, samples: Samples, first: int = 0) -> Centres:
        """Weighted sums of the samples of each class."""
        n_samples = samples.codes.size
        indicator = np.zeros((samples.n_classes, n_samples))
        indicator[samples.codes, np.arange(n_samples)] = samples.weight
        sums = indicator @ samples.Z.astype(np.float64, copy=False)
        some = [samples.Z[samples.codes == c] for c in range(samples.n_classes)]
        few = tuple(distinct_few(Z.astype(np.float64, copy=False)) for Z in some)
        return Centres(sums, indicator.sum(axis=1), few)

    def geometry(self, sketch: Centres) -> FuzzyGeometry:
        """Exact centres."""
        refuse_absent(sketch.class_weight)
        centres = sketch.sums / sketch.class_weight[:, None]
        floors = np.array([max(0.0, 1.0 - len(Z) / LARGE_CLASS) for Z in sketch.few])
        return FuzzyGeometry(centres, np.zeros(len(centres)), self.delta, floors)


def class_memberships(
    Z: Floats, codes: NDArray[np.intp], weight: Array, n_classes: int, delta: float
) -> Array:
    """Membership of every sample in its own class; samples of a class without weight get 0."""
    membership = np.zeros(Z.shape[0])
    for c in range(n_classes):
        rows = np.flatnonzero(codes == c)
        rows_weight = weight[rows]
        if not rows_weight.any():
            continue
        members = Z[rows].astype(np.float64, copy=False)
        # Samples that are all alike must give exactly their value back, whatever the weights.
        origin = members[np.argmax(rows_weight > 0.0)]
        centre = origin + rows_weight @ (members - origin) / rows_weight.sum()
        distance = np.linalg.norm(members - centre, axis=1)
        radius = distance[rows_weight > 0.0].max()
        membership[rows] = np.clip(1.0 - distance / (radius + delta), 0.0, 1.0)
    return membership


@dataclass(frozen=True)
class Centres:
    """Weighted sums of the samples of each class, and their weights.

    Attributes
    ----------
    sums : ndarray of shape (n_classes, n_features)
    class_weight : ndarray of shape (n_classes,)
    few : tuple of ndarray
        Distinct samples of each class, as many as tell whether it is a small one.
    """

    sums: Array
    class_weight: Array
    few: tuple[Array, ...]

    def merge(self, other: Centres) -> Centres:
        """Sums of the samples of both."""
        pairs = zip(self.few, other.few, strict=True)
        few = tuple(distinct_few(np.concatenate(pair)) for pair in pairs)
        return Centres(self.sums + other.sums, self.class_weight + other.class_weight, few)


def distinct_few(Z: Array) -> Array:
    """Distinct samples, some of them if there are many."""
    if len(Z) > 8 * LARGE_CLASS:
        few = np.unique(Z[: 8 * LARGE_CLASS], axis=0)
        if len(few) >= LARGE_CLASS:
            return few[:LARGE_CLASS]
    return np.unique(Z, axis=0)[:LARGE_CLASS]


@dataclass(frozen=True)
class FuzzyGeometry(Geometry):
    """Centres and radii of the classes in input space.

    Attributes
    ----------
    centres : ndarray of shape (n_classes, n_features)
    radii : ndarray of shape (n_classes,)
    delta : float
    floors : ndarray of shape (n_classes,) or None
        Least scores of small classes; None for 0, as models of earlier versions have it.
    """

    centres: Array
    radii: Array
    delta: float
    floors: Array | None = None

    def distances(self, Z: Floats, codes: NDArray[np.intp]) -> Array:
        """Distances of samples to the centre of their own class."""
        return np.asarray(np.linalg.norm(Z - self.centres[codes], axis=1), dtype=np.float64)

    def with_radii(self, radii: Array) -> FuzzyGeometry:
        """The same with the radii of the classes."""
        return replace(self, radii=radii)

    def trust(self, Z: Floats, codes: NDArray[np.intp]) -> Trust:
        """Membership of samples in their own class; 0 beyond the radius."""
        theta = 1.0 - self.distances(Z, codes) / (self.radii[codes] + self.delta)
        floors = np.zeros(codes.size) if self.floors is None else self.floors[codes]
        return _as_trust(np.clip(theta, 0.0, 1.0), floors)


def _as_trust(membership: Array, floors: Array) -> Trust:
    score = np.maximum(membership, floors) if floors.any() else membership
    return Trust(score, {"membership_": membership})
