import gzip
import sys

import numpy as np
import pandas as pd
import pytest

from broadlearn.io.table_files import read_frame

ARFF = """% a comment
@relation weather
@attribute 'out look' {sunny, 'very rainy', overcast}
@attribute temperature numeric
@attribute remark string
@attribute play {yes, no}
@data
sunny, 85, 'it''s fine', no
'very rainy', ?, "wet", yes
?, 64.5, ?, yes
""".replace("it''s", "it\\'s")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_separator_is_found(tmp_path, separator, ending):
    path = tmp_path / "t.csv"
    lines = ["a,b,c", "1,x y,2.5", "2,,?"]
    text = ending.join(line.replace(",", separator) for line in lines) + ending
    path.write_bytes(text.encode("utf-8-sig"))
    frame = read_frame(path)
    assert list(frame) == ["a", "b", "c"]
    assert frame["a"].tolist() == [1, 2]
    assert frame["c"].dtype == np.float64
    assert frame.isna().to_numpy().sum() == 2


def test_quoted_names_do_not_mislead(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('"a, b, c";"d"\n1;2\n')
    assert list(read_frame(path)) == ["a, b, c", "d"]


def test_decimal_comma(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b\n1,5;x\n-2,25;y\n")
    assert read_frame(path)["a"].tolist() == [1.5, -2.25]


def test_column_of_row_numbers_is_left_out(tmp_path):
    path = tmp_path / "t.csv"
    pd.DataFrame({"a": [3, 4], "b": [5, 6]}).to_csv(path)
    assert list(read_frame(path)) == ["a", "b"]


def test_nameless_columns_without_values_are_left_out(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,\n1,2,\n3,4,\n")
    assert list(read_frame(path)) == ["a", "b"]


def test_damaged_parquet_files_are_one_sentence(tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": np.arange(60.0), "b": ["x", "y"] * 30}).to_parquet(path)
    whole, draw, messages = path.read_bytes(), np.random.default_rng(0), []
    for _ in range(100):
        damaged = bytearray(whole)
        damaged[draw.integers(len(whole))] ^= 1 << draw.integers(8)
        path.write_bytes(damaged)
        try:
            read_frame(path)
        except ValueError as error:
            messages.append(str(error))
    assert len(messages) > 20
    assert not any("\n" in message for message in messages)


def test_compressed(tmp_path):
    for name, text in (("t.csv.gz", "a,b\n1,2\n"), ("t.arff.gz", ARFF)):
        with gzip.open(tmp_path / name, "wt") as file:
            file.write(text)
        assert len(read_frame(tmp_path / name)) >= 1


def test_parquet(tmp_path):
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": [True, False]})
    frame.to_parquet(tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(read_frame(tmp_path / "t.parquet"), frame)


def test_arff(tmp_path):
    path = tmp_path / "t.arff"
    path.write_text(ARFF)
    frame = read_frame(path)
    assert list(frame) == ["out look", "temperature", "remark", "play"]
    assert frame["out look"].cat.categories.tolist() == ["sunny", "very rainy", "overcast"]
    assert frame["out look"].isna().tolist() == [False, False, True]
    np.testing.assert_array_equal(frame["temperature"], [85, np.nan, 64.5])
    assert frame["remark"].tolist()[:2] == ["it's fine", "wet"]
    assert frame["remark"].isna().tolist() == [False, False, True]


def test_sparse_arff(tmp_path):
    path = tmp_path / "t.arff"
    path.write_text(
        "@relation r\n@attribute a real\n@attribute b real\n@data\n{1 2.5}\n{0 1}\n",
    )
    np.testing.assert_array_equal(read_frame(path), [[0, 2.5], [1, 0]])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.xlsx", b"x", "unknown extension; expected .csv"),
        ("t.csv", b"", "is empty"),
        ("t.csv", b"\n\n", "is empty"),
        ("t.csv", b"a,b\n", "has no rows"),
        ("t.csv", b"a,b, a\n1,2,3\n", "more than one column named 'a'"),
        ("t.csv", b"1,2.5\n3,4\n", "must name the columns"),
        ("t.csv", b"a,b\n1,2\n1,2,3\n", "Line 3 of .* has 3 fields, where its first line has 2"),
        ("t.csv", b"a,b\n1,2,3\n1,2,3\n", "Line 2 of .* has 3 fields, where its first line has 2"),
        ("t.csv", b"a,b\n1,2\n\n1\n", "Line 4 of .* has 1 field, where its first line has 2"),
        ("t.csv", b"a,,b\n1,2,3\n", "Column 2 of .* has values but no name"),
        ("t.csv", b",,\n1,2,3\n", "Column 2 of .* has values but no name"),
        ("t.csv", b"a,b\n1,\0\n", "not a text file: it holds NUL bytes"),
        ("t.csv", b'"', "is empty"),
        ("t.csv", b"a,b\n\xff\xfe\xfa,2\n", "not text in UTF-8"),
        ("t.csv.gz", b"a,b\n1,2\n", "not a whole gzip file"),
        ("t.csv.gz", gzip.compress(b"a,b\n1,2\n" * 99, mtime=0)[:30], "not a whole gzip file"),
        ("t.parquet", b"nonsense", "not a readable Parquet file"),
        ("t.arff", b"nonsense", "not a readable ARFF file"),
        ("t.arff", b"@relation r\n@attribute a {x}\n@data\ny\n", "not a readable ARFF file"),
        ("t.arff", b"@relation r\n@attribute a real\n@data\n", "has no rows"),
        ("t.arff", b"@relation r\n@attribute a real\n@data\n%s%d,\n{%d", "ARFF file: "),
    ],
)
def test_faults_in_one_sentence(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message) as raised:
        read_frame(path)
    assert name in str(raised.value)


def test_no_such_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no file .*none\.csv"):
        read_frame(tmp_path / "none.csv")


def test_without_pandas(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r'pip install "broadlearn\[study\]"'):
        read_frame(path)


def test_a_field_beyond_all_measure_is_one_sentence(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("a,b\n".replace("a", "a" * 200_000) + "1,2\n")
    with pytest.raises(ValueError, match=r"first line of .*long.csv cannot be read"):
        read_frame(path)
