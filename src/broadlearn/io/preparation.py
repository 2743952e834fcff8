"""The columns of a table as numbers: a transformer that says what it makes of each."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags, check_array, check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from broadlearn.io.arrow_columns import plain_types
from broadlearn.io.column_encoding import Encoding, encode, learn_encoding
from broadlearn.io.column_moments import seconds_as_dates
from broadlearn.io.column_reading import Reading
from broadlearn.io.column_records import MAX_EXAMPLE, ColumnRecord, make_record, warn_of_columns
from broadlearn.io.column_table import as_target, decide_columns
from broadlearn.io.csv_files import import_pandas
from broadlearn.models import in_one_step
from broadlearn.utils import Array

if TYPE_CHECKING:
    import pandas as pd


class TablePreparation(TransformerMixin, BaseEstimator):
    """Decide what kind of values each column of a table holds, and turn all into numbers.

    All is learnt in ``fit``: put it into a pipeline with a classifier, and nothing is learnt
    from rows that the classifier is judged by.

    - Numbers, also those written as text: with thousands separators, decimal commas, percent,
      currencies, units, signs. Missing ones become the column's median; whether one is missing is a
      number too where that depends on the target.
    - Booleans, in several languages: 0 and 1. Words with a known order, such as low, medium, high,
      sizes or ranges: their ranks.
    - Other words: a column of 0 and 1 for each of at most 30 levels, missing being a level too.
      With more, the mean target of each level by `sklearn.preprocessing.TargetEncoder`, which for
      the rows of ``fit_transform`` takes that of other rows; without ``y``, columns for the 49 most
      frequent levels and one for all others.
    - Dates and times: year, month, day, weekday, hour and days since the first, as far as they
      vary and, where there is a target, tell something of it.
    - Identifiers, free text, constants, empty columns and copies of other columns are left out.
    - A column that tells the target by itself may be a leak: it stays, with a warning.

    Spellings of a word that differ in case or spaces only are the same. At ``transform``, a cell
    that cannot be read counts as missing; `not_understood` names such columns.

    Parameters
    ----------
    kinds : dict of str to str, default=None
        Kinds of columns that are known: "number", "category", "ordered category", "boolean",
        "date", or "identifier" or "free text" to leave them out.

    Attributes
    ----------
    columns_ : list of ColumnRecord
        What was decided on each column.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if they are text.

    See Also
    --------
    describe_columns : The same decisions, without a transformer.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.io import TablePreparation
    >>> paid, colour = ["1,200.50", "$3", "n/a", "4"], ["red", "Red ", "red", "blue"]
    >>> X = pd.DataFrame({"paid": paid, "colour": colour})
    >>> prepare = TablePreparation().fit(X)
    >>> [(column.name, column.kind) for column in prepare.columns_]
    [('paid', 'number as text'), ('colour', 'category')]
    >>> prepare.transform(X)
    array([[1.2005e+03, 1.0000e+00],
           [3.0000e+00, 1.0000e+00],
           [4.0000e+00, 1.0000e+00],
           [4.0000e+00, 0.0000e+00]])
    >>> prepare.get_feature_names_out().tolist()
    ['paid', 'colour_red']
    """

    def __init__(self, kinds: Mapping[str, str] | None = None) -> None:
        self.kinds = kinds

    @in_one_step
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Learn kinds of columns, and how they become numbers.

        Parameters
        ----------
        X : pandas or polars frame, or array of shape (n_samples, n_columns)
        y : array-like of shape (n_samples,), default=None
            Target: it tells which missing values are informative, the numbers of words with many
            levels, and leaks.

        Returns
        -------
        self
        """
        self._learn(X, y)
        return self

    @in_one_step
    def fit_transform(self, X: Any, y: ArrayLike | None = None, **fit_params: Any) -> Array:
        """Learn from rows and give their numbers.

        The numbers of words with many levels come from the target of other rows, so that they
        differ from those of ``fit(X, y).transform(X)``, which would tell each row its own target.

        Parameters
        ----------
        X : pandas or polars frame, or array of shape (n_samples, n_columns)
        y : array-like of shape (n_samples,), default=None

        Returns
        -------
        ndarray of shape (n_samples, n_numbers), or a frame after ``set_output``
        """
        return self._learn(X, y)

    def transform(self, X: Any) -> Array:
        """Give the numbers of rows.

        Parameters
        ----------
        X : pandas or polars frame, or array of shape (n_samples, n_columns)
            Columns are found by their names, others are ignored.

        Returns
        -------
        ndarray of shape (n_samples, n_numbers), or a frame after ``set_output``
        """
        frame = self._needed(X)
        return np.hstack(
            [
                encode(reading, encoding, reading.read(frame[name]))
                for name, (reading, encoding) in self._plans.items()
            ]
        )

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of the numbers: that of the column, with level or part.

        Parameters
        ----------
        input_features : None
            Not used.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        names: dict[str, None] = {}
        for column, (_, encoding) in self._plans.items():
            for ending in encoding.names:
                name = f"{column}_{ending}" if ending else str(column)
                while name in names:
                    name += "_"
                names[name] = None
        return np.array(list(names), dtype=object)

    def plans(self) -> dict[str, tuple[Reading, Encoding]]:
        """How each column that is used is read, and how it becomes numbers."""
        check_is_fitted(self)
        return dict(self._plans)

    def origins(self) -> list[str]:
        """The column that each number comes from."""
        check_is_fitted(self)
        return [name for name, (_, encoding) in self._plans.items() for _ in encoding.names]

    def not_understood(self, X: Any) -> list[str]:
        """One sentence for each column with cells that cannot be read as in ``fit``.

        Parameters
        ----------
        X : pandas or polars frame, or array of shape (n_samples, n_columns)

        Returns
        -------
        list of str
        """
        frame, sentences = self._needed(X), []
        for name, (reading, _) in self._plans.items():
            n_rows, first, text = reading.not_understood(frame[name])
            if not n_rows:
                continue
            where = f"in {n_rows} of {len(frame)} rows"
            row = f"{frame.index.name or 'row'} {frame.index[first]}"
            example = f"such as {text[:MAX_EXAMPLE]!r} in {row}"
            what = "date" if reading.how == "date" else "number"
            sentences.append(
                f"Column {name!r} has levels {where} that the model has not seen, {example}."
                if reading.how == "words"
                else f"Column {name!r} has values {where} that cannot be read as a {what}, "
                f"{example}; they count as missing."
            )
        return sentences

    def read(self, X: Any) -> pd.DataFrame:
        """The table with text that stands for numbers and dates as such, and words spelt alike.

        Parameters
        ----------
        X : pandas or polars frame, or array of shape (n_samples, n_columns)

        Returns
        -------
        pandas.DataFrame
            All columns of ``X``, those that are not changed as they are.
        """
        pandas = import_pandas()
        frame = self._needed(X)
        found = {}
        for name, (reading, _) in self._plans.items():
            column = frame[name]
            is_text = column.dtype.kind not in "biufMm"
            if reading.how == "words" and (is_text or name in (self.kinds or ())):
                values = reading.read(column)
                if isinstance(column.dtype, pandas.CategoricalDtype) or reading.kind == "boolean":
                    continue
                codes = np.where(values >= 0, values, -1).astype(np.intp)
                ordered = reading.kind == "ordered category"
                words = pandas.Categorical.from_codes(codes, reading.levels, ordered=ordered)
                found[name] = pandas.Series(words, frame.index)
            elif reading.how in ("number", "compound") and (is_text or reading.empty):
                found[name] = pandas.Series(reading.read(column), frame.index)
            elif reading.how == "date" and not reading.clock:
                moments = seconds_as_dates(reading.read(column))
                found[name] = pandas.Series(moments, frame.index)
        return frame.assign(**found)

    def _learn(self, X: Any, y: ArrayLike | None) -> Array:
        frame = self._checked(X)
        labels = None if y is None else column_or_1d(y)
        if labels is not None:
            check_consistent_length(frame, labels)
        target = as_target(labels)
        found = decide_columns(frame, target, self.kinds or {})
        self.columns_, self._plans, parts = [], {}, []
        for name, column in found.items():
            use = f"left out: {column.reason}"
            if column.is_used:
                encoding, numbers = learn_encoding(column.reading, column.values, target)
                self._plans[name] = (column.reading, encoding)
                parts.append(numbers)
                use = "; ".join(filter(None, (encoding.use, column.reason)))
            self.columns_.append(make_record(frame[name], column, use))
        if not parts:
            what = "; ".join(f"{record.name!r} is {record.use}" for record in self.columns_[:5])
            few = " of one sample" if len(frame) == 1 else ""
            raise ValueError(f"There is no column{few} to learn from: {what}.")
        warn_of_columns(self.columns_)
        return np.hstack(parts)

    def _checked(self, X: Any) -> pd.DataFrame:
        """The table as a pandas frame, whose columns are remembered."""
        frame, named = _as_frame(X)
        self.n_features_in_ = frame.shape[1]
        if named:
            self.feature_names_in_ = np.array(list(frame.columns), dtype=object)
        elif hasattr(self, "feature_names_in_"):
            delattr(self, "feature_names_in_")
        return frame

    def _needed(self, X: Any) -> pd.DataFrame:
        """The columns of new rows that numbers are made of."""
        check_is_fitted(self)
        frame, named = _as_frame(X)
        if not named:
            if frame.shape[1] != self.n_features_in_:
                raise ValueError(
                    f"X has {frame.shape[1]} features, but {type(self).__name__} is expecting "
                    f"{self.n_features_in_} features as input."
                )
            known = getattr(self, "feature_names_in_", frame.columns)
            return frame.set_axis(list(known), axis=1)
        missing = [name for name in self._plans if name not in frame.columns]
        if missing:
            raise ValueError(f"X must have all columns of fit, but has no {missing[0]!r}.")
        return frame

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        # One text: model files count parts, of which thousands of columns have too many.
        state = dict(super().__getstate__())
        if "_plans" in state:
            plans = [(n, asdict(r), asdict(e)) for n, (r, e) in state.pop("_plans").items()]
            records = [asdict(record) for record in state.pop("columns_")]
            state["_learnt"] = json.dumps({"plans": plans, "columns": records})
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if "_learnt" in state:
            learnt = json.loads(state.pop("_learnt"))
            state["_plans"] = {
                name: (_restored(Reading, reading), _restored(Encoding, encoding))
                for name, reading, encoding in learnt["plans"]
            }
            state["columns_"] = [ColumnRecord(**record) for record in learnt["columns"]]
        super().__setstate__(state)


