"""CPU time of PathSearchCV over a pipeline, against GridSearchCV over the same one.

Three tables of numbers with gaps and text, prepared by a ColumnTransformer (imputer, scaler,
one-hot encoder) in every fold; 200 settings, five folds, one thread. GridSearchCV is extrapolated
from random settings, and fold scores of these are compared: none may differ. With --whole it runs
all of them, which takes some minutes.

Run: python benchmarks/pipeline_search.py [--whole]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from _measure import verdict
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, ParameterGrid, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits

from broadlearn import BLSClassifier, PathSearchCV

FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)
SAMPLED = 12
# Rows, columns of numbers, levels of each column of text, classes.
TABLES = {
    "small": (1000, 6, (3, 2, 5), 2),
    "wide": (2000, 14, (4, 9, 2, 6, 15, 3), 2),
    "three classes": (3000, 8, (5, 3, 12, 40), 3),
}
PENALTIES = [10.0**k for k in range(-4, 6)]
GRIDS: dict[str, dict[str, list[Any]]] = {
    "settings of the model": {
        "model__C": PENALTIES,
        "model__n_enhancement_nodes": list(range(20, 201, 20)),
        "model__n_feature_nodes": [10, 20],
    },
    "settings of two steps": {
        "model__C": PENALTIES,
        "model__n_enhancement_nodes": list(range(20, 201, 20)),
        "prepare__numbers__impute__strategy": ["mean", "median"],
    },
}


def make_table(
    n_rows: int, n_numbers: int, levels: tuple[int, ...], n_classes: int
) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers of several scales, a tenth of them missing, and text; classes depend on both."""
    rng = np.random.default_rng(n_rows)
    numbers = rng.normal(size=(n_rows, n_numbers))
    codes = [rng.integers(0, n, n_rows) for n in levels]
    effect = np.sin(numbers[:, :3]).sum(axis=1) + 0.5 * numbers[:, 3] * numbers[:, 4]
    effect += sum(rng.normal(size=n)[code] for n, code in zip(levels, codes, strict=True))
    effect += 0.7 * rng.normal(size=n_rows)
    y = np.digitize(effect, np.quantile(effect, np.arange(1, n_classes) / n_classes))
    numbers = numbers * 10.0 ** rng.integers(-2, 4, n_numbers)
    numbers[rng.random(numbers.shape) < 0.1] = np.nan
    X = pd.DataFrame({f"number_{j}": column for j, column in enumerate(numbers.T)})
    for j, code in enumerate(codes):
        X[f"text_{j}"] = [f"level {c}" for c in code]
    return X, np.array(["low", "middle", "high"])[y]


def make_pipeline(X: pd.DataFrame) -> Pipeline:
    """Preparation of the columns and a model."""
    numbers = Pipeline([("impute", SimpleImputer()), ("scale", StandardScaler())])
    texts = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    names = [name for name in X if name.startswith("number")]
    others = [name for name in X if name not in names]
    prepare = ColumnTransformer([("numbers", numbers, names), ("texts", texts, others)])
    return Pipeline([("prepare", prepare), ("model", BLSClassifier(random_state=0))])


def cpu_time(call: Callable[[], Any]) -> tuple[float, Any]:
    """Processor time of a call, and what it gives."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def compare(table: str, kind: str, whole: bool) -> tuple[float, int]:
    """How many times less time ours takes, and how many fold scores differ."""
    X, y = make_table(*TABLES[table])
    model, grid = make_pipeline(X), GRIDS[kind]
    candidates = list(ParameterGrid(grid))
    some = np.arange(len(candidates))
    if not whole:
        some = np.random.default_rng(0).choice(some, SAMPLED, replace=False)
    one_each = [{name: [value] for name, value in candidates[i].items()} for i in some]
    ours, search = cpu_time(lambda: PathSearchCV(model, grid, cv=FOLDS, refit=False).fit(X, y))
    theirs, sample = cpu_time(
        lambda: GridSearchCV(model, one_each, cv=FOLDS, refit=False).fit(X, y)
    )
    theirs *= len(candidates) / len(some)
    keys = [f"split{k}_test_score" for k in range(5)]
    different = sum(
        int(np.count_nonzero(search.cv_results_[key][some] != sample.cv_results_[key]))
        for key in keys
    )
    rows = f"{len(X):,} rows"
    print(
        f"{table:<14} {rows:<11} {kind:<22} {len(candidates)} settings: {ours:6.2f} s, GridSearchCV"
        f" {theirs:7.1f} s ({len(some)} settings run), {different} of {5 * len(some)} differ",
        flush=True,
    )
    return theirs / ours, different


def main(whole: bool) -> None:
    ratios, different = {}, 0
    for table in TABLES:
        for kind in GRIDS:
            ratios[table, kind], found = compare(table, kind, whole)
            different += found
    verdict("fold scores that differ from GridSearchCV's", different, 0, at_least=False)
    for (table, kind), ratio in ratios.items():
        verdict(f"times faster than GridSearchCV: {table}, {kind}", ratio, 50, at_least=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main("--whole" in sys.argv)
