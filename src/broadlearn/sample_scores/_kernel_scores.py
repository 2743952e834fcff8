"""Membership, heterogeneity and score of every row, from sums over pairs of rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from broadlearn.sample_scores._distinct import distinct_rows
from broadlearn.sample_scores._landmarks import draw_landmarks, landmark_pair_sums
from broadlearn.sample_scores._pairs import Array, Points, prepare_points, symmetric_pair_sums


class IntuitionisticScores(NamedTuple):
    """Scores of every row; with several widths, each array has one more leading axis.

    Attributes
    ----------
    membership : ndarray of shape (n_samples,)
        theta, nearness to the centre of the row's own class in kernel space.
    nonmembership : ndarray of shape (n_samples,)
        nu = (1 - theta) Theta.
    heterogeneity : ndarray of shape (n_samples,)
        Theta, share of other classes among all rows within `radius`, the row itself included.
    score : ndarray of shape (n_samples,)
        theta where nu = 0; 0 where theta <= nu; (1 - nu) / (2 - theta - nu) elsewhere.
    radius : float or ndarray of shape (n_widths,)
        epsilon, the neighbourhood radius in kernel space.
    kernel_width : float or ndarray of shape (n_widths,)
        mu, as given or as chosen by "auto".
    """

    membership: NDArray[np.floating]
    nonmembership: NDArray[np.floating]
    heterogeneity: NDArray[np.floating]
    score: NDArray[np.floating]
    radius: Any
    kernel_width: Any


def score_rows(
    X: NDArray[np.floating],
    codes: NDArray[np.intp],
    weight: NDArray[np.float64],
    n_classes: int,
    widths: Sequence[float],
    *,
    epsilon: float | None,
    delta: float,
    landmarks: int | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> IntuitionisticScores:
    """`intuitionistic_scores` on checked arrays, always with the leading axis of widths."""
    distinct = distinct_rows(X, codes, weight)
    points = prepare_points(X[distinct.first], codes[distinct.first], distinct.weight, n_classes)
    if landmarks is None:
        pair_sums = partial(symmetric_pair_sums, points, widths)
    else:
        seed = check_random_state(random_state).randint(np.iinfo(np.int32).max)
        drawn = draw_landmarks(points, landmarks, np.random.default_rng(seed))
        pair_sums = partial(landmark_pair_sums, points, drawn, widths)
    if epsilon is None:
        sums = pair_sums(kernels=True, radii=None)
        distance, class_radius = kernel_distances(points, sums.kernel)
        radii = class_radius.max(axis=1)
        counts = pair_sums(kernels=False, radii=radii.tolist())
    else:
        radii = np.full(len(widths), float(epsilon))
        counts = sums = pair_sums(kernels=True, radii=radii.tolist())
        distance, class_radius = kernel_distances(points, sums.kernel)
    radius_of_row = np.repeat(class_radius, np.diff(points.bounds), axis=1)
    theta = np.clip(1.0 - distance / (radius_of_row + delta), 0.0, 1.0)
    total = counts.own + counts.other
    Theta = np.divide(counts.other, total, out=np.zeros_like(total), where=total > 0.0)
    nu = (1.0 - theta) * Theta
    back = np.empty_like(points.order)
    back[points.order] = np.arange(points.order.size)
    to_table = back[distinct.inverse]
    return IntuitionisticScores(
        theta[:, to_table],
        nu[:, to_table],
        Theta[:, to_table],
        combine(theta, nu)[:, to_table],
        radii,
        np.asarray(widths, dtype=np.float64),
    )


def kernel_distances(points: Points, kernel_sums: Array) -> tuple[Array, Array]:
    """Distances to the own class's centre, and class radii, per width.

    A class without weight has no centre: its rows are infinitely far, its radius is 0.
    """
    distance = np.full(kernel_sums.shape, np.inf)
    radius = np.zeros((kernel_sums.shape[0], points.bounds.size - 1))
    for c, (start, stop) in enumerate(pairwise(points.bounds)):
        weight = points.weight[start:stop]
        total = weight.sum()
        if total == 0.0:
            continue
        to_class = kernel_sums[:, start:stop] / total
        within = to_class @ weight / total
        squared = 1.0 + within[:, None] - 2.0 * to_class
        distance[:, start:stop] = np.sqrt(np.maximum(squared, 0.0))
        radius[:, c] = distance[:, start:stop][:, weight > 0.0].max(axis=1)
    return distance, radius


def combine(theta: Array, nu: Array) -> Array:
    """The published score of membership theta and non-membership nu."""
    between = (1.0 - nu) / (2.0 - theta - nu)
    return np.where(nu == 0.0, theta, np.where(theta <= nu, 0.0, between))
