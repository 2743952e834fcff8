"""Columns as numbers: what each is taken for, and new rows that are written otherwise."""

import pickle
import threading

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from broadlearn import BLSClassifier
from broadlearn.tables import TablePreparation

N = 60
RNG = np.random.default_rng(0)
DAYS = pd.date_range("2024-01-01", periods=N, freq="5D")
PAID = [f"{x:,.2f} €".translate(str.maketrans(",.", ".,")) for x in RNG.lognormal(8, 1, N)]


def describe(X):
    return TablePreparation().fit(X).describe()


def mixed():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 80, N).astype(float),
            "smoker": rng.choice(["yes", "No", "Y", "n"], N),
            "town": rng.choice(["Ulm", "ulm ", "Bonn", "Kiel"], N),
            "paid": PAID,
            "share": [f"{x} %" for x in rng.integers(0, 100, N)],
            "visit": DAYS.strftime("%d.%m.%Y"),
        }
    )
    frame.loc[::7, "age"] = np.nan
    frame.loc[::9, "town"] = None
    frame.loc[3, "paid"] = "see chart"
    return frame


@pytest.mark.filterwarnings("ignore")
def test_it_is_a_transformer_of_scikit_learn():
    check_estimator(TablePreparation())


def test_what_columns_are_taken_for():
    found = describe(mixed().assign(nr=range(N), same="x", void=None, note=PAID))
    kinds = dict(zip(found["column"], found["kind"], strict=True))
    assert kinds == {
        **{"age": "number", "smoker": "boolean", "town": "category", "paid": "number"},
        **{"share": "number", "visit": "date", "nr": "number", "same": "constant"},
        **{"void": "empty", "note": "number"},
    }
    use = dict(zip(found["column"], found["use"], strict=True))
    assert use["paid"] == "number, unit '€', decimal comma; 'see chart' count as missing"
    assert use["visit"] == "days since the first, dates as %d.%m.%Y"
    assert found["missing"][0] == 9
    assert found["example"][3] == PAID[0]


def test_names_and_values_of_the_outputs():
    X = mixed()
    Z = TablePreparation().set_output(transform="pandas").fit_transform(X)
    assert list(Z) == [
        *("age", "age_missing", "smoker", "town_bonn", "town_kiel", "town_ulm", "town_(missing)"),
        *("paid", "paid_missing", "share", "visit"),
    ]
    assert np.isfinite(Z.to_numpy()).all()
    assert Z["age"][0] == np.nanmedian(X["age"])
    np.testing.assert_array_equal(Z["age_missing"], X["age"].isna())
    np.testing.assert_array_equal(Z["smoker"], X["smoker"].isin(["yes", "Y"]))
    np.testing.assert_array_equal(Z["visit"], 5.0 * np.arange(N))
    assert Z["town_ulm"].sum() == X["town"].isin(["Ulm", "ulm "]).sum()
    prepare = TablePreparation().fit(X)
    assert prepare.origins()[:3] == ["age", "age", "smoker"]
    np.testing.assert_array_equal(prepare.transform(X.iloc[:, ::-1].assign(more=1)), Z)


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1.234,56", "7,5", "-1.000"], [1234.56, 7.5, -1000]),
        (["1,234.56", "7.5", "1,000"], [1234.56, 7.5, 1000]),
        (["1.250", "980", "12.000"], [1250, 980, 12000]),
        (["1.250", "0.980", "12.000"], [1.25, 0.98, 12]),
        (["1 234,5", "12\u00a0345,0", "7"], [1234.5, 12345, 7]),
        (["1'234.5", "1’000", "2"], [1234.5, 1000, 2]),
        (["€ 12", "€ 1.200,50", "-€ 3"], [12, 1200.5, -3]),
        (["$1,000", "($20)", "$-3"], [1000, -20, -3]),
        (["GBP 5", "GBP 1,500", "n/a"], [5, 1500, np.nan]),
        (["97 %", "3,5 %", "0 %"], [97, 3.5, 0]),
        (["12 kg", "7.5kg", "80 KG"], [12, 7.5, 80]),
        (["(5)", "12-", "−3"], [-5, -12, -3]),
        (["1e3", "2.5E-1", ".5"], [1000, 0.25, 0.5]),
        (["12,34,567", "1,000", "5"], [1234567, 1000, 5]),
    ],
)
def test_numbers_written_for_people(cells, numbers):
    X = pd.DataFrame({"x": cells})
    found = TablePreparation({"x": "number"}).fit(X).read(X)["x"]
    np.testing.assert_allclose(found, numbers)
    assert describe(X)["kind"][0] == "number"


