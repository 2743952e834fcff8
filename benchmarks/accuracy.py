"""Accuracy of the default estimator at 1,000 nodes, against random Fourier features and ridge.

The rival is ``make_pipeline(StandardScaler(), RBFSampler(n_components=1000), RidgeClassifier())``.
Both are tuned by three folds of the training rows, ours in C, the rival in gamma and alpha, then
fitted on all training rows and scored once on the test rows (30 %, stratified). Mean of five seeds.

Run: python benchmarks/accuracy.py [seeds]
"""

from __future__ import annotations

import sys

import numpy as np
from _measure import data_folder, load_table
from sklearn.datasets import load_digits
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from broadlearn import BLSClassifier

OURS = {"C": 10.0 ** np.arange(-1, 6.5, 0.5)}
RIVAL = {
    "rbfsampler__gamma": [0.001, 0.003, 0.01, 0.03, 0.06, 0.1],
    "ridgeclassifier__alpha": 10.0 ** np.arange(-5, 1.5),
}


def tuned_score(model, grid, X, y, X_test, y_test, seed):
    """Choose on folds of the training rows, refit on all of them, score on the test rows."""
    folds = StratifiedKFold(3, shuffle=True, random_state=seed)
    return GridSearchCV(model, grid, cv=folds).fit(X, y).score(X_test, y_test)


def tables():
    yield "digits", load_digits(return_X_y=True)
    folder = data_folder()
    if folder is None:
        print("magic, letter and adult are left out: no data folder (set BROADLEARN_DATA).")
        return
    for name in ("magic", "letter", "adult"):
        yield name, load_table(folder / "extra" / f"{name}.csv")


def main(n_seeds: int) -> None:
    print(f"Test accuracy in percent, {n_seeds} seeds, tuned on folds of the training rows")
    print(f"{'':<10}{'broadlearn':>12}{'RBF + ridge':>13}{'difference':>12}")
    for name, (X, y) in tables():
        results = []
        for seed in range(n_seeds):
            parts = train_test_split(X, y, test_size=0.3, random_state=seed, stratify=y)
            X_train, X_test, y_train, y_test = parts
            split = (X_train, y_train, X_test, y_test, seed)
            rival = make_pipeline(
                StandardScaler(),
                RBFSampler(n_components=1000, random_state=seed),
                RidgeClassifier(),
            )
            results.append(
                (
                    tuned_score(BLSClassifier(random_state=seed), OURS, *split),
                    tuned_score(rival, RIVAL, *split),
                )
            )
        ours, theirs = 100 * np.mean(results, axis=0)
        print(f"{name:<10}{ours:12.2f}{theirs:13.2f}{ours - theirs:+12.2f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
