"""Tables in files of any format as frames of pandas, each fault in one sentence."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterable
from datetime import date, time, timedelta
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from broadlearn.io.arrow_columns import arrow_frame, plain_types
from broadlearn.io.arrow_sizes import check_arrow, check_parquet
from broadlearn.io.csv_files import (
    FileTable,
    distinct_names,
    import_pandas,
    read_csv,
    whole_text,
)
from broadlearn.io.csv_layout import text_encoding
from broadlearn.io.errors import reason
from broadlearn.io.headers import judge_header, merged_header
from broadlearn.io.json_files import is_json, read_json, read_json_lines
from broadlearn.io.sources import (
    FORMATS,
    STANDARD,
    TEXT_TABLES,
    FileOptions,
    Source,
    extension_of,
    open_source,
    whole_packing,
)
from broadlearn.io.table_totals import without_totals
from broadlearn.io.table_units import without_units
from broadlearn.io.text_sizes import check_bytes, check_objects, check_width
from broadlearn.io.workbook_sizes import check_workbook
from broadlearn.utils import TooLargeError
from broadlearn.utils.sklearn_compat import arff_module

if TYPE_CHECKING:
    import pandas as pd

# Rows of a sheet that are looked at for a header.
ROWS_TO_JUDGE = 200
# Rows of several cells that a sheet of notes has at most, if another sheet has ten times as many.
MAX_NOTES = 30
# Longer names of columns are none.
MAX_NAME = 10_000
# How files begin whose format is not text.
_STARTS = {b"PAR1": ".parquet", b"ARROW1": ".feather", b"\xff\xff\xff\xff": ".arrow"}
_STARTS |= {b"PK\3\4": ".xlsx"}
_REMEDIES = {
    ".xls": "workbooks of the old kind cannot be read; save it as .xlsx or as CSV",
    ".ods": "such sheets cannot be read; save it as .xlsx or as CSV",
}


def read_frame(
    path: str | PathLike[str] | Source, options: FileOptions | None = None
) -> pd.DataFrame:
    """Read a file as a frame; `read_file` also tells the lines of its rows."""
    return read_file(path, options).frame


def read_file(path: str | PathLike[str] | Source, options: FileOptions | None = None) -> FileTable:
    r"""Read a table: at least one row, column names all different.

    Parameters
    ----------
    path : str, path-like or Source
        The format follows from the extension, see `FORMATS`, also with .gz, .bz2, .xz or .zst
        behind it; of "-", standard input, from the content.
    options : FileOptions, default=None
        What is not to be found out.

    Returns
    -------
    FileTable

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from broadlearn.io import read_file
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "patients.txt")
    ...     _ = path.write_text("# made up\nage  state\n61   ill\n\n70   well\n")
    ...     table = read_file(path)
    >>> table.lines, table.frame["age"].tolist()
    ([3, 5], [61, 70])
    """
    options = options or FileOptions()
    source = open_table(path, options.format, options.max_memory)
    with whole_packing(source):
        table = _READERS[format_of(source, options)](source, options)
    table.frame.columns = [str(name).strip() for name in table.frame.columns]
    check_width(source, table.frame.shape[1])
    _refuse_bad_names(table.frame.columns, source)
    table.frame.columns = distinct_names(list(table.frame.columns), source, _warn)
    if not len(table.frame):
        raise ValueError(f"{source} has no rows.")
    return without_units(without_totals(table, source), source)


def format_of(source: Source, options: FileOptions) -> str:
    """Extension of the format of a source: as asked for, by its name, or by its content."""
    if options.format is not None:
        return options.format
    if source.path != STANDARD:
        return extension_of(source.path)
    start = source.head()
    for mark, extension in _STARTS.items():
        if start.startswith(mark):
            return extension
    text = start.decode(text_encoding(source), "replace").lstrip("\ufeff \t\r\n")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("%")]
    if lines and lines[0].lower().startswith("@relation"):
        return ".arff"
    if text.startswith("["):
        return ".json"
    if text.startswith("{"):
        return ".jsonl" if is_json(lines[0]) and len(lines) > 1 else ".json"
    return ".csv"


def open_table(
    path: str | PathLike[str] | Source,
    format: str | None = None,
    max_memory: str | int | None = None,
) -> Source:
    """Find a file whose format is known; standard input, "-", is read to its end."""
    if isinstance(path, Source):
        return path
    path = Path(path)
    extension = extension_of(path)
    file = path.exists() and not path.is_dir()
    if file and path != STANDARD and format is None and extension not in FORMATS:
        if extension in _REMEDIES:
            raise ValueError(f"{path}: {_REMEDIES[extension]}.")
        raise ValueError(
            f"{path} has an unknown extension; expected {', '.join(FORMATS[:-1])} or "
            f"{FORMATS[-1]}, or the name of a format (--format)."
        )
    return open_source(path, max_memory)


def _refuse_bad_names(names: Iterable[str], source: Source) -> None:
    """Raise where a name cannot be written again, as it was, into a model file or a table."""
    for j, name in enumerate(names, start=1):
        if len(name) > MAX_NAME:
            raise ValueError(
                f"Column {j} of {source} has a name of {len(name):,} characters, where at most "
                f"{MAX_NAME:,} are expected."
            )
        if "\0" in name or any("\ud800" <= mark <= "\udfff" for mark in name):
            raise ValueError(
                f"Column {j} of {source} has a name with characters that are no text: "
                f"{name[:60]!r}."
            )


def column_name(table: FileTable, name: str) -> str:
    """The column that a name means: of a table without a header, "5" means f5."""
    numbered = f"f{name}"
    return numbered if not table.has_header and numbered in table.frame else name


def _refuse_text_options(source: Source, options: FileOptions) -> None:
    given = options.for_text()
    if given:
        raise ValueError(f"{given[0]} is for tables of text, and {source} is none.")


def _read_parquet(source: Source, options: FileOptions) -> FileTable:
    _refuse_text_options(source, options)
    check_bytes(source, options)

    def read(file: Any) -> Any:
        from pyarrow.parquet import ParquetFile

        # Readers of some packings cannot go back.
        content = io.BytesIO(file.read()) if source.packing else file
        check_parquet(lambda **how: ParquetFile(content, **how), source, options)
        content.seek(0)
        return arrow_frame(ParquetFile(content).read(), source, options)

    return FileTable(_by_pyarrow(source, "Parquet", read), None)


def _read_feather(source: Source, options: FileOptions) -> FileTable:
    _refuse_text_options(source, options)
    check_bytes(source, options)

    def read(file: Any) -> Any:
        from pyarrow import ipc

        content = file.read()
        if content[:4] == b"FEA1":
            return plain_types(import_pandas().read_feather(io.BytesIO(content)))
        check_arrow(content, source, options)
        opener = ipc.open_file if content[:6] == b"ARROW1" else ipc.open_stream
        return arrow_frame(opener(content).read_all(), source, options)

    return FileTable(_by_pyarrow(source, "Feather or Arrow", read), None)


def _by_pyarrow(source: Source, kind: str, read: Callable[[Any], Any]) -> pd.DataFrame:
    import_pandas()
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError(f'{kind} files need pyarrow: pip install "broadlearn[study]".') from error
    # Damaged files make pyarrow and pandas raise all kinds.
    try:
        with source.open() as file:
            frame: pd.DataFrame = read(file)
    except (FileNotFoundError, PermissionError, TooLargeError):
        raise
    except Exception as error:
        raise ValueError(f"{source} is not a readable {kind} file: {reason(error)}.") from error
    return frame


def _read_xlsx(source: Source, options: FileOptions) -> FileTable:
    _refuse_text_options(source, options)
    pandas = import_pandas()
    try:
        import openpyxl  # noqa: F401
    except ImportError as error:
        raise ImportError(
            'Files in .xlsx need openpyxl: pip install "broadlearn[study]".'
        ) from error
    check_bytes(source, options)
    try:
        with source.open() as file, warnings.catch_warnings():
            # Of styles and rules of a workbook, which are of no use here.
            warnings.simplefilter("ignore")
            content = io.BytesIO(file.read())
            check_workbook(content, source, options)
            book = pandas.ExcelFile(content, engine="openpyxl")
            sheet, cells = _main_sheet(book)
    except TooLargeError:
        raise
    # Damaged files make openpyxl raise all kinds.
    except Exception as error:
        raise ValueError(f"{source} is not a readable workbook: {reason(error)}.") from error
    if len(book.sheet_names) > 1:
        which = "the first was" if sheet == book.sheet_names[0] else "that with the table was"
        _warn(f"Of the sheets of {source}, {which} read: {sheet!r}.")
    rows = np.flatnonzero(cells.notna().any(axis=1).to_numpy())
    if not rows.size:
        raise ValueError(f"{source} has no rows.")
    # Titles and remarks above a table fill few cells of their rows.
    filled = cells.iloc[rows].notna().sum(axis=1).to_numpy()
    if filled.max() > 2:
        rows = rows[int(np.argmax(filled > max(1.0, 0.5 * float(np.median(filled))))) :]
        rows = _without_footer(cells, rows, source)
    cells = cells.loc[:, cells.iloc[rows].notna().any(axis=0).to_numpy()]
    texts = cells.iloc[rows[:ROWS_TO_JUDGE]].astype(object)
    texts = texts.where(texts.notna(), "").map(lambda value: str(value).strip())
    first, *below = texts.to_numpy().tolist()
    named = options.header
    if named is None:
        named = judge_header(first, below) is not False
        if not named:
            warnings.warn(
                f"{source} was read as a table without a header, since its first row looks like "
                f"the others: columns are named f1 to f{len(first)}.",
                UserWarning,
                stacklevel=2,
            )
    names = first if named else [f"f{j + 1}" for j in range(len(first))]
    if named and len(below) > 1:
        both = merged_header(first, below[0], below[1:])
        names, rows = (names, rows) if both is None else (both, rows[1:])
    rows = rows[1:] if named else rows
    frame = _alike(cells.iloc[rows].reset_index(drop=True))
    for j, name in enumerate(names):
        if not name and (j or len(names) == 1) and frame.iloc[:, j].notna().any():
            raise ValueError(f"Column {j + 1} of {source} has values but no name.")
    frame = frame.iloc[:, [j for j, name in enumerate(names) if name]].infer_objects()
    frame.columns = [name for name in names if name]
    return FileTable(frame, rows + 1, bool(named))


def _main_sheet(book: Any) -> tuple[str, pd.DataFrame]:
    """The first sheet and its cells; if that has notes at most, the first with a table."""
    found: dict[str, Any] = {}
    for sheet in book.sheet_names:
        cells = book.parse(sheet, header=None, dtype=object, na_values=["?"])
        found[sheet] = cells
        if (cells.notna().sum(axis=1) > 1).sum() > MAX_NOTES:
            break
    n_rows = {sheet: (cells.notna().sum(axis=1) > 1).sum() for sheet, cells in found.items()}
    # Of small sheets, the first that is not much smaller than others.
    best = next(sheet for sheet in found if 10 * n_rows[sheet] >= max(n_rows.values()))
    return best, found[best]


def _alike(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns of moments and texts as texts: a cell may hold what no date is."""
    infer = import_pandas().api.types.infer_dtype
    for j in range(frame.shape[1]):
        column = frame.iloc[:, j]
        moments = [cell for cell in column if isinstance(cell, date | time | timedelta)]
        if moments and infer(column, skipna=True) == "mixed":
            frame[frame.columns[j]] = column.map(
                lambda cell: str(cell) if isinstance(cell, date | time | timedelta) else cell
            )
    return frame


