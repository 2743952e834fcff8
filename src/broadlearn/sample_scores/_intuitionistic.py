"""Intuitionistic fuzzy scores: nearness to one's class against foreign company, in kernel space."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from broadlearn.sample_scores._inputs import check_score_inputs
from broadlearn.sample_scores._kernel_scores import IntuitionisticScores, score_rows
from broadlearn.sample_scores._kernel_width import choose_kernel_width


def intuitionistic_scores(
    X: ArrayLike,
    y: ArrayLike,
    *,
    kernel_width: float | str | Sequence[float] | NDArray[np.floating],
    neighborhood_radius: float | None = None,
    delta: float = 1e-4,
    sample_weight: ArrayLike | None = None,
    landmarks: int | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> IntuitionisticScores:
    """Score how far each row can be trusted, from its own class and from its neighbours.

    In the feature space of K(a, b) = exp(-‖a - b‖² / mu²), the distance of a row to the centre of
    its class is ``‖psi(x) - c‖² = 1 + mean K(class, class) - 2 mean K(x, class)``, the radius R of
    a class is the largest such distance, and

    - membership ``theta = 1 - ‖psi(x) - c‖ / (R + delta)``,
    - heterogeneity ``Theta``, the share of rows of another class among all rows x' with
      ``‖psi(x) - psi(x')‖ <= epsilon`` (x itself included),
    - non-membership ``nu = (1 - theta) Theta``,
    - score ``theta`` if nu = 0, ``0`` if theta <= nu, else ``(1 - nu) / (2 - theta - nu)``.

    Pairs are visited block by block: time grows with the square of the rows, memory does not.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows, with columns on one scale.
    y : array-like of shape (n_samples,)
        Class labels; any number of classes.
    kernel_width : float, "auto" or sequence of floats
        mu. "auto" takes, of eleven widths around the typical distance within a class, the one at
        which the least trusted class has the largest mean score. A sequence scores all its widths
        in one call, which costs far less than one call each, least where each is half of another.
    neighborhood_radius : float, default=None
        epsilon, a distance in kernel space (pairs are at most sqrt(2) apart there). None takes the
        largest class radius. A given radius saves the second of two passes over all pairs.
    delta : float, default=1e-4
        Positive number added to the class radius.
    sample_weight : array-like of shape (n_samples,), default=None
        A row of weight w counts as w copies in means, radii and neighbour counts; a row of weight 0
        counts nowhere, and is scored all the same.
    landmarks : int, default=None
        Estimate kernel means and neighbour shares from so many rows drawn per class (at least 2),
        in time proportional to the rows. Classes of no more rows are taken whole. None uses all
        rows.
    random_state : int, RandomState or None, default=None
        Seeds the draw of landmarks.

    Returns
    -------
    IntuitionisticScores
        Named tuple with membership, nonmembership, heterogeneity, score, radius, kernel_width.

    Examples
    --------
    The sixth row, a "b" in the middle of the "a", is not believed (nor are the outermost "a", so
    near to it):

    >>> from broadlearn.sample_scores import intuitionistic_scores
    >>> X = [[0.0], [0.1], [0.2], [0.3], [0.4], [0.25], [3.0], [3.1], [3.2], [3.3]]
    >>> y = ["a", "a", "a", "a", "a", "b", "b", "b", "b", "b"]
    >>> intuitionistic_scores(X, y, kernel_width=0.5).score.round(2)
    array([0.  , 0.62, 0.79, 0.62, 0.  , 0.  , 0.58, 0.7 , 0.7 , 0.58])
    """
    checked = check_score_inputs(X, y, delta, sample_weight)
    if neighborhood_radius is not None and (
        not isinstance(neighborhood_radius, Real) or not 0.0 <= neighborhood_radius < np.inf
    ):
        raise ValueError(
            f"neighborhood_radius must be None or a number of at least 0, got "
            f"{neighborhood_radius!r}."
        )
    if landmarks is not None and (not isinstance(landmarks, Integral) or landmarks < 2):
        raise ValueError(f"landmarks must be None or a whole number >= 2, got {landmarks!r}.")
    single = isinstance(kernel_width, (str, Real))
    if isinstance(kernel_width, str):
        if kernel_width != "auto":
            raise ValueError(
                f'kernel_width must be a positive number, a sequence of them or "auto", got '
                f"{kernel_width!r}."
            )
        widths = [
            choose_kernel_width(
                checked.X,
                checked.codes,
                checked.weight,
                checked.classes.size,
                epsilon=neighborhood_radius,
                delta=delta,
            )
        ]
    else:
        widths = check_widths(kernel_width)
    result = score_rows(
        checked.X,
        checked.codes,
        checked.weight,
        checked.classes.size,
        widths,
        epsilon=neighborhood_radius,
        delta=delta,
        landmarks=landmarks,
        random_state=random_state,
    )
    dtype = checked.X.dtype
    theta, nu, Theta, score = (part.astype(dtype, copy=False) for part in result[:4])
    if single:
        radius = float(result.radius[0])
        return IntuitionisticScores(theta[0], nu[0], Theta[0], score[0], radius, widths[0])
    return IntuitionisticScores(theta, nu, Theta, score, result.radius, result.kernel_width)


def check_widths(kernel_width: Any) -> list[float]:
    """Turn one width or a sequence of them into a list of positive floats."""
    widths = np.atleast_1d(np.asarray(kernel_width, dtype=np.float64))
    if widths.ndim != 1 or widths.size == 0 or not np.all((widths > 0) & (widths < np.inf)):
        raise ValueError(
            f'kernel_width must be a positive number, a sequence of them or "auto", got '
            f"{kernel_width!r}."
        )
    return widths.tolist()
