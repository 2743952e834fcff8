"""Pair sums estimated from a few samples drawn per class, where all pairs are too many."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from broadlearn.sample_scores.pairs import (
    BLOCK_ROWS,
    Outline,
    PairSums,
    kernel_chain,
    near_weights,
    negative_squared_distances,
    squared_input_radius,
)
from broadlearn.utils import Array

# Landmarks of each class, unless their number is given (benchmarks/landmarks.py).
LANDMARKS = 2000


def draw_landmarks(points: Outline, landmarks: int, rng: np.random.Generator) -> Array:
    """Draw `landmarks` samples of every class; return how often each was drawn.

    A class of at most `landmarks` samples is taken whole, with its weights, which makes its sums
    exact. Samples of equal weight are drawn without replacement; samples of unequal weight
    independently, with probability proportional to their weight.
    """
    drawn = np.zeros(points.weight.size)
    for start, stop in pairwise(points.bounds):
        weight = points.weight[start:stop]
        candidates = np.flatnonzero(weight > 0.0)
        if candidates.size <= landmarks:
            drawn[start:stop] = weight
        elif np.all(weight[candidates] == weight[candidates[0]]):
            drawn[start + rng.choice(candidates, landmarks, replace=False)] = 1.0
        else:
            drawn[start:stop] = rng.multinomial(landmarks, weight / weight.sum())
    return drawn


def landmark_pair_sums(
    points: Outline,
    drawn: Array,
    widths: Sequence[float],
    *,
    kernels: bool,
    radii: Sequence[float] | None,
) -> PairSums:
    """Return unbiased estimates of the sums of `symmetric_pair_sums` from landmarks.

    For sample i and class c, with V the number of landmarks of c that are not i itself and W_c the
    weight of the class without i, ``W_c / V * sum_b K(i, b)`` over those landmarks estimates the
    sum over the class without i; its own part, w_i, is known. Neighbour weights likewise. `drawn`
    counts how often each sample is a landmark, see `draw_landmarks`.
    """
    n = points.weight.size
    sums = PairSums(*np.zeros((3, len(widths), n)))
    chosen = np.flatnonzero(drawn > 0.0)
    class_of = np.repeat(np.arange(points.bounds.size - 1), np.diff(points.bounds))
    marked = class_of[chosen]
    runs = [np.flatnonzero(marked == c) for c in range(points.bounds.size - 1)]
    marks = points.piece(chosen)._replace(
        weight=drawn[chosen],
        blocks=[
            (c, slice(int(part[0]), int(part[-1]) + 1))
            for c, run in enumerate(runs)
            for part in np.array_split(run, -(-run.size // BLOCK_ROWS) or 1)
            if part.size
        ],
    )
    class_weight = np.add.reduceat(np.append(points.weight, 0.0), points.bounds[:-1]) * (
        np.diff(points.bounds) > 0
    )
    mark_weight = np.bincount(class_of[chosen], drawn[chosen], minlength=class_weight.size)
    distances, kernel = np.empty(BLOCK_ROWS**2), np.empty(BLOCK_ROWS**2)
    # Landmarks of equal weight are counted.
    flags = np.empty(BLOCK_ROWS**2 + 8 * BLOCK_ROWS, dtype=np.uint8)
    masks = [flags if np.unique(drawn[chosen[run]]).size == 1 else flags[:0] for run in runs]
    for class_i, rows in points.blocks:
        own, own_drawn = points.piece(rows), drawn[rows]
        own_weight, all_rows = own.weight, slice(0, own.weight.size)
        for class_j in range(class_weight.size):
            same_class = class_i == class_j
            if mark_weight[class_j] == 0.0 or not (same_class or radii is not None):
                continue
            kernel_sum = np.zeros((len(widths), own_weight.size))
            near_sum, mask = np.zeros_like(kernel_sum), masks[class_j]
            for _, columns in (block for block in marks.blocks if block[0] == class_j):
                norms = own.squared_norms[-1] + marks.squared_norms[columns.stop - 1]
                exact = widths if kernels and same_class else ()
                block = negative_squared_distances(own, all_rows, marks, columns, exact, distances)
                v = marks.weight[columns]
                buffer = kernel[: block.size].reshape(block.shape)
                if kernels and same_class:
                    for k, K in kernel_chain(block, widths, buffer):
                        kernel_sum[k] += K @ v
                if radii is not None:
                    for k, (mu, epsilon) in enumerate(zip(widths, radii, strict=True)):
                        nearest = -squared_input_radius(epsilon, mu, norms)
                        near_sum[k] += near_weights(block, nearest, None, v, mask, kernel)[0]
            if not same_class:
                sums.other[:, rows] += near_sum * (class_weight[class_j] / mark_weight[class_j])
                continue
            # A sample is taken out of its landmarks and put back with its true weight.
            others = mark_weight[class_j] - own_drawn
            rest, zeros = class_weight[class_j] - own_weight, np.zeros_like(others)
            ratio = np.divide(rest, others, out=zeros, where=others > 0.0)
            if kernels:
                sums.kernel[:, rows] = own_weight + ratio * (kernel_sum - own_drawn)
            if radii is not None:
                sums.own[:, rows] = own_weight + ratio * (near_sum - own_drawn)
    return sums
