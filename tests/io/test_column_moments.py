import datetime

import numpy as np
import pandas as pd
import pytest

from broadlearn.io.column_dates import date_parts
from broadlearn.io.column_moments import dates_as_seconds, seconds_as_dates

PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
TOKYO = datetime.timezone(datetime.timedelta(hours=9))


def test_columns_of_pandas():
    days = [datetime.date(1970, 1, 2), None]
    np.testing.assert_array_equal(dates_as_seconds(pd.Series(days, dtype=object)), [86400, np.nan])
    durations = pd.Series(pd.to_timedelta([1, 2], unit="D"))
    assert dates_as_seconds(durations).tolist() == [86400.0, 172800.0]
    periods = pd.Series(pd.period_range("1970-01", periods=2, freq="M"))
    assert dates_as_seconds(periods).tolist() == [0.0, 31 * 86400.0]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Asia/Tokyo"])
def test_moments_of_all_units_and_zones(unit, zone):
    counts = np.array([0, 7, -10_000_000, 2**62, -(2**62)])
    moments = pd.Series(np.append(counts.astype(f"datetime64[{unit}]"), np.datetime64("NaT")))
    if zone:
        moments = moments.dt.tz_localize("UTC").dt.tz_convert(zone)
    expected = [*(int(count) / PER_SECOND[unit] for count in counts), np.nan]
    np.testing.assert_array_equal(dates_as_seconds(moments), expected)
    assert np.isfinite(date_parts(dates_as_seconds(moments)[:5], 0.0)).all()


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_durations_of_all_units(unit):
    counts = np.array([5, -3, 2**62])
    lengths = pd.Series(np.append(counts.astype(f"timedelta64[{unit}]"), np.timedelta64("NaT")))
    expected = [*(int(count) / PER_SECOND[unit] for count in counts), np.nan]
    np.testing.assert_array_equal(dates_as_seconds(lengths), expected)


def test_objects_that_are_far_apart_or_of_several_zones():
    moments = [
        datetime.datetime(1, 1, 1),
        datetime.datetime(1970, 1, 1, 9, tzinfo=TOKYO),
        datetime.date(9998, 12, 31),
        pd.Timestamp(np.datetime64(2**45, "s")),
        None,
        datetime.datetime(9999, 12, 31),
    ]
    found = dates_as_seconds(pd.Series(moments, dtype=object))
    assert found[0] == -719162 * 86400.0
    assert found[1] == 0.0
    assert found[3] == 2.0**45
    # The last one stands for none, as it does in text.
    assert np.isnan(found).tolist() == [False, False, False, False, True, True]
    lengths = pd.Series([datetime.timedelta(days=1), None], dtype=object)
    np.testing.assert_array_equal(dates_as_seconds(lengths), [86400.0, np.nan])


def test_periods_that_are_too_far_are_refused_by_the_name_of_their_column():
    far = pd.Series(pd.PeriodIndex.from_ordinals([2**62, 5], freq="D"), name="term")
    with pytest.raises(ValueError, match="Column 'term' has periods too far"):
        dates_as_seconds(far)


@pytest.mark.parametrize("unit", ["s", "us"])
def test_dates_of_seconds_and_back(unit):
    seconds = np.array([0.0, -1e9, 4e9, np.nan, 1e17 if unit == "s" else 0.25])
    dates = seconds_as_dates(seconds)
    assert dates.dtype == f"datetime64[{unit}]"
    np.testing.assert_array_equal(dates_as_seconds(pd.Series(dates)), seconds)
    assert np.isnat(seconds_as_dates(np.array([np.nan]))).all()
    assert seconds_as_dates(np.array([1e30, -1e30])).dtype == "datetime64[s]"
