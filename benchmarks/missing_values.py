"""Missing values handled inside the models, beside imputation before them and boosted trees.

Of every table 20 % of the values are removed, (a) at random and (b) more often (30 %) in one half
of the classes than in the other (10 %), so that what is missing tells of the class. Accuracies are
means over repeated stratified 5-fold cross-validation; everything is learnt on training rows.

Wanted: on average over the tables, handling inside is not worse than
SimpleImputer(add_indicator=True) before the same model, by more than 0.3 points.

Run: python benchmarks/missing_values.py [--repeats 2]
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from broadlearn import BLSClassifier, BroadEnsembleClassifier
from broadlearn.study import load_dataset

DATASETS = (
    "statlog_heart",
    "breast_cancer_wisc",
    "credit_approval",
    "conn_bench_sonar_mines_rocks",
    "cylinder_bands",
    "pima",
    "oocytes_merluccius_nucleus_4d",
    "tic_tac_toe",
)
MODELS: dict[str, Any] = {
    "BLS": BLSClassifier(random_state=0),
    "ensemble": BroadEnsembleClassifier(random_state=0),
}
# Accuracy that handling inside may lose against imputation before the model.
TOLERANCE = 0.003


def remove(X: Any, y: Any, by_class: bool, seed: int = 0) -> Any:
    """X with some values missing."""
    share = np.full(len(y), 0.2)
    if by_class:
        share = np.where(np.unique(y, return_inverse=True)[1] % 2 == 1, 0.3, 0.1)
    removed = np.random.default_rng(seed).random(X.shape) < share[:, None]
    return np.where(removed, np.nan, X)


def contenders() -> dict[str, Any]:
    """Models by what becomes of missing values."""
    found: dict[str, Any] = {}
    for name, model in MODELS.items():
        found[f"{name}, inside"] = model
        for indicator in (True, False):
            imputer = SimpleImputer(add_indicator=indicator)
            label = "imputed with indicator" if indicator else "imputed"
            found[f"{name}, {label}"] = make_pipeline(imputer, model)
    found["boosting"] = HistGradientBoostingClassifier(random_state=0)
    return found


def main() -> None:
    """Print accuracies per table and their means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--datasets", nargs="+", default=DATASETS)
    arguments = parser.parse_args()
    models = contenders()
    for by_class in (False, True):
        print(f"\nremoved {'by class' if by_class else 'at random'}")
        print(f"{'':32}" + " ".join(f"{name:>32}" for name in models))
        rows = []
        for dataset in arguments.datasets:
            table = load_dataset(dataset)
            X, y = table.X, table.y
            X = remove(np.asarray(X, dtype=np.float64), y, by_class)
            cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=arguments.repeats, random_state=0)
            rows.append([cross_val_score(model, X, y, cv=cv).mean() for model in models.values()])
            print(f"{dataset:32}" + " ".join(f"{score:32.2%}" for score in rows[-1]), flush=True)
        means = dict(zip(models, np.mean(rows, axis=0), strict=True))
        print(f"{'mean':32}" + " ".join(f"{score:32.2%}" for score in means.values()))
        for name in MODELS:
            difference = means[f"{name}, inside"] - means[f"{name}, imputed with indicator"]
            verdict = "ok" if difference >= -TOLERANCE else "MISSED"
            print(f"{name}: inside less imputed with indicator {difference:+.2%}: {verdict}")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
