"""CPU time of PathSearchCV on the published grids, against fitting each setting.

One thread. The rivals are extrapolated from random settings: "plain" builds the whole design matrix
and calls `numpy.linalg.solve`, with scores given; "GridSearchCV" fits our own estimator, which
already rotates surplus feature nodes away. Accuracies of the sampled settings are compared too.

Fresh draws are timed on 64 of the 1,210 sizes of the published IF-BLS grid (released map,
credit_approval, rows standardised after columns) and compared with single fits.

`--ways` searches with each special way switched off, on part of the published grid of IF-BLS (12 of
110 numbers of feature nodes), with the default grid, and with fresh draws.

Run: python benchmarks/search.py [--quick | --ways]
"""

from __future__ import annotations

import sys
import time
import warnings
from contextlib import nullcontext
from unittest.mock import patch

import numpy as np
from _measure import child, data_folder, load_table, peak_memory_of
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from threadpoolctl import threadpool_limits

from broadlearn import (
    BLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
    PathSearchCV,
    RowStandardizer,
)
from broadlearn.random_features.draws import draw_enhancement_weights, draw_feature_weights
from broadlearn.registry import STUDY_NODES
from broadlearn.sample_scores import intuitionistic_scores
from broadlearn.search import weighted_sums
from broadlearn.search.grid import PAPER
from broadlearn.solvers import path
from broadlearn.utils import draw_seed

NAMES = {
    "credit_approval": "credit_approval",
    "tic_tac_toe": "tic_tac_toe",
    "sonar": "conn_bench_sonar_mines_rocks",
    "musk_1": "musk_1",
    "spambase": "spambase",
}
# Standardised as one would write it: outlying values are not bounded.
PLAIN = {**STUDY_NODES, "standardize": True, "random_state": 0}
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)


def cpu_time(call):
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def plain_fit(X, t, X_test, t_test, scores, A, W, C):
    """One fit and its test accuracy, as one would write it from the equations."""
    low, high = (X @ A).min(axis=0), (X @ A).max(axis=0)

    def design(rows):
        F = 2 * (rows @ A - low) / (high - low) - 1
        return np.hstack([F, np.tanh(1.5 * (F @ W[:-1] + W[-1]))])

    G = design(X)
    scored = G * scores[:, None]
    M = scored.T @ scored + np.eye(G.shape[1]) / C
    w = np.linalg.solve(M, scored.T @ (scores * t))
    return np.mean((design(X_test) @ w > 0) == (t_test > 0))


def plain_times(X, y, settings, seed):
    """CPU time and accuracy of plain fits of (setting, fold) pairs; draws and scores are given."""
    folds = list(FOLDS.split(X, y))
    seconds, accuracies = [], []
    for setting, f in settings:
        train, test = folds[f]
        mean, scale = X[train].mean(axis=0), X[train].std(axis=0)
        scale[scale == 0] = 1.0
        Z = (X - mean) / scale
        scores = np.ones(train.size)
        if "kernel_width" in setting:
            width = setting["kernel_width"]
            scores = intuitionistic_scores(Z[train], y[train], kernel_width=width).score
        Z = np.c_[Z, np.ones(len(Z))]
        t = 2.0 * y - 1.0
        m, p = setting["n_feature_groups"], setting["n_feature_nodes"]
        A = draw_feature_weights(draw_seed(seed), m, p, X.shape[1], orthonormal=True)
        W = draw_enhancement_weights(draw_seed(seed), 1, setting["n_enhancement_nodes"], m * p)
        spent, accuracy = cpu_time(
            lambda train=train, test=test, t=t, Z=Z, A=A, W=W, s=scores, C=setting["C"]: plain_fit(
                Z[train], t[train], Z[test], t[test], s, A, W, C
            )
        )
        seconds.append(spent)
        accuracies.append(accuracy)
    return np.mean(seconds), np.array(accuracies)


def compare(name, X, y, model, n_plain, n_grid):
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitFailedWarning)
        ours, search = cpu_time(
            lambda: PathSearchCV(model, "paper", cv=FOLDS, refit=False).fit(X, y)
        )
    results = search.cv_results_
    fits = len(results["params"]) * 5
    usable = np.flatnonzero(np.isfinite(results["mean_test_score"]))
    chosen = rng.choice(usable, n_plain)
    folds = rng.integers(0, 5, n_plain)
    pairs = [(results["params"][i], f) for i, f in zip(chosen, folds, strict=True)]
    plain, accuracies = plain_times(X, y, pairs, model.random_state)
    found = [results[f"split{f}_test_score"][i] for i, f in zip(chosen, folds, strict=True)]
    differ = np.count_nonzero(np.abs(found - accuracies) > 1e-12)
    chosen = rng.choice(usable, n_grid, replace=False)
    grid = [{k: [v] for k, v in results["params"][i].items()} for i in chosen]
    spent, reference = cpu_time(lambda: GridSearchCV(model, grid, cv=FOLDS, refit=False).fit(X, y))
    for f in range(5):
        key = f"split{f}_test_score"
        differ += np.count_nonzero(reference.cv_results_[key] != results[key][chosen])
    kind = "IF-BLS" if isinstance(model, IntuitionisticFuzzyBLSClassifier) else "BLS"
    print(
        f"{name:<16} {kind:<7} {fits:8,d} {ours:9.1f} {fits / ours:10,.0f}"
        f" {plain * fits / ours:10,.0f} {spent / (5 * n_grid) * fits / ours:13,.0f} {differ:10d}",
        flush=True,
    )


