import numpy as np
import pandas as pd
import pytest

from broadlearn.io import read_file
from broadlearn.io.csv_files import (
    distinct_names,
    plain_lines,
    records,
    row_lines,
    settled_layout,
)
from broadlearn.io.sources import FileOptions, Source


def read(tmp_path, text, name="t.csv", encoding="utf-8", **options):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    return read_file(path, FileOptions(**options))


def lines_of(text):
    """The line of the `x`-th row whose first field is rx, as an editor shows it."""
    found = {}
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        if line[:1] == "r" and line[1:2].isdigit():
            found[int(line[1])] = number
    return [found[i] for i in sorted(found)]


@pytest.mark.parametrize(
    "text",
    [
        "id,b,c\nr0,1,2\nr1,3,4\nr2,5,6\n",
        "id,b,c\r\nr0,1,2\r\nr1,3,4\r\nr2,5,6",
        "\n\nid,b,c\n\nr0,1,2\n  \nr1,3,4\n\n\nr2,5,6\n\n",
        'id,b,c\nr0,1,"two\nlines"\nr1,3,4\nr2,5,"three\n\nlines"\nr3,1,1\n',
        '"id","a\nb",c\nr0,1,2\nr1,3,4\n',
        "# one\n# two, three\nid,b,c\nr0,1,2\n# four\nr1,3,4\nr2,5,6\n",
        "A title\n\nid,b,c\nr0,1,2\nr1,3,4\nr2,5,6\n",
        "id,b,c\nr0,1,2\nr1,3,4\n\n(2 rows)\n",
        "id,b,c\nr0,1,2\nr1,3,4\nSource: nobody knows\n",
        "id,b,c\nr0,1,2,\nr1,3,4,\nr2,5,6,\n",
        "id,b,c,\nr0,1,2\nr1,3,4\nr2,5,6\n",
        "id,b,c\nr0,1,2\nr1,3,4\n,,\n,,\n",
        "id b c\nr0 1   2\nr1 3\t4 \n\nr2 5 6\n",
        "id\tb\tc\nr0\t1\t2\nr1\t3\t4\n",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.filterwarnings("ignore:The table in", "ignore:Line ")
def test_rows_and_their_lines(tmp_path, text, encoding):
    table = read(tmp_path, text, encoding=encoding)
    assert list(table.lines) == lines_of(text)
    assert table.frame["id"].tolist() == [f"r{i}" for i in range(len(table.frame))]
    assert table.frame.iloc[0, 1] == 1
    assert table.frame.shape[1] == 3


def test_rows_of_empty_fields_are_left_out(tmp_path):
    with pytest.warns(UserWarning, match="2 rows of .* without any value, the first in line 3"):
        table = read(tmp_path, "a,b\n1,2\n,\n3,4\n,\n")
    assert list(table.lines) == [2, 4]
    assert table.frame["a"].tolist() == [1, 3]


def test_repeated_names_are_numbered(tmp_path):
    with pytest.warns(UserWarning, match="more than one column named 'a': the second .* 'a_3'"):
        table = read(tmp_path, "a,b,a,a_2,a\n1,2,3,4,5\n6,7,8,9,0\n")
    assert list(table.frame) == ["a", "b", "a_3", "a_2", "a_4"]


def test_plain_texts_are_known_by_their_bytes(tmp_path):
    path = tmp_path / "t.csv"
    for text, expected in {
        "a,b\n1,2\n3,4\n": range(2, 4),
        "a,b\r\n1,2\r\n3,4": range(2, 4),
        'a,b\n"1",2\n': None,
        "a,b\n1,2\n\n3,4\n": None,
        "a,b\n1,2\n3,4,5\n": None,
        "a,b\n1,2\r3,4\n": None,
        "a,b\n1,2\n,\n": None,
    }.items():
        path.write_text(text, newline="")
        source = Source(path)
        layout = settled_layout(source, FileOptions())
        assert plain_lines(source, layout) == expected
    path.write_text("a,b\n" + "1,2\n" * 2_000_000)
    assert row_lines(source, settled_layout(source, FileOptions())) == range(2, 2_000_002)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n1\n3,4\n", "Line 3 of .* has 1 field, where its first line has 2"),
        ("a,b\n1,2\nno row\n3,4\n", "Line 3 of .* has 1 field, where"),
        ("a,b\n1,2\n\n1\n", "Line 4 of .* has 1 field, where"),
        ("# x\na,b\n1,2\n1,2,3\n", "Line 4 of .* has 3 fields, where line 2 has 2"),
        ('a,b\n"x\ny",2\n1,2,3\n', "Line 4 of .* has 3 fields"),
        ("a b\n1 2\n1 2 3\n1 2\n1 2\n1 2\n", "Line 3 of .* has 3 fields"),
        ("a,b\n1,2\n" + "u" * 200_000 + ",2\n", "Line 3 of .* cannot be read: field larger"),
        ("a,b\n# x\n", "has no rows"),
        ("# only\n", "has no rows"),
    ],
)
def test_faults_name_their_line(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        read(tmp_path, text)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_sentence_below_the_table_is_left_out(tmp_path, ending):
    with pytest.warns(UserWarning, match=r"Line 4 of .* was left out.*'Made by us'"):
        table = read(tmp_path, ending.join(["a,b", "1,2", "3,4", "Made by us", ""]))
    assert table.frame["b"].tolist() == [2, 4]


def test_latin_1_is_read_and_said(tmp_path):
    text = "stadt,ß\nKöln,1\nUlm,2\n"
    with pytest.warns(UserWarning, match="read as Latin-1"):
        table = read(tmp_path, text, encoding="latin-1")
    assert table.frame["stadt"].tolist() == ["Köln", "Ulm"]
    table = read_file(tmp_path / "t.csv", FileOptions(encoding="latin-1"))
    assert list(table.frame) == ["stadt", "ß"]
    with pytest.raises(ValueError, match=r"is not text in utf-8 \("):
        read_file(tmp_path / "t.csv", FileOptions(encoding="utf-8"))


def test_a_foreign_byte_far_down_is_found(tmp_path):
    with pytest.warns(UserWarning, match="read as Latin-1"):
        table = read(tmp_path, ("a,b\n" + "1,x\n" * 5000 + "2,ü\n").encode("latin-1"))
    assert table.frame["b"].iloc[-1] == "ü"


def test_tables_without_a_header(tmp_path):
    with pytest.warns(UserWarning, match="without a header"):
        table = read(tmp_path, "5.1,3.5,a\n4.9,3.0,b\n", name="iris.data")
    assert not table.has_header
    assert list(table.frame) == ["f1", "f2", "f3"]
    assert list(table.lines) == [1, 2]
    table = read(tmp_path, "a,b\nc,d\n", header=False)
    assert table.frame.to_numpy().tolist() == [["a", "b"], ["c", "d"]]


def test_options_go_before_what_is_found(tmp_path):
    frame = read(tmp_path, "a;b,c\n1;5,2\n3;4,5\n", sep=",").frame
    assert list(frame) == ["a;b", "c"]
    frame = read(tmp_path, "a:b\n1,5:2\n", sep=":", decimal=",").frame
    assert frame.to_numpy().tolist() == [[1.5, 2.0]]
    frame = read(tmp_path, "a  b\n1.5 2\n", sep="space", name="t.csv").frame
    assert frame.to_numpy().tolist() == [[1.5, 2.0]]


def test_records_as_they_are_written(tmp_path):
    path = tmp_path / "t.csv"
    text = '# x\na,b\n\n1,"2\n3"\n# y\n4,5\n(2 rows)\n'
    path.write_text(text)
    source = Source(path)
    layout = settled_layout(source, FileOptions())
    with pytest.warns(UserWarning, match="Line 8"):
        lines = row_lines(source, layout)
    found = list(records(source, layout, lines))
    assert "".join(record.before + record.text for record in found) == text
    assert [record.fields for record in found] == [["a", "b"], ["1", "2\n3"], ["4", "5"], []]


def test_the_same_frame_as_pandas(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=50),
            "n": rng.integers(0, 9, 50),
            "t": rng.choice(["a", 'b "c"', "d,e", "two\nlines"], 50),
        }
    )
    path = tmp_path / "t.csv"
    for separator in ",;\t|":
        frame.to_csv(path, index=False, sep=separator)
        pd.testing.assert_frame_equal(read_file(path).frame, frame)


def test_numbers_of_very_many_equal_names_are_not_tried_one_by_one():
    found = distinct_names(["x"] * 10_000 + ["x_2", "y", "y"], "t.csv", lambda sentence: None)
    assert found[:3] == ["x", "x_3", "x_4"]
    assert found[-3:] == ["x_2", "y", "y_2"]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("quote", ["", '"'])
def test_repeated_headers_are_left_out(tmp_path, quote):
    rows = "".join(f"{k}.5,{quote}x{quote}\n" for k in range(5))
    with pytest.warns(UserWarning, match="is repeated in line 7, which was left out"):
        table = read(tmp_path, f"a,b\n{rows}a,b\n{rows}")
    assert table.frame["a"].tolist() == [0.5, 1.5, 2.5, 3.5, 4.5] * 2
    assert list(table.lines) == [2, 3, 4, 5, 6, 8, 9, 10, 11, 12]
