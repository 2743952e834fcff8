"""Fitted against leave-one-out residuals, as what scores from residuals look at.

Broad learning systems with 100 enhancement nodes, four penalties, protocol "nested", on all data
sets of the collection with 105 to 300 rows that are not among the 28, on which the defaults were
chosen. Printed: mean change of accuracy against equal weights, in points.

Run: python benchmarks/residuals.py [result store]
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy.linalg import cho_factor, cho_solve
from sklearn.base import BaseEstimator, ClassifierMixin

from broadlearn import BroadFeatures
from broadlearn.sample_scores import SCORERS
from broadlearn.study import ResultStore, make_study, newest
from broadlearn.study.models import ModelSpec
from broadlearn.study.statistics import compare_pairs
from broadlearn.utils import encode_targets

LOSSES = ("correntropy", "huber", "residual_density")
NOISES = ("labels:0.2", "one-sided-labels:0.3", "outliers:0.2")
DATASETS = (
    *("breast-tissue", "iris", "wine", "flags", "parkinsons", "breast-cancer-wisc-prog", "seeds"),
    *("glass", "heart-hungarian"),
)
NODES = 100


@dataclass(eq=False, repr=False)
class Reweighted(ClassifierMixin, BaseEstimator):
    """Broad learning system with a loss, "" for least squares."""

    loss: str = ""
    left_out: bool = True
    C: float = 1.0
    random_state: int | None = None

    def fit(self, X: Any, y: Any) -> Self:
        """Solve the weighted ridge problem again and again."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        T = encode_targets(codes, len(self.classes_))
        nodes = {"n_enhancement_nodes": NODES, "random_state": self.random_state}
        self.features_ = BroadFeatures(**nodes).fit(X)
        G = self.features_.transform(X)
        score, scorer = np.ones(len(G)), SCORERS[self.loss]() if self.loss else None
        for left in range(scorer.n_iterations if scorer else 0, -1, -1):
            S = score[:, None] ** 2
            factor = cho_factor(G.T @ (S * G) + np.eye(G.shape[1]) / self.C)
            self.weights_ = cho_solve(factor, G.T @ (S * T))
            if left:
                residuals = T - G @ self.weights_
                if self.left_out:
                    leverage = S * np.sum(G * cho_solve(factor, G.T).T, axis=1, keepdims=True)
                    residuals /= np.maximum(1.0 - leverage, 1e-9)
                score = scorer.residual_scores(residuals)
        return self

    def predict(self, X: Any) -> Any:
        """Predict class labels."""
        decision = self.features_.transform(X) @ self.weights_
        largest = decision.argmax(axis=1) if decision.shape[1] > 1 else decision[:, 0] > 0
        return self.classes_[largest.astype(int)]


def variants() -> list[ModelSpec]:
    """Return the models to compare, equal weights first."""
    models = {"equal weights": Reweighted()}
    for loss in LOSSES:
        models[f"{loss}, fitted"] = Reweighted(loss, left_out=False)
        models[f"{loss}, leave-one-out"] = Reweighted(loss)
    grids = {"equal": {"C": [1e-3, 1e-1, 10.0, 1e3]}}
    return [ModelSpec(name, model, grids) for name, model in models.items()]


def main() -> None:
    store = Path(sys.argv[1] if len(sys.argv) > 1 else "study-residuals/results.db")
    models = variants()
    study = make_study(
        [f"{name}:uci121" for name in DATASETS],
        models,
        protocols=["nested"],
        noises=NOISES,
        grid="equal",
    )
    with ResultStore(store) as results:
        study.run(results)
        done = newest(study.frame(results)).query("status == 'done'")
    wide = done.pivot(index=["dataset", "noise"], columns="model", values="mean").dropna()
    names = [spec.name for spec in models]
    gain = 100 * wide[names].sub(wide["equal weights"], axis=0)
    shown = gain.groupby("noise", sort=False).mean().T.assign(mean=gain.mean())
    by_set = 100 * wide[names].groupby("dataset").mean()
    print(f"{len(by_set)} data sets\n{shown.round(2).to_string()}\n")
    for loss in LOSSES:
        reference = f"{loss}, leave-one-out"
        own = by_set[[name for name in names if name.startswith(loss)]]
        pairs = compare_pairs(own, reference=reference)
        with pd.option_context("display.width", 200):
            print(pairs[["other", "win", "tie", "loss", "p_wilcoxon"]].to_string(index=False))


if __name__ == "__main__":
    main()
