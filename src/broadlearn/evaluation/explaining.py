"""Why a row is predicted as it is: contributions of columns, by Shapley values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils import gen_batches

from broadlearn.evaluation.thresholds import unwrap_model
from broadlearn.utils import Array

# Columns up to which all subsets are evaluated: 62 mixed rows per background row, 10 otherwise.
MAX_EXACT_COLUMNS = 6
# Mixed rows that are predicted at a time, which bounds memory.
MAX_MIXED = 50_000
# Values of a column in a curve of partial dependence.
MAX_VALUES = 12


@dataclass(frozen=True, eq=False)
class Explanation:
    """Contributions of columns to the predictions of rows, made by `explain`.

    Attributes
    ----------
    contributions : pandas.DataFrame of shape (n_samples, n_columns)
        Change of the output by each column. A row sums to `output` minus `base`.
    values : pandas.DataFrame of shape (n_samples, n_columns)
        The cells, as the model reads them.
    output : ndarray of shape (n_samples,)
        What is explained: the probability of `label`, its decision, or the predicted quantity.
    base : ndarray of shape (n_samples,)
        Mean of the same output over the background.
    label : ndarray of shape (n_samples,) or None
        The class of `output`; None for a quantity.
    unit : str
        "probability", "decision" or "prediction".
    """

    contributions: pd.DataFrame
    values: pd.DataFrame
    output: Array
    base: Array
    label: NDArray[Any] | None
    unit: str

    @property
    def importances(self) -> pd.DataFrame:
        """Mean absolute contribution of each column, largest first.

        ``importance``, and ``low`` and ``high`` of its 95 % interval over the rows.
        """
        sizes = self.contributions.abs()
        mean, reach = sizes.mean(), 1.96 * sizes.sem()
        low = (mean - reach).clip(lower=0.0)
        table = pd.DataFrame({"importance": mean, "low": low, "high": mean + reach})
        return table.sort_values("importance", ascending=False, kind="stable")

    def row(self, position: int) -> pd.DataFrame:
        """Return ``column``, ``value`` and ``contribution`` of one row, largest first.

        Parameters
        ----------
        position : int
            Position of the row, from 0.

        Returns
        -------
        pandas.DataFrame
        """
        table = pd.DataFrame(
            {
                "column": self.contributions.columns,
                "value": self.values.iloc[position].to_list(),
                "contribution": self.contributions.iloc[position].to_numpy(),
            }
        )
        order = table["contribution"].abs().sort_values(ascending=False, kind="stable").index
        return table.loc[order].reset_index(drop=True)

    def reasons(self, position: int, n_columns: int = 3) -> list[str]:
        """Return the largest contributions to the prediction of a row, in words.

        Parameters
        ----------
        position : int
            Position of the row, from 0.
        n_columns : int, default=3
            Number of columns to name.

        Returns
        -------
        list of str
        """
        largest = self.row(position).head(n_columns).itertuples(index=False, name=None)
        return [
            f"{name} = {_cell_text(value)} ({contribution:+.3g})"
            for name, value, contribution in largest
        ]


def explain(
    model: Any,
    X: Any,
    background: Any = None,
    *,
    label: Any = None,
    n_background: int = 32,
    random_state: int | None = 0,
) -> Explanation:
    """Explain predictions by the contribution of each column.

    Contributions are Shapley values: cells of a row replace those of a background row one by one,
    and the changes of the output are averaged over orders of the columns and over background rows.
    Up to 6 columns, all orders count. Beyond, each background row has a random order and its
    reverse, which is exact as long as no more than two columns interact.

    Parameters
    ----------
    model : estimator
        A fitted classifier, or a regressor of one target, of scikit-learn's kind.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Rows to explain.
    background : array-like or DataFrame, default=None
        Rows to compare with, such as training rows; None compares with `X`.
    label : object, default=None
        Class whose probability (or decision) is explained; None for the predicted one.
    n_background : int, default=32
        Number of background rows to draw. Time and precision grow with it.
    random_state : int or None, default=0
        Seed of background rows and orders.

    Returns
    -------
    Explanation

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BroadEnsembleClassifier, explain
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = BroadEnsembleClassifier().fit(X, y)
    >>> found = explain(model, X.iloc[[0, 70, 140]], X)
    >>> found.importances.index[0]
    'petal width (cm)'
    >>> total = found.contributions.sum(axis=1)
    >>> bool(abs(total - (found.output - found.base)).max() < 1e-9)
    True
    """
    if n_background < 1:
        raise ValueError(f"n_background must be at least 1, got {n_background}.")
    generator = np.random.default_rng(random_state)
    X, named = _as_frame(X)
    others = X if background is None else _as_frame(background)[0]
    others = others.iloc[generator.permutation(len(others))[:n_background]]
    codes, labels = _explained_classes(model, X if named else X.to_numpy(), label)
    rows, values, owner = X, X, np.arange(X.shape[1])
    parts = unwrap_model(model)
    steps = [] if parts.preparation is None else [step for _, step in parts.preparation.steps]
    if len(steps) == 1 and hasattr(steps[0], "origins"):
        # Cells are read once, and the numbers that a column becomes are replaced together.
        model, named, values = parts.estimator, False, steps[0].read(X)
        owner = values.columns.get_indexer(steps[0].origins())
        rows, others = pd.DataFrame(parts.prepare(X)), pd.DataFrame(parts.prepare(others))

    def respond(table: pd.DataFrame) -> Array:
        return _outputs(model, table if named else table.to_numpy())

    total = np.zeros((values.shape[1], len(rows)))
    for j in range(len(others)):
        subsets, weights = _coalitions(values.shape[1], generator)
        n_subsets = len(subsets)
        for some in gen_batches(len(rows), max(1, MAX_MIXED // n_subsets)):
            own = pd.concat([rows.iloc[some]] * n_subsets, ignore_index=True)
            other = others.iloc[[j] * len(own)].reset_index(drop=True)
            taken = subsets[:, owner].repeat(len(own) // n_subsets, axis=0)
            outputs = respond(own.where(taken, other))
            outputs = outputs[np.arange(len(own)), np.tile(codes[some], n_subsets)]
            total[:, some] += weights @ outputs.reshape(n_subsets, -1)
    output, base = respond(rows)[np.arange(len(rows)), codes], respond(others).mean(axis=0)[codes]
    contributions = pd.DataFrame(total.T / len(others), X.index, values.columns)
    return Explanation(contributions, values, output, base, labels, _unit(model))


def partial_dependence(model: Any, X: Any, columns: Sequence[Any]) -> dict[Any, pd.DataFrame]:
    """Return the mean output over all rows when a column has the same cell in each of them.

    Cells are those at 12 quantiles of a column of numbers, or the distinct ones, at most 12.

    Parameters
    ----------
    model : estimator
        A fitted classifier, or a regressor of one target.
    X : array-like or DataFrame of shape (n_samples, n_features)
    columns : sequence
        Labels of columns; positions if X is an array.

    Returns
    -------
    dict of column to DataFrame
        One line per value of the column, one column per class, or one of a quantity.
    """
    X, named = _as_frame(X)
    steps = model.steps[:-1] if isinstance(model, Pipeline) else []
    read = steps[0][1].read(X) if steps and hasattr(steps[0][1], "origins") else X
    found = {}
    for column in columns:
        values, table = read[column].reset_index(drop=True), X.copy()
        if pd.api.types.is_numeric_dtype(values) and values.nunique() > MAX_VALUES:
            ranked = values.dropna().sort_values(kind="stable").index
            places = np.linspace(0.05, 0.95, MAX_VALUES) * (len(ranked) - 1)
            rows = ranked[places.astype(int)]
        else:
            rows = values.dropna().drop_duplicates().sort_values().index[:MAX_VALUES]
        means = []
        for row in rows:
            table[column] = X[column].iloc[row]
            means.append(_outputs(model, table if named else table.to_numpy()).mean(axis=0))
        found[column] = pd.DataFrame(means, pd.Index(values[rows], name=column))
    return found


def _as_frame(X: Any) -> tuple[pd.DataFrame, bool]:
    """Return a table as a frame, and whether it was one."""
    X = X.to_pandas() if hasattr(X, "to_pandas") else X
    if isinstance(X, pd.DataFrame):
        return X, True
    return pd.DataFrame(X.toarray() if issparse(X) else np.asarray(X)), False


def _cell_text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)[:40]


def _unit(model: Any) -> str:
    """Return what a model puts out, in a word."""
    if not is_classifier(model):
        return "prediction"
    return "probability" if hasattr(model, "predict_proba") else "decision"


def _outputs(model: Any, X: Any) -> Array:
    """Return one column per class, or one of a quantity."""
    unit = _unit(model)
    if unit == "probability":
        return np.asarray(model.predict_proba(X), dtype=np.float64)
    found = np.asarray(model.decision_function(X) if unit == "decision" else model.predict(X))
    if unit == "prediction" and found.ndim != 1:
        raise ValueError("explain needs a model of one target; this one predicts several.")
    if unit == "decision" and found.ndim == 1:
        return np.column_stack([-found, found]).astype(np.float64)
    return found.reshape(len(found), -1).astype(np.float64)


def _explained_classes(
    model: Any, X: Any, label: Any
) -> tuple[NDArray[np.intp], NDArray[Any] | None]:
    """Return the column of `_outputs` that is explained for each row, and its class."""
    if not is_classifier(model):
        return np.zeros(len(X), dtype=np.intp), None
    labels = np.asarray(model.predict(X) if label is None else [label] * len(X))
    classes = list(model.classes_)
    if label is not None and label not in classes:
        raise ValueError(f"label must be a class of the model, got {label!r}.")
    return np.array([classes.index(name) for name in labels], dtype=np.intp), labels


def _coalitions(n: int, generator: np.random.Generator) -> tuple[NDArray[np.bool_], Array]:
    """Return subsets of n columns, from none to all, and the weight of their outputs.

    The product of the weights, columns x subsets, with the outputs of the subsets is the Shapley
    value of each column: exact, or estimated by one order of the columns and its reverse.
    """
    if n <= MAX_EXACT_COLUMNS:
        subsets = (np.arange(2**n)[:, None] >> np.arange(n)) % 2 == 1
        inside = [1.0 / (n * comb(n - 1, max(s - 1, 0))) for s in range(n + 1)]
        outside = [-1.0 / (n * max(comb(n - 1, s), 1)) for s in range(n + 1)]
        size = subsets.sum(axis=1)
        return subsets, np.where(subsets.T, np.array(inside)[size], np.array(outside)[size])
    rank, columns = generator.permutation(n), np.arange(n)
    steps = np.arange(n + 1)[:, None]
    subsets = np.vstack([rank < steps[:-1], n - 1 - rank < steps[1:]])
    weights = np.zeros((n, 2 * n))
    # Positions of the subsets of each order; both begin with no column and end with all.
    for path, place in ((np.r_[:n, 2 * n - 1], rank), (np.r_[0, n : 2 * n], n - 1 - rank)):
        weights[columns, path[place + 1]] += 0.5
        weights[columns, path[place]] -= 0.5
    return subsets, weights
