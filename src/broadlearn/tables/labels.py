"""The target column of a table: labels of one spelling each, or the numbers of a quantity."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from broadlearn.tables.sources import MAX_LABEL, TableError
from broadlearn.tables.texts import level_key, read_number_column
from broadlearn.utils import counted, listed

TASKS = ("classification", "regression")


def infer_task(y: ArrayLike) -> str:
    """Decide whether a target holds classes or a quantity.

    Text and booleans are classes. Numbers are a quantity if they have more than 30 distinct
    values, or more than 10 if some have a fraction or if there are fewer than 5 rows per value.

    Parameters
    ----------
    y : array-like of shape (n_samples,)

    Returns
    -------
    {"classification", "regression"}

    Examples
    --------
    >>> from broadlearn.tables import infer_task
    >>> infer_task([0, 1, 2, 1]), infer_task(["a", "b"]), infer_task(range(200))
    ('classification', 'classification', 'regression')
    """
    values = np.asarray(y)
    if values.dtype == object:
        values = np.asarray(pd.Series(y).infer_objects())
    if values.dtype.kind not in "iuf":
        return "classification"
    distinct = np.unique(values)
    few_rows = values.size < 5 * distinct.size
    fractions = values.dtype.kind == "f" and bool(np.any(distinct % 1 != 0))
    most = 10 if fractions or few_rows else 30
    return "regression" if distinct.size > most else "classification"


def read_labels(column: pd.Series, what: str, task: str | None) -> tuple[NDArray[Any], str]:
    """Return the labels or numbers of a target column, called `what` in errors, and the task.

    Text labels lose outer spaces; those that differ only by case or spaces are one, in its most
    frequent spelling, with a warning. Text that holds numbers, such as "1.200,50 €", is read as
    numbers for a quantity.
    """
    if task not in (None, *TASKS):
        raise TableError(f"task must be 'classification', 'regression' or None; got {task!r}.")
    if column.dtype.kind == "M":
        raise TableError(f"{what} contains dates; expected classes or numbers.")
    is_text = not (
        pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype)
    )
    missing = column.isna().to_numpy(dtype=bool)
    if is_text:
        missing = missing | column.astype(str).str.strip().eq("").to_numpy(dtype=bool)
    if missing.any():
        raise TableError(
            f"{what} has no label in {counted(int(missing.sum()), 'row')} of {len(column):,}, "
            f"first in row {int(missing.argmax()):,}; remove rows without a label."
        )
    values = _text_labels(column.astype(str), what, task) if is_text else _numbers(column, what)
    found = task or infer_task(values)
    if found == "regression":
        return values.astype(float), found
    if values.dtype.kind == "f":
        # scikit-learn takes fractions for a quantity.
        values = np.array([f"{value:.15g}" for value in values])
    return values, found


def _numbers(column: pd.Series, what: str) -> NDArray[Any]:
    """Return booleans, integers if all numbers are whole, or else floats."""
    if pd.api.types.is_bool_dtype(column.dtype):
        return column.to_numpy(dtype=bool)
    values = column.to_numpy(dtype=float)
    if not np.isfinite(values).all():
        raise TableError(f"{what} must contain finite numbers.")
    is_whole = np.all(values % 1 == 0) and np.abs(values).max() < 2**53
    return values.astype(np.int64) if is_whole else values


def _text_labels(texts: pd.Series, what: str, task: str | None) -> NDArray[Any]:
    """Return the numbers of a quantity, or else labels in one spelling each."""
    numbers = read_number_column(texts)
    if numbers is None and task == "regression":
        raise TableError(f"{what} contains text, such as {texts.iloc[0]!r}; expected numbers.")
    if numbers is not None and (task or infer_task(numbers)) == "regression":
        return numbers
    return _merged(texts, what)


def _merged(texts: pd.Series, what: str) -> NDArray[np.str_]:
    """Return labels in one spelling each."""
    labels = [" ".join(text.split()) for text in texts]
    for label in set(labels):
        if len(label) > MAX_LABEL:
            raise TableError(f"{what} has a label longer than {MAX_LABEL} characters.")
        if "\0" in label:
            raise TableError(f"{what} has a label with a NUL character.")
    spellings: dict[str, str] = {}
    for label, _ in Counter(labels).most_common():
        spellings.setdefault(level_key(label), label)
    merged = sorted({label for label in labels if spellings[level_key(label)] != label})
    if merged:
        warnings.warn(
            f"{what} has labels that differ from others only in case or spaces; they are merged: "
            f"{listed(merged)}.",
            UserWarning,
            stacklevel=6,
        )
    return np.array([spellings[level_key(label)] for label in labels])