def _without_footer(cells: pd.DataFrame, rows: NDArray[np.intp], source: Source) -> Any:
    """Rows of a sheet without those at its end that have a sentence in one cell and no more."""
    kept = rows
    while len(kept) > 2:
        last = cells.iloc[kept[-1]].dropna()
        if len(last) > 1 or " " not in str(last.iloc[0]).strip():
            break
        kept = kept[:-1]
    if len(kept) < len(rows):
        _warn(f"Row {kept[-1] + 2} of {source} and all below were left out: no rows of the table.")
    return kept


def _warn(sentence: str) -> None:
    warnings.warn(sentence, UserWarning, stacklevel=3)


def _read_arff(source: Source, options: FileOptions) -> FileTable:
    arff, pandas = arff_module(), import_pandas()
    check_objects(source, options)
    text = whole_text(source, options)
    try:
        content = arff.load(io.StringIO(text))
    # Damaged files make it raise all kinds.
    except Exception as error:
        raise ValueError(f"{source} is not a readable ARFF file: {reason(error)}.") from error
    names = [name for name, _ in content["attributes"]]
    frame = pandas.DataFrame(content["data"], columns=names, dtype=object)
    for name, kind in content["attributes"]:
        if isinstance(kind, list):
            frame[name] = pandas.Categorical(frame[name], categories=kind)
        elif kind != "STRING":
            frame[name] = frame[name].astype(np.float64)
    written = text.split("\n")
    data = next(i for i, line in enumerate(written) if line.strip().lower().startswith("@data"))
    lines = [
        number
        for number, line in enumerate(written[data + 1 :], start=data + 2)
        if line.strip() and not line.lstrip().startswith("%")
    ]
    return FileTable(frame, lines if len(lines) == len(frame) else None)


_READERS: dict[str, Callable[[Source, FileOptions], FileTable]] = {
    **dict.fromkeys(TEXT_TABLES, read_csv),
    **dict.fromkeys((".parquet", ".pq"), _read_parquet),
    **dict.fromkeys((".feather", ".arrow"), _read_feather),
    **dict.fromkeys((".jsonl", ".ndjson"), read_json_lines),
    ".json": read_json,
    ".arff": _read_arff,
    ".xlsx": _read_xlsx,
}
