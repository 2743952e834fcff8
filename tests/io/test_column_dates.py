import numpy as np
import pandas as pd
import pytest

from broadlearn.io.column_dates import (
    date_parts,
    has_clock_only,
    learn_order,
    read_dates,
    varying_parts,
)
from broadlearn.io.column_moments import dates_as_seconds


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-01-02", "2024-01-02"),
        ("2024-01-03 10:00", "2024-01-03T10:00"),
        ("2024-01-02T10:11:12.345Z", "2024-01-02T10:11:12"),
        ("13/1/2024", "2024-01-13"),
        ("02.01.2024", "2024-01-02"),
        ("12/31/24 23:59:59", "2024-12-31T23:59:59"),
        ("02-Jan-2024", "2024-01-02"),
        ("3. März 2021", "2021-03-03"),
        ("5 de marzo de 2020", "2020-03-05"),
        ("Jan 2, 2024", "2024-01-02"),
        ("march 13 2024, 10:30 PM", "2024-03-13T22:30"),
        ("Mon, 3 Jan 2022", "2022-01-03"),
        ("20240131", "2024-01-31"),
        ("2024-Q2", "2024-04-01"),
        ("Mai 2023", "2023-05-01"),
        ("1:30 pm", "1970-01-01T13:30"),
        ("2024年3月5日", "2024-03-05"),
        ("2024년 3월 5일", "2024-03-05"),
        ("2024. 3. 5.", "2024-03-05"),
        ("5 março 2024", "2024-03-05"),
        ("5 mrt. 2024", "2024-03-05"),
        ("5 marca 2024", "2024-03-05"),
        ("2024-01-02 10:00:00 CET", "2024-01-02T10:00"),
        ("2024-01-02 10:00:00+00", "2024-01-02T10:00"),
        ("Tue Jan 02 10:11:12 2024", "2024-01-02T10:11:12"),
        ("02/Jan/2024:10:11:12 +0000", "2024-01-02T10:11:12"),
        ("samedi 5 mars 2022", "2022-03-05"),
        ("1er mars 2022", "2022-03-01"),
        ("KW 02/2024", "2024-01-08"),
        ("W02-2024", "2024-01-08"),
        ("2024-W02-3", "2024-01-10"),
        ("Q2'24", "2024-04-01"),
        ("2Q24", "2024-04-01"),
        ("2. Quartal 2024", "2024-04-01"),
        ("T2 2024", "2024-04-01"),
        ("H2 2024", "2024-07-01"),
        ("Mar-22", "2022-03-01"),
        ("202403", "2024-03-01"),
        ("05MAR2024", "2024-03-05"),
        ("05MAR2024:10:11:12", "2024-03-05T10:11:12"),
        ("20240305T101112Z", "2024-03-05T10:11:12"),
        ("2024-03-05-10.11.12.000000", "2024-03-05T10:11:12"),
        ("10:11 05.03.2024", "2024-03-05T10:11"),
        ("5. 3. 2024", "2024-03-05"),
        ("2024_03_05", "2024-03-05"),
        ("1704153600", "2024-01-02"),
        ("1704153600000", "2024-01-02"),
    ],
)
def test_ways_to_write_dates(text, moment):
    assert read_dates([text], "dmy")[0] == np.datetime64(moment, "s").astype(float)


@pytest.mark.parametrize(
    "text", ["12-34-56", "1 may be", "2 marching 12", "12", "2024", "10.5", ""]
)
def test_texts_that_are_no_dates(text):
    assert np.isnan(read_dates([text], "dmy")).all()


def test_order_of_days_and_months():
    assert learn_order(["3/4/2024", "3/25/2024"]) == ("mdy", "")
    assert learn_order(["03.04.2024"]) == ("dmy", "")
    assert learn_order(["2024-01-02"]) == ("dmy", "")
    assert learn_order(["3/4/2024"])[1]
    assert read_dates(["3/4/2024"], "mdy") < read_dates(["3/4/2024"], "dmy")


def test_parts_against_pandas():
    moments = pd.date_range("1999-12-30 07:00", periods=50, freq="37h")
    parts = date_parts(dates_as_seconds(pd.Series(moments)), 0.0)
    expected = [moments.year, moments.month, moments.day, moments.day_of_week, moments.hour]
    np.testing.assert_array_equal(parts[:, :5], np.column_stack(expected))


def test_only_parts_that_vary():
    seconds = dates_as_seconds(pd.Series(pd.date_range("2024-03-01", periods=9)))
    assert varying_parts(seconds, False) == ["day", "weekday", "elapsed"]
    assert varying_parts(seconds, True) == ["hour"]
    assert has_clock_only(["10:30", "7:15 am"])
    assert not has_clock_only(["2024-01-02 10:30"])


def test_weeks_and_stamps_of_digits():
    texts = ["2024-W03", "2024 KW 3", "20240115", "20240115.0", "20240115060000"]
    seconds = read_dates(texts, "dmy") / 86400.0
    day = (pd.Timestamp("2024-01-15") - pd.Timestamp("1970-01-01")).days
    assert seconds.tolist() == [day, day, day, day, day + 0.25]
    assert np.isnan(read_dates(["2024-W60", "20241332000000"], "dmy")).all()


def test_years_of_two_digits_may_stand_first():
    days = pd.date_range("2021-02-03", periods=300, freq="3D")
    texts = days.strftime("%y/%m/%d").tolist()
    order, doubt = learn_order(texts)
    assert (order, bool(doubt)) == ("ymd", True)
    np.testing.assert_array_equal(read_dates(texts, order), dates_as_seconds(pd.Series(days)))
    assert learn_order(days.strftime("%d/%m/%y"))[0] == "dmy"
