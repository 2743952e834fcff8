"""Error and time of scores estimated from landmarks, against the exact ones.

Run: python benchmarks/landmarks.py [samples]     (20,000 samples of 20 features if not given)
     python benchmarks/landmarks.py --accuracy    (IF-BLS on three data sets, a few minutes)
"""

from __future__ import annotations

import sys

import numpy as np
from _measure import best_time
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

from broadlearn import IntuitionisticFuzzyBLSClassifier
from broadlearn.sample_scores import intuitionistic_scores
from broadlearn.study import load_dataset

LANDMARKS = (50, 100, 200, 500, 1000, 2000)
SPLITS = 2


def main(n_samples: int) -> None:
    X, y = make_classification(
        n_samples, 20, n_informative=10, flip_y=0.1, class_sep=1.5, random_state=0
    )
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    mu = intuitionistic_scores(X, y, kernel_width="auto").kernel_width / 8
    exact = intuitionistic_scores(X, y, kernel_width=mu, landmarks=None)
    time = best_time(lambda: intuitionistic_scores(X, y, kernel_width=mu, landmarks=None), 2)
    print(f"Scores from L landmarks per class, {n_samples:,} x 20, two classes, mean of 5 draws")
    print("      L   error of theta   error of Theta   error of score   exact time / time")
    for n in LANDMARKS:
        errors = []
        for seed in range(5):
            found = intuitionistic_scores(X, y, kernel_width=mu, landmarks=n, random_state=seed)
            errors.append(
                [
                    np.abs(getattr(found, part) - getattr(exact, part)).mean()
                    for part in ("membership", "heterogeneity", "score")
                ]
            )
        faster = time / best_time(
            lambda n=n: intuitionistic_scores(X, y, kernel_width=mu, landmarks=n, random_state=0)
        )
        theta, Theta, score = np.mean(errors, axis=0)
        print(f"{n:7d} {theta:16.4f} {Theta:16.4f} {score:16.4f} {faster:19.1f}")


def accuracy() -> None:
    """Exact scores against 2,000 landmarks per class: accuracy in percent on held-out fifths."""
    print("data set     C   all pairs   landmarks   standard error   mean difference of scores")
    for name in ("adult", "magic", "letter"):
        table = load_dataset(name)
        # Of the 26 letters, the first half against the second: 2,000 of each would be all.
        y = table.y < 13 if name == "letter" else table.y
        for C in (1.0, 100.0):
            right, apart = [], []
            for seed in range(SPLITS):
                X, X_test, labels, judged = train_test_split(
                    table.X, y, test_size=0.2, random_state=seed, stratify=y
                )
                models = [
                    IntuitionisticFuzzyBLSClassifier(C=C, landmarks=n, random_state=0)
                    for n in (None, 2000)
                ]
                right.append([m.fit(X, labels).score(X_test, judged) for m in models])
                exact, drawn = (model.sample_scores_ for model in models)
                apart.append(np.abs(exact - drawn).mean())
            means, p = np.mean(right, axis=0), np.mean(right)
            error = np.sqrt(p * (1.0 - p) / (SPLITS * len(judged)))
            print(
                f"{name:8s} {C:5g} {100 * means[0]:11.2f} {100 * means[1]:11.2f} "
                f"{100 * error:16.2f} {np.mean(apart):27.4f}"
            )


if __name__ == "__main__":
    if "--accuracy" in sys.argv:
        accuracy()
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
