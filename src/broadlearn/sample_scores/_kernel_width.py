"""A kernel width from the data alone.

The published work tunes mu and names a scheme without an extra parameter as open. Two things go
wrong with a bad width. Where it is small, every row is alone and all scores shrink to about delta.
Where it is large, neighbourhoods hold nearly all rows, and small classes lose all their rows to
zero scores. In both cases some class keeps little trust. So the width is taken at which the least
trusted class has the largest mean score. Nothing is fitted, and no class vanishes if that can be
avoided.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from broadlearn.sample_scores._distinct import distinct_rows
from broadlearn.sample_scores._kernel_scores import score_rows

# Widths tried, as multiples of the root mean square distance within a class, the widest first.
MULTIPLES = 2.0 ** np.arange(5, -6, -1)
# The choice is a coarse one: so many rows are enough for it.
MOST_ROWS = 1500


def choose_kernel_width(
    X: NDArray[np.floating],
    codes: NDArray[np.intp],
    weight: NDArray[np.float64],
    n_classes: int,
    *,
    epsilon: float | None = None,
    delta: float = 1e-4,
) -> float:
    """Width mu at which the least trusted class has the largest mean score.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    codes : ndarray of shape (n_samples,)
        Class of each row, 0, 1, ...
    weight : ndarray of shape (n_samples,)
        Row weights; copies and weights give the same width.
    n_classes : int
    epsilon : float or None
        Neighbourhood radius in kernel space; None for the largest class radius.
    delta : float

    Returns
    -------
    float
        1.0 if the rows of every class are all alike.
    """
    distinct = distinct_rows(X, codes, weight)
    present = np.flatnonzero(distinct.weight > 0.0)
    # Distinct rows are ordered by their bytes, in which rounding shows: order them as numbers.
    first = distinct.first[present]
    present = present[np.lexsort((*X[first].T[::-1], codes[first]))]
    chosen = present[np.linspace(0, present.size - 1, min(present.size, MOST_ROWS)).astype(np.intp)]
    rows = distinct.first[chosen]
    Z, codes, weight = X[rows].astype(np.float64), codes[rows], distinct.weight[chosen]
    scale = typical_distance(Z, codes, weight, n_classes)
    if scale == 0.0:
        return 1.0
    widths = scale * MULTIPLES
    scores = score_rows(
        Z, codes, weight, n_classes, widths.tolist(), epsilon=epsilon, delta=delta
    ).score
    class_weight = np.bincount(codes, weight, minlength=n_classes)
    trust = np.array([np.bincount(codes, weight * s, minlength=n_classes) for s in scores])
    present_class = class_weight > 0.0
    least = (trust[:, present_class] / class_weight[present_class]).min(axis=1)
    return float(widths[np.argmax(least)])


def typical_distance(
    X: NDArray[np.float64], codes: NDArray[np.intp], weight: NDArray[np.float64], n_classes: int
) -> float:
    """Root mean square distance between two rows of the same class.

    Within a class it is twice the sum of the columns' variances; no pair is visited.
    """
    total = 0.0
    for c in range(n_classes):
        rows = codes == c
        if not rows.any():
            continue
        mean = np.average(X[rows], axis=0, weights=weight[rows])
        total += 2.0 * float(weight[rows] @ ((X[rows] - mean) ** 2).sum(axis=1))
    distance = float(np.sqrt(total / weight.sum()))
    return distance if distance > 1e-12 * float(np.abs(X).max()) else 0.0
