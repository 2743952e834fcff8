"""When standardised rows help and when they destroy: accuracies with and without, as a table.

Repeated stratified cross-validation; everything is learnt on training rows. BLS searches its
default grid and SVC its own on 3 inner folds; the ensemble has nothing to search. All three
standardise columns themselves, so the columns of the table say what is put before that: nothing,
RowStandardizer, or StandardScaler and RowStandardizer, in the order of the published study.

With --check it prints instead why 100 % on the raw curves of hill_valley is no leak, and what
scaling their columns does.

Run: python benchmarks/row_standardization.py [--datasets NAME[:VARIANT] ...] [--check]
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from sklearn.model_selection import (
    GridSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from broadlearn import BLSClassifier, BroadEnsembleClassifier, PathSearchCV, RowStandardizer
from broadlearn.study import load_dataset

DATASETS = [
    "hill_valley:rawjoined",
    "hill_valley:zjoined",
    "conn_bench_sonar_mines_rocks",
    "statlog_heart",
    "pima",
    "breast_cancer_wisc",
]
INNER = StratifiedKFold(3, shuffle=True, random_state=0)
SVC_GRID = {
    "svc__C": [0.1, 1.0, 10.0, 100.0, 1000.0],
    "svc__gamma": ["scale", 0.001, 0.01, 0.1, 1.0],
}
MODELS: dict[str, Any] = {
    "BLSClassifier": PathSearchCV(BLSClassifier(random_state=0), cv=INNER),
    "BroadEnsembleClassifier": BroadEnsembleClassifier(random_state=0),
    "SVC": GridSearchCV(make_pipeline(StandardScaler(), SVC()), SVC_GRID, cv=INNER),
}
FORMS: dict[str, Any] = {
    "nothing": "passthrough",
    "rows": RowStandardizer(),
    "columns, rows": make_pipeline(StandardScaler(), RowStandardizer()),
}


def check_curves() -> None:
    """Look for a leak in hill_valley, and for the harm that scaled columns do."""
    data = load_dataset("hill_valley", "rawjoined")
    X, y, half = data.X, data.y, len(data.y) // 2
    Z = RowStandardizer().fit_transform(X)
    folds, svc = StratifiedKFold(5, shuffle=True, random_state=1), SVC(C=100.0)
    permuted = np.random.default_rng(0).permutation(y)
    rows, columns_rows = (make_pipeline(FORMS[f], StandardScaler(), svc) for f in list(FORMS)[1:])
    right = cross_val_predict(columns_rows, X, y, cv=folds) == y
    small = X.mean(axis=1) <= np.quantile(X.mean(axis=1), 0.25)
    one_scale = (X - X.mean()) / X.std()
    figures = {
        "copies among raw and among standardised rows": sum(
            len(A) - len(np.unique(A, axis=0)) for A in (X, Z)
        ),
        "sign of the skewness": 100 * np.mean(((Z**3).mean(axis=1) > 0) == y),
        "first file to second": 100 * svc.fit(Z[:half], y[:half]).score(Z[half:], y[half:]),
        "second file to first": 100 * svc.fit(Z[half:], y[half:]).score(Z[:half], y[:half]),
        "permuted labels": 100 * cross_val_score(svc, Z, permuted, cv=folds).mean(),
        "rows": 100 * cross_val_score(rows, X, y, cv=folds).mean(),
        "one scale, rows": 100 * cross_val_score(rows, one_scale, y, cv=folds).mean(),
        "columns, rows": 100 * right.mean(),
        "columns, rows: quarter of the smallest level": 100 * right[small].mean(),
    }
    for name, figure in figures.items():
        print(f"{name:<50} {figure:6.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", nargs="+", default=DATASETS)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if arguments.check:
        return check_curves()
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=arguments.repeats, random_state=0)
    print(f"| data set | model | {' | '.join(FORMS)} |")
    print("| --- | --- | ---: | ---: | ---: |")
    for dataset in arguments.datasets:
        name, _, variant = dataset.partition(":")
        data = load_dataset(name, variant or None)
        for label, model in MODELS.items():
            cells = []
            for form in FORMS.values():
                candidate = Pipeline([("rows", form), ("model", model)])
                with threadpool_limits(1):
                    found = cross_val_score(
                        candidate, data.X, data.y, cv=folds, n_jobs=arguments.jobs
                    )
                cells.append(f"{100 * found.mean():.1f}")
            print(f"| {dataset} | {label} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
