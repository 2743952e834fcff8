"""Flipped labels among the audit's most suspect rows, against outlier detectors and the like.

In 10 of the 28 data sets of the published study, every third in the order of their names, 10 % and
20 % of the labels are flipped at random; the figure is the area under the precision-recall curve
(average precision) of a ranking of all rows, for the flipped ones. The audit's settings were chosen
on the other 18. Rivals:

- LocalOutlierFactor and IsolationForest on standardised columns, with their defaults; once on the
  whole table, once on each class alone, which lets them see the labels;
- the probability that a logistic regression gives to the row's label in 5 stratified folds, the
  self-confidence of confident learning.

Run: python benchmarks/audit.py [seeds]
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from _measure import data_folder, load_table, verdict
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from broadlearn import audit

SHARES = (0.1, 0.2)


def audit_suspicion(X, y, seed):
    return audit(X, y, random_state=seed).table["suspicion"].sort_index().to_numpy()


def self_confidence(X, y, seed):
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    p = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
    return 1.0 - p[np.arange(len(y)), y]


def local_outlier_factor(X, y, seed):
    model = LocalOutlierFactor(n_neighbors=min(20, len(X) - 1))
    with warnings.catch_warnings():
        # It warns of copies of rows, which many of these tables have.
        warnings.filterwarnings("ignore", message="Duplicate values")
        return -model.fit(StandardScaler().fit_transform(X)).negative_outlier_factor_


def isolation_forest(X, y, seed):
    Z = StandardScaler().fit_transform(X)
    return -IsolationForest(random_state=seed).fit(Z).score_samples(Z)


def within_classes(method):
    def suspicion(X, y, seed):
        found = np.empty(len(y))
        for c in np.unique(y):
            found[y == c] = method(X[y == c], y[y == c], seed)
        return found

    return suspicion


METHODS = {
    "audit": audit_suspicion,
    "self-conf.": self_confidence,
    "LOF": local_outlier_factor,
    "LOF, class": within_classes(local_outlier_factor),
    "IF": isolation_forest,
    "IF, class": within_classes(isolation_forest),
}


def flip(y, share, seed):
    """Labels with a share of them flipped, and which ones."""
    flipped = np.zeros(len(y), dtype=bool)
    chosen = np.random.default_rng(seed).permutation(len(y))[: round(share * len(y))]
    flipped[chosen] = True
    return np.where(flipped, 1 - y, y), flipped


def main(n_seeds: int) -> None:
    folder = data_folder()
    if folder is None:
        sys.exit("This benchmark needs the 28 data sets: set BROADLEARN_DATA to their folder.")
    warnings.simplefilter("ignore", ConvergenceWarning)
    paths = sorted((folder / "uci28").glob("*.csv"))[::3]
    for share in SHARES:
        print(f"\n{share:.0%} of labels flipped: average precision, mean of {n_seeds} seeds")
        print(f"{'':<30}" + "".join(f"{name:>12}" for name in METHODS))
        table = []
        for path in paths:
            X, y = load_table(path)
            figures = []
            for seed in range(n_seeds):
                labels, flipped = flip(y, share, seed)
                figures.append(
                    [
                        average_precision_score(flipped, method(X, labels, seed))
                        for method in METHODS.values()
                    ]
                )
            table.append(np.mean(figures, axis=0))
            print(f"{path.stem:<30}" + "".join(f"{v:12.3f}" for v in table[-1]), flush=True)
        mean = np.mean(table, axis=0)
        print(f"{'mean':<30}" + "".join(f"{v:12.3f}" for v in mean))
        for name, rival in list(zip(METHODS, mean, strict=True))[1:]:
            verdict(f"audit / {name}", mean[0] / rival, 1.0, at_least=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
