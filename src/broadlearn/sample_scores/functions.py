"""The scores as plain functions of samples and labels, for use without a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from broadlearn.sample_scores.fuzzy import FuzzyScorer, class_memberships
from broadlearn.sample_scores.intuitionistic import (
    IntuitionisticScorer,
    IntuitionisticScores,
    score_rows,
)
from broadlearn.sample_scores.parameters import document
from broadlearn.sample_scores.scorer import Samples
from broadlearn.utils import FLOAT_TYPES, Floats, check_classes, check_range, check_weights


def _check(X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Samples:
    """Validate the arguments of the score functions."""
    Z = check_array(X, dtype=FLOAT_TYPES, input_name="X")
    labels = column_or_1d(y, warn=True)
    check_consistent_length(Z, labels)
    check_classes(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    return Samples(check_range(Z), codes.ravel(), check_weights(sample_weight, Z), classes.size)


def fuzzy_membership(
    X: ArrayLike, y: ArrayLike, *, delta: float = 1e-4, sample_weight: ArrayLike | None = None
) -> Floats:
    """Return the membership of every sample in its own class, ``1 - ‖x - c‖ / (R + delta)``.

    c is the mean of the sample's class and R the largest distance of a sample of the class to c, so
    the outermost sample of a class gets nearly 0 and a sample at the centre gets 1.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Distances are Euclidean: put the features on one scale first.
    y : array-like of shape (n_samples,)
        Class labels, of any type that sorts.
    delta : float, default=1e-4
        Positive number that keeps the outermost sample's membership above zero.
    sample_weight : array-like of shape (n_samples,), default=None
        A sample of weight w counts as w copies. A sample of weight 0 moves neither centre nor
        radius; it still gets a membership, 0 if it lies beyond the radius.

    Returns
    -------
    membership : ndarray of shape (n_samples,)
        Numbers in [0, 1], float32 if X is.

    Examples
    --------
    >>> from broadlearn.sample_scores import fuzzy_membership
    >>> fuzzy_membership([[0.0], [1.0], [5.0]], ["a", "a", "a"], delta=0.001).round(3)
    array([0.334, 0.667, 0.   ])
    """
    samples = _check(X, y, sample_weight)
    FuzzyScorer(delta).check()
    return class_memberships(*samples[:4], delta).astype(samples.Z.dtype, copy=False)


@document
def intuitionistic_scores(
    X: ArrayLike,
    y: ArrayLike,
    *,
    kernel_width: float | str | Sequence[float] | Floats,
    neighborhood_radius: float | None = None,
    delta: float = 1e-4,
    sample_weight: ArrayLike | None = None,
    landmarks: int | str | None = "auto",
    random_state: int | np.random.RandomState | None = None,
) -> IntuitionisticScores:
    """Score each sample by its nearness to its own class and by the classes of its neighbours.

    In the feature space of K(a, b) = exp(-‖a - b‖² / mu²), the squared distance of a sample to the
    centre of its class is ``‖psi(x) - c‖² = 1 + mean K(class, class) - 2 mean K(x, class)``, the
    radius R of a class is the largest such distance, and

    - membership ``theta = 1 - ‖psi(x) - c‖ / (R + delta)``,
    - heterogeneity ``Theta``, the share of samples of another class among all samples x' with
      ``‖psi(x) - psi(x')‖ <= epsilon`` (x itself included),
    - non-membership ``nu = (1 - theta) Theta``,
    - score ``theta`` if nu = 0, ``0`` if theta <= nu, else ``(1 - nu) / (2 - theta - nu)``.

    Pairs are visited block by block: time grows with the square of the samples, memory does not.
    Of more than 20,000 samples, means and shares are estimated, unless `landmarks` is None.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features on one scale.
    y : array-like of shape (n_samples,)
        Class labels; any number of classes.
    kernel_width : float, "auto" or sequence of floats
        mu. "auto" takes, of eleven widths around the typical distance within a class, the one at
        which the least trusted class has the largest mean score. A sequence scores all its widths
        in one call, which is much faster than one call each, most of all if widths are powers of 2.
    {score details}
    sample_weight : array-like of shape (n_samples,), default=None
        A sample of weight w counts as w copies in means, radii and neighbour counts. A sample of
        weight 0 does not count, but is scored.
    random_state : int, RandomState or None, default=None
        Seed of the draw of landmarks.

    Returns
    -------
    IntuitionisticScores
        Named tuple with membership, nonmembership, heterogeneity, score, radius, kernel_width.

    Examples
    --------
    The sixth sample, a "b" among the "a", scores 0, and so do the outermost "a" near it:

    >>> from broadlearn.sample_scores import intuitionistic_scores
    >>> X = [[0.0], [0.1], [0.2], [0.3], [0.4], [0.25], [3.0], [3.1], [3.2], [3.3]]
    >>> y = ["a", "a", "a", "a", "a", "b", "b", "b", "b", "b"]
    >>> intuitionistic_scores(X, y, kernel_width=0.5).score.round(2)
    array([0.  , 0.62, 0.79, 0.62, 0.  , 0.  , 0.58, 0.7 , 0.7 , 0.58])
    """
    samples = _check(X, y, sample_weight)
    widths: Any = kernel_width if np.ndim(kernel_width) else [kernel_width]
    for width in widths:
        IntuitionisticScorer(width, neighborhood_radius, delta, landmarks).check()
    scores = score_rows(
        *samples[:4],
        widths,
        epsilon=neighborhood_radius,
        delta=delta,
        landmarks=landmarks,
        random_state=random_state,
    )
    theta, nu, Theta, score = (part.astype(samples.Z.dtype, copy=False) for part in scores[:4])
    if np.ndim(kernel_width):
        return IntuitionisticScores(theta, nu, Theta, score, scores.radius, scores.kernel_width)
    radius, width = float(scores.radius[0]), float(scores.kernel_width[0])
    return IntuitionisticScores(theta[0], nu[0], Theta[0], score[0], radius, width)
