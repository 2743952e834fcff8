"""Files of all formats as frames, and files that are none in a sentence."""

import bz2
import gzip
import io
import lzma
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

from broadlearn.tables import FileOptions, TableError, read_frame

pytest.importorskip("pyarrow")
pytest.importorskip("openpyxl")

FRAME = pd.DataFrame({"age": [61.0, np.nan, 48.0], "town": ["Ulm", "Köln", None]})


def workbook(frame=FRAME):
    sink = io.BytesIO()
    frame.to_excel(sink, index=False)
    return sink.getvalue()


def as_bytes(method, **options):
    sink = io.BytesIO()
    getattr(FRAME, method)(sink, **options)
    return sink.getvalue()


CSV = FRAME.to_csv(index=False).encode()
# SciPy reads ASCII only.
ARFF = b"@relation r\n@attribute age numeric\n@attribute town {Ulm,Koeln}\n@data\n"
ARFF += b"61,Ulm\n?,Koeln\n48,?\n"
FILES = {
    "a.csv": CSV,
    "a.tsv": CSV.replace(b",", b"\t"),
    "semicolons.txt": CSV.replace(b",", b";"),
    "bars.data": CSV.replace(b",", b"|"),
    "bom.csv": b"\xef\xbb\xbf" + CSV,
    "latin.csv": CSV.decode().encode("latin-1"),
    "wide.csv": CSV.decode().encode("utf-16"),
    "windows.csv": CSV.replace(b"\n", b"\r\n"),
    "trailing.csv": CSV.replace(b"\n", b",\n").replace(b"town,", b"town", 1),
    "marks.csv": CSV.replace(b"Ulm", b'"Ulm"').replace(b"\n,", b"\n?,"),
    "a.csv.gz": gzip.compress(CSV),
    "a.csv.bz2": bz2.compress(CSV),
    "a.csv.xz": lzma.compress(CSV),
    "named.parquet.gz": gzip.compress(as_bytes("to_parquet")),
    "a.parquet": as_bytes("to_parquet"),
    "a.json": as_bytes("to_json", orient="records"),
    "columns.json": as_bytes("to_json"),
    "a.jsonl": as_bytes("to_json", orient="records", lines=True),
    "a.xlsx": workbook(),
    "a.arff": ARFF,
}


def same(found, expected=FRAME):
    assert list(found) == list(expected)
    np.testing.assert_array_equal(found["age"].to_numpy(float), expected["age"])
    texts = [None if pd.isna(text) else text.replace("oe", "ö") for text in found["town"]]
    assert texts == ["Ulm", "Köln", None]


@pytest.mark.parametrize("name", FILES)
def test_formats(tmp_path, name):
    (tmp_path / name).write_bytes(FILES[name])
    found = read_frame(tmp_path / name)
    same(found)
    assert found.index.equals(pd.RangeIndex(3))


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
def test_standard_input(monkeypatch, name):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FILES[name])))
    same(read_frame("-"))


def test_options(tmp_path):
    path = tmp_path / "a.xyz"
    path.write_text("1.5 a\n2.5 b\n")
    found = read_frame(path, FileOptions(sep="space", header=False))
    assert found.to_dict("list") == {"f1": [1.5, 2.5], "f2": ["a", "b"]}
    path.write_bytes("a\nж\n".encode("cp1251"))
    assert read_frame(path, FileOptions(encoding="cp1251"))["a"].tolist() == ["ж"]
    path.write_text("a b\tc\n1 2\t3,5\n")
    assert list(read_frame(path, FileOptions(sep="tab"))) == ["a b", "c"]
    path = tmp_path / "a.xlsx"
    path.write_bytes(workbook())
    assert read_frame(path, FileOptions(sheet="Sheet1")).shape == (3, 2)
    assert read_frame(path, FileOptions(header=False)).shape == (4, 2)


