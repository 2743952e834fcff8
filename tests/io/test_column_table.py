import numpy as np
import pandas as pd
import pytest

from broadlearn.io.column_table import as_target, decide_columns, kind_named

RNG = np.random.default_rng(0)
N = 200


def kinds_of(y=None, kinds=None, **columns):
    found = decide_columns(pd.DataFrame(columns), as_target(y), kinds or {})
    return {name: column.kind for name, column in found.items()}


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("nr", np.arange(N), "identifier"),
        ("shuffled", RNG.permutation(N) + 1000, "identifier"),
        ("customer_id", RNG.permutation(10**7)[:N], "identifier"),
        ("gaps", np.r_[np.nan, np.arange(N - 1)], "identifier"),
        ("year", 1800 + np.arange(N), "number"),
        ("weight", RNG.normal(size=N), "number"),
        ("income", RNG.permutation(10**5)[:N], "number"),
        ("same", np.ones(N), "constant"),
        ("word", ["in"] * N, "constant"),
    ],
)
def test_columns_alone(name, values, kind):
    other = np.random.default_rng(1).normal(size=N)
    assert kinds_of(**{name: values, "other": other}) == {name: kind, "other": "number"}


def test_numbers_stay_where_there_is_no_other_column():
    found = decide_columns(pd.DataFrame({"nr": np.arange(N)}), as_target(None), {})
    assert found["nr"].kind == "number"
    assert "names the rows, but there is no other column" in found["nr"].doubt


def test_numbers_that_may_be_identifiers_are_doubtful_and_kept():
    numbers = RNG.permutation(np.arange(10**6, 9 * 10**6))[:N]
    frame = pd.DataFrame({"sorted": np.sort(RNG.permutation(10**6)[:N]), "a": numbers})
    found = decide_columns(frame, as_target(None), {})
    assert [column.kind for column in found.values()] == ["number", "number"]
    assert "may number the rows" in found["sorted"].doubt
    assert "7 digits" in found["a"].doubt


def test_copies():
    inch = RNG.normal(70, 5, N)
    sex = RNG.choice(["f", "m"], N)
    columns = {"inch": inch, "cm": (2.54 * inch).round(3), "power": np.exp(inch / 5), "sex": sex}
    columns |= {"male": sex == "m", "text": [f"{x:.6f} in" for x in inch]}
    expected = ["number", "copy", "number", "category", "copy", "copy"]
    assert list(kinds_of(**columns).values()) == expected
    assert kinds_of(kinds={"cm": "number"}, **columns)["cm"] == "number"


def test_leaks_stay_and_are_doubtful():
    y = RNG.choice(["a", "b"], N)
    frame = pd.DataFrame({"x": RNG.normal(size=N), "code": np.where(y == "a", "q", "r")})
    found = decide_columns(frame, as_target(y), {})
    assert [column.kind for column in found.values()] == ["number", "leak"]
    assert found["code"].is_used
    assert found["code"].doubt
    assert "100%" in found["code"].reason


def test_other_columns_tell_the_mark_of_decimals():
    frame = pd.DataFrame({"a": ["1.234", "2.345", "9.999"], "b": ["1,5", "2,25", "3,5"]})
    found = decide_columns(frame, as_target(None), {})
    assert found["a"].values.tolist() == [1234.0, 2345.0, 9999.0]
    assert found["a"].doubt == ""


def test_kinds_by_other_words():
    assert kind_named("Ordinal") == "ordered category"
    with pytest.raises(ValueError, match=r"must be one of number, .*, got 'colour'"):
        kind_named("colour")
    with pytest.raises(ValueError, match="kinds names a column 'b', which the table does not"):
        kinds_of(kinds={"b": "number"}, a=[1, 2])


def test_targets():
    assert as_target([0.5, 1.5]).n_classes == 0
    assert as_target(np.arange(30)).n_classes == 0
    assert as_target(np.array(["b", "a"], dtype=object)).values.tolist() == [1, 0]
    assert as_target([True, False]).n_classes == 2


def test_copies_of_copies_are_left_out():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    near = x + 0.006 * rng.normal(size=300)
    frame = pd.DataFrame({"x": x, "near": near, "nearer": near + 0.006 * rng.normal(size=300)})
    found = decide_columns(frame, as_target(None), {})
    assert [column.kind for column in found.values()][:2] == ["number", "copy"]
    assert all(c.kind != "copy" or c.reason == "says the same as 'x'" for c in found.values())


def test_times_of_a_day_are_no_copies_of_days():
    days = pd.Series(pd.date_range("2015-01-01", periods=900))
    hours = days + pd.to_timedelta(np.random.default_rng(0).integers(0, 86400, 900), unit="s")
    found = decide_columns(pd.DataFrame({"day": days, "at": hours}), as_target(None), {})
    assert [column.kind for column in found.values()] == ["date", "date"]


def test_one_word_and_gaps_may_be_yes_and_no():
    X = pd.DataFrame({"x": np.arange(40.0) % 7, "paid": ["x", None] * 20})
    found = decide_columns(X, as_target(None), {})
    assert found["paid"].doubt == "one value and gaps: may be yes and no"
