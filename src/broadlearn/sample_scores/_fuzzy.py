"""Fuzzy membership: how near a row is to the centre of its own class, in input space."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from broadlearn.sample_scores._inputs import check_score_inputs


def fuzzy_membership(
    X: ArrayLike,
    y: ArrayLike,
    *,
    delta: float = 1e-4,
    sample_weight: ArrayLike | None = None,
) -> NDArray[np.floating]:
    """Membership of every row in its own class, ``1 - ‖x - c‖ / (R + delta)``.

    c is the mean of the row's class and R the largest distance of a row of the class to c, so the
    outermost row of a class gets nearly 0 and a row at the centre gets 1.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows. Distances are Euclidean: put the columns on one scale first.
    y : array-like of shape (n_samples,)
        Class labels, of any type that sorts.
    delta : float, default=1e-4
        Positive number that keeps the outermost row's membership above zero.
    sample_weight : array-like of shape (n_samples,), default=None
        A row of weight w counts as w copies. A row of weight 0 moves neither centre nor radius; it
        still gets a membership, 0 if it lies beyond the radius.

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
    checked = check_score_inputs(X, y, delta, sample_weight)
    return class_memberships(
        checked.X, checked.codes, checked.weight, delta, checked.classes.size
    ).astype(checked.X.dtype, copy=False)


def class_memberships(
    X: NDArray[np.floating],
    codes: NDArray[np.intp],
    weight: NDArray[np.float64],
    delta: float,
    n_classes: int,
) -> NDArray[np.float64]:
    """`fuzzy_membership` on checked arrays; rows of a class without weight get 0."""
    membership = np.zeros(X.shape[0])
    for c in range(n_classes):
        rows = np.flatnonzero(codes == c)
        rows_weight = weight[rows]
        if not rows_weight.any():
            continue
        members = X[rows].astype(np.float64, copy=False)
        # Rows that are all alike must give exactly their value back, whatever the weights.
        origin = members[np.argmax(rows_weight > 0.0)]
        centre = origin + rows_weight @ (members - origin) / rows_weight.sum()
        distance = np.linalg.norm(members - centre, axis=1)
        radius = distance[rows_weight > 0.0].max()
        membership[rows] = np.clip(1.0 - distance / (radius + delta), 0.0, 1.0)
    return membership
