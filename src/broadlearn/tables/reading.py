"""Files as data frames, by pandas."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from broadlearn.tables.sources import MAX_LABEL, FileOptions, OpenTable, TableError, open_table
from broadlearn.tables.texts import points_group_thousands
from broadlearn.utils import reason

# Bytes that the separator is found by, hundreds of lines of most tables.
SNIFFED_BYTES = 2**16
SEPARATORS = ",;\t|"
# pandas' own words for missing values, and the usual one of data sets.
MISSING_MARKS = ["?"]


def read_frame(
    source: str | PathLike[str],
    options: FileOptions | None = None,
    *,
    as_text: bool = False,
) -> pd.DataFrame:
    r"""Read a table from a file or standard input.

    CSV and other text, Parquet, Excel (.xlsx), JSON (records or columns), JSON lines and
    ARFF are read by pandas and SciPy; text may be compressed (gz, bz2, xz). A first column
    without a name holds row numbers and is left out.

    Parameters
    ----------
    source : str or path-like
        "-" reads standard input.
    options : FileOptions, default=None
        How the file is written, where that is not found right.
    as_text : bool, default=False
        Keep all cells of CSV and other text as they are written, and empty cells empty. A fitted
        `TablePreparation` reads such columns as it read those of training.

    Returns
    -------
    pandas.DataFrame
        With the row numbers 0, 1, ... as index and names of columns as text.

    Raises
    ------
    TableError
        If the content cannot be read as a table.
    OSError
        If the file is not there or not readable.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from broadlearn.tables import read_frame
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "patients.csv")
    ...     _ = path.write_text("age;paid\n61;1.200,50\n?;3,00\n")
    ...     frame = read_frame(path)
    >>> frame["age"].tolist(), frame["paid"].tolist()
    ([61.0, nan], ['1.200,50', '3,00'])
    """
    options = options or FileOptions()
    with _one_sentence(source), open_table(source, options) as table:
        return _checked(_read(table, options, as_text), table.name)


@contextmanager
def _one_sentence(source: str | PathLike[str]) -> Iterator[None]:
    """Turn whatever the readers raise about the content of a file into a `TableError`."""
    name = "Standard input" if str(source) == "-" else str(source)
    try:
        yield
    except TableError:
        raise
    except ImportError as error:
        raise TableError(
            f"{name} needs a package that is not installed: {error.name or reason(error)}."
        ) from error
    except MemoryError:
        raise TableError(f"{name} does not fit into memory.") from None
    except Exception as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise
        raise TableError(f"{name} cannot be read as a table: {reason(error)}.") from error


def _read(table: OpenTable, options: FileOptions, as_text: bool) -> pd.DataFrame:
    match table.format:
        case "parquet":
            return pd.read_parquet(table.file)
        case "excel":
            return _read_excel(table.file, options)
        case "json" | "jsonl":
            content = io.BytesIO(table.file.read())
            return pd.read_json(content, lines=table.format == "jsonl", dtype=False)
        case "arff":
            return _read_arff(table.file, options)
    return _read_text(table, options, as_text)


def _read_text(table: OpenTable, options: FileOptions, as_text: bool) -> pd.DataFrame:
    head = table.file.read(SNIFFED_BYTES)
    encodings = [options.encoding] if options.encoding else _encodings(head)
    for encoding in encodings:
        with suppress(UnicodeError):
            lines = head.decode(encoding, errors="replace").splitlines(keepends=True)
            if len(head) == SNIFFED_BYTES and len(lines) > 1:
                lines.pop()
            sep = options.sep or ("tab" if table.format == "tsv" else _sniffed(lines))
            how: dict[str, Any] = {
                "sep": {"tab": "\t", "space": r"\s+"}.get(sep, sep),
                "header": 0 if options.header else None,
                "index_col": False,
            }
            if as_text:
                how |= {"dtype": str, "keep_default_na": False}
            else:
                how |= {"dtype": _kept_as_text(lines, how), "na_values": MISSING_MARKS}
            table.file.seek(0)
            return _read_csv(table, encoding, how)
    raise TableError(f"{table.name} is not text in {encodings[-1]}.")


def _kept_as_text(lines: list[str], how: dict[str, Any]) -> dict[Any, type]:
    """Find columns such as 1.250 beside 980, which pandas would read as 1.25 and 980."""
    try:
        sample = pd.read_csv(io.StringIO("".join(lines)), dtype=str, nrows=1000, **how)
    except Exception:
        # The whole file will be refused, with a better message.
        return {}
    texts = {name: sample[name].dropna().astype(str) for name in sample.columns}
    return {name: str for name, cells in texts.items() if points_group_thousands(cells)}


def _encodings(head: bytes) -> list[str]:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return ["utf-16"]
    if b"\0" in head:
        raise ValueError("it is not text, and its extension is not known")
    return ["utf-8-sig", "cp1252"]


def _sniffed(lines: list[str]) -> str:
    """Return the separator of the first lines; a comma if none is found."""
    text = "".join(lines[:50]).replace("\r\n", "\n")
    try:
        return csv.Sniffer().sniff(text, SEPARATORS).delimiter
    except csv.Error:
        return ","


def _read_csv(table: OpenTable, encoding: str, how: dict[str, Any]) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            frame = pd.read_csv(table.file, encoding=encoding, low_memory=False, **how)
        except pd.errors.ParserWarning:
            raise TableError(
                f"{table.name} has more fields in its rows than names in its header."
            ) from None
    if how["header"] is None:
        return _numbered(frame)
    if str(frame.columns[0]) == "Unnamed: 0":
        frame = frame.iloc[:, 1:]
    if pd.to_numeric(pd.Series(frame.columns), errors="coerce").notna().all():
        warnings.warn(
            f"All column names of {table.name} are numbers, such as {frame.columns[0]!r}: if the "
            "first line is data, use header=False (--no-header).",
            UserWarning,
            stacklevel=6,
        )
    return frame


def _numbered(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.set_axis([f"f{j + 1}" for j in range(frame.shape[1])], axis=1)


def _read_excel(file: BinaryIO, options: FileOptions) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="openpyxl")
        frame = pd.read_excel(
            file,
            sheet_name=options.sheet or 0,
            header=0 if options.header else None,
            na_values=MISSING_MARKS,
            engine="openpyxl",
        )
    return frame if options.header else _numbered(frame)


def _read_arff(file: BinaryIO, options: FileOptions) -> pd.DataFrame:
    from scipy.io.arff import loadarff

    text = io.TextIOWrapper(file, encoding=options.encoding or "utf-8")
    rows, _ = loadarff(text)
    text.detach()
    frame = pd.DataFrame(rows)
    for name in frame.columns[frame.dtypes == "object"]:
        frame[name] = frame[name].str.decode("utf-8").replace("?", np.nan)
    return frame


def _checked(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the frame with names as text; refuse one without rows, columns or single cells."""
    if not frame.shape[1]:
        raise TableError(f"{name} has no columns.")
    if not len(frame):
        raise TableError(f"{name} has no rows.")
    frame.columns = frame.columns.map(str)
    if max(map(len, frame.columns)) > MAX_LABEL:
        raise TableError(f"{name} has a column name of more than {MAX_LABEL:,} characters.")
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise TableError(f"{name} has a duplicate column name: {twice!r}.")
    for column in frame.columns[frame.dtypes == "object"]:
        if frame[column].map(lambda cell: isinstance(cell, list | dict | np.ndarray)).any():
            raise TableError(f"{name} has lists or records in column {column!r}, not single cells.")
    return frame.reset_index(drop=True)
