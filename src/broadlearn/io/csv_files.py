"""Tables of text as frames of pandas, each row with its line, each fault in one sentence."""

from __future__ import annotations

import csv
import io
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadlearn.io.csv_layout import (
    BLANK,
    CsvLayout,
    Record,
    csv_layout,
    csv_reader,
    is_blank,
    is_comment,
    split_records,
    text_encoding,
    text_lines,
    western_encoding,
)
from broadlearn.io.csv_thousands import thousands_as_text
from broadlearn.io.errors import reason
from broadlearn.io.sources import CHUNK, FileOptions, Source
from broadlearn.io.text_sizes import check_lines

if TYPE_CHECKING:
    import pandas as pd

# Longer lines may hold a field that the csv module refuses.
MAX_PLAIN_LINE = 100_000
_BYTE_ENCODINGS = ("utf-8", "utf-8-sig", "cp1252")


def import_pandas() -> Any:
    """Import pandas, which the rest of the library does without."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError('Tables need pandas: pip install "broadlearn[study]".') from error
    return pandas


class FileTable(NamedTuple):
    """What a file holds.

    Attributes
    ----------
    frame : pandas.DataFrame
    lines : sequence of int or None
        The line of the file (row of the sheet) at which each row begins, counted from 1; None where
        the file has no lines.
    has_header : bool
        Whether the file names its columns; if not, they are called f1, f2, ...
    """

    frame: pd.DataFrame
    lines: Sequence[int] | NDArray[np.int64] | None
    has_header: bool = True

    def where(self, position: int) -> str:
        """The line of a row for a message; its position, counted from 0, where there are none."""
        return f"row {position} (from 0)" if self.lines is None else f"line {self.lines[position]}"


def read_csv(source: Source, options: FileOptions) -> FileTable:
    """Read a text whose fields are separated by a mark or by blanks."""
    check_lines(source, options)
    layout = settled_layout(source, options)
    for doubt in layout.doubts:
        warnings.warn(doubt, UserWarning, stacklevel=2)
    lines: Sequence[int] | None = plain_lines(source, layout)
    plain = lines is not None
    if lines is None:
        lines, plain = _checked_lines(source, layout)
    frame = _parsed(source, layout, plain) if plain else None
    if frame is None or len(frame) != len(lines):
        # What pandas would take for rows is not what rows are.
        frame, plain = _parsed(source, layout, False).iloc[: len(lines)], False
    if options.decimal is None:
        frame = thousands_as_text(
            frame, lambda: _parsed(source, layout, plain, dtype=str).iloc[: len(lines)]
        )
    # A nameless column may be empty, or the first and hold row numbers.
    for j, name in enumerate(layout.names):
        if not name and (j or len(layout.names) == 1) and frame.iloc[:, j].notna().any():
            raise ValueError(f"Column {j + 1} of {source} has values but no name.")
    frame = frame.iloc[:, [j for j, name in enumerate(layout.names) if name]]
    frame.columns = [name for name in layout.names if name]
    return FileTable(frame, lines, bool(layout.header_line))


def settled_layout(source: Source, options: FileOptions) -> CsvLayout:
    """How a text is written, in an encoding in which all of it can be read."""
    encoding, doubts = settled_encoding(source, options)
    layout = csv_layout(source, options, encoding)
    layout.doubts.extend(doubts)
    return layout._replace(names=distinct_names(layout.names, source, layout.doubts.append))


def settled_encoding(source: Source, options: FileOptions) -> tuple[str, list[str]]:
    """The encoding in which all of a text can be read, and what is to be said about it."""
    encoding = options.encoding or text_encoding(source)
    try:
        with source.open_text(encoding) as file:
            while file.read(CHUNK):
                pass
    except UnicodeError as error:
        what = getattr(error, "reason", str(error))
        if options.encoding is not None:
            raise ValueError(f"{source} is not text in {encoding} ({what}).") from error
        western = western_encoding(source)
        if western is None:
            raise ValueError(
                f"{source} is not text in UTF-8 ({what}), nor in UTF-16 or Latin-1; if it is text, "
                "give its encoding, or save it as UTF-8."
            ) from error
        doubt = (
            f"{source} is not UTF-8 and was read as Latin-1 (Windows-1252); if letters are wrong, "
            "give --encoding."
        )
        return western, [doubt]
    return encoding, []


def whole_text(source: Source, options: FileOptions) -> str:
    """All of a text."""
    encoding, doubts = settled_encoding(source, options)
    for doubt in doubts:
        warnings.warn(doubt, UserWarning, stacklevel=2)
    with source.open_text(encoding) as file:
        return file.read().replace("\r\n", "\n")


def row_lines(source: Source, layout: CsvLayout) -> Sequence[int]:
    """The line at which each row begins; raise where one is bad."""
    lines = plain_lines(source, layout)
    return _checked_lines(source, layout)[0] if lines is None else lines


class Written(NamedTuple):
    """A record as it is written, what stands before it, and its fields."""

    before: str
    text: str
    fields: list[str]


def records(source: Source, layout: CsvLayout, lines: Sequence[int]) -> Iterator[Written]:
    """The header, if there is one, and the rows that begin in the lines given.

    Blank lines, remarks and titles stand before the record that follows. What stands below the
    last row is a record without fields.
    """
    before, wanted = "", {layout.header_line, *lines}
    with source.open_text(layout.encoding) as file:
        for line, text, fields in split_records(file, layout.separator, keep_text=True):
            if line in wanted:
                yield Written(before, text, fields)
                before = ""
            else:
                before += text
    if before:
        yield Written("", before, [])


def plain_lines(source: Source, layout: CsvLayout) -> range | None:
    """Lines of the rows of a text without quotes, blanks and faults; None for any other text."""
    width = len(layout.names)
    if layout.encoding not in _BYTE_ENCODINGS or layout.first_line != 1:
        return None
    if layout.separator == BLANK or ord(layout.separator) > 127:
        return None
    mark, n_lines, rest, header = ord(layout.separator), 0, b"", b""
    with source.open() as file:
        while True:
            chunk = file.read(CHUNK)
            part, found, rest = (rest + chunk).rpartition(b"\n") if chunk else (rest, b"", b"")
            part += found if found or not part else b"\n"
            if part:
                header = header or b"\n" + part[: part.index(b"\n") + 1]
                # One that is repeated has the same names at the beginning of another line.
                if not _is_plain(part, mark, width) or (layout.header_line and header in part):
                    return None
                n_lines += part.count(b"\n")
            if not chunk:
                break
    return range(2 if layout.header_line else 1, n_lines + 1)


def _is_plain(part: bytes, mark: int, width: int) -> bool:
    """Whether whole lines of a text all have as many marks as columns need, and no quotes."""
    if b'"' in part or b"\0" in part or part.count(b"\r") != part.count(b"\r\n"):
        return False
    marks = np.frombuffer(part, dtype=np.uint8)
    ends = np.flatnonzero(marks == ord("\n"))
    counts = np.diff(np.searchsorted(np.flatnonzero(marks == mark), ends), prepend=0)
    lengths = np.diff(ends, prepend=-1) - 1
    # Short lines may have nothing but marks.
    return bool(
        (counts == width - 1).all() and lengths.min() > width and lengths.max() < MAX_PLAIN_LINE
    )


def _checked_lines(source: Source, layout: CsvLayout) -> tuple[Sequence[int], bool]:
    """The line of each row, and whether there is nothing but rows; raise where one is bad."""
    found, plain = [], True
    for line, fields in _rows(source, layout):
        plain = plain and fields is not None
        if fields is not None:
            found.append(line)
    return found, plain


def _rows(source: Source, layout: CsvLayout) -> Iterator[tuple[int, list[str] | None]]:
    """Line and fields of each row; None for fields of what is passed over but is not blank.

    Rows of a table have all its fields. A row without its last field, where that has no name, is
    filled up; an empty field beyond the last is cut off; rows of empty fields, and a sentence below
    the table, are left out.
    """
    width, header, start = len(layout.names), layout.header_line, layout.first_line
    empty: list[int] = []
    repeated: list[int] = []
    odd: list[Record] = []
    named: list[str] = []
    end = amid = 0
    with source.open_text(layout.encoding) as file:
        reader = csv_reader(text_lines(file, source), layout.separator)
        try:
            for fields in reader:
                line, end = end + 1, reader.line_num
                if line < start or line == header:
                    if line != header and not is_blank(fields):
                        yield line, None
                    named = fields if line == header else named
                    continue
                if fields == named and _names_columns(named):
                    repeated.append(line)
                    yield line, None
                    continue
                if len(fields) != width:
                    if is_blank(fields):
                        continue
                    fitted = _fitted(fields, layout)
                    if fitted is None and not is_comment(fields, width):
                        odd.append(Record(line, "", fields))
                    else:
                        yield line, None
                    if fitted is None:
                        continue
                    fields = fitted
                if odd:
                    raise ValueError(_wrong_width(source, layout, odd[0]))
                if not fields[0] and not any(map(str.strip, fields)):
                    empty.append(line)
                    continue
                if empty and not amid:
                    amid = empty[0]
                yield line, fields
        except csv.Error as error:
            line = reader.line_num
            raise ValueError(f"Line {line} of {source} cannot be read: {error}.") from error
    if odd:
        if any(len(record.fields) > 1 or width < 2 or not _is_sentence(record) for record in odd):
            raise ValueError(_wrong_width(source, layout, odd[0]))
        warnings.warn(
            f"Line {odd[0].line} of {source} was left out, as it is a sentence and no row: "
            f"{odd[0].fields[0][:60]!r}.",
            UserWarning,
            stacklevel=2,
        )
        yield odd[0].line, None
    if repeated:
        warnings.warn(
            f"The header of {source} is repeated in line {repeated[0]}"
            f"{' and others' if len(repeated) > 1 else ''}, which was left out.",
            UserWarning,
            stacklevel=2,
        )
    if amid:
        what = f"Line {amid} of {source}, which has no value, was"
        if len(empty) > 1:
            what = (
                f"{len(empty)} rows of {source} without any value, the first in line {amid}, were"
            )
        warnings.warn(f"{what} left out.", UserWarning, stacklevel=2)
    if empty:
        yield empty[0], None


def _names_columns(fields: Sequence[str]) -> bool:
    """Whether a row of several fields that are all words cannot but be a header."""
    return len(fields) > 1 and all(any(map(str.isalpha, field)) for field in fields)


def _fitted(fields: list[str], layout: CsvLayout) -> list[str] | None:
    """A row that has one separator too many or too few at its end, without that fault."""
    count, width = len(fields), len(layout.names)
    if count == width + 1 and not fields[-1].strip():
        return fields[:-1]
    return [*fields, ""] if count == width - 1 and not layout.names[-1] else None


def _is_sentence(record: Record) -> bool:
    text = record.fields[0].strip()
    return " " in text or text.startswith("(")


def _wrong_width(source: Source, layout: CsvLayout, record: Record) -> str:
    count, width, first = len(record.fields), len(layout.names), layout.first_line
    where = "its first line" if first == 1 else f"line {first}"
    return (
        f"Line {record.line} of {source} has {count} field{'s' if count > 1 else ''}, where "
        f"{where} has {width}."
    )


def _parsed(
    source: Source, layout: CsvLayout, plain: bool, dtype: type | None = None
) -> pd.DataFrame:
    """All fields by pandas: of the text as it is, or of its rows written anew."""
    pandas = import_pandas()
    file = source.open_text(layout.encoding) if plain else _rewritten(source, layout)
    separator = r"\s+" if layout.separator == BLANK else layout.separator
    with file:
        try:
            return pandas.read_csv(
                file,
                sep=separator if plain else "\t",
                header=0 if plain and layout.header_line else None,
                names=range(len(layout.names)),
                na_values=["?"],
                skipinitialspace=True,
                decimal=layout.decimal,
                dtype=dtype,
                index_col=False,
                low_memory=False,
            )
        except pandas.errors.ParserError as error:
            what = reason(error).rpartition("C error: ")[2].strip()
            raise ValueError(f"{source} cannot be read: {what}.") from error
        except pandas.errors.EmptyDataError as error:
            raise ValueError(f"{source} has no rows.") from error


def _rewritten(source: Source, layout: CsvLayout) -> io.StringIO:
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    with warnings.catch_warnings():
        # What is left out has been said.
        warnings.simplefilter("ignore")
        writer.writerows(fields for _, fields in _rows(source, layout) if fields is not None)
    text.seek(0)
    return text


def distinct_names(names: Sequence[str], source: Source, say: Callable[[str], None]) -> list[str]:
    """Names of columns, of which those that are repeated get a number: x, x_2, x_3.

    Parameters
    ----------
    names : sequence of str
        Empty ones stay as they are.
    source : Source
    say : callable
        Is given a sentence where names are repeated.
    """
    repeated = [name for name, count in Counter(filter(None, names)).items() if count > 1]
    if not repeated:
        return list(names)
    taken, found = set(names), list[str]()
    # The next number of each name that has been seen.
    numbers: dict[str, int] = {}
    for name in names:
        new = name
        while name and name in numbers and new in taken:
            new, numbers[name] = f"{name}_{numbers[name]}", numbers[name] + 1
        numbers.setdefault(name, 2)
        taken.add(new)
        found.append(new)
    first = repeated[0]
    second = found[names.index(first, names.index(first) + 1)]
    more = f", and {len(repeated) - 1} other names twice" if len(repeated) > 1 else ""
    say(
        f"{source} has more than one column named {first!r}{more}: the second is called "
        f"{second!r}. If the first line is a row, give --no-header (header=False)."
    )
    return found
