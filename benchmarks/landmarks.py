"""Error and time of scores estimated from landmarks, against the exact ones.

Run: python benchmarks/landmarks.py [samples]     (20,000 samples of 20 features if not given)
"""

from __future__ import annotations

import sys

import numpy as np
from _measure import best_time
from sklearn.datasets import make_classification

from broadlearn.sample_scores import intuitionistic_scores

LANDMARKS = (50, 100, 200, 500, 1000, 2000)


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


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
