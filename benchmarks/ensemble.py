"""Cost of an ensemble against that of the search and the model that it comes from.

Run: python benchmarks/ensemble.py [samples]     (2,000 samples of 20 features if not given)
"""

from __future__ import annotations

import sys

import numpy as np
from _measure import best_time, verdict
from sklearn.base import clone
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_limits

from broadlearn import (
    BLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
    PathEnsembleClassifier,
    PathSearchCV,
)
from broadlearn.ensemble import ROBUST_GRID

GRIDS = {
    "robust": (BLSClassifier(), ROBUST_GRID),
    "default": (IntuitionisticFuzzyBLSClassifier(), None),
}


def table(n: int) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(n, 20, n_informative=10, flip_y=0.1, random_state=0)


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    X, y = table(n)
    many_samples, _ = table(100_000)
    default = IntuitionisticFuzzyBLSClassifier(random_state=0).fit(X, y)
    for name, (estimator, grid) in GRIDS.items():
        print(f"{name} grid on {n:,} samples of 20 features, 5 folds, one thread")
        with threadpool_limits(1):
            single = PathSearchCV(clone(estimator).set_params(random_state=0), grid)
            ensemble = PathEnsembleClassifier(estimator, grid, random_state=0)
            alone = best_time(lambda s=single: s.fit(X, y), 1)
            whole = best_time(lambda e=ensemble: e.fit(X, y), 1)
            what = "search and fit of 25 candidates, up to 3 draws"
            verdict(what, whole / alone, 1.5, at_least=False)
            many = best_time(lambda e=ensemble: e.predict(many_samples), 3)
            one = best_time(lambda s=single: s.predict(many_samples), 3)
            what = "predict of 100,000 samples, against the best single model"
            verdict(what, many / one, 3, at_least=False)
            one = best_time(lambda: default.predict(many_samples), 3)
            print(f"  against the default model of 936 tanh nodes {many / one:.2f}")
            print(
                f"  {len(ensemble.members_)} members, {ensemble.n_nodes_} distinct nodes; the best "
                f"single model has {single.best_params_['n_enhancement_nodes']}"
            )


if __name__ == "__main__":
    main()
