"""The data sets that have an accuracy for every model, and the names of the others."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd

# Means of the same folds, summed in another order, differ in the 16th decimal; they are ties.
DECIMALS = 10


def complete_rows(
    accuracies: pd.DataFrame, *, at_least: int
) -> tuple[pd.DataFrame, tuple[Hashable, ...]]:
    """Check a table of accuracies and split off the data sets with a missing cell.

    Gives the complete rows, of which there must be some, as float64 rounded to `DECIMALS`, and the
    names of the others. A cell is missing if it is NaN, None or NA.
    """
    if not isinstance(accuracies, pd.DataFrame):
        raise ValueError(
            "accuracies must be a pandas DataFrame with data sets as rows and models as columns, "
            f"got {type(accuracies).__name__}."
        )
    if accuracies.shape[1] < 2:
        raise ValueError(
            f"accuracies must have at least 2 models as columns, got {accuracies.shape[1]}."
        )
    for what, labels in (("model", accuracies.columns), ("data set", accuracies.index)):
        if not labels.is_unique:
            twice = labels[labels.duplicated()][0]
            raise ValueError(f"accuracies must name every {what} once, got {twice!r} twice.")
    values = accuracies.apply(_numbers)
    complete = values.dropna()
    if len(complete) < at_least:
        lacking = ", ".join(f"{model!r} on {n}" for model, n in values.isna().sum().items() if n)
        raise ValueError(
            f"accuracies must have at least {at_least} data set(s) with a value for every model, "
            f"got {len(complete)}" + (f"; missing are {lacking}." if lacking else ".")
        )
    return complete.round(DECIMALS), tuple(values.index[values.isna().any(axis=1)])


def _numbers(column: pd.Series) -> pd.Series:
    try:
        values = pd.to_numeric(column).to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        raise ValueError(
            f"accuracies must hold numbers only, column {column.name!r} does not."
        ) from None
    if np.isinf(values).any():
        raise ValueError(
            f"accuracies must be finite, column {column.name!r} holds an infinite value."
        )
    return pd.Series(values, column.index)
