import datetime
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from broadlearn import BLSClassifier
from broadlearn.io.tables import as_numeric, column_preparation, read_table


def write(folder, frame, name="t.csv"):
    frame.to_csv(folder / name, index=False)
    return folder / name


def mixed(n=60, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 80, n).astype(float),
            "smoker": rng.random(n) < 0.3,
            "sex": rng.choice(["f", "m"], n),
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], n),
        }
    )
    frame.loc[::7, "age"] = np.nan
    frame.loc[::9, "town"] = None
    return frame


def test_target_and_name(tmp_path):
    path = write(tmp_path, mixed().assign(ill=np.arange(60) % 3), "a.b.csv")
    table = read_table(str(path), "ill")
    assert (table.name, table.target) == ("a.b", "ill")
    assert list(table.X) == ["age", "smoker", "sex", "town"]
    assert table.y.dtype == np.int64
    np.testing.assert_array_equal(table.y, np.arange(60) % 3)


def test_without_target_and_with_dropped_columns(tmp_path):
    table = read_table(write(tmp_path, mixed()), drop=["sex", "town"])
    assert list(table.X) == ["age", "smoker"]
    assert table.y is None
    assert table.target is None


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (["yes", "no", "yes"], np.array(["yes", "no", "yes"])),
        ([True, False, True], np.array([True, False, True])),
        ([1.0, 2.0, 1.0], np.array([1, 2, 1])),
        ([0.5, 1.25, 0.5], np.array(["0.5", "1.25", "0.5"])),
    ],
)
def test_labels(tmp_path, column, expected):
    table = read_table(write(tmp_path, pd.DataFrame({"x": [1, 2, 3], "y": column})), "y")
    np.testing.assert_array_equal(table.y, expected)
    assert table.y.dtype.kind == expected.dtype.kind


def test_labels_of_categories(tmp_path):
    frame = pd.DataFrame({"x": [1, 2], "y": pd.Categorical(["b", "a"], categories=list("abc"))})
    frame.to_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet", "y").y.tolist() == ["b", "a"]


def test_many_whole_numbers_may_be_classes(tmp_path):
    frame = pd.DataFrame({"x": range(300), "y": np.arange(300) % 60})
    assert np.unique(read_table(write(tmp_path, frame), "y").y).size == 60


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("Diagnosis", "has no column 'Diagnosis'; did you mean 'diagnosis'\\?"),
        ("zzz", "has no column 'zzz'; its columns are 'x', 'diagnosis'"),
        ("gaps", "has no label in 2 of 60 rows, the first of them row 4"),
        ("price", "looks like a regression target: 60 different numbers in 60 rows"),
        ("number", "looks like a regression target: 60 different numbers in 60 rows"),
        ("day", "holds dates, where classes are expected"),
    ],
)
def test_faults_of_the_target(tmp_path, target, message):
    frame = pd.DataFrame(
        {
            "x": np.arange(60) % 5,
            "diagnosis": ["a", "b"] * 30,
            "gaps": [None if i in (3, 30) else "a" for i in range(60)],
            "price": np.linspace(0, 1, 60),
            "number": range(60),
            "day": ["2024-05-06"] * 60,
        }
    )
    with pytest.raises(ValueError, match=message):
        read_table(write(tmp_path, frame), target)


def test_regression_targets(tmp_path):
    frame = pd.DataFrame({"x": range(60), "y": np.linspace(0, 1, 60), "k": np.arange(60) % 3})
    path = write(tmp_path, frame.assign(t="a", i=[np.inf] * 30 + list(range(30))))
    assert read_table(path, "y", task="auto").y.tolist() == frame["y"].tolist()
    assert read_table(path, "k", task="auto").y.dtype == np.int64
    assert read_table(path, "k", task="regression").y.dtype == np.float64
    assert read_table(path, "x", task="auto").y.dtype == np.float64
    assert read_table(path, "t", task="auto").y[0] == "a"
    with pytest.raises(ValueError, match="holds texts, where numbers are expected"):
        read_table(path, "t", task="regression")
    with pytest.raises(ValueError, match=r"'i' of .* must hold finite numbers"):
        read_table(path, "i", task="regression")
    with pytest.raises(ValueError, match="task must be one of 'classification', 'regression', 'au"):
        read_table(path, "y", task="rank")


