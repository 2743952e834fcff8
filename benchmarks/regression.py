"""Six regression tables: RMSE of the ensemble against boosting and forests.

Three splits, 70 % of the rows to learn and 30 % to judge, one core. RMSE is in deviations of the
target over the judged rows. All models have their default settings, and nothing of ours was chosen
on these tables. Friedman's three functions have 2,000 rows and noise of half the deviation that the
function has; the two last tables need the data folder.

Run: python benchmarks/regression.py
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
from _measure import data_folder
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from broadlearn import BroadEnsembleRegressor

SEEDS = 3


def tables() -> dict[str, tuple[Any, Any]]:
    """Return features and targets by name."""
    found: dict[str, tuple[Any, Any]] = {"diabetes": load_diabetes(return_X_y=True)}
    for make in (make_friedman1, make_friedman2, make_friedman3):
        X, y = make(2000, random_state=0)
        noise = np.random.default_rng(0).normal(0.0, 0.5 * y.std(), len(y))
        found[make.__name__.removeprefix("make_")] = (X, y + noise)
    folder = data_folder()
    if folder is None:
        print("Without the data folder: BROADLEARN_DATA is not set.")
        return found
    extra = folder / "extra"
    people = pd.read_csv(extra / "oasis_cross_sectional.csv")
    measures = people[["eTIV", "nWBV", "ASF"]].assign(is_male=people["M/F"] == "M")
    found["oasis: age"] = (measures.to_numpy(dtype=np.float64), people["Age"].to_numpy(float))
    adult = pd.read_csv(extra / "adult.csv").iloc[:5000].drop(columns="target")
    # Hours worked per week, standardised like all columns of this file.
    found["adult: hours"] = (adult.drop(columns="f13").to_numpy(), adult["f13"].to_numpy())
    return found


def make_models(seed: int) -> dict[str, Any]:
    """Return the models by name."""
    from catboost import CatBoostRegressor

    return {
        "ensemble": BroadEnsembleRegressor(random_state=seed),
        "CatBoost": CatBoostRegressor(
            verbose=0, thread_count=1, allow_writing_files=False, random_seed=seed
        ),
        "HistGradientBoosting": HistGradientBoostingRegressor(random_state=seed),
        "RandomForest": RandomForestRegressor(random_state=seed),
    }


def main() -> None:
    rows = []
    with threadpool_limits(1):
        for name, (X, y) in tables().items():
            for seed in range(SEEDS):
                known, new, target, truth = train_test_split(X, y, test_size=0.3, random_state=seed)
                for model_name, model in make_models(seed).items():
                    start = time.process_time()
                    model.fit(known, target)
                    error = np.sqrt(np.mean((model.predict(new) - truth) ** 2)) / truth.std()
                    rows.append((name, model_name, error, time.process_time() - start))
    found = pd.DataFrame(rows, columns=["data", "model", "rmse", "seconds"])
    for value in ("rmse", "seconds"):
        table = found.pivot_table(index="data", columns="model", values=value, sort=False)
        print(f"\n{value}\n{pd.concat([table, table.mean().rename('mean').to_frame().T]).round(3)}")


if __name__ == "__main__":
    main()