@pytest.mark.parametrize(
    "cells",
    [
        ["town 1", "town 2", "town 1"],
        ["10-20", "20-30", "10-20"],
        ["120/80", "130/85", "120/80"],
        ["A1", "B2", "A1"],
        ["5 kg", "6 lb", "7 oz"],
        ["1.2.3", "1.2.4", "1.2.3"],
        ["may", "june", "may"],
        ["12:30", "13:30", "12:30"],
    ],
)
def test_texts_that_are_no_numbers_or_dates(cells):
    assert describe(pd.DataFrame({"x": cells}))["kind"][0] == "category"


@pytest.mark.parametrize(
    ("cells", "last"),
    [
        (["2020-01-31", "2020-02-28"], "2020-02-28"),
        (["31.01.2020", "02.03.2020"], "2020-03-02"),
        (["01/13/2020", "02/03/2020"], "2020-02-03"),
        (["13/01/2020", "02/03/2020"], "2020-03-02"),
        (["31 Jan 2020", "02 Mar 2020"], "2020-03-02"),
        (["2020-01-31 12:30:00", "2020-03-02 06:00:00"], "2020-03-02 06:00"),
        (["2020-01-31T12:30:00Z", "2020-03-02T06:00:00Z"], "2020-03-02 06:00"),
        ([20200131.0, 20200302.0], None),
    ],
)
def test_dates_have_one_format(cells, last):
    X = pd.DataFrame({"when": cells})
    kind = describe(X)["kind"][0]
    assert kind == ("date" if last else "number")
    if last:
        assert TablePreparation().fit(X).read(X)["when"].iloc[-1] == pd.Timestamp(last)


def test_columns_with_types():
    X = pd.DataFrame(
        {
            "stage": pd.Categorical(["low", "high", "mid"], ["low", "mid", "high"], ordered=True),
            "flag": pd.array([True, None, False], dtype="boolean"),
            "count": pd.array([1, None, 3], dtype="Int64"),
            "when": pd.to_datetime(["2020-01-01", None, "2021-01-01"]).tz_localize("UTC"),
            "town": pd.Categorical(["a", "b", "a"]),
            "mixed": [1, "2,5", None],
        }
    )
    found = TablePreparation().fit(X).read(X)
    assert found["stage"].tolist() == [0, 2, 1]
    assert found["flag"].tolist()[::2] == [1, 0]
    assert found["count"].tolist()[::2] == [1, 3]
    assert found["mixed"].tolist()[:2] == [1, 2.5]
    assert found["town"].tolist() == ["a", "b", "a"]
    assert found["when"].isna().tolist() == [False, True, False]


def test_kinds_and_orders_that_are_known():
    X = pd.DataFrame({"code": [1, 2, 3, 1.0], "stage": ["low", "Mid", "high", "low"], "n": "1234"})
    prepare = TablePreparation({"code": "category", "n": "drop"}, {"stage": ["low", "mid", "high"]})
    Z = prepare.fit_transform(X)
    assert prepare.get_feature_names_out().tolist() == ["code_1", "code_2", "code_3", "stage"]
    assert Z[:, 3].tolist() == [0, 1, 2, 0]
    assert prepare.describe()["use"][1] == "ranks low < mid < high"
    assert clone(prepare).orders == {"stage": ["low", "mid", "high"]}


