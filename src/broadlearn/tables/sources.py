"""Where a table comes from: a file or standard input, unfolded up to a limit of bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

STANDARD_INPUT = "-"
# Characters of a label or of a column name. Arrays of text give every row the bytes of the longest
# label, and errors name columns.
MAX_LABEL = 1000
FORMATS = {
    "csv": (".csv", ".txt", ".dat", ".data"),
    "tsv": (".tsv", ".tab"),
    "parquet": (".parquet", ".pq"),
    "excel": (".xlsx", ".xlsm"),
    "json": (".json",),
    "jsonl": (".jsonl", ".ndjson"),
    "arff": (".arff",),
}
_SUFFIX_FORMATS = {suffix: name for name, suffixes in FORMATS.items() for suffix in suffixes}
_COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz")


class TableError(ValueError):
    """A table that cannot be read or written, said in one sentence."""


@dataclass(frozen=True)
class FileOptions:
    """How a table is written in its file.

    Parameters
    ----------
    sep : str, default=None
        Separator of the fields of text: a character, "tab", or "space" for any run of blanks.
        Found by the first lines if None.
    encoding : str, default=None
        Encoding of text. UTF-8, UTF-16 with a byte order mark or Windows-1252 if None.
    header : bool, default=True
        Whether the first line or row names the columns; otherwise they are f1, f2, ...
    sheet : str or int, default=None
        Sheet of a workbook, by name or number from 0; the first if None.
    max_bytes : int, default=1 GiB
        Bytes that a compressed file, a workbook or standard input may have once it is unfolded.

    Examples
    --------
    >>> from broadlearn.tables import FileOptions
    >>> FileOptions(sep=";").sep
    ';'
    """

    sep: str | None = None
    encoding: str | None = None
    header: bool = True
    sheet: str | int | None = None
    max_bytes: int = 2**30


@dataclass(frozen=True)
class OpenTable:
    """A table ready to be read once, its name in errors, and its format, a key of `FORMATS`."""

    name: str
    format: str
    file: BinaryIO


@contextmanager
def open_table(source: str | PathLike[str], options: FileOptions) -> Iterator[OpenTable]:
    """Open and unfold a table; raise `TableError` if it is of no known format, or too large."""
    path, name = Path(source), str(source)
    stream: BinaryIO
    if name == STANDARD_INPUT:
        path, name = Path("table.csv"), "Standard input"
        stream = io.BytesIO(_read_limited(sys.stdin.buffer, name, options))
    elif path.is_dir():
        raise TableError(f"Expected a file, got a directory: '{path}'.")
    else:
        stream = open(path, "rb")  # noqa: SIM115
    with stream, _unfolded(stream, name, options) as file:
        found = _format_of_name(path)
        yield OpenTable(name, found, _checked(file, found, name, options))


def _format_of_name(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSED_SUFFIXES:
        suffixes.pop()
    return _SUFFIX_FORMATS.get(suffixes[-1] if suffixes else "", "csv")


# By the first bytes of a compressed file.
_OPENERS: dict[bytes, Callable[[BinaryIO], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}


@contextmanager
def _unfolded(stream: BinaryIO, name: str, options: FileOptions) -> Iterator[BinaryIO]:
    """Return the stream, decompressed if it is compressed."""
    head = stream.read(8)
    stream.seek(0)
    for mark, opener in _OPENERS.items():
        if head.startswith(mark):
            with opener(stream) as unfolding:
                yield io.BytesIO(_read_limited(unfolding, name, options))
            return
    yield stream


def _read_limited(stream: Any, name: str, options: FileOptions) -> bytes:
    blocks, size = [], 0
    while block := stream.read(2**20):
        size += len(block)
        if size > options.max_bytes:
            raise _too_large(name, options)
        blocks.append(block)
    return b"".join(blocks)


def _too_large(name: str, options: FileOptions) -> TableError:
    limit = f"{options.max_bytes:,} bytes"
    return TableError(
        f"{name} expands to more than {limit}; increase max_bytes (--max-bytes) if you trust it."
    )


def _checked(file: BinaryIO, found: str, name: str, options: FileOptions) -> BinaryIO:
    """Return the file; refuse a workbook or Parquet file that expands beyond the limit."""
    if found == "excel":
        with zipfile.ZipFile(file) as archive:
            infos = archive.infolist()
        for info in infos:
            cells = "/worksheets/" in info.filename or "sharedStrings" in info.filename
            is_xml = info.filename.endswith((".xml", ".rels"))
            # 4 MB of styles take openpyxl 25 s and 300 MB, of names of sheets 25 s.
            if is_xml and not cells and info.file_size > 2**22:
                raise TableError(
                    f"{name} is not a plain workbook: its part {info.filename!r} takes "
                    f"{info.file_size:,} bytes."
                )
        if sum(info.file_size for info in infos) > options.max_bytes:
            raise _too_large(name, options)
    elif found == "parquet":
        from pyarrow.parquet import read_metadata

        metadata = read_metadata(file)
        if metadata.num_rows * metadata.num_columns * 8 > options.max_bytes:
            raise _too_large(name, options)
    file.seek(0)
    return file
