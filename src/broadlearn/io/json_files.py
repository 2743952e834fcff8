"""Tables in JSON as frames of pandas: records, columns, or rows, whole or line by line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from broadlearn.io.csv_files import FileTable, import_pandas, whole_text
from broadlearn.io.csv_layout import is_blank
from broadlearn.io.errors import reason
from broadlearn.io.sources import STANDARD, FileOptions, Source
from broadlearn.io.text_sizes import check_objects, check_width
from broadlearn.utils import check_memory

# Bytes of memory per cell of a table of records that do not have all names.
PER_CELL = 50


def read_json(source: Source, options: FileOptions) -> FileTable:
    """Read a file that is one list or object."""
    check_objects(source, options)
    text = whole_text(source, options)
    with _as_a_table(source):
        try:
            content = _parsed(text)
        except json.JSONDecodeError as error:
            if source.path != STANDARD and is_json(text.lstrip().partition("\n")[0]):
                return read_json_lines(source, options)
            raise ValueError(f"{source} is not readable JSON: {reason(error)}.") from error
        return _json_table(content, source, options)


def read_json_lines(source: Source, options: FileOptions) -> FileTable:
    """Read a file that has a record in each line."""
    check_objects(source, options)
    records, lines = [], []
    with _as_a_table(source):
        # Only these end lines: texts may hold other marks that Python takes for ends.
        for number, line in enumerate(whole_text(source, options).split("\n"), start=1):
            if is_blank([line]):
                continue
            try:
                records.append(_parsed(line))
            except json.JSONDecodeError as error:
                raise ValueError(
                    f"Line {number} of {source} is not readable JSON: {reason(error)}."
                ) from error
            lines.append(number)
        return _json_table(records, source, options)._replace(lines=lines)


def is_json(text: str) -> bool:
    """Whether a text is JSON by itself."""
    try:
        json.loads(text, parse_int=_whole)
    except (ValueError, RecursionError):
        return False
    return True


def _whole(digits: str) -> float:
    return int(digits) if len(digits) < 300 else float(digits)


def _parsed(text: str) -> Any:
    """What a JSON text holds; whole numbers that no float can hold are infinite, as 1e999 is."""
    content = json.loads(text, parse_int=_whole)
    if r"\ud" in text or r"\uD" in text:
        # Raises where halves of characters are without the other half.
        json.dumps(content, ensure_ascii=False).encode()
    return content


@contextmanager
def _as_a_table(source: Source) -> Iterator[None]:
    try:
        yield
    except RecursionError as error:
        raise ValueError(
            f"{source} is no table: its lists or records are nested too deeply."
        ) from error
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{source} holds halves of characters, such as {error.object[error.start]!r}, which "
            "are no text."
        ) from error


def _json_table(content: Any, source: Source, options: FileOptions) -> FileTable:
    """Records, columns, or columns with their rows apart, as pandas and others write them."""
    pandas = import_pandas()
    if isinstance(content, Mapping) and isinstance(content.get("data"), list):
        names = content.get("columns")
        rows = content["data"]
        if isinstance(names, list) and all(isinstance(row, list) for row in rows):
            content = [dict(zip(map(str, names), row, strict=False)) for row in rows]
        else:
            content = rows
    if isinstance(content, Mapping) and content:
        columns = list(content.values())
        if all(isinstance(column, Mapping) for column in columns):
            content = {name: list(column.values()) for name, column in content.items()}
        lengths = {len(c) if isinstance(c, list) else -1 for c in content.values()}
        if len(lengths) == 1 and -1 not in lengths:
            check_width(source, len(content))
            return FileTable(pandas.DataFrame(dict(content)), None)
    if isinstance(content, list) and all(isinstance(row, Mapping) for row in content):
        nested = any(isinstance(value, Mapping) for row in content for value in row.values())
        # Few records with names of their own make many columns.
        names = {name for row in content for name in _names(row)}
        check_width(source, len(names))
        check_memory(source, PER_CELL * len(names) * len(content), options.max_memory)
        make = pandas.json_normalize if nested else pandas.DataFrame
        return FileTable(make(content), None)
    if isinstance(content, list) and all(isinstance(row, list) for row in content):
        width = len(content[0])
        check_width(source, width)
        if any(len(row) != width for row in content):
            raise ValueError(f"{source} must hold rows of one length.")
        names = [f"f{j + 1}" for j in range(width)]
        return FileTable(pandas.DataFrame(content, columns=names), None, has_header=False)
    raise ValueError(f"{source} must hold a table: a list of records, or columns of one length.")


def _names(record: Mapping[str, Any]) -> Iterator[str]:
    """Names of the columns that a record has, those of records within it included."""
    for name, value in record.items():
        if isinstance(value, Mapping) and value:
            for inner in _names(value):
                yield f"{name}.{inner}"
        else:
            yield name
