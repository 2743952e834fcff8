"""Why a row is predicted as it is: contributions of columns, by Shapley values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import is_classifier
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import scale
from sklearn.utils import gen_batches

from broadlearn.evaluation.thresholds import unwrap_model
from broadlearn.utils import Array

# Columns up to which all subsets are evaluated: 62 mixed rows per background row, 10 otherwise.
MAX_EXACT_COLUMNS = 6
# Mixed rows that are predicted at a time, which bounds memory.
MAX_MIXED = 50_000
# Values of a column in a curve of partial dependence: enough to see its shape.
MAX_VALUES = 12


@dataclass(frozen=True, eq=False)
class Explanation:
    """Contributions of columns to the predictions of rows, made by `explain`.

    Attributes
    ----------
    contributions : pandas.DataFrame of shape (n_samples, n_columns)
        Change of the output by each column. A row sums to `output` minus `base`.
    values : pandas.DataFrame of shape (n_samples, n_columns)
        The cells as they are written, but numbers as the model reads them.
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

    def reasons(self, position: int) -> list[str]:
        """Return the three largest contributions to the prediction of a row, in words.

        Parameters
        ----------
        position : int
            Position of the row, from 0.

        Returns
        -------
        list of str
        """
        largest = self.row(position).head(3).itertuples(index=False, name=None)
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
    n_background: int | None = None,
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
    n_background : int or None, default=None
        Number of background rows to choose, such that they represent all. Time and precision grow
        with it. None chooses from 8, for many rows, to 64, for few.
    random_state : int or None, default=0
        Seed of background rows and orders.

    Returns
    -------
    Explanation

    See Also
    --------
    importances : Contribution of each column in general, much faster.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BroadEnsembleClassifier, explain
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = BroadEnsembleClassifier().fit(X, y)
    >>> found = explain(model, X.iloc[[0, 70, 140]], X)
    >>> found.row(0)["column"][0]
    'petal length (cm)'
    >>> total = found.contributions.sum(axis=1)
    >>> bool(abs(total - (found.output - found.base)).max() < 1e-9)
    True
    """
    if n_background is not None and n_background < 1:
        raise ValueError(f"n_background must be at least 1, got {n_background}.")
    generator = np.random.default_rng(random_state)
    X, named = _as_frame(X)
    codes, labels = _explained_classes(model, X if named else X.to_numpy(), label)
    mixture = _Mixture(model, X, named)
    rows = mixture.prepare(X)
    others = rows if background is None else mixture.prepare(_as_frame(background)[0])
    n_columns, n_rows = len(mixture.columns), len(rows)
    per_row = n_mixed(n_columns) * n_rows
    if n_background is None:
        # 250,000 mixed rows take an ensemble of 1,000 rows about 10 s. 8 background rows give
        # contributions to about half of their mean size, 64 to a sixth (benchmarks/explain.py).
        n_background = min(max(250_000 // per_row, 8), 64)
    others = mixture.representatives(others, n_background, generator)
    orders = draw_orders(len(others), n_columns, generator)
    total = np.zeros((n_columns, n_rows))
    for some in gen_batches(len(others), max(1, MAX_MIXED // per_row)):
        which = np.arange(len(others))[some]
        pairs = pd.concat([rows] * len(which)), others.iloc[which.repeat(n_rows)]
        found = mixture.contributions(*pairs, orders[which].repeat(n_rows, axis=0))
        found = found[:, np.arange(len(pairs[0])), np.tile(codes, len(which))]
        total += found.reshape(n_columns, -1, n_rows).sum(axis=1)
    output = mixture.outputs(rows)[np.arange(len(rows)), codes]
    base = mixture.outputs(others).mean(axis=0)[codes]
    contributions = pd.DataFrame(total.T / len(others), X.index, mixture.columns)
    return Explanation(contributions, mixture.cells(X), output, base, labels, output_unit(model))


def importances(
    model: Any, X: Any, *, n_pairs: int = 200, random_state: int | None = 0
) -> pd.DataFrame:
    """Measure how much each column contributes to the differences between predictions.

    Pairs of rows are drawn, and the difference of their predictions is divided among the columns as
    in `explain`. The importance of a column is the mean absolute contribution over pairs. It takes
    no labels, and about ``2 * n_pairs * n_columns`` predictions: 5,600 for 14 columns.

    Parameters
    ----------
    model : estimator
        A fitted classifier, or a regressor of one target, of scikit-learn's kind.
    X : array-like or DataFrame of shape (n_samples, n_features)
        At least two rows, labelled or not.
    n_pairs : int, default=200
        Number of pairs of rows to draw.
    random_state : int or None, default=0
        Seed of pairs and orders of the columns.

    Returns
    -------
    pandas.DataFrame
        One line per column, the most important first: ``importance``, and ``low`` and ``high`` of
        its 95 % interval over the pairs. In units of a probability (half the sum over classes), a
        decision or the target.

    See Also
    --------
    explain : Contributions to the prediction of each row.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from broadlearn import BroadEnsembleClassifier, importances
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> importances(BroadEnsembleClassifier().fit(X, y), X).index[0]
    'petal length (cm)'
    """
    X, named = _as_frame(X)
    if len(X) < 2 or n_pairs < 2:
        raise ValueError(
            f"importances needs at least two rows and two pairs, got {len(X)} and {n_pairs}."
        )
    generator = np.random.default_rng(random_state)
    mixture = _Mixture(model, X, named)
    rows = mixture.prepare(X)
    first = generator.integers(len(X), size=n_pairs)
    second = (first + generator.integers(1, len(X), size=n_pairs)) % len(X)
    orders = draw_orders(n_pairs, len(mixture.columns), generator)
    found = mixture.contributions(rows.iloc[first], rows.iloc[second], orders)
    sizes = pd.DataFrame(np.abs(found).sum(axis=2).T, columns=mixture.columns)
    if is_classifier(model):
        sizes /= 2.0
    mean, reach = sizes.mean(), 1.96 * sizes.sem()
    low = (mean - reach).clip(lower=0.0)
    table = pd.DataFrame({"importance": mean, "low": low, "high": mean + reach})
    return table.sort_values("importance", ascending=False, kind="stable")


def partial_dependence(model: Any, X: Any, columns: Sequence[Any]) -> dict[Any, pd.DataFrame]:
    """Return the mean output over all rows when a column has the same cell in each of them.

    Cells are those at 12 quantiles of a column of numbers, or the distinct ones, at most 12. A
    table has one line per cell, and one column per class or one of a quantity.
    """
    X, named = _as_frame(X)
    mixture, found = _Mixture(model, X, named), {}
    read, cells = mixture.read(X), mixture.cells(X)
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
        found[column] = pd.DataFrame(means, pd.Index(cells[column].iloc[rows], name=column))
    return found


class _Mixture:
    """A model, and rows with some cells of one row and the other cells of another.

    If a preparation that knows its columns comes first, cells are read once, and the numbers that a
    column becomes are replaced together.
    """

    def __init__(self, model: Any, X: pd.DataFrame, named: bool) -> None:
        parts = unwrap_model(model)
        steps = [] if parts.preparation is None else [step for _, step in parts.preparation.steps]
        self.preparation = steps[0] if len(steps) == 1 and hasattr(steps[0], "origins") else None
        self.model = model if self.preparation is None else parts.estimator
        self.named = named and self.preparation is None
        self.columns = self.read(X[:1]).columns
        # Position of the column that each number comes from.
        self.owner = np.arange(len(self.columns))
        if self.preparation is not None:
            self.owner = self.columns.get_indexer(self.preparation.origins())

    def read(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return the cells as the model reads them."""
        return X if self.preparation is None else self.preparation.read(X)

    def cells(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return the cells as they are written, but numbers as the model reads them."""
        read = self.read(X)
        if self.preparation is None or not read.columns.isin(X.columns).all():
            return read
        kinds = self.preparation.describe().set_index("column")["kind"]
        return X[read.columns].assign(**{k: read[k] for k in read if kinds[k] == "number"})

    def prepare(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return what is mixed: the cells, or the numbers that they become."""
        return X if self.preparation is None else pd.DataFrame(self.preparation.transform(X))

    def outputs(self, rows: pd.DataFrame) -> Array:
        """Return one column per class, or one of a quantity."""
        return _outputs(self.model, rows if self.named else rows.to_numpy())

    def contributions(
        self, rows: pd.DataFrame, others: pd.DataFrame, orders: NDArray[np.intp]
    ) -> Array:
        """Divide the differences between the outputs of rows and others among the columns.

        `orders` has the place of each column in the order in which it is replaced; if there are few
        columns, all orders are averaged. Returns an array (n_columns, n_pairs, n_outputs).
        """
        n = orders.shape[1]
        divide = divide_exactly if n <= MAX_EXACT_COLUMNS else divide_by_orders
        parts = []
        for some in gen_batches(len(rows), max(1, MAX_MIXED // n_mixed(n))):

            def outputs(subsets: NDArray[np.bool_], some: slice = some) -> Array:
                own = pd.concat([rows[some]] * len(subsets), ignore_index=True)
                other = pd.concat([others[some]] * len(subsets), ignore_index=True)
                taken = subsets[..., self.owner].reshape(own.shape)
                return self.outputs(own.where(taken, other)).reshape(*subsets.shape[:2], -1)

            parts.append(divide(outputs, orders[some]))
        return np.concatenate(parts, axis=1)

    def representatives(
        self, rows: pd.DataFrame, n: int, generator: np.random.Generator
    ) -> pd.DataFrame:
        """Choose rows whose columns and outputs are distributed like those of all.

        By kernel herding (Chen, Welling & Smola 2010): each row in turn is the one that brings the
        mean kernel of those chosen nearest to that of all, or of 500 random ones.
        """
        if n >= len(rows):
            return rows
        rows = rows.iloc[generator.permutation(len(rows))[:500]]
        numbers = np.column_stack([rows.select_dtypes("number"), self.outputs(rows)])
        distances = euclidean_distances(np.nan_to_num(scale(numbers)), squared=True)
        kernel = np.exp(-distances / distances.mean())
        wanted, covered = kernel.mean(axis=0), np.zeros(len(rows))
        chosen: list[int] = []
        for i in range(1, n + 1):
            gain = i * wanted - covered
            gain[chosen] = -np.inf
            chosen.append(int(gain.argmax()))
            covered += kernel[chosen[-1]]
        return rows.iloc[chosen]


def _as_frame(X: Any) -> tuple[pd.DataFrame, bool]:
    """Return a table as a frame, and whether it was one."""
    X = X.to_pandas() if hasattr(X, "to_pandas") else X
    if isinstance(X, pd.DataFrame):
        return X, True
    return pd.DataFrame(X.toarray() if issparse(X) else np.asarray(X)), False


def _cell_text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)[:40]


def output_unit(model: Any) -> str:
    """Return what a model puts out, in a word."""
    if not is_classifier(model):
        return "prediction"
    return "probability" if hasattr(model, "predict_proba") else "decision"


def _outputs(model: Any, X: Any) -> Array:
    """Return one column per class, or one of a quantity."""
    unit = output_unit(model)
    if unit == "probability":
        return np.asarray(model.predict_proba(X), dtype=np.float64)
    found = np.asarray(model.decision_function(X) if unit == "decision" else model.predict(X))
    if unit == "prediction" and found.ndim != 1:
        raise ValueError("explain needs a model with one target, but this model predicts several.")
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


def draw_orders(n_orders: int, n: int, generator: np.random.Generator) -> NDArray[np.intp]:
    """Return random places of n columns in orders."""
    return generator.permuted(np.tile(np.arange(n), (n_orders, 1)), axis=1)


def n_mixed(n: int) -> int:
    """Return the number of mixed rows by which a pair of rows is compared in n columns."""
    return 2**n if n <= MAX_EXACT_COLUMNS else 2 * n


# Subsets of the columns, of shape (n_subsets, n_pairs, n_columns) -> outputs.
Outputs = Callable[[NDArray[np.bool_]], Array]


def divide_exactly(outputs: Outputs, orders: NDArray[np.intp]) -> Array:
    """Return the Shapley value of each column of each pair, from all subsets of the columns."""
    n_pairs, n = orders.shape
    subsets = (np.arange(2**n)[:, None] >> np.arange(n)) % 2 == 1
    # Weights of subsets with and without a column, by their number of columns.
    inside = [1.0 / (n * comb(n - 1, max(s - 1, 0))) for s in range(n + 1)]
    outside = [-1.0 / (n * max(comb(n - 1, s), 1)) for s in range(n + 1)]
    size = subsets.sum(axis=1)
    weights = np.where(subsets.T, np.array(inside)[size], np.array(outside)[size])
    found = outputs(np.broadcast_to(subsets[:, None], (2**n, n_pairs, n)))
    return np.tensordot(weights, found, axes=1)


def divide_by_orders(outputs: Outputs, orders: NDArray[np.intp]) -> Array:
    """Estimate the Shapley value of each column of each pair from an order and its reverse."""
    n = orders.shape[1]
    steps, reverse = np.arange(n + 1)[:, None, None], n - 1 - orders
    found = outputs(np.concatenate([orders < steps, reverse < steps[1:-1]]))
    # Both orders begin with no column and end with all.
    forth, back = found[: n + 1], np.concatenate([found[:1], found[n + 1 :], found[n : n + 1]])
    changes = [
        np.take_along_axis(np.diff(path, axis=0), places.T[..., None], axis=0)
        for path, places in ((forth, orders), (back, reverse))
    ]
    return (changes[0] + changes[1]) / 2.0
