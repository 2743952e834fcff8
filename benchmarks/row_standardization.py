"""When standardised rows help and when they destroy: accuracies with and without, as a table.

Repeated stratified cross-validation; everything is learnt on training rows. BLS searches its
default grid and SVC its own on 3 inner folds; the ensemble has nothing to search. All three
standardise columns themselves, so the columns of the table say what is put before that: nothing,
RowStandardizer, or StandardScaler and RowStandardizer, in the order of the published study.

Run: python benchmarks/row_standardization.py [--datasets NAME[:VARIANT] ...] [--repeats 2]
"""

from __future__ import annotations

import argparse
from typing import Any

from sklearn.model_selection import (
    GridSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", nargs="+", default=DATASETS)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
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
