"""A sparse table: time and memory of a fit, against the memory that the dense table would take.

Wanted: fitting 20,000 x 5,000 with one entry in a thousand adds at most a quarter of the dense 800
MB at its peak, and decisions of a smaller table equal those of the dense one to 1e-10.

Run: python benchmarks/sparse_matrices.py
"""

from __future__ import annotations

import time

import numpy as np
from _measure import peak_memory_of
from scipy.sparse import random_array
from threadpoolctl import threadpool_limits

from broadlearn import BLSClassifier

ROWS, COLUMNS, DENSITY = 20_000, 5_000, 0.001
MAX_PART, MAX_DIFFERENCE = 0.25, 1e-10


def main() -> None:
    """Print figures and verdicts."""
    rng = np.random.default_rng(0)
    X = random_array((ROWS, COLUMNS), density=DENSITY, rng=rng, format="csr")
    y = (X[:, :500].sum(axis=1) > X[:, 500:1000].sum(axis=1)).astype(int)
    model = BLSClassifier(random_state=0)
    start = time.process_time()
    added, dense = peak_memory_of(lambda: model.fit(X, y)), 8.0 * ROWS * COLUMNS / 1e6
    seconds = time.process_time() - start
    verdict = "ok" if added <= MAX_PART * dense else "MISSED"
    print(f"fit of {ROWS} x {COLUMNS}: {seconds:.1f} s of processor time")
    print(
        f"  {added:.0f} MB more at its peak, dense X {dense:.0f} MB, {added / dense:.2f}: {verdict}"
    )
    few, labels = X[:1000, :500], y[:1000]
    sparse, whole = (
        BLSClassifier(random_state=0).fit(rows, labels).decision_function(rows)
        for rows in (few, few.toarray())
    )
    difference = float(np.abs(sparse - whole).max())
    verdict = "ok" if difference <= MAX_DIFFERENCE else "MISSED"
    print(f"largest difference of decisions from the dense table: {difference:.1e}: {verdict}")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
