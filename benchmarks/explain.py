"""CPU time of `explain`, against scikit-learn's permutation importance of the same rows.

The default ensemble is fitted to 1,000 rows of 14 columns, and 1,000 other rows are explained.
Permutation importance shuffles each column five times (scikit-learn's default) and gives one figure
per column; `explain` gives one per row and column.

Run: python benchmarks/explain.py     (about a minute on one core)
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from sklearn.datasets import make_classification
from sklearn.inspection import permutation_importance
from threadpoolctl import threadpool_limits

from broadlearn import BroadEnsembleClassifier, explain


def cpu_seconds(call: Callable[[], Any]) -> float:
    """CPU time of a call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def main() -> None:
    """Measure and print both times and their ratio."""
    X, y = make_classification(2000, 14, n_informative=8, random_state=0)
    model = BroadEnsembleClassifier(random_state=0).fit(X[:1000], y[:1000])
    shuffled = cpu_seconds(lambda: permutation_importance(model, X[1000:], y[1000:]))
    print(f"permutation importance of 1,000 rows: {shuffled:.1f} s")
    one = cpu_seconds(lambda: explain(model, X[1000:1001], X[:1000]))
    print(f"explain, one row: {one:.2f} s")
    for n_background in (8, 32):
        taken = cpu_seconds(
            lambda n=n_background: explain(model, X[1000:], X[:1000], n_background=n)
        )
        print(
            f"explain, 1,000 rows against {n_background}: {taken:.1f} s, {taken / shuffled:.1f} x"
        )


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
