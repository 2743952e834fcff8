"""CPU time and error of `explain` and `importances`.

The default ensemble is fitted to 1,000 rows of 14 columns; 1,000 other rows are explained. Times
stand beside those of predicting the same rows, and of scikit-learn's permutation importance, which
shuffles each column five times. The error is the mean distance of contributions from those against
all 1,000 rows, relative to their mean size: by `explain`, and with as many random background rows.

Run: python benchmarks/explain.py     (about a minute on one core)
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.inspection import permutation_importance
from threadpoolctl import threadpool_limits

from broadlearn import BLSClassifier, BroadEnsembleClassifier, explain, importances


def cpu_seconds(call: Callable[[], Any]) -> float:
    """CPU time of a call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def main() -> None:
    """Measure and print times and errors."""
    X, y = make_classification(2000, 14, n_informative=8, random_state=0)
    X, new, y, y_new = X[:1000], X[1000:], y[:1000], y[1000:]
    model = BroadEnsembleClassifier(random_state=0).fit(X, y)
    calls: dict[str, Callable[[], Any]] = {
        "predict_proba": lambda: model.predict_proba(new),
        "permutation importance": lambda: permutation_importance(model, new, y_new),
        "importances": lambda: importances(model, new),
        "explain, one row": lambda: explain(model, new[:1], X),
        "explain": lambda: explain(model, new, X),
    }
    for name, call in calls.items():
        taken = cpu_seconds(call)
        if name == "predict_proba":
            one = taken
        print(f"{name}: {taken:.2f} s, {taken / one:.0f} times predict_proba")

    model = BLSClassifier(random_state=0).fit(X, y)
    exact = explain(model, new[:30], X, n_background=len(X)).contributions.to_numpy()
    for n in (8, 16, 32, 64):
        errors = np.zeros(2)
        for seed in range(5):
            drawn = X[np.random.default_rng(seed).permutation(len(X))[:n]]
            for i, others in enumerate((X, drawn)):
                found = explain(model, new[:30], others, n_background=n, random_state=seed)
                errors[i] += np.abs(found.contributions - exact).to_numpy().mean() / 5
        errors /= np.abs(exact).mean()
        print(f"{n} background rows: error {errors[0]:.2f}, random ones {errors[1]:.2f}")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
