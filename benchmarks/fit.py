"""Speed and memory of a fit and a prediction, against plain NumPy and scikit-learn's classifiers.

Run: python benchmarks/fit.py [samples]     (100,000 samples of 50 features if not given)
"""

from __future__ import annotations

import sys
import time

import numpy as np
from _measure import best_time, child, peak_memory_of, product_rate, verdict
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.neural_network import MLPClassifier

from broadlearn import BLSClassifier
from broadlearn.random_features.draws import draw_feature_weights
from broadlearn.registry import STUDY_NODES
from broadlearn.solvers import ridge

M, P, Q = 10, 50, 500


def make(n: int, d: int = 50) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=n) > 0).astype(int)


def model() -> BLSClassifier:
    """Enhancement nodes behind feature nodes, as published: that is what plain NumPy costs most."""
    return BLSClassifier(M, P, 1, Q, **STUDY_NODES, random_state=0)


class Plain:
    """The same model in NumPy: design matrix built whole, one Gram product, one solve."""

    def design(self, X: np.ndarray) -> np.ndarray:
        F = (np.c_[(X - self.mean) / self.scale, np.ones(len(X))] @ self.A) * self.s + self.o
        E = np.tanh(1.5 * (F @ self.W[:-1] + self.W[-1]))
        return np.hstack([F, E])

    def fit(self, X: np.ndarray, y: np.ndarray, A: np.ndarray, W: np.ndarray) -> Plain:
        self.A, self.W = A, W
        self.mean, self.scale = X.mean(axis=0), X.std(axis=0)
        F = np.c_[(X - self.mean) / self.scale, np.ones(len(X))] @ A
        low, high = F.min(axis=0), F.max(axis=0)
        self.s, self.o = 2 / (high - low), -1 - low * 2 / (high - low)
        del F
        G = self.design(X)
        M = G.T @ G
        M[np.diag_indices_from(M)] += 1.0
        self.weights = np.linalg.solve(M, G.T @ np.where(y == 1, 1.0, -1.0))
        return self

    def decision(self, X: np.ndarray) -> np.ndarray:
        return self.design(X) @ self.weights


def memory_of_fit(n: int) -> None:
    X, y = make(n)
    model().fit(X[:2000], y[:2000])
    print(peak_memory_of(lambda: model().fit(X, y)))


def gram_rate(X: np.ndarray, y: np.ndarray) -> float:
    """Rate of the product that sums the normal equations within a fit, in operations done."""
    spent, original = [0.0], ridge.normal_equations

    def timed(blocks, size):
        def passed():
            for block in blocks:
                spent[0] -= time.perf_counter()
                yield block
                spent[0] += time.perf_counter()

        return original(passed(), size)

    ridge.normal_equations = timed
    try:
        rates = []
        for _ in range(3):
            spent[0] = 0.0
            model().fit(X, y)
            rates.append(len(X) * (X.shape[1] + 2 + Q) ** 2 / spent[0])
    finally:
        ridge.normal_equations = original
    return max(rates)


def main(n: int) -> None:
    X, y = make(n)
    seed = int(np.random.RandomState(0).randint(np.iinfo(np.int32).max))
    A = draw_feature_weights(seed, M, P, X.shape[1], orthonormal=True)
    ours = model()
    W = ours.feature_map().draw_layer(seed, M * P, X.shape[1])
    plain = Plain()
    fit, plain_fit = best_time(lambda: ours.fit(X, y)), best_time(lambda: plain.fit(X, y, A, W))
    predict = best_time(lambda: ours.predict(X))
    plain_predict = best_time(lambda: plain.decision(X) > 0)
    print(f"BLSClassifier, {n:,} x 50, m=10, p=50, q=500, float64")
    verdict("plain NumPy fit / ours", plain_fit / fit, 2.5, at_least=True)
    verdict("plain NumPy predict / ours", plain_predict / predict, 4.0, at_least=True)
    difference = np.abs(ours.decision_function(X) - plain.decision(X)).max()
    verdict("largest difference of decisions, in 1e-9", 1e9 * difference, 10, at_least=False)
    default = best_time(lambda: BLSClassifier(M, P, 1, Q, random_state=0).fit(X, y))
    verdict("plain NumPy fit / ours with default nodes", plain_fit / default, 2.5, at_least=True)
    share = child(__file__, "--memory", str(n)) / (len(X) * (M * P + Q) * 8 / 2**20)
    verdict("memory of a fit above the data / design matrix", share, 0.1, at_least=False)
    rate = gram_rate(X, y) / product_rate()
    verdict("Gram product's rate / a large product's", 2 * rate, 0.7, at_least=True)
    print(f"  ... counting only the half of the operations that symmetry leaves: {rate:.2f}")
    for rival in (HistGradientBoostingClassifier(), RandomForestClassifier(), MLPClassifier()):
        ratio = best_time(lambda rival=rival: rival.fit(X, y), 1) / fit
        verdict(f"{type(rival).__name__} at defaults, fit / ours", ratio, 1.0, at_least=True)


if __name__ == "__main__":
    if "--memory" in sys.argv:
        memory_of_fit(int(sys.argv[-1]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
