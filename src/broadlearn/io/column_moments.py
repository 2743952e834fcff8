"""Dates, times and durations that a column holds as such, of whatever unit, zone or library."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from broadlearn.io.column_dates import DAY, MAX_SECONDS, NEVER
from broadlearn.io.csv_files import import_pandas
from broadlearn.utils import Array

if TYPE_CHECKING:
    import pandas as pd

# Parts of a second in the units of dates and durations.
_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
# Seconds since 1970 that can be counted in microseconds.
_MAX_MICROSECONDS = 9.2e12
_FIRST_NEVER, _LAST_NEVER = (
    float(np.datetime64(f"{year}-01-01", "s").astype(np.int64)) for year in (NEVER, NEVER + 1)
)


def dates_as_seconds(column: Sequence[object] | pd.Series) -> Array:
    """Seconds since 1970, in UTC, of a column of pandas that holds dates; the length of durations.

    A date of the year 9999 stands for none.

    Examples
    --------
    >>> import pandas as pd
    >>> from datetime import date
    >>> dates_as_seconds(pd.Series(np.array(["1970-01-02", "NaT"], dtype="datetime64[s]"))).tolist()
    [86400.0, nan]
    >>> dates_as_seconds(pd.Series([date(1970, 1, 1), date(9999, 12, 31)])).tolist()
    [0.0, nan]
    """
    pandas = import_pandas()
    series = pandas.Series(column)
    if series.dtype.kind == "m":
        return _counted(series.to_numpy())
    if pandas.api.types.infer_dtype(series, skipna=True) == "timedelta":
        return np.array([_length(value) for value in series], dtype=np.float64)
    if isinstance(series.dtype, pandas.PeriodDtype):
        series = _starts(series)
    if series.dtype.kind != "M":
        series = _as_moments(series)
    if series.dtype == object:
        found = np.array([_moment(value) for value in series], dtype=np.float64)
    else:
        if isinstance(series.dtype, pandas.DatetimeTZDtype):
            series = series.dt.tz_convert("UTC").dt.tz_localize(None)
        found = _counted(series.to_numpy())
    found[(found >= _FIRST_NEVER) & (found < _LAST_NEVER)] = np.nan
    return found


def seconds_as_dates(seconds: Array) -> NDArray[np.datetime64]:
    """Dates of seconds since 1970: to the microsecond, or to the second where some are far away.

    Examples
    --------
    >>> seconds_as_dates(np.array([0.5, np.nan])).tolist()
    [datetime.datetime(1970, 1, 1, 0, 0, 0, 500000), None]
    """
    known = np.isfinite(seconds)
    far = bool((np.abs(seconds[known]) > _MAX_MICROSECONDS).any())
    unit, factor = ("s", 1.0) if far else ("us", 1e6)
    dates = np.full(seconds.shape, "NaT", dtype=f"datetime64[{unit}]")
    whole = np.round(np.clip(seconds[known], -MAX_SECONDS, MAX_SECONDS) * factor)
    dates[known] = whole.astype(np.int64).astype(dates.dtype)
    return dates


def _counted(moments: NDArray[Any]) -> Array:
    """Seconds of dates or durations of NumPy."""
    unit, _ = np.datetime_data(moments.dtype)
    found = moments.astype(np.int64) / _PER_SECOND[unit]
    found[np.isnat(moments)] = np.nan
    return np.asarray(found, dtype=np.float64)


def _starts(series: pd.Series) -> pd.Series:
    """The first moments of periods."""
    try:
        return series.dt.to_timestamp()
    except (OverflowError, ValueError) as error:
        raise ValueError(
            f"Column {series.name!r} has periods too far from today to be read as dates."
        ) from error


def _as_moments(series: pd.Series) -> pd.Series:
    """A column of dates as one of pandas' own type; of objects, where they are too far apart."""
    pandas = import_pandas()
    try:
        return pandas.to_datetime(series, utc=True)
    except (OverflowError, TypeError, ValueError):
        return series.astype(object)


def _moment(value: Any) -> float:
    if not isinstance(value, date) or import_pandas().isna(value):
        return float("nan")
    if not isinstance(value, datetime):
        return (value.toordinal() - date(1970, 1, 1).toordinal()) * DAY
    if value.tzinfo is None and not isinstance(value, import_pandas().Timestamp):
        # pandas takes moments without a zone as UTC, Python as those of the place.
        value = value.replace(tzinfo=UTC)
    return float(value.timestamp())


def _length(value: Any) -> float:
    return float("nan") if import_pandas().isna(value) else float(value.total_seconds())
