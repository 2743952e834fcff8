"""Speed and memory of intuitionistic scores, against direct evaluation and bare block products.

Run: python benchmarks/scores.py [samples]     (20,000 samples of 50 features if not given)
"""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
from _measure import best_time, child, peak_memory_of, verdict

from broadlearn.sample_scores import intuitionistic_scores
from broadlearn.sample_scores.pairs import BLOCK_ROWS

WIDTHS = 2.0 ** np.arange(-5, 6)


def make(n: int, d: int = 50) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)), rng.integers(0, 2, n)


def direct(X: np.ndarray, y: np.ndarray, mu: float, delta: float = 1e-4) -> np.ndarray:
    """The equations with rows x rows matrices."""
    norms = (X * X).sum(axis=1)
    K = np.exp(-np.maximum(norms[:, None] + norms - 2.0 * X @ X.T, 0.0) / mu**2)
    distance, radius = np.empty(len(X)), np.empty(len(X))
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        within = K[np.ix_(rows, rows)]
        distance[rows] = np.sqrt(1.0 + within.mean() - 2.0 * within.mean(axis=1))
        radius[rows] = distance[rows].max()
    theta = 1.0 - distance / (radius + delta)
    near = np.sqrt(np.maximum(2.0 - 2.0 * K, 0.0)) <= radius.max()
    foreign = y[:, None] != y[None, :]
    nu = (1.0 - theta) * (near & foreign).sum(axis=1) / near.sum(axis=1)
    return np.where(nu == 0, theta, np.where(theta <= nu, 0, (1 - nu) / (2 - theta - nu)))


def bare_products(X: np.ndarray) -> None:
    """``X @ X.T`` by the same blocks, upper half, and one exp per pair."""
    buffer = np.empty((BLOCK_ROWS, BLOCK_ROWS))
    starts = range(0, len(X), BLOCK_ROWS)
    for i in starts:
        for j in starts[i // BLOCK_ROWS :]:
            left, right = X[i : i + BLOCK_ROWS], X[j : j + BLOCK_ROWS]
            # A copy, or NumPy would halve the diagonal blocks.
            right = right.copy() if i == j else right
            block = np.matmul(left, right.T, out=buffer[: len(left), : len(right)])
            np.exp(block, out=block)


def time_of(n: int, landmarks: int | None) -> float:
    X, y = make(n)
    return best_time(partial(intuitionistic_scores, X, y, kernel_width=4.0, landmarks=landmarks))


def memory_of(n: int) -> None:
    X, y = make(n)
    intuitionistic_scores(X[:600], y[:600], kernel_width=4.0)
    print(peak_memory_of(lambda: intuitionistic_scores(X, y, kernel_width=4.0, landmarks=None)))


def main(n: int) -> None:
    X, y = make(n)
    X *= 0.2  # so that exp of the bare products neither overflows nor vanishes
    mu = 4.0 * 0.2
    scored = partial(intuitionistic_scores, X, y, landmarks=None)
    one = best_time(lambda: scored(kernel_width=mu))
    eleven = best_time(lambda: scored(kernel_width=0.2 * WIDTHS), 2)
    bare = best_time(lambda: bare_products(X))
    plain = best_time(lambda: direct(X, y, mu), 1)
    print(f"Intuitionistic scores, {n:,} x 50, two classes, exact")
    verdict("direct N x N evaluation / ours", plain / one, 8.0, at_least=True)
    verdict("ours / bare block products with one exp per pair", one / bare, 2.5, at_least=False)
    verdict("eleven widths / one width", eleven / one, 6.0, at_least=False)
    difference = np.abs(scored(kernel_width=mu).score - direct(X, y, mu)).max()
    verdict(
        "largest difference from the direct evaluation, in 1e-9",
        1e9 * difference,
        1,
        at_least=False,
    )
    for landmarks, limit in ((None, 6.0), (500, 3.0)):
        growth = time_of(2 * n, landmarks) / time_of(n, landmarks)
        kind = "all pairs" if landmarks is None else f"{landmarks} landmarks"
        verdict(f"time at {2 * n:,} / {n:,} samples, {kind}", growth, limit, at_least=False)
    memory = child(__file__, "--memory", str(5 * n))
    verdict(f"memory above the data at {5 * n:,} x 50, MB", memory, 300, at_least=False)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--memory"]:
        memory_of(int(sys.argv[2]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
