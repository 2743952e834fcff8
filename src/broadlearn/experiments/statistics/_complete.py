"""The data sets that have an accuracy for every model, and the names of the others."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

# Means of the same folds, summed in another order, differ in the 16th decimal; they are ties.
DECIMALS = 10


def complete_rows(
    accuracies: pd.DataFrame, *, at_least: int
) -> tuple[pd.DataFrame, tuple[Hashable, ...]]:
    """Check a table of accuracies and split off the data sets with a missing cell.

    Parameters
    ----------
    accuracies : DataFrame
        Rows are data sets, columns models; NaN, None or NA where there is no accuracy.
    at_least : int
        How many complete data sets are needed.

    Returns
    -------
    complete : DataFrame
        The complete rows as float64, rounded to `DECIMALS`.
    left_out : tuple
        Names of the other rows.
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

    values = np.column_stack([_numbers(accuracies, j) for j in range(accuracies.shape[1])])
    missing = np.isnan(values)
    known = ~missing.any(axis=1)
    if known.sum() < at_least:
        lacking = ", ".join(
            f"{model!r} on {n}"
            for model, n in zip(accuracies.columns, missing.sum(axis=0), strict=True)
            if n
        )
        raise ValueError(
            f"accuracies must have at least {at_least} data set(s) with a value for every model, "
            f"got {known.sum()}" + (f"; missing are {lacking}." if lacking else ".")
        )
    complete = pd.DataFrame(
        values[known].round(DECIMALS), index=accuracies.index[known], columns=accuracies.columns
    )
    return complete, tuple(accuracies.index[~known])


def _numbers(accuracies: pd.DataFrame, column: int) -> NDArray[np.float64]:
    series = accuracies.iloc[:, column]
    name = accuracies.columns[column]
    try:
        values = pd.to_numeric(series).to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        raise ValueError(f"accuracies must hold numbers only, column {name!r} does not.") from None
    if np.isinf(values).any():
        raise ValueError(f"accuracies must be finite, column {name!r} holds an infinite value.")
    return values
