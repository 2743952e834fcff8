"""How a table of text is written: encoding, separator, where it begins, names, decimals."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from broadlearn.io.headers import FieldKinds, judge_header, merged_header, names_numbers
from broadlearn.io.sources import CHUNK, FileOptions, Source, extension_of
from broadlearn.io.text_sizes import check_width

# Lines that are looked at to learn how a file is written.
LINES_TO_SNIFF = 1000
# Characters after which no more lines are looked at.
MAX_TO_SNIFF = 1 << 22
# In the order in which they are taken where several would do. A blank stands for any run of blanks.
MARKS = "\t;|,"
BLANK = " "
# Share of the lines that must have the same number of fields.
MIN_AGREEMENT = 0.8
# The last is that of C4.5, which some files of the UCI repository have.
COMMENT_STARTS = ("#", "%", "|")
MAX_PREAMBLE = 20
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_TEXT_BYTES = bytes({*b"\t\n\r\f\x1a", *range(0x20, 0x7F), *range(0x80, 0x100)})
_NOT_WINDOWS = bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D])
# The first line that spreadsheets write and read.
_SAID_MARK = re.compile(r"\ufeff?\"?sep=(.)\"?\s*", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
_DECIMAL_POINT = re.compile(r"[-+]?(\d+|\d{1,3}(,\d{3})+)\.\d+")


class CsvLayout(NamedTuple):
    """How a table of text is written.

    Attributes
    ----------
    separator : str
        A blank for any run of blanks and tabs.
    names : list of str
        Names of the columns, some perhaps empty; f1, f2, ... without a header.
    decimal : str
        Mark of decimals.
    encoding : str
        For Python.
    header_line : int
        Line at which the header begins, counted from 1; 0 if there is none.
    first_line : int
        Line at which the header begins, or the first row if there is none.
    doubts : list of str
        Sentences on what was found that may be otherwise.
    """

    separator: str
    names: list[str]
    decimal: str
    encoding: str
    header_line: int
    first_line: int
    doubts: list[str]


class Record(NamedTuple):
    """A record of a file: the line at which it begins, how it is written, and its fields."""

    line: int
    text: str
    fields: list[str]


def csv_layout(source: Source, options: FileOptions, encoding: str) -> CsvLayout:
    """Learn from its first lines how a text is written, where the options do not say it."""
    with source.open_text(encoding) as file:
        lines = list(_first_lines(text_lines(file, source)))
    said = _SAID_MARK.fullmatch(lines[0]) if lines else None
    separator = options.sep or (said[1] if said else "")
    separator = separator or guess_separator(lines, extension_of(source.path))
    records, error = _sample(lines, separator)
    records = records[1:] if said else records
    if sum(map(len, lines)) >= MAX_TO_SNIFF or len(lines) == LINES_TO_SNIFF:
        # The last may go on in the next line.
        records = records[:-1] or records
    if not records:
        if error is not None:
            raise ValueError(f"The first line of {source} cannot be read: {error}.") from error
        raise ValueError(f"{source} is empty.")
    check_width(source, max(len(record.fields) for record in records))
    return _layout(source, options, encoding, separator, records)


def _first_lines(lines: Iterable[str]) -> Iterator[str]:
    """As many lines as are looked at."""
    n_characters = 0
    for line in islice(lines, LINES_TO_SNIFF):
        yield line
        n_characters += len(line)
        if n_characters >= MAX_TO_SNIFF:
            return


def text_encoding(source: Source) -> str:
    """The encoding that the first bytes of a text name, or else UTF-8."""
    start = source.head(4)
    return next((name for mark, name in _BOMS.items() if start.startswith(mark)), "utf-8")


def western_encoding(source: Source) -> str | None:
    """Windows-1252 or Latin-1 for a text of one byte per letter; None for what is no text."""
    seen: set[int] = set()
    with source.open() as file:
        while chunk := file.read(CHUNK):
            if chunk.translate(None, _TEXT_BYTES):
                return None
            seen.update(chunk)
    return None if seen & {*_NOT_WINDOWS} else "cp1252"


def guess_separator(lines: Sequence[str], extension: str = ".csv") -> str:
    r"""The mark that splits most lines into the same number of fields.

    Examples
    --------
    >>> guess_separator(["a;b\n", "1,5;2\n", "2,5;3\n"]), guess_separator(["1.5  a\n", "2    b\n"])
    (';', ' ')
    """
    body = [line for line in lines if line.strip() and not line.startswith(COMMENT_STARTS)]
    if 2 * len(body) < len(lines):
        body = list(lines)
    found: dict[str, tuple[float, int]] = {}
    for mark in MARKS:
        rows = [record.fields for record in _sample(body, mark)[0]]
        width, agreement = _usual_width(rows)
        if width > 1:
            found[mark] = (round(agreement, 6), width)
            if mark != "," and _decimal([*rows], mark) == ",":
                # Commas are in numbers.
                found = {mark: found[mark]}
                break
    best = max(found, key=lambda mark: found[mark]) if found else None
    if best in (None, "\t") or found[best][0] < MIN_AGREEMENT:
        rows = [record.fields for record in _sample(body, BLANK)[0]]
        width, agreement = _usual_width(rows)
        numbers = sum(FieldKinds.is_number(field) for row in rows for field in row)
        likely = numbers >= 0.3 * max(1, sum(map(len, rows)))
        if agreement >= MIN_AGREEMENT and width > 1 and (likely or extension in (".dat", ".data")):
            if best is None or found[best][0] < MIN_AGREEMENT:
                return BLANK
            # A tab amid columns that are lined up by blanks, or several tabs for one.
            lined_up = width > found[best][1] and all("  " in line for line in body)
            several = width == found[best][1] and agreement > found[best][0]
            if agreement == 1 and (lined_up or several):
                return BLANK
    return best or ","


def split_records(
    lines: Iterable[str], separator: str, *, keep_text: bool = False
) -> Iterator[Record]:
    """Records of a text, blank ones and comments included; the text only where it is asked for."""
    noted: list[str] = []

    def passed() -> Iterator[str]:
        for line in lines:
            noted.append(line)
            yield line

    reader = csv_reader(passed() if keep_text else lines, separator)
    line = 1
    for fields in reader:
        yield Record(line, "".join(noted), fields)
        noted.clear()
        line = reader.line_num + 1


def csv_reader(lines: Iterable[str], separator: str) -> Any:
    """The reader of the csv module, for which a blank is any run of blanks and tabs."""
    if separator == BLANK:
        lines = (line.rstrip().replace("\t", " ") + "\n" for line in lines)
    return csv.reader(lines, delimiter=separator, skipinitialspace=True)


def is_blank(row: Sequence[str]) -> bool:
    """Whether a row comes from a line without text, which pandas skips."""
    return not row or (len(row) == 1 and not row[0].strip())


def is_comment(row: Sequence[str], width: int) -> bool:
    """Whether a row is a line of remarks; one with as many fields as others is none."""
    return len(row) != width and row[0].startswith(COMMENT_STARTS)


def text_lines(file: Iterable[str], source: Source) -> Iterator[str]:
    """Lines of a text file, which has no NUL characters."""
    for line in file:
        if "\0" in line:
            raise ValueError(
                f"{source} is not a text file: it holds NUL bytes. If it is UTF-16 without a mark "
                "at its beginning, give the encoding, such as utf-16-le."
            )
        yield line


def _sample(lines: Iterable[str], separator: str) -> tuple[list[Record], csv.Error | None]:
    """Records that are not blank, up to one that cannot be read, and why it cannot."""
    found = []
    try:
        for record in split_records(lines, separator):
            if not is_blank(record.fields):
                found.append(record)
    except csv.Error as error:
        return found, error
    return found, None


def _layout(
    source: Source, options: FileOptions, encoding: str, separator: str, records: list[Record]
) -> CsvLayout:
    width, _ = _usual_width([record.fields for record in records])
    marked = [record.fields[0].startswith(COMMENT_STARTS) for record in records]
    start = 0 if all(marked) else marked.index(False)
    remarks = records[:start]
    body = [record for record in records[start:] if not is_comment(record.fields, width)]
    width, _ = _usual_width([record.fields for record in body])
    doubts: list[str] = []
    extension = extension_of(source.path)
    rows = [[field.strip() for field in record.fields] for record in body]
    skipped = _preamble(rows, width)
    named: bool | None = options.header
    if named is None:
        if skipped and _judged(rows[skipped:], extension) is not True:
            skipped = 0
        named = _judged(rows[skipped:], extension)
    if skipped:
        last = body[skipped].line - 1
        doubts.append(
            f"The table in {source} was taken to begin in line {last + 1}; what stands above was "
            "left out."
        )
    body, rows = body[skipped:], rows[skipped:]
    decimal = options.decimal or _decimal(rows, separator)
    title = remarks[-1] if remarks and remarks[-1].line < body[0].line else None
    if title is not None and options.header is not False and named is not True:
        # "# a,b,c", as NumPy writes it, and "#,a,b".
        names = [field.strip() for field in title.fields]
        if len(names) == width and judge_header(names, rows, extension) is True:
            names[0] = names[0].lstrip("#% ") or names[0]
            return CsvLayout(separator, names, decimal, encoding, title.line, title.line, doubts)
    line = body[0].line
    if named is False:
        names = [f"f{j + 1}" for j in range(width)]
        if options.header is None:
            doubts.append(
                f"{source} was read as a table without a header, since its first line looks like "
                f"the others: columns are named f1 to f{width}, and in such files the class is "
                "often the first or the last. Say so with --no-header (header=False), or --header "
                "if it does name the columns."
            )
        return CsvLayout(separator, names, decimal, encoding, 0, line, doubts)
    if named is None:
        doubts.append(
            f"The first line of {source} was taken for the names of its columns, but could be a "
            "row; if it is one, give --no-header (header=False)."
        )
    names, both = rows[0], merged_header(rows[0], rows[1], rows[2:]) if len(rows) > 2 else None
    if both is not None:
        names, line = both, body[1].line
        doubts.append(
            f"The columns of {source} are named in two lines, the second of them line {line}; they "
            f"are called {', '.join(map(repr, both[:3]))}{', ...' if len(both) > 3 else ''}."
        )
    elif len(names) == width - 1 and _has_row_names(rows[1:], width):
        names = ["", *names]
        doubts.append(
            f"The rows of {source} have a field more than its header: the first was taken for "
            "names of the rows."
        )
    return CsvLayout(separator, names, decimal, encoding, line, line, doubts)


def _judged(rows: list[list[str]], extension: str) -> bool | None:
    """Whether the first row names the columns, also where it is repeated among the others."""
    first, others = rows[0], rows[1:]
    named = judge_header(first, others, extension)
    if named is not True and first in others:
        others = [row for row in others if row != first and len(row) == len(first)]
        named = True if names_numbers(first, others) else named
    return named


def _has_row_names(rows: list[list[str]], width: int) -> bool:
    """Whether rows begin by a name of their own, for which the header has none."""
    names = [row[0] for row in rows]
    if len({*names}) < len(names) or not any(row[-1] for row in rows):
        return False
    counted = names[:2] in (["1", "2"], ["0", "1"]) and all(map(str.isdecimal, names))
    words = not any(map(FieldKinds.is_number, names))
    return (counted or words) and all(len(row) == width for row in rows)


def _preamble(rows: list[list[str]], width: int) -> int:
    """How many rows at the beginning hold titles: few fields where others have many."""
    count = 0
    for row in rows[:MAX_PREAMBLE]:
        filled = sum(map(bool, row))
        alone = len(row) == 1 or (len(row) == width > 2 and bool(row[0]) and filled == 1)
        few = width > 4 and filled <= 2 and (len(row) != width or bool(row[0]))
        few = few or (width == 4 and filled <= 2 and len(row) != width)
        few = few or (count > 0 and not filled)
        if width < 2 or not (alone or few):
            break
        count += 1
    whole = sum(len(row) == width for row in rows[count:])
    return count if whole > 1 and len(rows[count]) == width else 0


def _usual_width(rows: Sequence[Sequence[str]]) -> tuple[int, float]:
    """The most frequent number of fields, and the share of the rows that have it."""
    counts = Counter(map(len, rows))
    if not counts:
        return 0, 0.0
    width = max(counts, key=lambda n: (counts[n], n))
    first = len(rows[0])
    # Of two or three rows none is usual.
    if counts[width] < 2 and first in counts:
        width = first
    return width, counts[width] / len(rows)


def _decimal(rows: Sequence[Sequence[str]], separator: str) -> str:
    """A comma where fields are numbers with one, and none has a point."""
    if separator == ",":
        return "."
    commas = points = False
    for row in rows:
        for field in row:
            text = field.strip()
            commas = commas or bool(_DECIMAL_COMMA.fullmatch(text))
            points = points or bool(_DECIMAL_POINT.fullmatch(text))
    return "," if commas and not points else "."
