import json

import numpy as np
import pandas as pd
import pytest

from broadlearn.io.tables import as_numeric, read_table, to_numbers, to_texts


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
        ("gaps", "has no label in 2 of 60 rows, the first of them line 5"),
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


def test_a_target_cannot_be_dropped(tmp_path):
    path = write(tmp_path, pd.DataFrame({"x": [0, 1], "y": [0, 1]}))
    with pytest.raises(ValueError, match="'y' is the target, and cannot be dropped too"):
        read_table(path, "y", drop=["y"])


def test_only_a_target(tmp_path):
    with pytest.raises(ValueError, match="no columns besides the target 'y'"):
        read_table(write(tmp_path, pd.DataFrame({"y": [0, 1]})), "y")


def test_lists_in_a_file_are_refused_by_name(tmp_path):
    pd.DataFrame({"x": [1, 2], "l": [[1], [2]]}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="Column 'l' is refused: only numbers"):
        read_table(tmp_path / "t.parquet")


@pytest.mark.parametrize("label", [[1, 2], [], ["a"]])
def test_lists_as_labels_are_refused(label, tmp_path):
    path = tmp_path / "t.jsonl"
    records = [{"a": 1, "y": "yes"}, {"a": 2, "y": label}]
    path.write_text("\n".join(map(json.dumps, records)))
    with pytest.raises(ValueError, match=r"The target column 'y' of .* holds lists or records"):
        read_table(path, "y")


def test_numbers_and_texts_of_columns():
    X = pd.DataFrame({"x": [1.0, None], "s": ["a", None], "b": [True, False]})
    np.testing.assert_array_equal(to_numbers(X[["x", "b"]]), [[1, 1], [np.nan, 0]])
    assert to_texts(X[["s", "b"]]).tolist()[0] == ["a", "True"]
    assert np.isnan(to_texts(X[["s"]])[1, 0])


def test_numeric_tables_need_no_preparation():
    X = pd.DataFrame({"a": [1, 2], "b": [True, False], "c": pd.array([1.5, 2], dtype="Float64")})
    numbers = as_numeric(X)
    np.testing.assert_array_equal(numbers, [[1, 1, 1.5], [2, 0, 2]])
    assert as_numeric(X.assign(d=["2024-01-02", "2024-01-03"])) is None
    assert as_numeric(X.assign(d=[None, 1.0])) is None
    assert as_numeric(X.assign(d=["x", "y"])) is None


@pytest.mark.parametrize(
    ("label", "fault"), [("x" * 1001, "1,001 characters"), ("x\0", "a NUL character in it")]
)
def test_labels_that_are_none(label, fault, tmp_path):
    path = tmp_path / "t.json"
    path.write_text(json.dumps([{"a": 1, "y": "x"}, {"a": 2, "y": label}]))
    with pytest.raises(ValueError, match=f"^The target column 'y' of .* has a label with {fault}"):
        read_table(path, "y")