def describe_columns(
    X: Any, y: ArrayLike | None = None, *, kinds: Mapping[str, str] | None = None
) -> list[ColumnRecord]:
    """Say what kind of values each column of a table holds, and what would become of it.

    Parameters
    ----------
    X : pandas or polars frame, or array of shape (n_samples, n_columns)
    y : array-like of shape (n_samples,), default=None
        Target.
    kinds : dict of str to str, default=None
        Kinds that are known, as in `TablePreparation`.

    Returns
    -------
    list of ColumnRecord
        ``columns_`` of a `TablePreparation`.

    Examples
    --------
    >>> import pandas as pd
    >>> from broadlearn.io import describe_columns
    >>> X = pd.DataFrame({"visit": ["3.1.2024", "17.1.2024"], "dose": ["12 mg", "8 mg"]})
    >>> for column in describe_columns(X):
    ...     print(column.name, column.kind, column.use, sep=": ")
    visit: date: day, elapsed
    dose: number as text: number
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return TablePreparation(kinds).fit(X, y).columns_


def _as_frame(X: Any) -> tuple[pd.DataFrame, bool]:
    """A table as a pandas frame, and whether its columns have names."""
    pandas = import_pandas()
    if hasattr(X, "to_pandas"):
        X = X.to_pandas()
    if isinstance(X, pandas.DataFrame):
        if not X.shape[0] or not X.shape[1]:
            raise ValueError(
                f"Found array with {X.shape[0]} sample(s) and {X.shape[1]} feature(s) (shape="
                f"{X.shape}) while a minimum of 1 is required by TablePreparation."
            )
        repeated = X.columns[X.columns.duplicated()]
        if len(repeated):
            raise ValueError(
                f"X must have a name of its own for every column, got {repeated[0]!r} twice."
            )
        named = all(isinstance(name, str) for name in X.columns)
        return plain_types(X), named
    array = check_array(X, dtype=None, ensure_all_finite="allow-nan", estimator="TablePreparation")
    if array.dtype.kind not in "OUSbiuf":
        raise ValueError(f"X must hold numbers, booleans, dates or text, got {array.dtype}.")
    frame = pandas.DataFrame(array, columns=[f"x{j}" for j in range(array.shape[1])])
    return (frame.infer_objects() if array.dtype == object else frame), False


def _restored(kind: Any, fields: dict[str, Any]) -> Any:
    """A frozen record from what JSON made of it."""

    def settled(value: Any) -> Any:
        return tuple(map(settled, value)) if isinstance(value, list) else value

    return kind(**{name: settled(value) for name, value in fields.items()})
