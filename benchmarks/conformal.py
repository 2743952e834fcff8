"""Coverage and size of conformal sets and intervals of 90 %, against MAPIE with the same model.

MAPIE is `CrossConformalClassifier` with the LAC score and `CrossConformalRegressor` with absolute
residuals, 5 folds each: it uses all samples too, and fits the model five times for it. Splits are
drawn at random: 600 samples to train on, or 60 % of fewer than 1,000, and at most 3,000 of the
others to judge by, so that the coverage of a split is known to a point or two. Sizes are
compared on the first two splits. Nothing was chosen on these data sets. Needs MAPIE, and the data
sets of the study for nine of eleven.

Run: python benchmarks/conformal.py [splits]     (6 if not given; some minutes each on one core)
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from _measure import data_folder, verdict
from mapie.classification import CrossConformalClassifier
from mapie.regression import CrossConformalRegressor
from sklearn.datasets import make_friedman2, make_friedman3
from sklearn.model_selection import ShuffleSplit
from threadpoolctl import threadpool_limits

from broadlearn import BroadEnsembleClassifier, BroadEnsembleRegressor

COVERAGE = 0.9
MAX_TRAIN, MAX_TEST, SHARE = 600, 3000, 0.6
COMPARED_SPLITS = 2
TABLES = (
    "uci121/libras",
    "uci28-variants/spect__true_diagnosis_label_267.csv",
    "uci121/statlog-landsat",
    "uci121/optical",
    "uci121/twonorm",
    "uci28/spambase.csv",
    "extra/magic.csv",
    "extra/adult.csv",
    "extra/letter.csv",
)


def load(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """A table of numbers, its classes last: one file, or a folder of the collection."""
    if path.suffix == ".csv":
        table = np.loadtxt(path, delimiter=",", skiprows=1)
    else:
        files = sorted(path.glob("*_R.dat"))
        table = np.vstack([np.loadtxt(file, skiprows=1)[:, 1:] for file in files])
    return table[:, :-1], table[:, -1].astype(int)


def data_sets() -> Iterator[tuple[str, np.ndarray, np.ndarray, bool]]:
    """Name, X, y, and whether y is a quantity."""
    folder = data_folder()
    if folder is None:
        print("there is no folder of data sets: two of eleven are left")
    for name in TABLES if folder else ():
        yield Path(name).stem, *load(folder / name), False
    yield "friedman2", *make_friedman2(4000, noise=125.0, random_state=0), True
    yield "friedman3", *make_friedman3(4000, noise=0.1, random_state=0), True


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
    print(f"sets and intervals of {COVERAGE:.0%}, {n_splits} splits, one thread")
    ratios, coverages = [], []
    for name, X, y, is_quantity in data_sets():
        mine, times, rival = [], [], []
        n_train = min(MAX_TRAIN, int(SHARE * len(y)))
        n_test = min(MAX_TEST, len(y) - n_train)
        kind = BroadEnsembleRegressor if is_quantity else BroadEnsembleClassifier
        splitter = ShuffleSplit(n_splits, train_size=n_train, test_size=n_test, random_state=0)
        for train, test in splitter.split(X):
            # A class without training samples is in no set.
            test = test[is_quantity | np.isin(y[test], y[train])]
            parts = [X[train], X[test], y[train], y[test]]
            with threadpool_limits(1):
                measured, seconds = ours(kind(random_state=0), parts)
                if len(rival) < COMPARED_SPLITS:
                    rival.append(theirs(kind(random_state=0), parts))
            mine.append(measured)
            times.append(seconds)
        held, fit, sets = np.mean(mine, axis=0)[0], *np.mean(times, axis=0)
        size = float(np.mean(mine[:COMPARED_SPLITS], axis=0)[1])
        their_held, their_size = np.mean(rival, axis=0)
        what = f"{name}: {n_train} samples of {len(y)}"
        verdict(f"{what}, coverage in %", 100 * held, 88, at_least=True)
        verdict(f"{what}, coverage in %", 100 * held, 92, at_least=False)
        verdict(f"{what}, fit and sets against fit", (fit + sets) / fit, 1.2, at_least=False)
        coverages.append(held)
        ratios.append(size / their_size)
        print(
            f"    mean size {size:.3f}, {ratios[-1]:.3f} of MAPIE's {their_size:.3f}, which cover "
            f"{their_held:.1%}",
            flush=True,
        )
    print(f"coverages {min(coverages):.1%} to {max(coverages):.1%}, mean {np.mean(coverages):.1%}")
    print(f"sizes {min(ratios):.3f} to {max(ratios):.3f} of MAPIE's")
    verdict("mean size against MAPIE's, over all", float(np.mean(ratios)), 1, at_least=False)


if __name__ == "__main__":
    main()
