import pytest

from broadlearn.cli.columns import MAX_LISTED, chosen_kinds, columns_as_json, print_columns
from broadlearn.io import ColumnRecord


def record(name, kind="number", use="number", doubt=""):
    return ColumnRecord(name, kind, 0.125, 7, "[red]1.5", use, doubt)


def test_kinds_of_an_option():
    columns = ["a", "b", "x=y"]
    assert chosen_kinds(None, columns) == {}
    assert chosen_kinds(["a=number,b=date", "x=y=category"], columns)["x=y"] == "category"
    assert chosen_kinds(["a = number", "b=date"], columns) == {"a": "number", "b": "date"}
    with pytest.raises(ValueError, match="--as must be like column=kind, got 'number'"):
        chosen_kinds(["number"], columns)
    with pytest.raises(ValueError, match="--as names a column 'c', which the table lacks"):
        chosen_kinds(["c=number"], columns)


def test_lines_are_never_cut_in_a_pipe(capsys):
    long = "w" * 300
    print_columns([record("a", use=long), record("b", doubt="few values")])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:4] == ["column", "kind", "missing", "distinct"]
    assert long in lines[1]
    assert "[red]1.5" in lines[1]
    assert "12.5%" in lines[1]
    assert "doubtful: few values" in lines[2]
    assert lines[3].startswith("1 doubtful")


def test_many_columns_of_a_kind_are_one_line(capsys):
    print_columns([*(record(f"x{j}") for j in range(60)), record("y", use="other")])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[1].startswith("x0, x1, x2 and 57 more")
    print_columns([record(f"x{j}", use=f"use {j}") for j in range(60)])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == MAX_LISTED + 2
    assert "20 more; --json has all" in lines[-1]


def test_for_machines():
    (found,) = columns_as_json([record("a", doubt="few")])
    assert found["doubtful"] is True
    assert found["used"] is True
    assert found["kind"] == "number"
