"""Search and fit of the flagship against tuned rivals: time, memory and prediction, in one run.

Each row is a table of 20 columns, two classes and 10 % flipped labels. Rivals: SVC over 25 settings
and 5 folds, RandomForest(500), HistGradientBoosting over 20 settings and 5 folds, CatBoost at
defaults (where installed). Times are of one core, in processor seconds; SVC is left out beyond
`--svc-rows` and HistGradientBoosting is tuned on one fold there. Aims: at most the time of
CatBoost at every size, prediction of 10,000 rows within that of RandomForest(500), memory below
1 GB.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import loguniform
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from broadlearn import BroadEnsembleClassifier

N_NEW = 10_000
ROWS = [500, 1000, 3000, 10_000, 50_000, 100_000]


def table(n_rows: int, seed: int = 0) -> tuple[Any, Any, Any, Any]:
    """Rows to learn and rows to predict."""
    X, y = make_classification(
        n_rows + N_NEW, 20, n_informative=8, n_clusters_per_class=4, flip_y=0.1, random_state=seed
    )
    return X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:]


def tuned_svc(n_rows: int) -> Any:
    grid = {"svc__C": [0.1, 1, 10, 100, 1000], "svc__gamma": [0.002, 0.01, 0.05, 0.2, 1.0]}
    return GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=5)


def tuned_boosting(n_rows: int) -> Any:
    settings = {
        "learning_rate": loguniform(0.02, 0.3),
        "max_leaf_nodes": [7, 15, 31, 63],
        "min_samples_leaf": [5, 20, 50],
    }
    folds = 5 if n_rows <= 3000 else ShuffleSplit(1, test_size=0.2, random_state=0)
    model = HistGradientBoostingClassifier(random_state=0)
    return RandomizedSearchCV(model, settings, n_iter=20, cv=folds, random_state=0)


def catboost(n_rows: int) -> Any:
    from catboost import CatBoostClassifier

    return CatBoostClassifier(verbose=0, thread_count=1, allow_writing_files=False, random_seed=0)


MODELS: dict[str, Callable[[int], Any]] = {
    "flagship": lambda n_rows: BroadEnsembleClassifier(random_state=0),
    "tuned SVC": tuned_svc,
    "RandomForest(500)": lambda n_rows: RandomForestClassifier(500, random_state=0),
    "tuned HistGradientBoosting": tuned_boosting,
    "CatBoost": catboost,
}


def timed(work: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """The result, and the processor time."""
    start = time.process_time()
    result = work(*arguments)
    return result, time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--svc-rows", type=int, default=3000)
    arguments = parser.parse_args()
    print(f"{'rows':>7} {'model':<27} {'fit s':>8} ratio  predict  ratio    acc")
    with threadpool_limits(1):
        for n_rows in arguments.rows:
            X, y, new, truth = table(n_rows)
            own: tuple[float, float] | None = None
            for name in arguments.models:
                if name == "tuned SVC" and n_rows > arguments.svc_rows:
                    continue
                try:
                    model = MODELS[name](n_rows)
                except ImportError:
                    print(f"{n_rows:>7} {name:<27} not installed")
                    continue
                model, fit_time = timed(model.fit, X, y)
                labels, predict_time = timed(model.predict, new)
                own = own or (fit_time, predict_time)
                accuracy = 100 * float(np.mean(np.asarray(labels).ravel() == truth))
                print(
                    f"{n_rows:>7} {name:<27} {fit_time:8.2f} {own[0] / fit_time:6.2f} "
                    f"{predict_time:8.3f} {own[1] / predict_time:6.2f} {accuracy:6.2f}",
                    flush=True,
                )
                if name == "flagship":
                    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
                    print(f"{'':>7} memory of the process so far: {used:.2f} GB of 1", flush=True)


if __name__ == "__main__":
    main()