@pytest.mark.parametrize(
    ("frame", "options", "reason"),
    [
        ({"a": [1, np.inf]}, {}, "'a' must contain finite numbers"),
        ({"a": [1, 1]}, {}, "no column to learn from: 'a' left out: has one value"),
        ({"a": []}, {}, "0 sample"),
        ({"a": [1, 2]}, {"kinds": {"b": "number"}}, "there is no 'b'"),
        ({"a": [1, 2]}, {"kinds": {"a": "float"}}, "must be one of 'number'"),
        ({"a": [1, 2]}, {"kinds": {"a": "date"}}, "contains numbers; expected dates"),
        ({"a": ["x", "y"]}, {"kinds": {"a": "date"}}, "contains 'x'; expected dates"),
        ({"a": ["x", "y"]}, {"kinds": {"a": "boolean"}}, "contains 'x'; expected yes and no"),
        (
            {"a": ["x", "y"]},
            {"orders": {"a": ["x"]}},
            "contains 'y'; expected the words of its order",
        ),
    ],
)
def test_tables_that_are_refused(frame, options, reason):
    with pytest.raises(ValueError, match=reason):
        TablePreparation(**options).fit(pd.DataFrame(frame))
    with pytest.raises(ValueError, match="Duplicate column name: 'a'"):
        TablePreparation().fit(pd.DataFrame([[1, 2]], columns=["a", "a"]))


