"""Intuitionistic fuzzy scores: nearness to the own class against neighbours of other classes.

The published work tunes the kernel width mu and names a scheme without an extra parameter as open.
Two things go wrong with a bad width. Where it is small, every sample is alone and all scores shrink
to about delta. Where it is large, neighbourhoods hold nearly all samples, and small classes lose
all their samples to zero scores. In both cases some class keeps little trust. So the width "auto"
is the one at which the least trusted class has the largest mean score. Nothing is fitted, and no
class vanishes if that can be avoided.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from broadlearn.sample_scores.kernel_geometry import KernelGeometry, References, draw_references
from broadlearn.sample_scores.landmarks import LANDMARKS, draw_landmarks, landmark_pair_sums
from broadlearn.sample_scores.pairs import combine, sort_points, symmetric_pair_sums
from broadlearn.sample_scores.parameters import SCORE_CONSTRAINTS, document
from broadlearn.sample_scores.scorer import Samples, SampleScorer, Trust, class_floors
from broadlearn.utils import Array, Floats, distinct_rows

# Warn that all pairs take minutes above this many samples.
SLOW_SAMPLES = 100_000
# Landmarks of "auto": in all, and at least per class (benchmarks/landmarks.py).
ALL_LANDMARKS, MIN_LANDMARKS = 40_000, 100
# Widths tried, as multiples of the root mean square distance within a class, the widest first; the
# published grid has the same factors.
MULTIPLES = 2.0 ** np.arange(5, -6, -1)


@document
@dataclass(frozen=True)
class IntuitionisticScorer(SampleScorer):
    """Intuitionistic fuzzy scores; see `intuitionistic_scores` for the equations.

    Parameters
    ----------
    {kernel width, score details, small_class}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BLSClassifier
    >>> from broadlearn.sample_scores import IntuitionisticScorer
    >>> X, y = load_iris(return_X_y=True)
    >>> scorer = IntuitionisticScorer(kernel_width=2.0)
    >>> model = BLSClassifier(sample_scores=scorer, random_state=0).fit(X, y)
    >>> model.kernel_width_
    2.0
    """

    kernel_width: float | str = "auto"
    neighborhood_radius: float | None = None
    delta: float = 1e-4
    landmarks: int | str | None = "auto"
    small_class: int = 10
    streams: ClassVar[bool] = True
    constraints: ClassVar[Mapping[str, Any]] = SCORE_CONSTRAINTS
    #: Samples up to which "auto" compares all pairs.
    max_exact: ClassVar[int] = 20_000

    def draws(self, n_samples: int) -> bool:
        """Return whether landmarks are drawn for this number of samples."""
        if self.landmarks == "auto":
            return n_samples > self.max_exact
        return self.landmarks is not None

    def score(self, samples: Samples) -> Trust:
        """Score samples with the scorer's own width."""
        return self.score_widths(samples, [None])[0]

    def score_widths(
        self, samples: Samples, kernel_widths: Sequence[float | str | None]
    ) -> list[Trust]:
        """Score samples for several kernel widths, at little more than the cost of one."""
        n_samples = samples.codes.size
        if self.landmarks is None and n_samples > SLOW_SAMPLES:
            warnings.warn(
                f'Scoring all pairs of {n_samples} samples takes quadratic time; landmarks="auto" '
                "estimates the scores in linear time.",
                stacklevel=5,
            )
        scores = score_rows(
            *samples[:4],
            [self.kernel_width if width is None else width for width in kernel_widths],
            epsilon=self.neighborhood_radius,
            delta=self.delta,
            landmarks=self.landmarks,
            random_state=samples.seed,
        )
        floors = class_floors(samples, self.small_class)
        return [
            Trust(
                np.maximum(scores.score[k], floors),
                {
                    "membership_": scores.membership[k],
                    "nonmembership_": scores.nonmembership[k],
                    "kernel_width_": width,
                    "neighborhood_radius_": float(scores.radius[k]),
                },
            )
            for k, width in enumerate(scores.kernel_width.tolist())
        ]

    def sketch(self, samples: Samples, first: int = 0) -> References:
        """Draw references of each class."""
        return draw_references(samples, first, self.landmarks)

    def geometry(self, sketch: References) -> KernelGeometry:
        """Return the geometry of the references."""
        references = sketch.by_class()
        width, epsilon = self.kernel_width, self.neighborhood_radius
        if isinstance(width, str):
            width = choose_kernel_width(*references[:4], epsilon=epsilon, delta=self.delta)
        return KernelGeometry.of(references, float(width), epsilon, self.delta)

    def remedy(self, trust: Trust) -> str:
        """Name the width and radius that were used."""
        learnt = trust.attributes
        return (
            f"Use a larger kernel_width (now {learnt['kernel_width_']:g}), a smaller "
            f"neighborhood_radius (now {learnt['neighborhood_radius_']:g}), or kernel_width='auto'."
        )


