import re
import zipfile

import pandas as pd
import pytest

from broadlearn.io import FileOptions, read_file
from broadlearn.io.workbook_sizes import _place
from broadlearn.utils import TooLargeError

pytest.importorskip("openpyxl")


@pytest.fixture
def book(tmp_path):
    """Writes a workbook whose sheet is changed by a function of its text."""

    def write(change):
        path = tmp_path / "t.xlsx"
        pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}).to_excel(path, index=False)
        with zipfile.ZipFile(path) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        sheet = "xl/worksheets/sheet1.xml"
        parts[sheet] = change(parts[sheet].decode()).encode()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in parts.items():
                archive.writestr(name, content)
        return path

    return write


def test_a_sheet_as_it_is(book):
    assert read_file(book(str)).frame["a"].tolist() == [1, 2]


def test_a_cell_in_the_last_corner(book):
    corner = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    path = book(lambda text: text.replace("</sheetData>", corner))
    with pytest.raises(TooLargeError, match=r"needs about 859 GB of memory"):
        read_file(path)


@pytest.mark.parametrize(
    "cell",
    ['<row r="99999999">', '<c r="XFE1">', '<c r="A1048577">', '<c r="ABCDEF1">', '<c r="!">'],
)
def test_cells_outside_of_a_sheet(cell, book):
    end = "/row>" if "row" in cell else "/c>"
    path = book(lambda text: text.replace("</sheetData>", f"{cell}<{end}</sheetData>"))
    with pytest.raises(ValueError, match="not a readable workbook: a cell lies outside of what"):
        read_file(path)


def test_cells_without_places(book):
    path = book(lambda text: re.sub(r' r="[A-Z]*\d+"', "", text))
    assert read_file(path).frame["b"].tolist() == ["x", "y"]


def test_entities(book):
    laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
    path = book(lambda text: laughs + text)
    with pytest.raises(ValueError, match="declares a document type"):
        read_file(path)


def test_much_in_little(book):
    path = book(lambda text: text.replace("</sheetData>", "</sheetData>" + " " * 5_000_000))
    assert path.stat().st_size < 50_000
    with pytest.raises(TooLargeError, match=r"needs about 20.1 MB of memory, and may have 10 MB"):
        read_file(path, FileOptions(max_memory="10MB"))
    assert len(read_file(path, FileOptions(max_memory="1GB")).frame) == 2


def test_places():
    assert _place("B12") == (2, 12)
    assert _place("XFD1048576") == (16384, 1048576)
    assert (_place("7"), _place("")) == ((0, 7), (0, 0))
