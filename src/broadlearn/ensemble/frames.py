"""Frames with columns that are not numeric: learn their preparation in `fit` and reuse it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils.validation import validate_data

from broadlearn.utils import READ_SPARSE, Floats, first_text, read_rows


def read_training(
    read: Callable[..., Any], model: Any, X: Any, y: Any, sample_weight: Any
) -> tuple[Any, Any, Any]:
    """Validate samples, targets and weights by `read`, and store how columns are prepared."""
    preparation = learn_preparation(X)
    numbers = X if preparation is None else preparation.transform(X)
    data: tuple[Any, Any, Any] = read(model, numbers, y, sample_weight, **READ_SPARSE)
    if preparation is not None:
        # Features are the columns of the frame, not the numbers that they become.
        validate_data(model, X, skip_check_array=True)
    model._preparation = preparation
    return data


def read_new(model: Any, X: Any) -> Floats:
    """Validate new samples and prepare them like those of `fit`."""
    if model._preparation is None:
        rows: Floats = read_rows(model, X, **READ_SPARSE)
        return rows
    validate_data(model, X, reset=False, skip_check_array=True)
    numbers: Floats = model._preparation.transform(X)
    return numbers


def learn_preparation(X: Any) -> Any:
    """Return a preparation of the columns of a frame; None if all of them hold numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [61, 70, 52], "ward": pd.Categorical([3, 1, 2])})
    >>> learn_preparation(X).get_feature_names_out().tolist()
    ['age', 'ward_1', 'ward_2', 'ward_3']
    >>> learn_preparation(X[["age"]]) is None
    True
    """
    if not hasattr(X, "columns"):
        return None
    import pandas as pd

    from broadlearn.tables import TablePreparation

    frame = X.to_pandas() if hasattr(X, "to_pandas") else X
    categories = [
        name for name, dtype in frame.dtypes.items() if isinstance(dtype, pd.CategoricalDtype)
    ]
    others = frame.drop(columns=categories).select_dtypes(exclude=["number", "bool"])
    if not categories and not any(first_text(others[name]) for name in others):
        return None
    kinds = {name: "category" for name in categories if not frame[name].dtype.ordered}
    return TablePreparation(kinds).fit(frame)
