"""Files and standard input as bytes that can be read several times, unpacked where compressed."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from os import PathLike
from pathlib import Path
from typing import IO, Any

from broadlearn.io.errors import reason
from broadlearn.utils import check_memory, memory_limit, parse_size

# What stands for standard input and output in place of a path.
STANDARD = Path("-")
# How extensions of compressed files are called, and how such files begin.
PACKED = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "Zstandard"}
_MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\0": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
TEXT_TABLES = (".csv", ".tsv", ".txt", ".dat", ".data")
FORMATS = (
    *TEXT_TABLES,
    ".json",
    ".jsonl",
    ".ndjson",
    ".arff",
    ".xlsx",
    ".parquet",
    ".pq",
    ".feather",
    ".arrow",
)
_SEPARATORS = {"tab": "\t", "\\t": "\t", "space": " ", "\\s+": " "}
CHUNK = 1 << 22


@dataclass(frozen=True)
class FileOptions:
    r"""How a table is written, where it is not to be found out.

    Parameters
    ----------
    sep : str, default=None
        What separates fields of text: one character, "tab", or "space" for any run of spaces and
        tabs.
    header : bool, default=None
        Whether the first line names the columns. Without names they are called f1, f2, ...
    encoding : str, default=None
        Encoding of text.
    decimal : {".", ","}, default=None
        Mark of decimals in text.
    format : str, default=None
        Format of the content, as an extension such as "csv", whatever the file is called.
    max_memory : str or int, default=None
        Memory that the table may take, in bytes or as a size such as "2GB"; half of what is free
        if None.

    Examples
    --------
    >>> from broadlearn.io import FileOptions
    >>> FileOptions(sep="tab", format="CSV")
    FileOptions(sep='\t', header=None, encoding=None, decimal=None, format='.csv', max_memory=None)
    """

    sep: str | None = None
    header: bool | None = None
    encoding: str | None = None
    decimal: str | None = None
    format: str | None = None
    max_memory: str | int | None = None

    def __post_init__(self) -> None:
        if self.max_memory is not None:
            object.__setattr__(self, "max_memory", parse_size(self.max_memory))
        if self.sep is not None:
            object.__setattr__(self, "sep", _SEPARATORS.get(self.sep.lower(), self.sep))
            if self.sep is None or len(self.sep) != 1 or self.sep in '"\r\n':
                raise ValueError(f"sep must be one character, tab or space, got {self.sep!r}.")
        if self.decimal not in (None, ".", ","):
            raise ValueError(f"decimal must be . or a comma, got {self.decimal!r}.")
        if self.decimal == "," and self.sep == ",":
            raise ValueError("decimal and sep must differ, got a comma for both.")
        if self.encoding is not None:
            try:
                codecs.lookup(self.encoding)
            except (LookupError, ValueError) as error:
                raise ValueError(f"encoding is not known: {self.encoding!r}.") from error
        if self.format is not None:
            extension = f".{self.format.lower().removeprefix('.')}"
            if extension not in FORMATS:
                raise ValueError(
                    f"format must be one of {', '.join(name[1:] for name in FORMATS)}, "
                    f"got {self.format!r}."
                )
            object.__setattr__(self, "format", extension)

    def for_text(self) -> list[str]:
        """Names of the options that are given and mean something for text only."""
        others = ("format", "header", "max_memory")
        names = [field.name for field in fields(self) if field.name not in others]
        return [name for name in names if getattr(self, name) is not None]


@dataclass(frozen=True)
class Source:
    """A file, or what came from standard input.

    Attributes
    ----------
    path : Path
        "-" for standard input.
    content : bytes or None
        What came from standard input; None for a file.
    """

    path: Path
    content: bytes | None = None

    def __str__(self) -> str:
        return str(self.path) if self.content is None else "standard input"

    @property
    def name(self) -> str:
        """Name of the file without its extensions."""
        if self.content is not None:
            return "stdin"
        name = self.path.name
        name = name.removesuffix(self.path.suffix) if self.path.suffix in PACKED else name
        return name.removesuffix(Path(name).suffix)

    @property
    def packing(self) -> str:
        """Extension that says how the content is compressed, by name or by its first bytes."""
        suffix = self.path.suffix.lower()
        if suffix in PACKED:
            return suffix
        with self._open_raw() as file:
            start = file.read(6)
        return next((ending for mark, ending in _MAGIC.items() if start.startswith(mark)), "")

    def open(self) -> IO[bytes]:
        """Open the content, unpacked."""
        packing = self.packing
        # Files that are opened by name are closed by those who read them.
        place: Any = self.path if self.content is None else io.BytesIO(self.content)
        openers: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
        if packing == ".zst":
            openers[packing] = _zstandard().open
        opened: IO[bytes] = openers[packing](place, "rb") if packing else self._open_raw()
        return opened

    def open_text(self, encoding: str) -> io.TextIOWrapper:
        """Open the content as text, with the ends of its lines as they are."""
        return io.TextIOWrapper(self.open(), encoding=encoding, newline="")

    def head(self, size: int = 8192) -> bytes:
        """The first bytes, unpacked."""
        with self.open() as file:
            return file.read(size)

    def _open_raw(self) -> IO[bytes]:
        return self.path.open("rb") if self.content is None else io.BytesIO(self.content)


def open_source(path: str | PathLike[str] | Source, max_memory: str | int | None = None) -> Source:
    """Find a file that is not empty, or read standard input to its end for "-"."""
    if isinstance(path, Source):
        return path
    path = Path(path)
    if path == STANDARD:
        source = Source(path, _to_its_end(sys.stdin.buffer, max_memory))
        if not source.content:
            raise ValueError("standard input is empty.")
        return source
    if path.is_dir():
        raise ValueError(f"{path} is a folder, where a file is expected.")
    if not path.is_file():
        if path.exists():
            raise ValueError(f"{path} is no regular file; give - and pipe its content in.")
        raise FileNotFoundError(f"There is no file {path}.")
    if not path.stat().st_size:
        raise ValueError(f"{path} is empty.")
    return Source(path)


def _to_its_end(file: IO[bytes], max_memory: str | int | None) -> bytes:
    """All of a stream, which may have no end."""
    limit, parts, n_bytes = memory_limit(max_memory), [], 0
    while part := file.read(CHUNK):
        parts.append(part)
        n_bytes += len(part)
        # Parts are held twice when they are joined.
        if 2 * n_bytes > limit:
            check_memory("standard input", 2 * n_bytes, limit)
    return b"".join(parts)


def extension_of(path: Path) -> str:
    """The extension that says the format: ".csv" for "t.csv.gz"."""
    name = path.name
    name = name[: -len(path.suffix)] if path.suffix.lower() in PACKED else name
    extension = Path(name).suffix.lower()
    # As in "sonar.all-data", "german.data-numeric" and "adult.test" of the UCI repository.
    if "data" in extension.replace(".", "-").split("-") or extension in (".test", ".train"):
        return ".data"
    return extension


def pack(content: bytes, path: Path) -> bytes:
    """The content as the extension of a path compresses it; the same for the same content."""
    ending = path.suffix.lower()
    if ending == ".gz":
        return gzip.compress(content, mtime=0)
    if ending == ".bz2":
        return bz2.compress(content)
    if ending == ".xz":
        return lzma.compress(content)
    return bytes(_zstandard().compress(content)) if ending == ".zst" else content


@contextmanager
def whole_packing(source: Source) -> Iterator[None]:
    """Say in one sentence that a compressed file is damaged."""
    damaged: tuple[type[Exception], ...] = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)
    try:
        yield
    except Exception as error:
        # Modules for Zstandard have errors of their own, and that of bz2 is a plain OSError.
        foreign = type(error).__name__ == "ZstdError" or (
            isinstance(error, OSError) and error.errno is None and source.packing == ".bz2"
        )
        if not foreign and not isinstance(error, damaged):
            raise
        kind = PACKED.get(source.packing, "compressed")
        raise ValueError(f"{source} is not a whole {kind} file: {reason(error)}.") from error


def _zstandard() -> Any:
    """The module of the standard library, or the package of that name."""
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd

            return zstd
        import zstandard

        return zstandard
    except ImportError as error:
        raise ImportError(
            'Files in .zst need zstandard: pip install "broadlearn[study]".'
        ) from error