def test_only_a_target(tmp_path):
    with pytest.raises(ValueError, match="no columns besides the target 'y'"):
        read_table(write(tmp_path, pd.DataFrame({"y": [0, 1]})), "y")


@pytest.mark.parametrize(
    "dates",
    [
        pd.to_datetime(["2024-01-02", "2024-01-03"]),
        [datetime.date(2024, 1, 2), None],
        ["2024-01-02", "2024-01-03 10:00"],
        ["2/1/2024", "13/1/2024"],
        ["02.01.2024", None],
        ["2024/01/02", "2024/1/3"],
        ["01/02/24", "12/31/24 23:59:59"],
        ["02-Jan-2024", "3 September 2024"],
        ["Jan 2, 2024", "march 13 2024, 10:30 PM"],
        pd.to_timedelta([1, 2], unit="D"),
    ],
    ids=str,
)
def test_dates_are_refused_by_name(dates):
    X = pd.DataFrame({"x": [1, 2], "visit": dates})
    for function in (column_preparation, as_numeric):
        with pytest.raises(ValueError, match="Column 'visit' is refused: dates must be turned"):
            function(X)


def test_codes_are_no_dates():
    X = pd.DataFrame({"code": ["12-34-56", "98-76-54"], "text": ["1 may be", "2 marching 12"]})
    assert column_preparation(X).fit_transform(X).shape == (2, 2)


def test_dates_and_lists_in_a_file_are_refused_by_name(tmp_path):
    path = write(tmp_path, pd.DataFrame({"born": ["1960-01-02"] * 2, "seen": ["2024-01-02"] * 2}))
    with pytest.raises(ValueError, match="Columns 'born', 'seen' are refused: dates"):
        read_table(path)
    pd.DataFrame({"x": [1, 2], "l": [[1], [2]]}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="Column 'l' is refused: only numbers"):
        read_table(tmp_path / "t.parquet")


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ([1, 2, 4], [1, 2, 4]),
        ([1.0, None, 4.0], [1, 2.5, 4]),
        (pd.array([1, None, 4], dtype="Int64"), [1, 2.5, 4]),
        ([Decimal("1.5"), None, Decimal(2)], [1.5, 1.75, 2]),
        ([None, None, None], [0, 0, 0]),
        (pd.array([pd.NA] * 3), [0, 0, 0]),
        ([7, 7, 7], [7, 7, 7]),
        ([True, False, True], [1, 0, 1]),
        ([True, None, True], [1, 1, 1]),
        (pd.array([False, None, False], dtype="boolean"), [0, 0, 0]),
    ],
    ids=str,
)
def test_numbers_and_booleans(column, expected):
    X = pd.DataFrame({"x": column})
    prepare = column_preparation(X)
    Z = prepare.fit_transform(X)
    assert Z.dtype == np.float64
    np.testing.assert_array_equal(Z[:, 0], expected)
    assert prepare.get_feature_names_out().tolist() == ["x"]