def memory_of_search() -> None:
    X, y = load_table(data_folder() / "uci28" / "spambase.csv")
    model = IntuitionisticFuzzyBLSClassifier(**PLAIN)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", FitFailedWarning)
        search = PathSearchCV(model, "paper", cv=FOLDS, refit=False)
        print(peak_memory_of(lambda: search.fit(X, y)))


def compare_fresh_draws(X, y, n_fits=100):
    """Time fresh draws of the released map, and repeat some of the fits alone."""
    Z = RowStandardizer().fit_transform((X - X.mean(axis=0)) / X.std(axis=0))
    search, rng, folds = fresh_search(4), np.random.default_rng(0), list(FOLDS.split(Z, y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitFailedWarning)
        ours, _ = cpu_time(lambda: search.fit(Z, y))
    results, same, spent = search.cv_results_, 0, 0.0
    for i in rng.choice(len(results["params"]), n_fits, replace=False):
        f = int(rng.integers(len(folds)))
        train, test = folds[f]
        state = int(results[f"split{f}_random_state"][i])
        single = clone(search.estimator).set_params(**results["params"][i], random_state=state)
        try:
            seconds, _ = cpu_time(lambda m=single, rows=train: m.fit(Z[rows], y[rows]))
            accuracy, spent = single.score(Z[test], y[test]), spent + seconds
        except ValueError:
            accuracy = np.nan
        same += np.array_equal(accuracy, results[f"split{f}_test_score"][i], equal_nan=True)
    one_by_one = spent / n_fits * len(results["params"]) * len(folds)
    print(
        f"fresh draws, 64 sizes: {ours:.1f} s ({ours * 1210 / 64:.0f} s for all 1,210), "
        f"{one_by_one / ours:.0f} times less than single fits; {same} of {n_fits} accuracies equal"
    )


def fresh_search(n_values):
    """Search of `n_values` of each size of the published IF-BLS grid, with fresh draws."""
    rng = np.random.default_rng(0)
    grid = {name: PAPER[name] for name in ("C", "kernel_width")}
    for name in ("n_feature_groups", "n_feature_nodes", "n_enhancement_nodes"):
        grid[name] = rng.choice(PAPER[name], n_values, replace=False).tolist()
    model = IntuitionisticFuzzyBLSClassifier.published(random_state=0)
    return PathSearchCV(model, grid, cv=FOLDS, refit=False, draws="fresh")


def compare_ways(folder, repetitions=3):
    """Print how much longer searches take without each special way: least CPU times."""
    tables = [
        load_table(folder / "uci28" / f"{name}.csv") for name in ("credit_approval", "spambase")
    ]
    (X, y), (X_large, y_large) = tables
    Z = RowStandardizer().fit_transform((X - X.mean(axis=0)) / X.std(axis=0))
    part = {name: PAPER[name] for name in ("C", "kernel_width", "n_enhancement_nodes")}
    part |= {"n_feature_groups": [1, 5, 11, 21], "n_feature_nodes": [5, 25, 50]}
    published = IntuitionisticFuzzyBLSClassifier(**PLAIN)
    default = BLSClassifier(random_state=0)
    searches = {
        "published grid": (PathSearchCV(published, part, cv=FOLDS, refit=False), X, y),
        "default grid": (PathSearchCV(default, cv=FOLDS, refit=False), X_large, y_large),
        "fresh draws": (fresh_search(2), Z, y),
    }
    ways = {
        "tridiagonal forms": (path, "FORM_COST", np.inf),
        "Krylov steps": (path, "worthwhile_steps", lambda *_, **__: 0),
        "shared squares": (weighted_sums, "MANY_OTHERS", 0.0),
    }
    print(f"{'time without / with':<20}" + "".join(f"{name:>18}" for name in searches))
    times = {}
    for _ in range(repetitions):
        for way in (None, *ways):
            with patch.object(*ways[way]) if way else nullcontext():
                for name, (search, *data) in searches.items():
                    spent = cpu_time(lambda s=search, d=data: s.fit(*d))[0]
                    times[way, name] = min(spent, times.get((way, name), np.inf))
    for way in ways:
        ratios = (times[way, name] / times[None, name] for name in searches)
        print(f"{way:<20}" + "".join(f"{ratio:18.2f}" for ratio in ratios))


def main(quick: bool) -> None:
    folder = data_folder()
    if folder is None:
        sys.exit(
            "This benchmark needs the published data sets: set BROADLEARN_DATA to their folder."
        )
    if "--ways" in sys.argv:
        compare_ways(folder)
        return
    print("PathSearchCV on the published grids, stratified 5 folds, one thread, CPU seconds")
    print(
        f"{'data set':<16} {'model':<7} {'fits':>8} {'seconds':>9} {'fits a s':>10} {'x plain':>10}"
        f" {'x GridSearch':>13} {'different':>10}"
    )
    names = ["credit_approval"] if quick else list(NAMES)
    for name in names:
        X, y = load_table(folder / "uci28" / f"{NAMES[name]}.csv")
        large = name == "spambase"
        for model in (
            IntuitionisticFuzzyBLSClassifier(**PLAIN),
            BLSClassifier(**PLAIN),
        ):
            compare(name, X, y, model, 60 if large else 300, 6 if large else 40)
        if name == "credit_approval":
            compare_fresh_draws(X, y)
    if not quick:
        memory = child(__file__, "--memory")
        print(
            f"memory of the IF-BLS search on spambase above the data: {memory:.0f} MB (limit 2,048)"
        )


if __name__ == "__main__":
    with threadpool_limits(1):
        if "--memory" in sys.argv:
            memory_of_search()
        else:
            main("--quick" in sys.argv)
