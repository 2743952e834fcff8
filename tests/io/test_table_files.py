import gzip
import io
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

from broadlearn.io.sources import FORMATS, FileOptions, pack
from broadlearn.io.table_files import column_name, open_table, read_file, read_frame

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


FRAME = pd.DataFrame(
    {
        "number": [1.5, -2.0, 3.25],
        "whole": [1, 2, 3],
        "text": ["x y", "é", "z"],
        "flag": [True, False, True],
    }
)


def written(frame, name):
    """Content of a file of a format, by pandas."""
    ending, buffer = Path(name.removesuffix(".gz").removesuffix(".zst")).suffix, io.BytesIO()
    if ending == ".xlsx":
        frame.to_excel(buffer, index=False)
    elif ending in (".feather", ".arrow"):
        frame.to_feather(buffer)
    elif ending in (".parquet", ".pq"):
        frame.to_parquet(buffer)
    elif ending == ".json":
        frame.to_json(buffer, orient="records")
    elif ending in (".jsonl", ".ndjson"):
        frame.to_json(buffer, orient="records", lines=True)
    else:
        separators = {".tsv": "\t", ".txt": ";", ".data": " "}
        frame.to_csv(buffer, index=False, sep=separators.get(ending, ","))
    return buffer.getvalue()


NAMES = [f"t{extension}" for extension in FORMATS if extension != ".arff"]


@pytest.mark.parametrize("name", [*NAMES, "t.csv.gz", "t.tsv.zst", "t.jsonl.gz", "t.xlsx.gz"])
def test_every_format(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(pack(written(FRAME, name), path))
    table = read_file(path)
    pd.testing.assert_frame_equal(table.frame, FRAME)
    if path.suffix in (".parquet", ".pq", ".feather", ".arrow", ".json"):
        assert table.lines is None
    else:
        assert list(table.lines) == ([1, 2, 3] if "json" in name or "nd" in name else [2, 3, 4])


@pytest.mark.parametrize("name", [*NAMES, "t.csv.gz"])
def test_standard_input_by_content(monkeypatch, name):
    content = pack(written(FRAME, name), Path(name))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    pd.testing.assert_frame_equal(read_frame("-"), FRAME)


def test_formats_that_are_named(tmp_path, monkeypatch):
    path = tmp_path / "t.log"
    path.write_text(ARFF)
    assert read_frame(path, FileOptions(format="arff")).shape == (3, 4)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ARFF.encode())))
    assert read_frame("-").shape == (3, 4)
    with pytest.raises(ValueError, match="sep is for tables of text"):
        read_frame(path, FileOptions(format="parquet", sep=","))


def test_arrow_streams(tmp_path):
    table = pyarrow.Table.from_pandas(FRAME)
    path = tmp_path / "t.arrow"
    with pyarrow.ipc.new_stream(path, table.schema) as stream:
        stream.write_table(table)
    pd.testing.assert_frame_equal(read_frame(path), FRAME)


@pytest.mark.parametrize(
    "content",
    [
        '[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]',
        '{"a": [1, 2], "b": ["x", "y"]}',
        '{"a": {"0": 1, "1": 2}, "b": {"0": "x", "1": "y"}}',
        '{"columns": ["a", "b"], "index": [0, 1], "data": [[1, "x"], [2, "y"]]}',
        '{"schema": {}, "data": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]}',
        '{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n',
    ],
)
def test_json_as_others_write_it(tmp_path, content):
    path = tmp_path / "t.json"
    path.write_text(content)
    pd.testing.assert_frame_equal(read_frame(path), pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}))


def test_json_within_json_and_without_names(tmp_path):
    path = tmp_path / "t.json"
    path.write_text('[{"a": 1, "at": {"town": "Ulm"}}, {"a": 2, "at": {"town": "Bonn"}}]')
    assert read_frame(path)["at.town"].tolist() == ["Ulm", "Bonn"]
    path.write_text("[[1, 2], [3, 4]]")
    table = read_file(path)
    assert (list(table.frame), table.has_header) == (["f1", "f2"], False)
    assert column_name(table, "2") == "f2"
    assert column_name(table, "3") == "3"


def test_sheets(tmp_path):
    path = tmp_path / "t.xlsx"
    with pd.ExcelWriter(path) as book:
        FRAME.to_excel(book, sheet_name="first", index=False, startrow=3)
        FRAME.to_excel(book, sheet_name="second")
        book.sheets["first"]["A1"] = "A report"
    with pytest.warns(UserWarning, match="the first was read: 'first'"):
        table = read_file(path)
    pd.testing.assert_frame_equal(table.frame, FRAME)
    assert list(table.lines) == [5, 6, 7]
    FRAME.to_excel(path, header=False, index=False)
    with pytest.warns(UserWarning, match="without a header"):
        table = read_file(path)
    assert list(table.frame) == ["f1", "f2", "f3", "f4"]
    assert list(table.lines) == [1, 2, 3]


def test_latin_1_in_arff(tmp_path):
    path = tmp_path / "t.arff"
    path.write_bytes(ARFF.replace("sunny", "schön").encode("latin-1"))
    with pytest.warns(UserWarning, match="read as Latin-1"):
        assert read_frame(path)["out look"][0] == "schön"


