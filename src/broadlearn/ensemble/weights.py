"""Sample weights that are not copies, such as class weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from broadlearn.utils import Array


def temper_weights(weight: Array, codes: NDArray[np.intp]) -> tuple[Array, Array]:
    """Return weights with the square root of the class weights, and without class weights.

    The weight of a class is the mean weight of its samples. With full weights, least squares
    follows the few samples of a rare class. With their square roots it ranks samples better
    (benchmarks/imbalance.py); the decision threshold is learnt from held-out decisions.

    Examples
    --------
    >>> import numpy as np
    >>> fitted, counted = temper_weights(np.array([0.5, 0.5, 0.5, 4.0]), np.array([0, 0, 0, 1]))
    >>> fitted.round(2), counted.round(2)
    (array([0.83, 0.83, 0.83, 2.35]), array([1.38, 1.38, 1.38, 1.38]))
    """
    sums, sizes = np.bincount(codes, weights=weight), np.bincount(codes)
    of_class = (sums / sizes / weight.mean())[codes]
    return weight / np.sqrt(of_class), weight / of_class


def draw_heavy(
    weight: Array, size: int, generator: np.random.Generator
) -> tuple[NDArray[np.intp], Array]:
    """Draw samples with probabilities by weight; return positions and weights that correct for it.

    A uniform draw would hardly contain the few samples of a rare class.

    Examples
    --------
    >>> import numpy as np
    >>> rows, weight = draw_heavy(np.repeat([1.0, 50.0], [98, 2]), 20, np.random.default_rng(0))
    >>> rows[-2:], weight[-2:].round(2), round(weight.sum())
    (array([98, 99]), array([0.2, 0.2]), 20)
    """
    likely: Array = np.zeros(len(weight))
    certain = np.zeros(len(weight), dtype=np.bool_)
    while True:
        rest = size - np.count_nonzero(certain)
        likely = np.where(certain, 1.0, rest * weight / weight[~certain].sum())
        if not (likely > 1.0).any():
            break
        certain |= likely >= 1.0
    order = generator.permutation(len(weight))
    ends = np.cumsum(likely[order])
    # Rounding must not move the last point beyond the last sample.
    points = (generator.random() + np.arange(size)) * (ends[-1] / size)
    rows = np.sort(order[np.searchsorted(ends, points, side="right").clip(max=len(weight) - 1)])
    return rows, size / len(weight) / likely[rows]


def heavy_first(weight: Array, generator: np.random.Generator) -> NDArray[np.intp]:
    """Return a random order of all samples in which heavy ones tend to come first.

    Examples
    --------
    >>> import numpy as np
    >>> heavy_first(np.repeat([1.0, 1e6], [98, 2]), np.random.default_rng(0))[:2].tolist()
    [99, 98]
    """
    return np.argsort(generator.standard_exponential(len(weight)) / weight)
