import datetime

import numpy as np
import pandas as pd
import pytest

from broadlearn.io import column_deciding
from broadlearn.io.column_deciding import decide_reading

RNG = np.random.default_rng(0)
N = 120


def decide(values, kind="", name="x"):
    return decide_reading(pd.Series(values, name=name), kind)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 4], "number"),
        ([1.5, None, 4.0], "number"),
        ([0, 1, 1, None], "boolean"),
        ([True, None, True], "boolean"),
        (["Yes", "no ", "yes"], "boolean"),
        (["1,5", "2,5", "n/a"], "number as text"),
        (["12 kg", "8 kg"], "number as text"),
        (["small", "large", "medium"], "ordered category"),
        (pd.Categorical(["b", "a"], ["b", "a"], ordered=True), "ordered category"),
        (pd.Categorical(["10", "20"]), "category"),
        (["red", "blue", None], "category"),
        (["02.01.2024", None], "date"),
        (pd.to_datetime(["2024-01-02", None]), "date"),
        ([datetime.date(2024, 1, 2), None], "date"),
        (["10:30", "7:15 am"], "date"),
        ([20240102, 20231231], "date"),
        (pd.to_timedelta([1, 2], unit="D"), "number"),
        ([None, None], "empty"),
        (["?", "", "n/a"], "empty"),
        ([f"p{i}" for i in range(30)], "identifier"),
        ([f"{i:05d}" for i in range(30)], "identifier"),
        (["00123", "00456"] * 30, "category"),
        ([f"the {i} was seen at {i}" for i in range(30)], "free text"),
        ([f"{i}/{i + 9}" for i in range(30)], "number as text"),
        (["12-34-56", "98-76-54"], "category"),
        (["2", "4", "more"] * 20, "ordered category"),
        ([202301, 202302, 202305, 202311, 202312, 202401], "date"),
        (["202301", "202302", "202305", "202311", "202312", "202401"], "date"),
        ([202301, 202302, 202305, 202311, 202350, 202401], "number"),
        (["Ja", "Nein", "weiß nicht"], "boolean"),
        ([f"0{k}{1000000 + 7 * k}" for k in range(10, 50)], "identifier"),
        ([f"{k}0123456789{k:02d}" for k in range(10)] * 6, "category"),
    ],
    ids=lambda values: str(values)[:40],
)
def test_kinds(values, kind):
    assert decide(values).kind == kind


@pytest.mark.parametrize("stray", ["n/a", "unknown", "-", "see chart", ">100"])
def test_numbers_with_strays(stray):
    numbers = [f"{x:.2f}" for x in RNG.normal(50, 10, N)]
    numbers[7] = numbers[30] = stray
    reading = decide(numbers)
    assert (reading.kind, reading.doubt) == ("number as text", "")
    assert np.isnan(reading.read(pd.Series(numbers))[[7, 30]]).all() == (stray != ">100")
    assert (stray in reading.remark) == (stray != ">100")


def test_many_strays_are_doubtful():
    numbers = np.where(
        np.arange(N) % 3 == 0, "broken sensor", RNG.normal(size=N).round(3).astype(str)
    )
    assert "no numbers" in decide(numbers).doubt
    few = ["1", "2", "other"] * 30
    assert decide(few).kind == "category"


@pytest.mark.parametrize("empty", [-999, 9999])
def test_numbers_that_stand_for_none(empty):
    values = RNG.normal(50, 10, N).round(1)
    values[::10] = empty
    reading = decide(values)
    assert reading.empty == (empty,)
    assert reading.doubt
    assert np.isnan(reading.read(pd.Series(values))).sum() == 12
    assert decide(values, "number").empty == ()


def test_kinds_that_a_user_says():
    assert decide([1, 2, 3], "category").levels == ("1", "2", "3")
    assert decide(["b", "a"], "ordered category").levels == ("a", "b")
    assert decide(["b", "a"], "boolean").kind == "boolean"
    assert decide(["1", "x", "y"], "number").kind == "number as text"
    assert decide([1, 2], "identifier").how == ""
    with pytest.raises(ValueError, match="'x' cannot be read as date: 'soon'"):
        decide(["soon", "late"], "date")
    with pytest.raises(ValueError, match="must have two values to be boolean, got 3"):
        decide(["a", "b", "c"], "boolean")


def test_lists_are_refused():
    with pytest.raises(ValueError, match="Column 'x' is refused: only numbers"):
        decide([[1], [2]])


