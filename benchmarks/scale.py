"""Batches, growing models and tables on disk, against one fit in memory.

Run: python benchmarks/scale.py [rows]     (2,000,000 rows of 50 float32 columns if not given)
"""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from _measure import best_time, child, peak_memory_of, verdict

from broadlearn import BLSClassifier
from broadlearn.out_of_core.blocks import fit_blocks

N_ROWS, N_COLUMNS = 2_000_000, 50
FEATURES, ENHANCEMENTS = 64, 936


def make(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, N_COLUMNS), dtype=np.float32)
    return X, (X[:, 0] * X[:, 1] + 0.5 * rng.standard_normal(n) > 0).astype(np.int8)


def model(n_nodes: int = ENHANCEMENTS) -> BLSClassifier:
    return BLSClassifier(1, FEATURES, 1, n_nodes, random_state=0)


def write(folder: Path, n: int) -> None:
    X = np.lib.format.open_memmap(folder / "X.npy", "w+", np.float32, (n, N_COLUMNS))
    y = np.lib.format.open_memmap(folder / "y.npy", "w+", np.int8, (n,))
    step = 100_000
    for i, start in enumerate(range(0, n, step)):
        part = slice(start, min(start + step, n))
        X[part], y[part] = make(part.stop - start, i)


def read(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    X, y = (np.load(folder / name, mmap_mode="r") for name in ("X.npy", "y.npy"))
    return X, y


def memory_of_fit(folder: Path) -> None:
    """Print the peak memory that a fit from disk adds, mapped pages of the files included."""
    X, y = read(folder)
    print(peak_memory_of(lambda: fit_blocks(model(), X, y)))


def batches() -> None:
    X, y = make(10_000)
    X = X.astype(np.float64)
    expected = model().fit(X, y).decision_function(X)
    worst = 0.0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        cuts = np.sort(rng.choice(np.arange(1, len(X)), rng.integers(1, 6), replace=False))
        stream = model().warm_up(X, y)
        for rows in np.split(rng.permutation(len(X)), cuts):
            stream.partial_fit(X[rows], y[rows])
        worst = max(worst, float(np.abs(stream.decision_function(X) - expected).max()))
    print("10,000 rows in batches, 1,000 nodes")
    verdict("20 random batchings, largest difference in 1e-8", 1e8 * worst, 1, at_least=False)


def on_disk(n: int) -> None:
    print(f"{n:,} x {N_COLUMNS} float32 rows on disk, {FEATURES + ENHANCEMENTS} nodes")
    seconds = []
    for rows in (n // 10, n):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write(folder, rows)
            X, y = read(folder)
            seconds.append(best_time(partial(fit_blocks, model(), X, y), 1) / rows)
            if rows == n:
                memory = child(__file__, "--memory", name)
                in_memory = best_time(partial(model().fit, np.array(X), np.array(y)), 1) / rows
    verdict("peak memory of the fit, MB", memory, 1000, at_least=False)
    verdict("rows a second / those of a fit in memory", in_memory / seconds[1], 0.5, at_least=True)
    verdict(
        "time a row / that of a tenth of the rows", seconds[1] / seconds[0], 1.2, at_least=False
    )
    print(f"  ... {1.0 / seconds[1]:,.0f} rows a second")


if __name__ == "__main__":
    if "--memory" in sys.argv:
        memory_of_fit(Path(sys.argv[-1]))
    else:
        batches()
        on_disk(int(sys.argv[1]) if len(sys.argv) > 1 else N_ROWS)
