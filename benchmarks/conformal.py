"""Coverage and size of conformal sets and intervals of 90 %, against MAPIE with the same model.

MAPIE is `CrossConformalClassifier` with the LAC score and `CrossConformalRegressor` with absolute
residuals, 5 folds each: it uses all samples too, and fits the model five times for it. Splits are
drawn at random, 60 % to train on. Needs MAPIE, and the data sets of the study for eight of ten.

Run: python benchmarks/conformal.py [splits]     (6 if not given; some minutes each on one core)
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from _measure import data_folder, load_table, verdict
from mapie.classification import CrossConformalClassifier
from mapie.regression import CrossConformalRegressor
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.model_selection import ShuffleSplit
from threadpoolctl import threadpool_limits

from broadlearn import BroadEnsembleClassifier, BroadEnsembleRegressor

COVERAGE = 0.9
TABLES = (
    "breast_cancer_wisc",
    "credit_approval",
    "horse_colic",
    "mammographic",
    "monks_1",
    "pima",
    "tic_tac_toe",
)
# In the layout of their collection; four classes.
VEHICLE = "uci121/statlog-vehicle/statlog-vehicle_R.dat"


def data_sets() -> Iterator[tuple[str, np.ndarray, np.ndarray, bool]]:
    """Name, X, y, and whether y is a quantity."""
    folder = data_folder()
    if folder is None:
        print("there is no folder of data sets: two of ten are left")
    else:
        for name in TABLES:
            yield name, *load_table(folder / "uci28" / f"{name}.csv"), False
        table = np.loadtxt(folder / VEHICLE, skiprows=1)
        yield "statlog-vehicle", table[:, 1:-1], table[:, -1].astype(int), False
    yield "diabetes", *load_diabetes(return_X_y=True), True
    yield "friedman1", *make_friedman1(700, noise=1.0, random_state=0), True


def held_and_size(found: np.ndarray, y: np.ndarray, classes: np.ndarray) -> list[float]:
    """Share of sets or intervals that hold the truth, and their mean size."""
    if found.dtype == bool:
        own = np.searchsorted(classes, y)
        return [found[np.arange(y.size), own].mean(), found.sum(axis=1).mean()]
    low, high = found.T
    return [np.mean((low <= y) & (y <= high)), np.mean(high - low)]


def ours(model: Any, parts: list[np.ndarray]) -> tuple[list[float], list[float]]:
    """Coverage and size, and processor time of the fit and of the sets."""
    X, X_new, y, y_new = parts
    start = time.process_time()
    model.fit(X, y)
    fitted = time.process_time()
    is_regressor = hasattr(model, "predict_interval")
    predict = model.predict_interval if is_regressor else model.predict_set
    found = predict(X_new, COVERAGE)
    seconds = [fitted - start, time.process_time() - fitted]
    return held_and_size(found, y_new, np.unique(y)), seconds


def theirs(model: Any, parts: list[np.ndarray]) -> list[float]:
    """Coverage and size of MAPIE's."""
    X, X_new, y, y_new = parts
    if hasattr(model, "predict_interval"):
        rival = CrossConformalRegressor(model, confidence_level=COVERAGE, cv=5)
        found = rival.fit_conformalize(X, y).predict_interval(X_new)[1][:, :, 0]
        return held_and_size(found, y_new, np.unique(y))
    rival = CrossConformalClassifier(
        model, confidence_level=COVERAGE, conformity_score="lac", cv=5, random_state=0
    )
    found = rival.fit_conformalize(X, y).predict_set(X_new)[1][:, :, 0]
    return held_and_size(found.astype(bool), y_new, np.unique(y))


def main() -> None:
    n_splits = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    print(f"sets and intervals of {COVERAGE:.0%}, {n_splits} splits, 60 % to train on, one thread")
    ratios = []
    for name, X, y, is_quantity in data_sets():
        mine, times, rival = [], [], []
        for train, test in ShuffleSplit(n_splits, test_size=0.4, random_state=0).split(X):
            parts = [X[train], X[test], y[train], y[test]]
            kind = BroadEnsembleRegressor if is_quantity else BroadEnsembleClassifier
            with threadpool_limits(1):
                measured, seconds = ours(kind(random_state=0), parts)
                rival.append(theirs(kind(random_state=0), parts))
            mine.append(measured)
            times.append(seconds)
        (held, size), (fit, sets) = np.mean(mine, axis=0), np.mean(times, axis=0)
        their_held, their_size = np.mean(rival, axis=0)
        what = f"{name}: {len(y)} samples"
        verdict(f"{what}, coverage in %", 100 * held, 88, at_least=True)
        verdict(f"{what}, coverage in %", 100 * held, 92, at_least=False)
        verdict(f"{what}, fit and sets against fit", (fit + sets) / fit, 1.2, at_least=False)
        ratios.append(size / their_size)
        print(
            f"    mean size {size:.3f}, {ratios[-1]:.3f} of MAPIE's {their_size:.3f}, which cover "
            f"{their_held:.1%}"
        )
    verdict("mean size against MAPIE's, over all", float(np.mean(ratios)), 1, at_least=False)


if __name__ == "__main__":
    main()
