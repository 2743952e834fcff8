"""The columns of a table as numbers: a transformer that shows what it makes of each."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils import Tags, check_array
from sklearn.utils.validation import check_is_fitted

from broadlearn.models import in_one_step
from broadlearn.tables.columns import (
    CHOICES,
    KINDS,
    MISSING_LEVEL,
    Plan,
    ReadColumn,
    column_use,
    learn_column,
    read_column,
)
from broadlearn.utils import Array


class TablePreparation(TransformerMixin, BaseEstimator):
    """Read the columns of a table and turn them into numbers.

    Two steps, both learnt in ``fit`` and independent of the target:

    1. Each column is read by its own cells. Numbers may have decimal commas, thousands marks, a
       currency, a percent sign or another unit, or brackets for a minus. Dates have one format.
       Labels that differ only by case or spaces are one. Common words for a missing value, and
       strays among numbers or dates, count as missing.
    2. Missing numbers become the median, with an indicator
       (`sklearn.impute.SimpleImputer`). Categories become columns of 0 and 1, one for each of the
       30 most frequent levels and one for all others (`sklearn.preprocessing.OneHotEncoder`); two
       levels, as yes and no, are 0 and 1. Ordered words become their ranks, dates the days since
       the first.

    Text in which most values occur once, constants and empty columns are left out.

    New rows are read as the rows of ``fit`` were. A warning names each column with cells that are
    not written as in training, and how many there are; they count as missing. If they are most of
    a column, an error is raised.

    Parameters
    ----------
    kinds : dict of str to str, default=None
        Kinds of columns that are known: "number", "category", "boolean", "date", or "drop" to
        leave a column out.
    orders : dict of str to list of str, default=None
        Words of ordered columns, from the lowest. Ordered categoricals of pandas need none.
    on_unread : {"raise", "warn"}, default="raise"
        What to do if most cells of a column of new rows are not written as in training.

    Attributes
    ----------
    columns_ : list of dict
        What was learnt about each column, see `describe`.
    imputer_ : SimpleImputer or None
        Fills in numbers; None without columns of numbers.
    encoder_ : OneHotEncoder or None
        Encodes categories; None without such columns.
    order_ : ndarray of shape (n_numbers,)
        Positions of the outputs, column by column, in what `imputer_` and `encoder_` give.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if they are text.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.tables import TablePreparation
    >>> paid, colour = ["1,200.50", "3", "n/a", "4"], ["red", "Red ", "red", "blue"]
    >>> X = pd.DataFrame({"paid": paid, "colour": colour})
    >>> prepare = TablePreparation().fit(X)
    >>> prepare.transform(X)
    array([[1.2005e+03, 0.0000e+00, 1.0000e+00],
           [3.0000e+00, 0.0000e+00, 1.0000e+00],
           [4.0000e+00, 1.0000e+00, 1.0000e+00],
           [4.0000e+00, 0.0000e+00, 0.0000e+00]])
    >>> prepare.get_feature_names_out().tolist()
    ['paid', 'paid_missing', 'colour_red']
    """

    columns_: list[Plan]

    def __init__(
        self,
        kinds: Mapping[str, str] | None = None,
        orders: Mapping[str, Sequence[str]] | None = None,
        on_unread: str = "raise",
    ) -> None:
        self.kinds = kinds
        self.orders = orders
        self.on_unread = on_unread

    @in_one_step
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Learn how columns are written and encoded.

        Parameters
        ----------
        X : pandas or polars frame, or array of shape (n_samples, n_columns)
        y : None
            Ignored.

        Returns
        -------
        self
        """
        frame, named = _as_frame(X)
        kinds, orders = dict(self.kinds or {}), dict(self.orders or {})
        _check_choices(kinds, orders, list(frame.columns))
        self.n_features_in_ = frame.shape[1]
        if named:
            self.feature_names_in_ = np.array(list(frame.columns), dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.columns_ = [
            learn_column(frame[name], kinds.get(name), orders.get(name)) for name in frame
        ]
        used = _used(self.columns_)
        if not used:
            reasons = [f"{plan['name']!r} {column_use(plan)}" for plan in self.columns_[:5]]
            few = " of one sample" if len(frame) == 1 else ""
            raise ValueError(f"There is no column{few} to learn from: {'; '.join(reasons)}.")
        numbers, levels = _blocks(_read(frame, used), used)
        self.imputer_ = self.encoder_ = None
        if numbers:
            imputer = SimpleImputer(strategy="median", add_indicator=True)
            self.imputer_ = imputer.fit(np.column_stack(numbers))
        if levels:
            categories = [np.array(p["levels"], dtype=object) for p in used if _is_encoded(p)]
            encoder = OneHotEncoder(
                categories=categories, handle_unknown="ignore", sparse_output=False
            )
            self.encoder_ = encoder.fit(np.column_stack(levels))
        position = {plan["name"]: j for j, plan in enumerate(used)}
        places = [position[column] for column, _ in self._encoded()]
        self.order_ = np.argsort(places, kind="stable")
        return self

    def transform(self, X: Any) -> Array:
        """Turn rows into numbers.

        Parameters
        ----------
        X : pandas or polars frame, or array of shape (n_samples, n_columns)
            Columns are found by their names; others are ignored.

        Returns
        -------
        ndarray of shape (n_samples, n_numbers), or a frame after ``set_output``
        """
        check_is_fitted(self)
        # One look at the state: a refit in another thread replaces it as a whole.
        state = vars(self)
        used = _used(state["columns_"])
        frame = _needed(X, state)
        read = _read(frame, used)
        _tell_unread(frame, read, used, state["on_unread"])
        numbers, levels = _blocks(read, used)
        parts = []
        if numbers:
            parts.append(state["imputer_"].transform(np.column_stack(numbers)))
        if levels:
            parts.append(state["encoder_"].transform(np.column_stack(levels)))
        return np.hstack(parts)[:, state["order_"]]

    def read(self, X: Any) -> pd.DataFrame:
        """Read the columns of rows without encoding them.

        Parameters
        ----------
        X : pandas or polars frame, or array of shape (n_samples, n_columns)

        Returns
        -------
        pandas.DataFrame
            Floats of numbers, booleans and ranks, datetimes of dates, text of categories, all with
            missing values; columns that are not used are left out.

        Examples
        --------
        >>> import pandas as pd
        >>> from broadlearn.tables import TablePreparation
        >>> X = pd.DataFrame({"paid": ["1,5 %", "20 %"], "visit": ["3.1.2024", "17.1.2024"]})
        >>> TablePreparation().fit(X).read(X)
           paid      visit
        0   1.5 2024-01-03
        1  20.0 2024-01-17
        """
        check_is_fitted(self)
        state = vars(self)
        frame, used = _needed(X, state), _used(state["columns_"])
        columns: dict[str, Any] = {}
        for plan, (values, _) in zip(used, _read(frame, used), strict=True):
            columns[plan["name"]] = values
            if plan["kind"] == "date":
                columns[plan["name"]] = pd.to_datetime(values, unit="D").round("ms")
            elif plan["kind"] == "category":
                values[values == MISSING_LEVEL] = None
        return pd.DataFrame(columns, index=frame.index)

    def describe(self) -> pd.DataFrame:
        """Show what each column was taken for in ``fit``, and what becomes of it.

        Returns
        -------
        pandas.DataFrame
            With the columns column, kind, missing, distinct, example and use.

        Examples
        --------
        >>> import pandas as pd
        >>> from broadlearn.tables import TablePreparation
        >>> X = pd.DataFrame({"visit": ["3.1.2024", "17.1.2024"], "dose": ["12 mg", "8 mg"]})
        >>> TablePreparation().fit(X).describe()[["column", "kind", "use"]]
          column    kind                                       use
        0  visit    date  days since the first, dates as %d.%m.%Y
        1   dose  number                         number, unit 'mg'
        """
        check_is_fitted(self)
        learnt = pd.DataFrame(self.columns_).rename(columns={"name": "column"})
        learnt["use"] = [column_use(plan) for plan in self.columns_]
        return learnt[["column", "kind", "missing", "distinct", "example", "use"]]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return names of the numbers: the column, with a level or "missing".

        Parameters
        ----------
        input_features : None
            Not used.

        Returns
        -------
        ndarray of str
        """
        names: dict[str, None] = {}
        for column, ending in self._outputs():
            name = f"{column}_{ending}" if ending else column
            while name in names:
                name += "_"
            names[name] = None
        return np.array(list(names), dtype=object)

    def origins(self) -> list[str]:
        """Return the column that each number comes from.

        Returns
        -------
        list of str
        """
        return [column for column, _ in self._outputs()]

    def _outputs(self) -> list[tuple[str, str]]:
        """Return the column of each output, and the ending of its name."""
        check_is_fitted(self)
        encoded = self._encoded()
        return [encoded[j] for j in self.order_]

    def _encoded(self) -> list[tuple[str, str]]:
        """Return the same for the outputs of `imputer_` and `encoder_` in their own order."""
        used = _used(self.columns_)
        numbers = [plan for plan in used if not _is_encoded(plan)]
        levels = [(p["name"], level) for p in used if _is_encoded(p) for level in p["levels"]]
        outputs = [(p["name"], p["levels"][1] if p["kind"] == "category" else "") for p in numbers]
        if self.imputer_ is not None:
            missing = self.imputer_.indicator_.features_
            outputs += [(numbers[j]["name"], "missing") for j in missing]
        return outputs + levels

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        # One text, so that model files stay small with thousands of columns.
        state = dict(super().__getstate__())
        if "columns_" in state:
            state["columns_"] = json.dumps(state["columns_"])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if isinstance(state.get("columns_"), str):
            state = {**state, "columns_": json.loads(state["columns_"])}
        super().__setstate__(state)


def _used(plans: list[Plan]) -> list[Plan]:
    return [plan for plan in plans if KINDS[plan["kind"]]]


def _is_encoded(plan: Plan) -> bool:
    """Return whether the encoder takes a column; one of two levels becomes 0 and 1 instead."""
    return plan["kind"] == "category" and len(plan["levels"]) != 2


def _read(frame: pd.DataFrame, plans: list[Plan]) -> list[ReadColumn]:
    return [read_column(frame[plan["name"]], plan) for plan in plans]


def _blocks(read: list[ReadColumn], plans: list[Plan]) -> tuple[list[Any], list[Any]]:
    """Return the columns for the imputer and the columns for the encoder."""
    numbers, levels = [], []
    for plan, (values, _) in zip(plans, read, strict=True):
        if _is_encoded(plan):
            levels.append(values)
        elif plan["kind"] == "category":
            known = np.isin(values, plan["levels"])
            numbers.append(np.where(known, values == plan["levels"][1], np.nan))
        else:
            numbers.append(values - plan.get("first", 0.0))
    return numbers, levels


def _tell_unread(
    frame: pd.DataFrame, read: list[ReadColumn], plans: list[Plan], on_unread: str
) -> None:
    """Warn of cells in another format than in training; raise if they are most of a column."""
    for plan, (_, unread) in zip(plans, read, strict=True):
        count = int(unread.sum())
        if not count:
            continue
        cells = frame[plan["name"]]
        is_category = plan["kind"] == "category"
        what = "new levels" if is_category else f"not {plan['kind']}s in the format of training"
        sentence = (
            f"Column {plan['name']!r} has {count:,} of {len(unread):,} cells that are {what}, such "
            f"as {str(cells[unread].iloc[0])[:40]!r} (in training {plan['example']!r})"
        )
        most = 2 * count > int(cells.notna().sum())
        # Fewer than 10 levels may well be new, and are no sign of another way of writing.
        few = is_category and count < 10
        if most and not few and on_unread == "raise":
            raise ValueError(
                f"{sentence}. Convert the column to that format, or set on_unread='warn' "
                "(--force) to treat these cells as missing."
            )
        warnings.warn(f"{sentence}; they count as missing.", UserWarning, stacklevel=4)


def _check_choices(
    kinds: Mapping[str, str], orders: Mapping[str, Sequence[str]], names: list[str]
) -> None:
    for name in [*kinds, *orders]:
        if name not in names:
            raise ValueError(f"kinds and orders must name columns of X; there is no {name!r}.")
    for name, kind in kinds.items():
        if kind not in CHOICES:
            choices = ", ".join(map(repr, CHOICES))
            raise ValueError(f"The kind of column {name!r} must be one of {choices}; got {kind!r}.")


def _needed(X: Any, state: Mapping[str, Any]) -> pd.DataFrame:
    """Return new rows with the columns of training."""
    frame, named = _as_frame(X)
    if not named:
        if frame.shape[1] != state["n_features_in_"]:
            raise ValueError(
                f"X has {frame.shape[1]} features, but TablePreparation is expecting "
                f"{state['n_features_in_']} features as input."
            )
        return frame.set_axis([plan["name"] for plan in state["columns_"]], axis=1)
    for plan in _used(state["columns_"]):
        if plan["name"] not in frame.columns:
            raise ValueError(f"X must have all columns of fit, but has no {plan['name']!r}.")
    return frame


def _as_frame(X: Any) -> tuple[pd.DataFrame, bool]:
    """Return a table as a pandas frame, and whether its columns have names."""
    if hasattr(X, "to_pandas"):
        X = X.to_pandas()
    if isinstance(X, pd.DataFrame):
        if not X.shape[0] or not X.shape[1]:
            raise ValueError(
                f"Found array with {X.shape[0]} sample(s) and {X.shape[1]} feature(s) (shape="
                f"{X.shape}) while a minimum of 1 is required by TablePreparation."
            )
        if not X.columns.is_unique:
            raise ValueError(f"Duplicate column name: {X.columns[X.columns.duplicated()][0]!r}.")
        named = all(isinstance(name, str) for name in X.columns)
        return (X if named else X.set_axis([f"x{j}" for j in range(X.shape[1])], axis=1)), named
    array = check_array(X, dtype=None, ensure_all_finite="allow-nan", estimator="TablePreparation")
    if array.dtype.kind not in "OUSbiuf":
        raise ValueError(f"X must contain numbers, booleans or text; got {array.dtype}.")
    frame = pd.DataFrame(array, columns=[f"x{j}" for j in range(array.shape[1])])
    return (frame.infer_objects() if array.dtype == object else frame), False
