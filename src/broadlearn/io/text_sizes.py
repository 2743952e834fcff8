"""How large a text is once it is unpacked and read, found out without holding it."""

from __future__ import annotations

from broadlearn.io.sources import CHUNK, FileOptions, Source
from broadlearn.utils import TooLargeError, check_memory

# Longer lines are refused: one is held whole, and split in several ways to learn how it is written.
MAX_LINE = 1 << 22
MAX_COLUMNS = 100_000
# What was measured of reading a table and deciding the kinds of its columns, rounded up: bytes of
# memory per byte of text, without and with quotes, per field and per line.
PER_BYTE, PER_QUOTED_BYTE, PER_FIELD, PER_LINE = 3, 8, 32, 40
# Objects of Python, such as those of a JSON file, per byte of text.
PER_OBJECT_BYTE = 24
_MARKS = (b",", b";", b"\t", b"|")


def check_lines(source: Source, options: FileOptions) -> None:
    """Refuse a text whose rows would need too much memory, or with a line that is no row."""
    n_bytes = n_lines = unbroken = 0
    marks = dict.fromkeys((*_MARKS, b" "), 0)
    quoted = False
    with source.open() as file:
        while chunk := file.read(CHUNK):
            n_bytes += len(chunk)
            ends = chunk.count(b"\n") or chunk.count(b"\r")
            n_lines += ends
            for mark in marks:
                marks[mark] += chunk.count(mark)
            quoted = quoted or b'"' in chunk
            last = max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))
            unbroken = unbroken + len(chunk) if last < 0 else len(chunk) - last - 1
            if unbroken > MAX_LINE:
                raise TooLargeError(
                    f"Line {n_lines + 1} of {source} is longer than {MAX_LINE:,} bytes, so that it "
                    "is no row of a table."
                )
            n_fields = n_lines + (max(marks[mark] for mark in _MARKS) or marks[b" "])
            per_byte = PER_QUOTED_BYTE if quoted else PER_BYTE
            needed = per_byte * n_bytes + PER_FIELD * n_fields + PER_LINE * n_lines
            check_memory(source, needed, options.max_memory)


def check_objects(source: Source, options: FileOptions) -> None:
    """Refuse a text that would need too much memory as objects of Python."""
    n_bytes = 0
    with source.open() as file:
        while chunk := file.read(CHUNK):
            n_bytes += len(chunk)
            check_memory(source, PER_OBJECT_BYTE * n_bytes, options.max_memory)


def check_bytes(source: Source, options: FileOptions) -> None:
    """Refuse a file that would need too much memory by itself, unpacked."""
    n_bytes = 0
    with source.open() as file:
        while chunk := file.read(CHUNK):
            n_bytes += len(chunk)
            check_memory(source, n_bytes, options.max_memory)


def check_width(source: Source, n_columns: int) -> None:
    """Refuse more columns than any command could work with."""
    if n_columns > MAX_COLUMNS:
        raise TooLargeError(
            f"{source} has {n_columns:,} columns, of which at most {MAX_COLUMNS:,} can be read."
        )
