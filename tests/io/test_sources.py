import bz2
import gzip
import io
import lzma
import sys
from pathlib import Path

import pytest
import zstandard

from broadlearn.io.sources import (
    FileOptions,
    Source,
    extension_of,
    open_source,
    pack,
    whole_packing,
)

PACKERS = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}


@pytest.mark.parametrize("ending", PACKERS)
def test_compressed_files_are_unpacked(tmp_path, ending):
    content = b"a,b\n1,2\n" * 99
    named, unnamed = tmp_path / f"t.csv{ending}", tmp_path / "t.csv"
    for path in (named, unnamed):
        path.write_bytes(PACKERS[ending](content))
        source = open_source(path)
        assert source.head(3) == b"a,b"
        with source.open() as file:
            assert file.read() == content
        with source.open_text("utf-8") as text:
            assert text.readline() == "a,b\n"
    assert (extension_of(named), open_source(named).name) == (".csv", "t")
    assert pack(content, named) == pack(content, named)
    assert Source(Path("-"), pack(content, named)).head(3) == b"a,b"
    assert pack(content, unnamed) == content


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("cut", [True, False])
def test_damaged_files_are_one_sentence(tmp_path, ending, cut):
    path = tmp_path / f"t.csv{ending}"
    path.write_bytes(PACKERS[ending](bytes(range(256)) * 99)[:60] if cut else b"a,b\n1,2\n")
    source = open_source(path)
    with pytest.raises(ValueError, match=r"is not a whole .* file"), whole_packing(source):
        read_to_its_end(source)


def read_to_its_end(source):
    if len(source.head(1 << 20)) < 99 * 256:
        raise EOFError("cut")


def test_other_errors_pass(tmp_path):
    with pytest.raises(OSError, match="disk"), whole_packing(Source(tmp_path / "t.csv.gz")):
        raise OSError(28, "disk")


def test_without_zstandard(tmp_path, monkeypatch):
    path = tmp_path / "t.csv.zst"
    path.write_bytes(zstandard.compress(b"a"))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    if sys.version_info >= (3, 14):
        assert open_source(path).head() == b"a"
        return
    with pytest.raises(ImportError, match=r'\.zst need zstandard: pip install "broadlearn'):
        open_source(path).head()


def test_standard_input(monkeypatch):
    def give(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    give(b"a,b\n1,2\n")
    source = open_source("-")
    assert (str(source), source.name, source.head()) == ("standard input", "stdin", b"a,b\n1,2\n")
    assert open_source(source) is source
    give(b"")
    with pytest.raises(ValueError, match="standard input is empty"):
        open_source("-")


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no file"):
        open_source(tmp_path / "none.csv")
    (tmp_path / "empty.csv").touch()
    with pytest.raises(ValueError, match=r"empty\.csv is empty"):
        open_source(tmp_path / "empty.csv")


@pytest.mark.parametrize(
    ("name", "extension"),
    [
        ("t.CSV.GZ", ".csv"),
        ("sonar.all-data", ".data"),
        ("german.data-numeric", ".data"),
        ("adult.test", ".data"),
        ("t.database", ".database"),
        ("t", ""),
    ],
)
def test_extensions(name, extension):
    assert extension_of(Path(name)) == extension


def test_options():
    options = FileOptions(sep="TAB", format=".CSV", decimal=",")
    assert (options.sep, options.format) == ("\t", ".csv")
    assert options.for_text() == ["sep", "decimal"]
    assert FileOptions(sep=r"\t").sep == "\t"
    assert FileOptions(sep="space").sep == " "
    assert FileOptions(header=False).for_text() == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sep": "ab"}, "sep must be one character, tab or space, got 'ab'"),
        ({"sep": ""}, "sep must be one character"),
        ({"sep": ",", "decimal": ","}, "decimal and sep must differ"),
        ({"decimal": "x"}, r"decimal must be \. or a comma, got 'x'"),
        ({"encoding": "nope"}, "encoding is not known: 'nope'"),
        ({"format": "docx"}, "format must be one of csv, .*, got 'docx'"),
    ],
)
def test_options_that_make_no_sense(options, message):
    with pytest.raises(ValueError, match=message):
        FileOptions(**options)