class IntuitionisticScores(NamedTuple):
    """Scores of every sample; with several widths, each array has one more leading axis.

    Attributes
    ----------
    membership : ndarray of shape (n_samples,)
        theta, nearness to the centre of the sample's own class in kernel space.
    nonmembership : ndarray of shape (n_samples,)
        nu = (1 - theta) Theta.
    heterogeneity : ndarray of shape (n_samples,)
        Theta, share of other classes among all samples within `radius`, itself included.
    score : ndarray of shape (n_samples,)
        theta where nu = 0; 0 where theta <= nu; (1 - nu) / (2 - theta - nu) elsewhere.
    radius : float or ndarray of shape (n_widths,)
        epsilon, the neighbourhood radius in kernel space.
    kernel_width : float or ndarray of shape (n_widths,)
        mu, as given or as chosen by "auto".
    """

    membership: Floats
    nonmembership: Floats
    heterogeneity: Floats
    score: Floats
    radius: Any
    kernel_width: Any


def score_rows(
    X: Floats,
    codes: NDArray[np.intp],
    weight: Array,
    n_classes: int,
    kernel_widths: Sequence[float | str],
    *,
    epsilon: float | None,
    delta: float,
    landmarks: int | str | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> IntuitionisticScores:
    """Return `intuitionistic_scores` of checked arrays, always with the axis of widths."""
    auto = np.nan
    if any(isinstance(width, str) for width in kernel_widths):
        auto = choose_kernel_width(X, codes, weight, n_classes, epsilon=epsilon, delta=delta)
    widths = [auto if isinstance(width, str) else float(width) for width in kernel_widths]
    distinct = distinct_rows(X, codes, weight)
    first = distinct.first
    points = sort_points(X, first, codes[first], distinct.weight, n_classes)
    if isinstance(landmarks, str):
        per_class = min(LANDMARKS, max(MIN_LANDMARKS, ALL_LANDMARKS // n_classes))
        landmarks = per_class if codes.size > IntuitionisticScorer.max_exact else None
    if landmarks is None:
        pair_sums = partial(symmetric_pair_sums, points, widths)
    else:
        seed = check_random_state(random_state).randint(np.iinfo(np.int32).max)
        drawn = draw_landmarks(points, landmarks, np.random.default_rng(seed))
        pair_sums = partial(landmark_pair_sums, points, drawn, widths)
    radii = None if epsilon is None else np.full(len(widths), float(epsilon))
    sums = pair_sums(kernels=True, radii=None if radii is None else radii.tolist())
    # A class without weight has no centre: its samples are infinitely far, its radius is 0.
    distance = np.full(sums.kernel.shape, np.inf)
    class_radius = np.zeros((len(widths), n_classes))
    for c, (start, stop) in enumerate(pairwise(points.bounds)):
        w = points.weight[start:stop]
        if w.any():
            to_class = sums.kernel[:, start:stop] / w.sum()
            squared = 1.0 + (to_class @ w / w.sum())[:, None] - 2.0 * to_class
            distance[:, start:stop] = np.sqrt(np.maximum(squared, 0.0))
            class_radius[:, c] = distance[:, start:stop][:, w > 0.0].max(axis=1)
    if radii is None:
        radii = class_radius.max(axis=1)
        sums = pair_sums(kernels=False, radii=radii.tolist())
    radius = np.repeat(class_radius, np.diff(points.bounds), axis=1)
    parts = combine(distance, radius + delta, sums.own, sums.other)
    back = np.empty_like(points.order)
    back[points.order] = np.arange(points.order.size)
    theta, nu, Theta, score = (part[:, back[distinct.inverse]] for part in parts)
    return IntuitionisticScores(theta, nu, Theta, score, radii, np.asarray(widths, dtype=float))


def choose_kernel_width(
    X: Floats,
    codes: NDArray[np.intp],
    weight: Array,
    n_classes: int,
    *,
    epsilon: float | None = None,
    delta: float = 1e-4,
) -> float:
    """Return the width mu at which the least trusted class has the largest mean score.

    Copies and weights give the same width. It is 1.0 if all samples of every class are equal.
    """
    # In an order in which rounding does not show.
    distinct = distinct_rows(X, codes, weight, as_numbers=True)
    present = np.flatnonzero(distinct.weight > 0.0)
    # Some samples are enough to choose a width.
    n_chosen = min(present.size, 1500)
    chosen = present[np.linspace(0, present.size - 1, n_chosen).astype(np.intp)]
    rows = distinct.first[chosen]
    Z, codes, weight = X[rows].astype(np.float64), codes[rows], distinct.weight[chosen]
    # The mean squared distance between two samples of a class is twice their variance.
    total = 0.0
    for c in np.unique(codes):
        rows = codes == c
        mean = np.average(Z[rows], axis=0, weights=weight[rows])
        total += 2.0 * float(weight[rows] @ ((Z[rows] - mean) ** 2).sum(axis=1))
    scale = float(np.sqrt(total / weight.sum()))
    if scale <= 1e-12 * float(np.abs(Z).max()):
        return 1.0
    widths = scale * MULTIPLES
    limits: dict[str, Any] = {"epsilon": epsilon, "delta": delta}
    scores = score_rows(Z, codes, weight, n_classes, widths.tolist(), **limits)
    class_weight = np.bincount(codes, weight, minlength=n_classes)
    trust = np.array([np.bincount(codes, weight * s, minlength=n_classes) for s in scores.score])
    present_class = class_weight > 0.0
    least = (trust[:, present_class] / class_weight[present_class]).min(axis=1)
    return float(widths[np.argmax(least)])
