"""Cost of an ensemble against that of the search and the model that it comes from.

Run: python benchmarks/ensemble.py [rows of the search]     (2,000 rows of 20 columns if not given)
"""

from __future__ import annotations

import sys

import numpy as np
from _measure import best_time, verdict
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_limits

from broadlearn import IntuitionisticFuzzyBLSClassifier, PathSearchCV

ENSEMBLE = {"ensemble_size": 25, "n_draws": 3}
GRIDS = {"robust": "robust", "default": None}


def table(n: int) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(n, 20, n_informative=10, flip_y=0.1, random_state=0)


def search(grid: str | None, **options: int) -> PathSearchCV:
    return PathSearchCV(IntuitionisticFuzzyBLSClassifier(random_state=0), grid, **options)


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    X, y = table(n)
    rows, _ = table(100_000)
    default = IntuitionisticFuzzyBLSClassifier(random_state=0).fit(X, y)
    for name, grid in GRIDS.items():
        print(f"{name} grid on {n:,} rows of 20 columns, 5 folds, one thread")
        with threadpool_limits(1):
            single, ensemble = search(grid), search(grid, **ENSEMBLE)
            alone = best_time(lambda s=single: s.fit(X, y), 1)
            whole = best_time(lambda s=ensemble: s.fit(X, y), 1)
            what = "search and refit of 25 settings, up to 3 draws"
            verdict(what, whole / alone, 1.5, at_least=False)
            many = best_time(lambda s=ensemble: s.predict(rows), 3)
            one = best_time(lambda s=single: s.predict(rows), 3)
            what = "predict of 100,000 rows, against the best single model"
            verdict(what, many / one, 3, at_least=False)
            one = best_time(lambda: default.predict(rows), 3)
            print(f"  against the default model of 936 tanh nodes {many / one:.2f}")
            nodes = ensemble.best_estimator_.n_nodes_
            print(f"  {len(ensemble.ensemble_)} members, {nodes} distinct nodes; the best single ")
            print(f"  model has {single.best_params_['n_enhancement_nodes']}")


if __name__ == "__main__":
    main()