def test_cells_as_they_are_written(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("code;x;y\n007;1.50;\nNA;?;2\n")
    found = read_frame(path, as_text=True)
    assert found.to_numpy().tolist() == [["007", "1.50", ""], ["NA", "?", "2"]]


def test_separators_within_texts(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('note,price\n"a; b; c",1\n"d, e",2\n')
    assert read_frame(path)["note"].tolist() == ["a; b; c", "d, e"]
    path.write_text("name\nred apple\ngreen pear\n")
    assert read_frame(path).shape == (2, 1)
    path.write_text("when;share\n2020-01-01 12:30;1,5\n2020-01-02 12:31;2,5\n")
    assert list(read_frame(path)) == ["when", "share"]


def test_row_numbers_without_a_name_are_left_out(tmp_path):
    FRAME.to_csv(tmp_path / "a.csv")
    same(read_frame(tmp_path / "a.csv"))


def test_a_first_line_of_numbers_is_doubted(tmp_path):
    (tmp_path / "a.csv").write_text("5.1,3.5\n4.9,3.0\n")
    with pytest.warns(UserWarning, match="All column names .* are numbers.*--no-header"):
        read_frame(tmp_path / "a.csv")


def bombed_workbook():
    source, sink = zipfile.ZipFile(io.BytesIO(workbook())), io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for info in source.infolist():
            content = source.read(info)
            if info.filename == "xl/styles.xml":
                content = content.replace(b"<fonts", b"<font/>" * 1_000_000 + b"<fonts")
            archive.writestr(info.filename, content)
    return sink.getvalue()


BROKEN = {
    "empty.csv": (b"", "No columns to parse"),
    "header.csv": (b"a,b\n", "has no rows"),
    "long.csv": (b"a," + b"x" * 2000 + b"\n1,2\n", "a column name of more than 1,000 characters"),
    "ragged.csv": (b"a,b\n1,2\n3,4,5\n", "Expected 2 fields in line 3, saw 3"),
    "fields.csv": (b"a,b\n1,2,3\n4,5,6\n", "more fields in its rows than names"),
    "quote.csv": (b'a,b\n"x,1\ny,2\n', "EOF inside string"),
    "cut.csv.gz": (gzip.compress(CSV * 99)[:60], "ended before"),
    "flipped.csv.gz": (gzip.compress(CSV)[:-6] + b"xxxxxx", "CRC"),
    "bomb.csv.xz": (lzma.compress(bytes(2**25)), "expands to more than 10"),
    "cut.parquet": (FILES["a.parquet"][:200], "Parquet"),
    "text.parquet": (CSV, "Parquet"),
    "a.feather": (as_bytes("to_feather"), "is not text, and its extension"),
    "text.xlsx": (CSV, "not a zip file"),
    "directory.xlsx": (FILES["a.xlsx"][:-6] + b"\xff\xff\xff\x00\x00\x00", "cannot be read"),
    "cut.xlsx": (FILES["a.xlsx"][:-300], "not a zip file"),
    "bomb.xlsx": (bombed_workbook(), "not a plain workbook: its part 'xl/styles.xml'"),
    "cut.json": (b'[{"a": 1}, {"a"', "cannot be read"),
    "deep.json": (b"[" * 100_000, "depth"),
    "nested.jsonl": (b'{"a": [1, 2]}\n{"a": [3]}\n', "lists or records in column 'a'"),
    "strings.arff": (b"@relation r\n@attribute a string\n@data\nx\n", "not supported"),
    "nothing.arff": (b"@relation r\n@data\n", "has no columns|has no rows"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_refused_in_a_sentence(tmp_path, name):
    content, reason = BROKEN[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TableError, match=reason) as caught:
        read_frame(tmp_path / name, FileOptions(max_bytes=10_000_000))
    sentence = str(caught.value)
    assert sentence.startswith(str(tmp_path / name))
    assert sentence.endswith(".")
    assert sentence.isprintable()
    assert len(sentence) < 400


def test_declared_rows_of_parquet_are_limited(tmp_path):
    pd.DataFrame({"a": np.zeros(100_000)}).to_parquet(tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_size < 10_000
    with pytest.raises(TableError, match="expands to more than"):
        read_frame(tmp_path / "a.parquet", FileOptions(max_bytes=10_000))


def test_what_is_no_file(tmp_path):
    with pytest.raises(TableError, match="Expected a file, got a directory"):
        read_frame(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_frame(tmp_path / "none.csv")
    (tmp_path / "a.csv").write_bytes(CSV)
    with pytest.raises(TableError, match="unknown encoding"):
        read_frame(tmp_path / "a.csv", FileOptions(encoding="klingon"))
    with pytest.raises(TableError, match="is not text in ascii"):
        read_frame(tmp_path / "a.csv", FileOptions(encoding="ascii"))


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    (tmp_path / "a.xlsx").write_bytes(workbook())
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(TableError, match="openpyxl"):
        read_frame(tmp_path / "a.xlsx")
