"""Probabilities of every label by models that did not see the row: several kinds, pooled.

- The ensemble of broad learning systems at infinite width, each row left out exactly; of many rows
  it learns from a sample.
- Two forests, by the trees whose bootstrap sample did not hold the row: for tables where few
  columns rule.
- The nearest rows.

Their weights are learnt from the labels themselves, table by table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.neighbors import NearestNeighbors

from broadlearn.auditing.neighbours import Neighbours
from broadlearn.auditing.rows import Rows
from broadlearn.ensemble import BroadEnsembleClassifier, BroadEnsembleRegressor
from broadlearn.utils import Array, Floats

# Rows up to which the ensemble learns from all; beyond, a smaller one learns from a sample of so
# many.
MAX_EXACT_ROWS, SAMPLED_ROWS, SAMPLED_SIZE = 3000, 1500, 3
# Rows that a sample holds of each class, if there are so many.
MIN_OF_CLASS = 25
# Trees, and rows that each learns from, of small and of large tables.
TREES, MANY_TREES_ROWS, FEW_TREES = 300, 20_000, 50
NEIGHBORS = (7, 15)
# Distances are not taken below this part of the usual one.
MIN_DISTANCE = 1e-3

Predict = Callable[[Rows], Floats]


class Member(NamedTuple):
    """A model: what it says of the rows it learnt from, held out, and of new ones."""

    name: str
    held_out: Floats
    predict: Predict


def fit_members(
    rows: Rows,
    near: Neighbours,
    seed: int,
    step: Callable[[str], None],
) -> list[Member]:
    """Fit all kinds of models; class probabilities, or predictions of shape (n_samples, 1)."""
    members = []
    makers: list[tuple[str, Callable[..., Member]]] = [
        ("nearest rows", _nearest),
        ("extremely random trees", _extra_trees),
        ("random forest", _random_forest),
        ("broad learning", _broad if len(rows.Z) <= MAX_EXACT_ROWS else _broad_sample),
    ]
    for name, make in makers:
        step(name)
        members.append(make(name, rows, near, seed))
    return members


def _broad(name: str, rows: Rows, near: Neighbours, seed: int) -> Member:
    """The ensemble at infinite width, each row left out."""
    if rows.is_regression:
        regressor = BroadEnsembleRegressor(random_state=seed)
        regressor.fit(rows.numbers, rows.labels)
        return Member(
            name,
            regressor.leave_one_out_prediction_[:, None],
            lambda new: regressor.predict(new.numbers)[:, None],
        )
    model = BroadEnsembleClassifier(robust=False, random_state=seed)
    model.fit(rows.numbers, rows.codes)
    return Member(name, model.leave_one_out_proba_, lambda new: model.predict_proba(new.numbers))


def _broad_sample(name: str, rows: Rows, near: Neighbours, seed: int) -> Member:
    """An ensemble on a sample of rows, each left out, that judges all others too."""
    n_rows, n_classes = len(rows.Z), max(rows.classes.size, 1)
    sample = draw_sample(rows.codes, n_classes, seed)
    others = np.setdiff1d(np.arange(n_rows), sample)
    out = np.zeros((n_rows, n_classes))
    if rows.is_regression:
        regressor = BroadEnsembleRegressor(ensemble_size=SAMPLED_SIZE, random_state=seed)
        regressor.fit(rows.numbers[sample], rows.labels[sample])
        out[sample, 0] = regressor.leave_one_out_prediction_
        out[others, 0] = regressor.predict(rows.numbers[others])
        return Member(name, out, lambda new: regressor.predict(new.numbers)[:, None])
    # Classes of which the sample holds more than their share count less.
    share = np.bincount(rows.codes, minlength=n_classes) * (sample.size / n_rows)
    balance = (share / np.bincount(rows.codes[sample], minlength=n_classes))[rows.codes[sample]]
    model = BroadEnsembleClassifier(ensemble_size=SAMPLED_SIZE, robust=False, random_state=seed)
    model.fit(rows.numbers[sample], rows.codes[sample], sample_weight=balance)
    out[sample] = model.leave_one_out_proba_
    out[others] = model.predict_proba(rows.numbers[others])
    return Member(name, out, lambda new: model.predict_proba(new.numbers))


def draw_sample(codes: NDArray[np.intp], n_classes: int, seed: int) -> NDArray[np.intp]:
    """A sample with some rows of every class.

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.repeat([0, 1, 2], [9_000, 60, 1])
    >>> np.bincount(codes[draw_sample(codes, 3, seed=0)]).tolist()
    [1490, 25, 1]
    """
    order = np.random.default_rng(seed).permutation(codes.size)
    share, parts = min(1.0, SAMPLED_ROWS / codes.size), []
    for c in range(n_classes):
        members = order[codes[order] == c]
        parts.append(members[: max(round(share * members.size), MIN_OF_CLASS)])
    return np.sort(np.concatenate(parts))


def _extra_trees(name: str, rows: Rows, near: Neighbours, seed: int) -> Member:
    kind = ExtraTreesRegressor if rows.is_regression else ExtraTreesClassifier
    return _forest(name, kind, 3, rows, seed)


def _random_forest(name: str, rows: Rows, near: Neighbours, seed: int) -> Member:
    kind = RandomForestRegressor if rows.is_regression else RandomForestClassifier
    return _forest(name, kind, 2, rows, seed)


def _forest(name: str, kind: Any, min_leaf: int, rows: Rows, seed: int) -> Member:
    """A forest, each row judged by the trees that did not see it."""
    n_rows = len(rows.Z)
    large = n_rows > MANY_TREES_ROWS
    model = kind(
        FEW_TREES if large else TREES,
        bootstrap=True,
        oob_score=True,
        max_samples=MANY_TREES_ROWS / n_rows if large else None,
        min_samples_leaf=min_leaf,
        random_state=seed,
    )
    # Trees compare values of a column only: what is beyond float32 may be cut off.
    limit = np.finfo(np.float32).max / 2
    X = np.clip(rows.numbers, -limit, limit)
    if rows.is_regression:
        model.fit(X, rows.labels)
        return Member(
            name,
            model.oob_prediction_[:, None],
            lambda new: model.predict(np.clip(new.numbers, -limit, limit))[:, None],
        )
    model.fit(X, rows.codes)
    uniform = 1.0 / rows.classes.size
    return Member(
        name,
        np.nan_to_num(model.oob_decision_function_, nan=uniform),
        lambda new: model.predict_proba(np.clip(new.numbers, -limit, limit)),
    )


def _nearest(name: str, rows: Rows, near: Neighbours, seed: int) -> Member:
    """The classes of the nearest rows, or the mean of their targets, nearer ones counting more."""
    usual = float(np.nanmedian(near.distance[:, 0]))

    def predict(new: Rows) -> Array:
        k = min(max(NEIGHBORS), len(rows.Z))
        distance, found = NearestNeighbors(n_neighbors=k).fit(rows.Z).kneighbors(new.Z)
        return vote(rows, distance, found, usual)

    return Member(name, vote(rows, near.distance, near.nearest, usual), predict)


def vote(
    rows: Rows,
    distance: Array,
    found: NDArray[np.intp],
    usual: float,
) -> Array:
    """What the nearest rows say, averaged over two numbers of them."""
    n_rows, n_classes = len(found), max(rows.classes.size, 1)
    out = np.zeros((n_rows, n_classes))
    first: Array
    if rows.is_regression:
        first = np.array([rows.labels.mean()])
    else:
        first = np.bincount(rows.codes, minlength=n_classes) / len(rows.Z)
    for n_near in NEIGHBORS:
        part, there = found[:, :n_near], found[:, :n_near] >= 0
        counted = there.astype(np.float64)
        nearness = counted / np.maximum(distance[:, :n_near], MIN_DISTANCE * usual + 1e-12)
        nearness[~there] = 0.0
        total = np.maximum(nearness.sum(axis=1, keepdims=True), 1e-300)
        said = np.zeros((n_rows, n_classes))
        for nth in range(part.shape[1]):
            if rows.is_regression:
                said[:, 0] += nearness[:, nth] * rows.labels[part[:, nth]]
            else:
                said[np.arange(n_rows), rows.codes[part[:, nth]]] += nearness[:, nth]
        rows_counted = counted.sum(axis=1, keepdims=True)
        out += (said / total * rows_counted + first) / (rows_counted + 1.0) / len(NEIGHBORS)
    return out
