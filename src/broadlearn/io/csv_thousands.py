"""Columns of a text that look like decimals to pandas, and are thousands: 1.250 beside 980."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from broadlearn.io.column_numbers import has_decimal_comma

if TYPE_CHECKING:
    import pandas as pd

# Texts of each column that are looked at for commas before decimals.
MAX_TEXTS = 500
# Numbers without a point that must be below a thousand, for points to separate thousands.
MIN_PLAIN = 3
_GROUPED = re.compile(r"[-+]?[1-9]\d{0,2}\.\d{3}")


def thousands_as_text(frame: pd.DataFrame, texts: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    """Give columns whose points separate thousands as text, of which the point is lost otherwise.

    A point does, if three digits follow it wherever it stands, and either numbers without a point
    are all below a thousand, or other columns have commas before decimals.

    Parameters
    ----------
    frame : pandas.DataFrame
        As pandas read it.
    texts : callable
        Gives the same frame with all fields as text.

    Examples
    --------
    >>> import pandas as pd
    >>> texts = pd.DataFrame({"people": ["1.250", "980", "12.000", "7", "61"]})
    >>> thousands_as_text(texts.astype(float), lambda: texts)["people"].tolist()
    ['1.250', '980', '12.000', '7', '61']
    """
    suspects = [j for j in range(frame.shape[1]) if _may_be_thousands(frame.iloc[:, j])]
    if not suspects:
        return frame
    commas = _has_decimal_commas(frame)
    read = texts()
    frame = frame.copy()
    for j in suspects:
        fields = read.iloc[:, j].dropna().str.strip()
        pointed = fields.str.contains(".", regex=False)
        plain = fields[~pointed].str.lstrip("+-")
        below = len(plain) >= MIN_PLAIN and bool((plain.str.len() <= 3).all())
        if (below or commas) and fields[pointed].map(lambda t: bool(_GROUPED.fullmatch(t))).all():
            frame[frame.columns[j]] = read.iloc[:, j]
    return frame


def _may_be_thousands(column: pd.Series) -> bool:
    """Whether numbers have at most three decimals, and those that have any are below 1000."""
    if column.dtype.kind != "f":
        return False
    numbers = np.abs(column.to_numpy(dtype=np.float64))
    numbers = numbers[np.isfinite(numbers)]
    broken = numbers[numbers != np.round(numbers)]
    if not broken.size or broken.max() >= 1000.0 or broken.min() < 1.0:
        return False
    scaled = 1000.0 * broken
    return bool(np.allclose(scaled, np.round(scaled), rtol=0.0, atol=1e-6))


def _has_decimal_commas(frame: pd.DataFrame) -> bool:
    texts = (column for _, column in frame.items() if column.dtype.kind not in "biufMm")
    return any(
        has_decimal_comma(map(str, islice(column.dropna().unique(), MAX_TEXTS))) for column in texts
    )
