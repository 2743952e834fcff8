"""Does cleaning help? Accuracy on clean test rows of models fitted to noisy and cleaned rows.

The data sets that `benchmarks/audit.py` reports; 70 % of the rows to learn from,
of which labels are changed in three ways, 30 % to judge by, as they are. LightGBM and logistic
regression are fitted to the noisy rows; to what `audit(...).clean(...)` gives back, dropped,
relabelled or weighted; by cleanlab's CleanLearning, with the same model; and without the rows that
its `find_label_issues` names by the mean of six models.

Run: python benchmarks/cleaning.py results.csv [--seeds 1]
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from _measure import verdict
from _noise import REPORTED, flip, load, rival_probabilities
from lightgbm import LGBMClassifier
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from broadlearn import audit

KINDS = ("sym20", "to20", "near20")
MODELS = {
    "LightGBM": LGBMClassifier(n_jobs=1, verbose=-1, random_state=0),
    "LogisticRegression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
}


def fitted(model, X, y, sample_weight=None):
    """A fitted copy; weights go to the last step of a pipeline. One class is always predicted."""
    if np.unique(y).size == 1:
        return DummyClassifier().fit(X, y)
    model = clone(model)
    if sample_weight is None:
        return model.fit(X, y)
    name = f"{model.steps[-1][0]}__sample_weight" if hasattr(model, "steps") else "sample_weight"
    return model.fit(X, y, **{name: sample_weight})


def clean_learning(model, X, y, seed):
    """Cleanlab's own way, or the plain model where it cannot go on."""
    from cleanlab.classification import CleanLearning

    try:
        return CleanLearning(clone(model), seed=seed).fit(X, y)
    except ValueError:
        return fitted(model, X, y)


def run_case(X, y, kind: str, seed: int) -> list[dict]:
    from cleanlab.filter import find_label_issues

    X, new, y, truth = train_test_split(X, y, test_size=0.3, random_state=seed, stratify=y)
    labels = flip(X, y, kind, seed)
    found = audit(X, labels, random_state=seed)
    mean = np.mean(list(rival_probabilities(X, labels, seed, None).values()), axis=0)
    kept = ~find_label_issues(labels, mean / mean.sum(axis=1, keepdims=True), n_jobs=1)
    out = []
    for name, model in MODELS.items():
        learners = {
            "noisy": fitted(model, X, labels),
            "audit, drop": fitted(model, *found.clean(X, labels, "drop")),
            "audit, relabel": fitted(model, *found.clean(X, labels, "relabel")),
            "audit, weight": fitted(model, *found.clean(X, labels, "weight")),
            "cleanlab, drop issues": fitted(model, X[kept], labels[kept]),
            "cleanlab, CleanLearning": clean_learning(model, X, labels, seed),
            "without noise": fitted(model, X, y),
        }
        for method, learner in learners.items():
            accuracy = 100.0 * float(np.mean(learner.predict(new) == truth))
            out.append({"model": name, "method": method, "accuracy": accuracy})
    return out


def summary(results: pd.DataFrame) -> None:
    """Mean accuracies, and the best way of the audit beside the best of the others."""
    table = results.pivot_table(index="method", columns=["model", "kind"], values="accuracy")
    mean = table.mean(axis=1).rename("mean")
    print(pd.concat([table, mean], axis=1).sort_values("mean").round(2).to_string())
    rivals = mean[[name for name in mean.index if name == "noisy" or "cleanlab" in name]]
    ours = mean[[name for name in mean.index if "audit" in name]]
    verdict(
        f"{ours.idxmax()} less {rivals.idxmax()}, points",
        ours.max() - rivals.max(),
        0.0,
        at_least=True,
    )
    by_default = mean["audit, drop"] - rivals.max()
    verdict(f"audit, drop less {rivals.idxmax()}, points", by_default, 0.0, at_least=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_args()
    done = pd.read_csv(arguments.results) if arguments.results.exists() else pd.DataFrame()
    keys = set() if done.empty else set(zip(done["data"], done["kind"], done["seed"], strict=True))
    for category in (UserWarning, FutureWarning):
        warnings.filterwarnings("ignore", category=category)
    with threadpool_limits(1):
        for seed in range(arguments.seeds):
            for name in REPORTED:
                X, y = load(name)
                for kind in KINDS:
                    if (name, kind, seed) in keys:
                        continue
                    case = {"data": name, "kind": kind, "seed": seed}
                    rows = [{**case, **row} for row in run_case(X, y, kind, seed)]
                    done = pd.concat([done, pd.DataFrame(rows)], ignore_index=True)
                    done.to_csv(arguments.results, index=False)
                    print(name, kind, flush=True)
    summary(done)


if __name__ == "__main__":
    main()
