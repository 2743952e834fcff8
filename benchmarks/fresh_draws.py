"""CPU time of a search with fresh draws against one with nested draws: IF-BLS, published grid.

One thread, credit_approval with rows standardised after columns, contiguous folds. Nested draws
are timed whole, for the released map and for that of our study, whose feature nodes are affine;
fresh draws of the released map on some of the 1,210 sizes, in proportion. Fits one by one, of some
candidates, are the rival that both replace; their accuracies are compared with the search's.

Run: python benchmarks/fresh_draws.py [--sizes 60]
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from threadpoolctl import threadpool_limits

from broadlearn import PUBLISHED_FORM, IntuitionisticFuzzyBLSClassifier, PathSearchCV
from broadlearn.registry import STUDY_NODES
from broadlearn.search.grid import PAPER
from broadlearn.study import load_dataset
from broadlearn.study.protocols import contiguous_folds
from broadlearn.utils import standardize_rows

SIZES = ("n_feature_groups", "n_feature_nodes", "n_enhancement_nodes")
LIMIT = 30.0


def cpu_time(call):
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def model(form):
    return IntuitionisticFuzzyBLSClassifier(standardize=False, random_state=0, **form)


def search(form, grid, folds, X, y, draws):
    found = PathSearchCV(model(form), grid, cv=folds, refit=False, draws=draws)
    return cpu_time(lambda: found.fit(X, y))


def fit_one_by_one(results, folds, X, y, rng, n_fits):
    """CPU time of a fit, and how many of the accuracies are those of the search."""
    start, same = time.process_time(), 0
    for i in rng.choice(len(results["params"]), n_fits, replace=False):
        f = int(rng.integers(len(folds)))
        train, test = folds[f]
        single = clone(model(PUBLISHED_FORM)).set_params(
            **results["params"][i], random_state=int(results[f"split{f}_random_state"][i])
        )
        try:
            accuracy = single.fit(X[train], y[train]).score(X[test], y[test])
        except ValueError:
            accuracy = np.nan
        same += np.array_equal(accuracy, results[f"split{f}_test_score"][i], equal_nan=True)
    return (time.process_time() - start) / n_fits, same


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--sizes", type=int, default=60, help="sizes timed with fresh draws")
    options.add_argument("--fits", type=int, default=200, help="candidates fitted one by one")
    given = options.parse_args()
    warnings.simplefilter("ignore", FitFailedWarning)
    data = load_dataset("credit_approval")
    X, y = data.X, data.y
    X = standardize_rows((X - X.mean(axis=0)) / X.std(axis=0))
    folds, rng = contiguous_folds(len(X)), np.random.default_rng(0)
    path = {name: PAPER[name] for name in ("C", "kernel_width")}
    whole = path | {name: PAPER[name] for name in SIZES}
    n_sizes = int(np.prod([len(PAPER[name]) for name in SIZES]))
    # One grid of a few values each: samples are scored once for all sizes, as in a whole one.
    few = round(given.sizes ** (1 / 3))
    some = path | {name: rng.choice(PAPER[name], few, replace=False).tolist() for name in SIZES}
    with threadpool_limits(1):
        own, _ = search(STUDY_NODES, whole, folds, X, y, "nested")
        nested, _ = search(PUBLISHED_FORM, whole, folds, X, y, "nested")
        fresh, found = search(PUBLISHED_FORM, some, folds, X, y, "fresh")
        fresh *= n_sizes / few**3
        single, same = fit_one_by_one(found.cv_results_, folds, X, y, rng, given.fits)
    fits = single * n_sizes * 77 * len(folds)
    print(f"{n_sizes * 77:,} candidates x {len(folds)} folds, CPU time on one thread")
    print(f"nested draws, our study's map     {own:8.1f} s")
    print(f"nested draws, released map        {nested:8.1f} s")
    print(f"fresh draws, released map         {fresh:8.1f} s, from {few**3} of {n_sizes:,} sizes")
    print(f"  against nested draws of that map  {fresh / nested:6.1f} x (limit {LIMIT:g} x)")
    print(f"  against nested draws of our map   {fresh / own:6.1f} x (limit {LIMIT:g} x)")
    print(f"  fits one by one take              {fits / fresh:6.1f} x as long")
    print(f"accuracies that a fit alone repeats bit for bit: {same} of {given.fits}")


if __name__ == "__main__":
    main()