def test_lines_of_arff(tmp_path):
    path = tmp_path / "t.arff"
    path.write_text(ARFF.replace("?, 64.5", "% a remark\n\n?, 64.5"))
    assert read_file(path).lines == [8, 9, 12]


@pytest.mark.parametrize(
    ("package", "name"), [("openpyxl", "t.xlsx"), ("pyarrow", "t.feather"), ("pyarrow", "t.pq")]
)
def test_without_a_package(tmp_path, monkeypatch, package, name):
    path = tmp_path / name
    path.write_bytes(written(FRAME, name))
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf'need {package}: pip install "broadlearn\[study\]"'):
        read_frame(path)


def test_parquet(tmp_path):
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": [True, False]})
    frame.to_parquet(tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(read_frame(tmp_path / "t.parquet"), frame)


def test_bytes_that_are_no_text_in_parquet(tmp_path):
    raw = pyarrow.array([b"a", b"\xff"]).buffers()
    texts = pyarrow.Array.from_buffers(pyarrow.string(), 2, raw)
    pq.write_table(pyarrow.table({"a": [1, 2], "b": texts}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"is not a readable Parquet file: .*(?i:utf-?8)"):
        read_frame(tmp_path / "t.parquet")


@pytest.mark.parametrize(("kind", "cell"), [("{}", "a"), ("integer", "1e400")])
def test_arff_that_its_reader_has_no_word_for(kind, cell, tmp_path):
    path = tmp_path / "t.arff"
    path.write_text(f"@relation r\n@attribute a {kind}\n@data\n{cell}\n")
    with pytest.raises(ValueError, match=r"t\.arff is not a readable ARFF file: "):
        read_frame(path)


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
        ("t.docx", b"x", "unknown extension; expected .csv"),
        ("t.xls", b"x", "old kind cannot be read; save it as .xlsx"),
        ("t.xlsx", b"x", "not a readable workbook"),
        ("t.feather", b"x", "not a readable Feather or Arrow file"),
        ("t.json", b"[1, 2", "is not readable JSON"),
        ("t.json", b"[1, 2]", "must hold a table"),
        ("t.json", b"[[1, 2], [3]]", "rows of one length"),
        ("t.jsonl", b'{"a": 1}\n\n{"a": \n', "Line 3 of .* is not readable JSON"),
        ("t.csv", b"", "is empty"),
        ("t.csv", b"\n\n", "is empty"),
        ("t.csv", b"a,b\n", "has no rows"),
        ("t.csv", b"a,b\n1,2\n1,2,3\n", "Line 3 of .* has 3 fields, where its first line has 2"),
        ("t.csv", b"a,b\n1,2,3\n1,2,3\n", "Line 2 of .* has 3 fields, where its first line has 2"),
        ("t.csv", b"a,b\n1,2\n\n1\n", "Line 4 of .* has 1 field, where its first line has 2"),
        ("t.csv", b"a,,b\n1,2,3\n", "Column 2 of .* has values but no name"),
        ("t.csv", b",,\n1,2,3\n", "Column 2 of .* has values but no name"),
        ("t.csv", b"a,b\n1,\0\n", "not a text file: it holds NUL bytes"),
        ("t.csv", b'"', "is empty"),
        ("t.csv", b"a,b\n\xff\xfe\x01,2\n", "not text in UTF-8"),
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
    with pytest.raises(FileNotFoundError, match=r"There is no file .*none"):
        open_table(tmp_path / "none")
    with pytest.raises(ValueError, match="is a folder, where a file is expected"):
        open_table(tmp_path)


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


@pytest.mark.parametrize("name", ["a\0", "\0"])
def test_names_that_are_no_text(name, tmp_path):
    path = tmp_path / "t.json"
    path.write_text(json.dumps({name: [1, 2], "b": [3, 4]}))
    with pytest.raises(ValueError, match=r"^Column 1 of .* has a name with characters that are no"):
        read_file(path)


def test_a_name_that_is_too_long(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("b," + "a" * 10_001 + "\n1,2\n")
    with pytest.raises(ValueError, match=r"^Column 2 of .* has a name of 10,001 characters, where"):
        read_file(path)


def test_a_sheet_of_notes_is_passed_over(tmp_path):
    path = tmp_path / "t.xlsx"
    table = pd.DataFrame({"a": range(40), "b": ["x", "y"] * 20})
    with pd.ExcelWriter(path) as writer:
        pd.DataFrame({"notes": ["by", "made"]}).to_excel(writer, sheet_name="Readme", index=False)
        table.to_excel(writer, sheet_name="Data", index=False)
    with pytest.warns(UserWarning, match="that with the table was read: 'Data'"):
        assert len(read_file(path).frame) == 40


def test_headings_and_mixed_moments_in_a_sheet(tmp_path):
    path = tmp_path / "t.xlsx"
    days = [pd.Timestamp("2024-01-02"), "unknown", pd.Timestamp("2024-01-04")]
    rows = [["visit", "", "", "result"], ["day", "kg", "town", "ill"]]
    rows += [[day, 60.5 + k, "Ulm", "yes"] for k, day in enumerate(days)]
    pd.DataFrame(rows).to_excel(path, index=False, header=False)
    frame = read_file(path).frame
    assert list(frame) == ["day", "kg", "town", "ill"]
    assert frame["day"].tolist() == ["2024-01-02 00:00:00", "unknown", "2024-01-04 00:00:00"]
