"""How large Parquet and Arrow files are once they are read, as far as what they say of themselves.

Runs of equal values, dictionaries and compressed buffers make a few bytes of a file gigabytes of a
table.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from broadlearn.io.sources import FileOptions, Source
from broadlearn.io.text_sizes import check_width
from broadlearn.utils import check_memory

# Per cell, as measured of reading a table and deciding the kinds of its columns, rounded up; texts
# are held twice, as they come and as they go.
PER_CELL, PER_TEXT_BYTE = 50, 2
# Rows of texts that are looked at at a time.
ROWS = 1 << 16
# Types of the header of a message.
_DICTIONARY, _ROWS = 2, 3


def check_parquet(opener: Callable[..., Any], source: Source, options: FileOptions) -> None:
    """Refuse a Parquet file that would need too much memory.

    Parameters
    ----------
    opener : callable
        Gives the file as pyarrow opens it, with the keyword arguments of its ``ParquetFile``.
    source : Source
    options : FileOptions
    """
    facts = opener().metadata
    check_width(source, facts.num_columns)
    needed = PER_CELL * facts.num_rows * max(1, facts.num_columns)
    doubtful = set()
    for i in range(facts.num_row_groups):
        group = facts.row_group(i)
        for j in range(facts.num_columns):
            column = group.column(j)
            # Items of lists are more than rows.
            needed += PER_CELL * max(0, column.num_values - group.num_rows)
            if column.physical_type in ("BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"):
                size = max(0, column.total_uncompressed_size)
                needed += PER_TEXT_BYTE * size
                if column.num_values > 1 and _repeats(column):
                    doubtful.add(j)
    check_memory(source, needed, options.max_memory)
    for j in sorted(doubtful):
        name = facts.schema.column(j).path
        if "." not in name:
            texts = opener(read_dictionary=[name])
            needed += PER_TEXT_BYTE * _text_bytes(texts, name, source, needed, options)
    check_memory(source, needed, options.max_memory)


def _repeats(column: Any) -> bool:
    return any("DICTIONARY" in encoding for encoding in column.encodings)


def _text_bytes(file: Any, name: str, source: Source, before: float, options: FileOptions) -> float:
    """Bytes of all texts of a column, of which each may stand for many rows."""
    from pyarrow import compute, types

    total = 0.0
    for batch in file.iter_batches(ROWS, columns=[name], use_threads=False):
        texts = batch.column(0)
        if types.is_dictionary(texts.type):
            lengths = compute.binary_length(texts.dictionary)
            total += compute.sum(lengths.take(texts.indices)).as_py() or 0
        else:
            total += texts.nbytes
        check_memory(source, before + PER_TEXT_BYTE * total, options.max_memory)
    return total


def check_arrow(content: bytes, source: Source, options: FileOptions) -> None:
    """Refuse the content of a Feather or Arrow file that would need too much memory."""
    from pyarrow import ipc

    is_file = content[:6] == b"ARROW1"
    opened = (ipc.open_file if is_file else ipc.open_stream)(content)
    n_columns = len(opened.schema)
    check_width(source, n_columns)
    needed, n_messages = float(len(content)), 0
    messages = ipc.MessageReader.open_stream(content[8:] if is_file else content)
    while True:
        try:
            message = messages.read_next_message()
        except (StopIteration, EOFError):
            break
        rows, sizes = _message_sizes(message.metadata.to_pybytes(), message.body)
        n_messages += rows >= 0
        needed += PER_CELL * max(0, rows) * n_columns + PER_TEXT_BYTE * sizes
        check_memory(source, needed, options.max_memory)
    if is_file and opened.num_record_batches > n_messages:
        raise ValueError("its footer names more batches than it has")


def _message_sizes(metadata: bytes, body: Any) -> tuple[int, int]:
    """Rows of a message, -1 if it has none, and the bytes of its buffers, unpacked."""
    table = _Table(metadata, _at("<I", metadata, 0))
    kind = table.number(1, "<B")
    header = table.table(2)
    if header is None or kind not in (_DICTIONARY, _ROWS):
        return -1, 0
    batch = header.table(1) if kind == _DICTIONARY else header
    if batch is None:
        return -1, 0
    rows = batch.number(0, "<q") if kind == _ROWS else -1
    packed = batch.table(3) is not None
    total = 0
    for offset, length in batch.structs(2, "<qq"):
        if packed and length > 8:
            declared = _at("<q", body, offset)
            total += length if declared < 0 else declared
        else:
            total += length
    return rows, total


class _Table:
    """A table of FlatBuffers, the format of Arrow's messages: fields by number."""

    def __init__(self, buffer: bytes, start: int) -> None:
        self.buffer, self.start = buffer, start
        self.fields = start - _at("<i", buffer, start)
        self.size = _at("<H", buffer, self.fields)

    def place(self, field: int) -> int | None:
        """Where a field is; None where the table has none."""
        entry = 4 + 2 * field
        offset = _at("<H", self.buffer, self.fields + entry) if entry < self.size else 0
        return self.start + offset if offset else None

    def number(self, field: int, form: str) -> int:
        """A number, 0 by default."""
        place = self.place(field)
        return 0 if place is None else _at(form, self.buffer, place)

    def table(self, field: int) -> _Table | None:
        """A table within this one."""
        place = self.place(field)
        return None if place is None else _Table(self.buffer, place + _at("<I", self.buffer, place))

    def structs(self, field: int, form: str) -> list[tuple[Any, ...]]:
        """A vector of structs."""
        place = self.place(field)
        if place is None:
            return []
        place += _at("<I", self.buffer, place)
        count, size = _at("<I", self.buffer, place), struct.calcsize(form)
        if count * size > len(self.buffer):
            raise ValueError("a message is longer than its metadata")
        return [struct.unpack_from(form, self.buffer, place + 4 + size * i) for i in range(count)]


def _at(form: str, buffer: Any, place: int) -> int:
    if place < 0:
        raise ValueError("a message points outside of itself")
    try:
        return int(struct.unpack_from(form, buffer, place)[0])
    except struct.error as error:
        raise ValueError("a message points outside of itself") from error
