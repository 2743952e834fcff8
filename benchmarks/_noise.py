"""Tables with labels that were changed, in five ways, and the models that cleanlab is given."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from broadlearn.study import read_collection

# The audit's rules were chosen on these.
CHOSEN_ON = (
    "blood",
    "glass",
    "statlog-vehicle",
    "credit-approval",
    "tic-tac-toe",
    "pima",
    "conn-bench-sonar-mines-rocks",
    "statlog-heart",
    "seeds",
    "libras",
    "car",
    "hepatitis",
    "molec-biol-promoter",
    "cardiotocography-10clases",
)
REPORTED = (
    "iris",
    "wine",
    "zoo",
    "breast-cancer",
    "breast-cancer-wisc",
    "breast-tissue",
    "flags",
    "haberman-survival",
    "heart-hungarian",
    "parkinsons",
    "oocytes_merluccius_nucleus_4d",
    "oocytes_trisopterus_nucleus_2f",
    "mammographic",
    "echocardiogram",
    "musk-1",
    "cylinder-bands",
    "pittsburg-bridges-SPAN",
    "pittsburg-bridges-T-OR-D",
    "breast-cancer-wisc-prog",
    "planning",
    "fertility",
    "statlog-landsat",
    "titanic",
    "molec-biol-splice",
)
KINDS = {
    "sym10": "10 % at random",
    "sym20": "20 % at random",
    "from20": "20 % from the largest class",
    "to20": "20 % to the largest class",
    "near20": "20 % near the boundary",
    "clean": "none",
}
MAX_ROWS = 1600
# Flips leave at least so many rows of each class.
MIN_OF_CLASS = 3


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """A data set of the collection; of many rows, a sample."""
    data = read_collection(names=[name]).datasets[0]
    X, y = np.asarray(data.X, dtype=np.float64), np.asarray(data.y)
    if len(y) > MAX_ROWS:
        some = np.random.default_rng(0).permutation(len(y))[:MAX_ROWS]
        X, y = X[some], y[some]
    return X, np.unique(y, return_inverse=True)[1]


def flip(X: np.ndarray, y: np.ndarray, kind: str, seed: int) -> np.ndarray:
    """Labels of which some were changed."""
    rng = np.random.default_rng([seed, len(y)])
    n, k, labels = len(y), int(y.max()) + 1, y.copy()
    count = round((0.1 if kind == "sym10" else 0.2) * n)
    largest = int(np.bincount(y).argmax())
    if kind == "clean":
        return labels
    if kind in ("sym10", "sym20"):
        chosen = rng.permutation(n)[:count]
        labels[chosen] = (y[chosen] + rng.integers(1, k, count)) % k
    elif kind == "from20":
        own = np.flatnonzero(y == largest)
        chosen = rng.permutation(own)[: min(count, len(own) // 2)]
        labels[chosen] = (y[chosen] + rng.integers(1, k, len(chosen))) % k
    elif kind == "to20":
        others = np.flatnonzero(y != largest)
        chosen = rng.permutation(others)[: min(count, len(others) // 2)]
        labels[chosen] = largest
    else:
        model = make_pipeline(StandardScaler(), SVC(probability=True, random_state=0))
        folds = StratifiedKFold(5, shuffle=True, random_state=seed)
        p = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
        own_p = p[np.arange(n), y].copy()
        p[np.arange(n), y] = -1.0
        nearness = np.exp(-4.0 * np.abs(own_p - p.max(axis=1)))
        chosen = rng.choice(n, count, replace=False, p=nearness / nearness.sum())
        labels[chosen] = p.argmax(axis=1)[chosen]
    for c in range(k):
        if (labels == c).sum() < MIN_OF_CLASS:
            labels[np.flatnonzero((y == c) & (labels != c))[:MIN_OF_CLASS]] = c
    return labels


def rival_models() -> dict:
    """The models whose out-of-fold probabilities cleanlab is given."""
    from lightgbm import LGBMClassifier

    return {
        "LR": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "RF": RandomForestClassifier(200, random_state=0),
        "HGB": HistGradientBoostingClassifier(random_state=0),
        "LGB": LGBMClassifier(n_jobs=1, verbose=-1, random_state=0),
        "SVC": make_pipeline(StandardScaler(), SVC(probability=True, random_state=0)),
        "KNN": make_pipeline(StandardScaler(), KNeighborsClassifier(10)),
    }


def rival_probabilities(
    X: np.ndarray, labels: np.ndarray, seed: int, kept: Path | None
) -> dict[str, np.ndarray]:
    """Out-of-fold probabilities of the rivals' models, read from `kept` where they are there."""
    if kept is not None and kept.exists():
        stored = np.load(kept)
        return {name: stored[name] for name in rival_models()}
    n_folds = min(5, int(np.bincount(labels).min()))
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {
            name: cross_val_predict(model, X, labels, cv=folds, method="predict_proba")
            for name, model in rival_models().items()
        }
    if kept is not None:
        np.savez(kept, **found)
    return found