# Columns of training, and the same written otherwise.
CHANGED = {
    "dates with the month first": (DAYS.strftime("%Y-%m-%d"), DAYS.strftime("%m/%d/%Y")),
    "day and month exchanged": (DAYS.strftime("%d/%m/%Y"), DAYS.strftime("%m.%d.%Y")),
    "Excel serials": (DAYS.strftime("%Y-%m-%d"), 45292 + 5 * np.arange(N)),
    "seconds": (DAYS, 1.7e9 + 86400.0 * np.arange(N)),
    "dates for numbers": (RNG.normal(size=N), DAYS.strftime("%Y-%m-%d")),
    "datetimes for numbers": (RNG.normal(size=N), DAYS),
    "fractions for numbers": (RNG.integers(90, 160, N), ["120/80"] * N),
    "decimal commas": (RNG.normal(size=N), [f"{x:.2f}".replace(".", ",") for x in RNG.random(N)]),
    "thousands with commas": (RNG.normal(size=N), ["1,234"] * N),
    "shares without percent": ([f"{x} %" for x in range(N, 0, -1)], RNG.random(N)),
    "other unit": ([f"{x} kg" for x in range(N, 0, -1)], [f"{x} lb" for x in range(N)]),
    "English for German numbers": (PAID, [f"{x:,.2f} €" for x in RNG.lognormal(8, 1, N)]),
    "ja for yes": (["yes", "no"] * (N // 2), ["ja", "nein"] * (N // 2)),
    "numbers for yes": (["yes", "no"] * (N // 2), np.arange(N)),
    "words for numbers": (RNG.normal(size=N), ["low", "high"] * (N // 2)),
    "numbers for words": (["red", "blue", "green"] * (N // 3), RNG.random(N)),
    "other order": (["low", "mid", "high"] * (N // 3), ["1 low", "2 mid", "3 high"] * (N // 3)),
}


@pytest.mark.parametrize("name", CHANGED)
def test_columns_that_are_written_otherwise_are_named(name):
    before, after = (pd.DataFrame({"x": list(cells), "y": 1.0}) for cells in CHANGED[name])
    orders = {"x": ["low", "mid", "high"]} if name == "other order" else None
    prepare = TablePreparation(orders=orders).fit(before)
    if name == "numbers for yes":
        with pytest.raises(ValueError, match="'x' has 58 of 60 cells"):
            prepare.transform(after)
        return
    with pytest.raises(ValueError, match=r"'x' has 60 of 60 cells .* set on_unread='warn'"):
        prepare.transform(after)
    mostly = pd.concat([before.astype(object)] * 3 + [after.astype(object)], ignore_index=True)
    with pytest.warns(UserWarning, match="'x' has 60 of 240 cells"):
        prepare.transform(mostly)
    prepare.set_params(on_unread="warn")
    with pytest.warns(UserWarning, match="count as missing"):
        assert np.isfinite(prepare.transform(after)).all()


def test_the_same_columns_in_other_types_are_read_without_a_word():
    X = pd.DataFrame({"when": DAYS, "n": np.arange(N) % 9, "flag": [True, False] * (N // 2)})
    prepare = TablePreparation().fit(X)
    expected = prepare.transform(X)
    np.testing.assert_array_equal(prepare.transform(X.astype(str)), expected)
    np.testing.assert_array_equal(prepare.transform(X.astype(object)), expected)
    texts = X.assign(when=DAYS.strftime("%d.%m.%Y"))
    later = TablePreparation().fit(texts)
    np.testing.assert_array_equal(later.transform(X), expected)


def test_new_levels():
    X = pd.DataFrame({"town": ["Ulm", "Bonn"] * 30, "n": range(N, 0, -1)})
    prepare = TablePreparation().fit(X)
    new = X.assign(town=["Rome"] + ["Bonn"] * 59)
    with pytest.warns(UserWarning, match="'town' has 1 of 60 cells that are new levels.*'Rome'"):
        assert prepare.transform(new)[0].tolist() == [0.5, N]
    many = pd.DataFrame({"town": [f"t{k % 50}" for k in range(300)]})
    prepare = TablePreparation().fit(many)
    assert prepare.get_feature_names_out()[-1] == "town_(other)"
    assert prepare.transform(pd.DataFrame({"town": ["elsewhere"]}))[0, -1] == 1


def test_columns_are_found_by_their_names():
    prepare = TablePreparation().fit(mixed())
    with pytest.raises(ValueError, match="must have all columns of fit, but has no 'age'"):
        prepare.transform(mixed().drop(columns="age"))
    with pytest.raises(ValueError, match="X has 2 features"):
        prepare.transform([[1, 2]])
    np.testing.assert_array_equal(
        prepare.transform(mixed()), prepare.transform(mixed().to_numpy(dtype=object))
    )


def test_polars_frames():
    polars = pytest.importorskip("polars")
    X = mixed()
    found = TablePreparation().fit_transform(polars.from_pandas(X))
    np.testing.assert_array_equal(found, TablePreparation().fit_transform(X))


def test_in_a_pipeline_pickled_and_cross_validated():
    X = mixed().drop(index=3)
    y = np.where(X["share"].str.rstrip(" %").astype(int) > 50, "high", "low")
    model = make_pipeline(TablePreparation(), BLSClassifier(random_state=0))
    assert cross_val_score(model, X, y, cv=3).mean() > 0.8
    model.fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again[0].columns_ == model[0].columns_
    state = model[0].__getstate__()
    assert isinstance(state["columns_"], str)


@pytest.mark.filterwarnings("ignore:Column 'c'")
def test_a_refit_in_another_thread_is_seen_as_a_whole():
    few = pd.DataFrame({"x": [1.0, 2.0], "c": ["a", "b"]})
    more = pd.DataFrame({"x": [5.0, np.nan], "c": ["c", "d"]})
    both, prepare = pd.concat([few, more]), TablePreparation(on_unread="warn").fit(few)
    stop, errors = threading.Event(), []

    def refit():
        while not stop.is_set():
            prepare.fit(few).fit(more)

    thread = threading.Thread(target=refit)
    thread.start()
    try:
        for _ in range(100):
            try:
                prepare.transform(both)
            except (ValueError, IndexError) as error:
                errors.append(error)
    finally:
        stop.set()
        thread.join()
    assert not errors