@pytest.mark.parametrize(
    "column",
    [
        ["a", "b", None, "a"],
        np.array(["a", "b", np.nan, "a"], dtype=object),
        pd.array(["a", "b", None, "a"], dtype="string"),
        pd.Categorical(["a", "b", None, "a"]),
    ],
    ids=["str", "object", "string", "category"],
)
def test_text(column):
    X = pd.DataFrame({"x": column})
    prepare = column_preparation(X)
    np.testing.assert_array_equal(
        prepare.fit_transform(X), [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
    )
    assert prepare.get_feature_names_out().tolist() == ["x_a", "x_b", "x_nan"]
    new = pd.DataFrame({"x": ["b", "new", None]})
    np.testing.assert_array_equal(prepare.transform(new), [[0, 1, 0], [0, 0, 0], [0, 0, 1]])


def test_mixed_values_and_numbers_as_categories_are_levels():
    X = pd.DataFrame({"a": ["x", 1, 2.5], "b": pd.Categorical([3, 4, 4])})
    names = column_preparation(X).fit(X).get_feature_names_out().tolist()
    assert names == ["b_4", "a_1", "a_2.5", "a_x"]


def test_two_levels_are_one_column():
    X = pd.DataFrame({"x": ["m", "f", "m"]})
    prepare = column_preparation(X).fit(X)
    np.testing.assert_array_equal(prepare.transform(X), [[1], [0], [1]])
    assert prepare.get_feature_names_out().tolist() == ["x_m"]


def test_many_levels_share_a_column():
    X = pd.DataFrame({"x": [f"level{i}" for i in range(80)] + ["level0"] * 9})
    prepare = column_preparation(X)
    assert prepare.fit_transform(X).shape == (89, 50)
    assert prepare.transform(pd.DataFrame({"x": ["new"]})).sum() == 1
    assert prepare.get_feature_names_out()[-1] == "x_infrequent_sklearn"


def test_identifiers_are_left_out_with_a_warning():
    X = mixed(40).assign(id=[f"p{i}" for i in range(40)])
    with pytest.warns(UserWarning, match="Column 'id' is left out: text that is different in"):
        prepare = column_preparation(X)
    names = prepare.fit(X).get_feature_names_out()
    assert not any(name.startswith("id") for name in names)
    assert prepare.transform(X.drop(columns="id")).shape[1] == len(names)
    with pytest.raises(ValueError, match=r"'id' is left out.* and there is no other"):
        column_preparation(X[["id"]])


def test_frames_out():
    X = mixed()
    prepare = column_preparation(X)
    Z = clone(prepare).set_output(transform="pandas").fit_transform(X)
    assert list(Z) == ["age", "smoker", "sex_m", "town_Bonn", "town_Kiel", "town_Ulm", "town_nan"]
    assert set(Z.dtypes) == {np.dtype(float)}
    np.testing.assert_array_equal(Z, prepare.fit_transform(X))


def test_in_a_pipeline_with_cross_validation_and_pickle():
    X = mixed(120)
    y = np.where((X["age"].fillna(50) > 50) ^ (X["sex"] == "f"), "ill", "well")
    model = make_pipeline(column_preparation(X), BLSClassifier(random_state=0))
    assert cross_val_score(model, X, y, cv=4).mean() > 0.8
    again = pickle.loads(pickle.dumps(model.fit(X, y)))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_medians_are_learnt_in_fit():
    X = pd.DataFrame({"x": [1.0, 3.0, np.nan, 100.0]})
    prepare = column_preparation(X).fit(X[:3])
    assert prepare.transform(X)[2, 0] == 2


def test_new_rows_that_are_no_numbers_are_named():
    X = pd.DataFrame({"x": [1.0, 2.0], "z": [1, 2]})
    prepare = column_preparation(X).fit(X)
    with pytest.raises(ValueError, match="Column 'x' must hold numbers: could not convert"):
        prepare.transform(pd.DataFrame({"x": ["one", "two"], "z": [1, 2]}))
    with pytest.raises(ValueError, match="Column 'z' must hold finite numbers"):
        prepare.transform(pd.DataFrame({"x": [1.0, 2.0], "z": [1, np.inf]}))


def test_numeric_tables_need_no_preparation():
    X = pd.DataFrame({"a": [1, 2], "b": [True, False], "c": pd.array([1.5, 2], dtype="Float64")})
    numbers = as_numeric(X)
    np.testing.assert_array_equal(numbers, [[1, 1, 1.5], [2, 0, 2]])
    np.testing.assert_array_equal(
        column_preparation(X).set_output(transform="pandas").fit_transform(X)[list(X)], numbers
    )
    assert as_numeric(X.assign(d=[None, 1.0])) is None
    assert as_numeric(X.assign(d=["x", "y"])) is None
