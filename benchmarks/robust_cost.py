"""CPU time of a fit of each robust or structural variant, as a multiple of plain BLS.

All have 300 nodes, and all run in this process: each ratio is of the least of several fits.

Run: python benchmarks/robust_cost.py [samples ...]     (1,000 and 20,000 if not given)
"""

from __future__ import annotations

import sys
import time

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import make_classification

from broadlearn import (
    BLSClassifier,
    CascadeBLSClassifier,
    FuzzyBLSClassifier,
    GraphBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
    RVFLClassifier,
    StackedBLSClassifier,
)

Q = 300
SCORES = ("correntropy", "huber", "residual_density", "held_out")
MEMBERS: dict[str, BaseEstimator] = {
    "BLS": BLSClassifier(n_enhancement_nodes=Q),
    "F-BLS": FuzzyBLSClassifier(n_enhancement_nodes=Q),
    "IF-BLS": IntuitionisticFuzzyBLSClassifier(n_enhancement_nodes=Q),
    **{f"BLS, {name}": BLSClassifier(n_enhancement_nodes=Q, sample_scores=name) for name in SCORES},
    **{
        f"cascade, {kind}": CascadeBLSClassifier(3, 20, 3, Q // 3, cascade=kind)
        for kind in ("features", "enhancements", "both")
    },
    "RVFL": RVFLClassifier(Q),
    "Graph BLS": GraphBLSClassifier(Q),
    "Stacked BLS, 3 blocks": StackedBLSClassifier(3, Q),
}


def cpu_times(X: np.ndarray, y: np.ndarray, repeats: int) -> dict[str, float]:
    """Return the least CPU time of several fits of each model; models take turns."""
    least = dict.fromkeys(MEMBERS, np.inf)
    for _ in range(repeats):
        for name, model in MEMBERS.items():
            start = time.process_time()
            clone(model).set_params(random_state=0).fit(X, y)
            least[name] = min(least[name], time.process_time() - start)
    return least


def main() -> None:
    for n in map(int, sys.argv[1:] or ("1000", "20000")):
        X, y = make_classification(n, 20, n_informative=10, flip_y=0.1, random_state=0)
        found = cpu_times(X, y, repeats=20 if n <= 5000 else 3)
        print(f"{n} samples of 20 features; BLS takes {found['BLS']:.3f} s")
        for name, seconds in found.items():
            print(f"  {name:24s} {seconds / found['BLS']:7.2f}")


if __name__ == "__main__":
    main()
