"""Features and targets of files, what a target holds, and files that are written."""

import numpy as np
import pandas as pd
import pytest

from broadlearn.tables import TableError, infer_task, read_frame, read_table, write_frame


def csv(tmp_path, text):
    path = tmp_path / "patients.v2.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("y", "task"),
    [
        ([0, 1] * 50, "classification"),
        (["a", "b", "c"], "classification"),
        ([True, False], "classification"),
        (np.array(["1.5", "x"], dtype=object), "classification"),
        ([0.0, 0.5, 1.0] * 9, "classification"),
        (np.repeat(np.arange(26), 100), "classification"),
        (pd.Series([3, 4, 5, 6, 7, 8] * 30, dtype="Int64"), "classification"),
        (np.arange(214) % 80, "regression"),
        (np.arange(25), "regression"),
        (np.linspace(0, 1, 12), "regression"),
        (np.repeat(np.arange(90), 500), "regression"),
        (pd.Series(range(200), dtype=object), "regression"),
    ],
)
def test_one_rule_for_the_task(y, task):
    assert infer_task(y) == task


def test_features_target_and_task(tmp_path):
    rows = "".join(f"{i % 7};{i};{'yes' if i % 2 else 'no'};x\n" for i in range(40))
    path = csv(tmp_path, f"a;quantity;ill;id\n{rows}")
    table = read_table(path, "ill", drop=["id"])
    assert (table.name, table.target, table.task) == ("patients", "ill", "classification")
    assert list(table.X) == ["a", "quantity"]
    assert table.y[:3].tolist() == ["no", "yes", "no"]
    table = read_table(path, "quantity")
    assert table.task == "regression"
    assert table.y.dtype == float
    classes = read_table(path, "quantity", task="classification")
    assert classes.y.dtype.kind == "i"
    assert read_table(path).y is None


def test_labels_that_differ_by_case_and_spaces_are_one(tmp_path):
    path = csv(tmp_path, "x,y\n1,yes\n2,Yes \n3,yes\n4,no\n5,NO\n6,no\n")
    with pytest.warns(
        UserWarning, match="differ from others only in case or spaces.*'NO' and 'Yes'"
    ):
        assert read_table(path, "y").y.tolist() == ["yes", "yes", "yes", "no", "no", "no"]


def test_fractions_as_classes_and_written_numbers_as_a_quantity(tmp_path):
    path = csv(tmp_path, "x,y\n1,0\n2,0.5\n3,1\n")
    assert read_table(path, "y").y.tolist() == ["0", "0.5", "1"]
    rows = "".join(f"{i};{i}.{i:03d},50 €\n" for i in range(1, 60))
    table = read_table(csv(tmp_path, f"x;y\n{rows}"), "y")
    assert table.task == "regression"
    assert table.y[:2].tolist() == [1001.5, 2002.5]
    as_text = read_table(csv(tmp_path, "x,y\n007,1\n?,0\n"), "y", as_text=True)
    assert as_text.y.tolist() == [1, 0]
    assert as_text.X["x"].tolist() == ["007", "?"]


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        ("x,ill\n1,a\n2,b\n", {"target": "Ill"}, "no column 'Ill'; did you mean 'ill'"),
        ("x,ill\n1,a\n2,b\n", {"target": "zzz"}, "its columns are 'x' and 'ill'"),
        ("x,y\n1,a\n2,b\n", {"target": "y", "drop": ["y"]}, "'y' is the target and cannot"),
        ("y\na\nb\n", {"target": "y"}, "no columns besides the target"),
        ("x,y\n1,a\n2,\n", {"target": "y"}, "no label in 1 row of 2, first in row 1"),
        ("x,y\n1,a\n2,b\n", {"target": "y", "task": "regression"}, "contains text, such as 'a'"),
        ("x,y\n1,a\n2,b\n", {"target": "y", "task": "auto"}, "task must be"),
        ("x,y\n1,inf\n2,1\n", {"target": "y"}, "finite numbers"),
        (f"x,y\n1,{'a' * 2000}\n2,b\n", {"target": "y"}, "longer than 1000"),
    ],
)
def test_tables_that_cannot_be_learnt_from(tmp_path, text, options, reason):
    with pytest.raises(TableError, match=reason):
        read_table(csv(tmp_path, text), **options)


def test_dates_are_no_target(tmp_path):
    frame = pd.DataFrame({"x": [1, 2], "y": pd.to_datetime(["2020-01-01", "2020-01-02"])})
    frame.to_parquet(tmp_path / "a.parquet")
    with pytest.raises(TableError, match="contains dates"):
        read_table(tmp_path / "a.parquet", "y")


def test_files_that_are_written(tmp_path):
    frame = pd.DataFrame({"x": [1.5, -2.0], "=name": ["=1+1", "-5 %"]}, index=["=2", "b"])
    write_frame(frame, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == '"x","\'=name"\n1.5,"\'=1+1"\n-2.0,"-5 %"\n'
    write_frame(frame, tmp_path / "a.parquet")
    found = read_frame(tmp_path / "a.parquet")
    assert found.to_dict("list") == frame.to_dict("list")
    with pytest.raises(TableError, match=r"must end in .csv or .parquet"):
        write_frame(frame, tmp_path / "a.xlsx")