def test_names_that_repeat_are_doubtful():
    names = [f"name{i}" for i in range(70)] + ["Anna"] * 30
    assert "may be names" in decide(names).doubt
    assert decide([f"u{i % 60}" for i in range(N)], name="user_id").kind == "identifier"


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["2,876.72 CR", "3,276.00 DR"], [2876.72, -3276]),
        (["9.55×10^4", "1.5 x 10^-3", "2·10³"], [95500, 0.0015, 2000]),
        (['"8.00"', '="7.50"', "6.25"], [8, 7.5, 6.25]),
        (["(1.5, -2.25)", "(-0.5, 3.0)"], [[1.5, -2.25], [-0.5, 3.0]]),
    ],
)
def test_other_ways_to_write_numbers(texts, values):
    filler = [text.replace("5", f"{k}") for k in range(1, 9) for text in texts]
    column = pd.Series([*texts, *filler], name="x")
    reading = decide_reading(column)
    assert reading.kind == "number as text"
    np.testing.assert_allclose(reading.read(column)[: len(texts)], values)


def test_dates_that_stand_for_none():
    days = pd.date_range("2024-01-01", periods=40).strftime("%Y-%m-%d")
    column = pd.Series([*days, *["0000-00-00"] * 10, *["9999-12-31"] * 10], name="d")
    reading = decide_reading(column)
    assert reading.kind == "date"
    assert np.isnan(reading.read(column)).sum() == 20


def test_very_many_texts_are_judged_by_some(monkeypatch):
    columns = [
        pd.Series([f"{x:,.2f}" for x in RNG.lognormal(8, 1, N)] + ["n/a"] * 5, name="paid"),
        pd.Series([f"u{k:05d}" for k in range(N)], name="user"),
        pd.Series([f"the case {k} of today is closed" for k in range(N)], name="note"),
        pd.Series(pd.date_range("2020-01-01", periods=N).strftime("%d.%m.%Y"), name="day"),
        pd.Series([f"w{k % 50}" for k in range(N)], name="word"),
    ]
    whole = [decide_reading(column) for column in columns]
    monkeypatch.setattr(column_deciding, "MAX_DISTINCT", 20)
    monkeypatch.setattr(column_deciding, "MAX_TEXTS", 15)
    for column, expected in zip(columns, whole, strict=True):
        found = decide_reading(column)
        assert (found.kind, found.how, found.levels) == (
            expected.kind,
            expected.how,
            expected.levels,
        )


def test_plus_and_minus_are_answers_where_nothing_else_is_there():
    signs = pd.Series(["+", "-", None, "- ", "+"] * 5, name="test")
    reading = decide_reading(signs)
    assert reading.kind == "boolean"
    np.testing.assert_array_equal(reading.read(signs)[:5], [1.0, 0.0, np.nan, 0.0, 1.0])
    assert decide_reading(pd.Series(["1.5", "-", "2.5"])).kind == "number as text"


def test_moments_since_1970_are_read_by_their_name():
    seconds = 1_704_153_600 + 3600 * np.arange(N)
    for values in (seconds, 1000 * seconds):
        reading = decide(values, name="created_at")
        assert (reading.kind, bool(reading.doubt)) == ("date", True)
        assert reading.read(pd.Series(values)).tolist() == seconds.tolist()
        assert decide(values, name="amount").kind == "number"
        assert decide(values, "date").kind == "date"


def test_dates_with_many_strays_are_doubtful():
    days = pd.date_range("2024-01-01", periods=N).strftime("%Y-%m-%d").to_numpy(dtype=object)
    reading = decide(np.where(np.arange(N) % 4 == 0, "never", days))
    assert (reading.kind, reading.doubt[:30]) == ("date", "25% of the values are no dates")


def test_early_times_may_be_durations():
    times = [f"{k // 60}:{k % 60:02d}:00" for k in range(N)]
    assert "durations" in decide(times).doubt
    assert not decide([*times, "17:05:00"]).doubt


def test_codes_among_words():
    texts = ["4711", "5020", "5099", "6100", "unbekannt"] * 20
    reading = decide(texts, name="Kostenstelle")
    assert (reading.kind, reading.doubt) == ("category", "may be numbers instead of codes")
    assert "persons" in decide([f"P{k % 30:03d}" for k in range(N)], name="who").doubt
