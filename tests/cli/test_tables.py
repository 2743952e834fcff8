import pytest

from broadlearn.cli.tables import check_outputs, counted, named, read_labelled


def test_outputs_that_cannot_be_written(tmp_path):
    source = tmp_path / "data.csv"
    check_outputs([None, tmp_path / "a", tmp_path / "b"], [source])
    for outputs in ([tmp_path], [tmp_path / "no" / "a"]):
        with pytest.raises(ValueError, match="a folder that exists and is writable"):
            check_outputs(outputs, [source])
    for outputs in ([source], [tmp_path / "a", tmp_path / "." / "a"]):
        with pytest.raises(ValueError, match="another file"):
            check_outputs(outputs, [source])


def test_labelled_tables_count_their_classes(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n1,x,0\n2,z,1\n3,z,1\n")
    table = read_labelled(path, "y", ["b"])
    assert list(table.X) == ["a"]
    assert table.y.tolist() == [0, 1, 1]
    assert table.classes == {"0": 1, "1": 2}


def test_quantities_where_a_command_takes_them(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n" + "".join(f"1,{i / 7}\n" for i in range(70)))
    table = read_labelled(path, "y", None, "auto")
    assert table.is_regression
    assert table.classes == {}
    with pytest.raises(ValueError, match="looks like a regression target"):
        read_labelled(path, "y", None)
    with pytest.raises(ValueError, match=r"The target column 'a' of .* must vary; all are 1"):
        read_labelled(path, "a", None, "regression")


def test_classes_and_columns_in_one_line():
    assert counted({"a": 1, "b": 2}) == "a: 1, b: 2"
    assert counted({str(k): k for k in range(10)}).endswith("7: 7 and 2 more")
    assert named(["a", "b"]) == "'a', 'b'"
    assert named([str(k) for k in range(10)]).endswith("'7' and 2 more")
