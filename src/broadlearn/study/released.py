"""The models of the published study, as they run under the protocol "paper".

They are for repeating that study; `docs/results/reproduction.md` says what speaks for each.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from broadlearn.baselines import ELMClassifier, IntuitionisticFuzzyTwinSVC
from broadlearn.models import (
    BLSClassifier,
    FuzzyBLSClassifier,
    IntuitionisticFuzzyBLSClassifier,
    labels_of,
)
from broadlearn.study.published_results import published_settings
from broadlearn.utils import Array, draw_seed, encode_targets


class ReleasedHierarchicalELM(ClassifierMixin, BaseEstimator):
    """H-ELM of two sparse auto-encoders and a hidden layer, with `n_hidden_nodes` each.

    The nodes of an auto-encoder are scaled to [0, 1] over the rows at hand, in `predict` over those
    to predict: a prediction depends on the rows that come with it. A fit draws anew for every
    setting and every set of training labels. `C` is the ridge penalty of the output weights. Bias
    inputs of 0.1, penalty and steps of the auto-encoders, and a largest input of 0.8 of the last
    layer are those of the authors' code.
    """

    def __init__(
        self,
        n_hidden_nodes: int = 105,
        C: float = 1.0,
        *,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_hidden_nodes = n_hidden_nodes
        self.C = C
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the model."""
        rows, labels = validate_data(self, X, y, dtype=np.float64)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        content = zlib.crc32(np.ascontiguousarray(codes, dtype=np.int64).tobytes())
        setting = zlib.crc32(repr((self.n_hidden_nodes, 1.0 / self.C)).encode())
        rng = np.random.default_rng([draw_seed(self.random_state), content, setting])
        h, Z = self.n_hidden_nodes, _with_bias(rows)
        self._layers: list[Array] = []
        for _ in range(2):
            nodes = _rows_to_interval(Z @ rng.uniform(-1.0, 1.0, (Z.shape[1], h)))
            self._layers.append(sparse_codes(nodes, Z).T)
            Z = _with_bias(_columns_to_interval(Z @ self._layers[-1]))
        self._hidden = np.linalg.qr(rng.uniform(-1.0, 1.0, (h + 1, h)))[0]
        inputs = Z @ self._hidden
        self._hidden *= 0.8 / inputs.max()
        H = np.tanh(Z @ self._hidden)
        T = encode_targets(codes, len(self.classes_))
        self._weights = np.linalg.solve(H.T @ H + np.eye(h) * self.C, H.T @ T)
        return self

    def decision_function(self, X: ArrayLike) -> Array:
        """Return decision values of rows, which depend on one another."""
        check_is_fitted(self)
        Z = _with_bias(validate_data(self, X, dtype=np.float64, reset=False))
        for layer in self._layers:
            Z = _with_bias(_columns_to_interval(Z @ layer))
        decision = np.tanh(Z @ self._hidden) @ self._weights
        return decision.ravel() if decision.shape[1] == 1 else decision

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict class labels of rows, which depend on one another."""
        return labels_of(self.decision_function(X), self.classes_)


def sparse_codes(A: Array, B: Array, penalty: float = 1e-3, n_steps: int = 50) -> Array:
    """Minimise ``‖A x - B‖² / 2 + penalty ‖x‖₁`` by some steps of FISTA."""
    gram, right = A.T @ A, A.T @ B
    step = 1.0 / max(float(np.linalg.eigvalsh(gram)[-1]), np.finfo(np.float64).tiny)
    x = ahead = np.zeros_like(right)
    t = 1.0
    for _ in range(n_steps):
        moved = ahead - step * (gram @ ahead - right)
        new = np.sign(moved) * np.maximum(np.abs(moved) - penalty * step, 0.0)
        t_new = (1.0 + np.sqrt(1.0 + 4.0 * t * t)) / 2.0
        ahead = new + (t - 1.0) / t_new * (new - x)
        x, t = new, t_new
    return x


def _with_bias(Z: Array) -> Array:
    return np.column_stack([Z, np.full(len(Z), 0.1)])


def _columns_to_interval(Z: Array) -> Array:
    """Scale columns to [0, 1] over the given rows, constant ones to 0."""
    low = Z.min(axis=0)
    width = Z.max(axis=0) - low
    return (Z - low) / np.where(width > 0.0, width, 1.0)


def _rows_to_interval(Z: Array) -> Array:
    """Scale each row to [-1, 1]."""
    return 2.0 * _columns_to_interval(Z.T).T - 1.0


# Of NeuroFBLS nothing is known but its equations, so it is ours.
RELEASED: dict[str, BaseEstimator] = {
    "BLS": BLSClassifier.published(),
    "ELM": ELMClassifier(activation="tanh"),
    "IF-TSVM": IntuitionisticFuzzyTwinSVC(kernel="rbf", n_basis_rows=1000, regularization=1e-2),
    "H-ELM": ReleasedHierarchicalELM(),
    "F-BLS": FuzzyBLSClassifier.published(),
    "IF-BLS": IntuitionisticFuzzyBLSClassifier.published(),
}
# A fresh draw clusters the training rows once per group, 66,000 times in a whole grid.
DRAWN_ONCE = ("NeuroFBLS",)
RELEASED_GRIDS: dict[str, Mapping[str, Sequence[Any]]] = {
    "H-ELM": {"C": [10.0**k for k in range(-6, 7, 2)], "n_hidden_nodes": list(range(5, 206, 10))},
}
# Models that come nearer to a printed column than the model it is named after.
PRINTED_F_BLS, MAJORITY = "F-BLS as printed (no scores)", "majority"
PRINTED_COLUMNS = {PRINTED_F_BLS: "F-BLS", MAJORITY: "IF-TSVM"}
COLUMNS = {
    "BLS": "the equations, with the maps of the released code (BLSClassifier.published)",
    "ELM": "ELMClassifier with tanh nodes",
    "NeuroFBLS": "our NeuroFuzzyBLSClassifier; nothing but the equations is known",
    "IF-TSVM": "a working twin SVM with the whole published grid (C1, C2, kernel width)",
    MAJORITY: "the most frequent class of the training rows, to compare with the printed IF-TSVM",
    "H-ELM": "the released code, which scales the rows to predict by their own range",
    "F-BLS": "the equations, with the maps of the released code (FuzzyBLSClassifier.published)",
    PRINTED_F_BLS: "BLSClassifier.published, to compare with the printed F-BLS",
    "IF-BLS": "the equations, with the maps of the released code "
    "(IntuitionisticFuzzyBLSClassifier.published)",
}


@cache
def printed_setting(dataset: str, model: str) -> dict[str, Any] | None:
    """Return the printed best setting of a model, or of the column it stands for, if any."""
    printed = pd.concat([published_settings(), published_settings("adni")])
    column = PRINTED_COLUMNS.get(model, model)
    known = dataset in printed.index and column in printed.columns
    return printed.loc[dataset, column] if known else None
