import bz2
import gzip
import io
import lzma
from types import SimpleNamespace

import pytest

from broadlearn.io import FileOptions, read_file, read_table
from broadlearn.io.sources import open_source
from broadlearn.io.text_sizes import MAX_COLUMNS, MAX_LINE, check_lines
from broadlearn.utils import TooLargeError

ROWS = b"a,b,c\n" + b"1,2,x\n3,4,y\n" * 50_000


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.csv.bz2", "t.csv.xz", "t.csv.zst"])
def test_many_rows(name, tmp_path):
    if name.endswith(".zst"):
        zstandard = pytest.importorskip("zstandard")
        pack = zstandard.ZstdCompressor().compress
    else:
        pack = {"gz": gzip.compress, "z2": bz2.compress, "xz": lzma.compress}.get(name[-2:], bytes)
    path = tmp_path / name
    path.write_bytes(pack(ROWS))
    with pytest.raises(TooLargeError, match=rf"^.*{name} needs about [\d.]+ MB .* have 1 MB; if"):
        read_file(path, FileOptions(max_memory="1MB"))
    assert len(read_table(path, max_memory="100MB").X) == 100_000


def test_estimates_grow_with_fields_and_quotes(tmp_path):
    def least(text):
        path = tmp_path / "t.csv"
        path.write_text(text)
        source, low, high = open_source(path), 1, 10**9
        while high > 1.01 * low:
            middle = (low + high) // 2
            try:
                check_lines(source, FileOptions(max_memory=middle))
            except TooLargeError:
                low = middle
            else:
                high = middle
        return high

    long, short = "123456789,123456789\n" * 1000, "1,1\n" * 5000
    assert least(long) == pytest.approx(20_000 * 3 + 2000 * 32 + 40_000, rel=0.02)
    assert least(short) == pytest.approx(20_000 * 3 + 10_000 * 32 + 200_000, rel=0.02)
    assert least(long.replace("123456789,", '"2345678",')) > 1.5 * least(long)


def test_a_line_without_an_end(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n" + b"7" * (3 * MAX_LINE)))
    with pytest.raises(TooLargeError, match=r"^Line 3 of .* is longer than 4,194,304 bytes"):
        read_file(path)


def test_too_many_columns(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("1," * MAX_COLUMNS + "1\n")
    with pytest.raises(TooLargeError, match=r"has 100,001 columns, of which at most 100,000"):
        read_file(path)


def test_standard_input_without_an_end(monkeypatch):
    class Endless(io.RawIOBase):
        def read(self, size=-1):
            return b"1,2\n" * (size // 4)

    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=Endless()))
    with pytest.raises(TooLargeError, match=r"^standard input needs about 33.6 MB .* have 30 MB"):
        read_table("-", max_memory="30MB")


def test_bad_limit():
    with pytest.raises(ValueError, match="max_memory must be a size such as 500MB or 2GB"):
        FileOptions(max_memory="plenty")
