"""How large a workbook is once it is read, and whether its sheets are such as workbooks have."""

from __future__ import annotations

import re
import zipfile
from typing import Any
from xml.parsers import expat

from broadlearn.io.sources import CHUNK, FileOptions, Source
from broadlearn.utils import check_memory

MAX_ROWS, MAX_COLUMNS = 1_048_576, 16_384
# Bytes of memory, as measured and rounded up: per byte of the unpacked files, and per cell of the
# rectangle from the first to the last.
PER_BYTE, PER_CELL = 4, 50
_PLACE = re.compile(r"([A-Za-z]{1,3})?(\d{1,7})?")


def check_workbook(content: Any, source: Source, options: FileOptions) -> None:
    """Refuse a workbook, as a file of bytes, that would need too much memory or never end."""
    with zipfile.ZipFile(content) as archive:
        members = archive.infolist()
        needed = PER_BYTE * sum(member.file_size for member in members)
        check_memory(source, needed, options.max_memory)
        for member in members:
            n_rows, n_columns = _extent(archive, member)
            check_memory(source, needed + PER_CELL * n_rows * n_columns, options.max_memory)


def _extent(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> tuple[int, int]:
    """The last row and the last column of a sheet; zeros for other parts of a workbook."""
    sheet = _Sheet()
    parser = expat.ParserCreate()
    parser.StartElementHandler = sheet.begin
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        with archive.open(member) as part:
            while chunk := part.read(CHUNK):
                parser.Parse(chunk)
    except expat.ExpatError:
        # A picture; or a sheet that is damaged from here on, as its reader will say.
        pass
    return sheet.last_row, sheet.last_column


def _refuse_doctype(*_: Any) -> None:
    raise ValueError("it declares a document type, as no workbook does")


class _Sheet:
    """Follows the rows and cells of a sheet."""

    def __init__(self) -> None:
        self.row = self.column = self.last_row = self.last_column = 0

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """Take notice of a row or a cell."""
        name = name.rpartition(":")[2]
        if name not in ("row", "c"):
            return
        letters, digits = _place(attributes.get("r", ""))
        if name == "row":
            self.row, self.column = digits or self.row + 1, 0
        else:
            self.row, self.column = digits or self.row, letters or self.column + 1
        self.last_row = max(self.last_row, self.row)
        self.last_column = max(self.last_column, self.column)
        if self.last_row > MAX_ROWS or self.last_column > MAX_COLUMNS:
            raise ValueError("a cell lies outside of what a sheet has")


def _place(text: str) -> tuple[int, int]:
    """Column and row of a name such as B12, each 0 if it is not there."""
    found = _PLACE.fullmatch(text)
    if found is None:
        raise ValueError("a cell lies outside of what a sheet has")
    column = 0
    for letter in (found[1] or "").upper():
        column = 26 * column + ord(letter) - ord("A") + 1
    return column, int(found[2] or 0)
