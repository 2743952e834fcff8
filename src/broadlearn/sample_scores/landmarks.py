"""Pair sums estimated from a few samples drawn per class, where all pairs are too many."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from broadlearn.sample_scores.pairs import (
    BLOCK_ROWS,
    PairSums,
    Piece,
    Points,
    kernel_chain,
    near_weights,
    negative_squared_distances,
    thresholds,
)
from broadlearn.utils import Array

# Landmarks of each class, unless their number is given (benchmarks/landmarks.py).
LANDMARKS = 2000


def draw_landmarks(points: Points, landmarks: int, rng: np.random.Generator) -> Array:
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


class Marks(NamedTuple):
    """Landmarks of a class; as their weight, `pieces` have how often each was drawn."""

    pieces: list[Piece]
    n_drawn: float
    class_weight: float
    equal: bool


def landmark_pair_sums(
    points: Points,
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
    sums = PairSums(*np.zeros((3, len(widths), points.weight.size)))
    marks = [_marks(points, drawn, *ends) for ends in pairwise(points.bounds.tolist())]
    distances, kernel = np.empty((2, BLOCK_ROWS**2))
    # Landmarks of equal weight are counted.
    flags = np.empty(BLOCK_ROWS**2 + 8 * BLOCK_ROWS, dtype=np.uint8)
    for class_i, rows in points.blocks:
        own, own_drawn = points.piece(rows), drawn[rows]
        for class_j, mark in enumerate(marks):
            same_class = class_i == class_j
            if not mark.pieces or not (same_class or radii is not None):
                continue
            kernel_sum, near_sum = np.zeros((2, len(widths), own.weight.size))
            mask = flags if mark.equal else flags[:0]
            exact = widths if kernels and same_class else ()
            for piece in mark.pieces:
                block = negative_squared_distances(own, piece, exact, distances)
                buffer = kernel[: block.size].reshape(block.shape)
                for k, K in kernel_chain(block, exact, buffer):
                    kernel_sum[k] += K @ piece.weight
                if radii is not None:
                    for k, nearest in enumerate(thresholds(own, piece, widths, radii)):
                        near = near_weights(block, nearest, None, piece.weight, mask, kernel)
                        near_sum[k] += near[0]
            if not same_class:
                sums.other[:, rows] += near_sum * (mark.class_weight / mark.n_drawn)
                continue
            # A sample is taken out of its landmarks and put back with its true weight.
            others, rest = mark.n_drawn - own_drawn, mark.class_weight - own.weight
            ratio = np.divide(rest, others, out=np.zeros_like(others), where=others > 0.0)
            if kernels:
                sums.kernel[:, rows] = own.weight + ratio * (kernel_sum - own_drawn)
            if radii is not None:
                sums.own[:, rows] = own.weight + ratio * (near_sum - own_drawn)
    return sums


def _marks(points: Points, drawn: Array, start: int, stop: int) -> Marks:
    """Return the landmarks among the points of a class."""
    chosen = start + np.flatnonzero(drawn[start:stop] > 0.0)
    parts = np.array_split(chosen, -(-chosen.size // BLOCK_ROWS)) if chosen.size else []
    pieces = [points.piece(part)._replace(weight=drawn[part]) for part in parts]
    class_weight, equal = points.weight[start:stop].sum(), np.unique(drawn[chosen]).size == 1
    return Marks(pieces, float(drawn[chosen].sum()), float(class_weight), equal)
