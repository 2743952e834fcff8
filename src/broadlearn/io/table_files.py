"""CSV, Parquet and ARFF files as frames of pandas, each fault in one sentence."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from broadlearn.io.errors import reason
from broadlearn.utils.sklearn_compat import arff_module

if TYPE_CHECKING:
    import pandas as pd

# Lines of a CSV file that are looked at to learn how it is written.
LINES_TO_SNIFF = 20
_NUMBER = re.compile(r"[-+]?\d*\.?\d+(e[-+]?\d+)?", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"(^|;)\s*[-+]?\d+,\d+\s*(;|$)", re.MULTILINE)


def import_pandas() -> Any:
    """Import pandas, which the rest of the library does without."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError('Tables need pandas: pip install "broadlearn[study]".') from error
    return pandas


def read_frame(path: Path) -> pd.DataFrame:
    """Read a file by its extension: at least one row, column names all different."""
    extension = extension_of(path)
    readers = {".csv": _read_csv, ".tsv": _read_csv, ".arff": _read_arff}
    readers |= {".parquet": _read_parquet, ".pq": _read_parquet}
    if extension not in readers:
        raise ValueError(
            f"{path} has an unknown extension; expected .csv, .tsv, .parquet, .pq or .arff."
        )
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    if not path.stat().st_size:
        raise ValueError(f"{path} is empty.")
    try:
        frame = readers[extension](path)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is not text in UTF-8 ({error.reason}); if it is text, save it as UTF-8."
        ) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} is not a whole gzip file: {error}.") from error
    frame.columns = [str(name).strip() for name in frame.columns]
    _refuse_repeated_names(frame.columns, path)
    if not len(frame):
        raise ValueError(f"{path} has no rows.")
    return frame


def extension_of(path: Path) -> str:
    """The extension that says the format: ".csv" for "t.csv.gz"."""
    return Path(path.name.removesuffix(".gz")).suffix.lower()


def open_text(path: Path) -> Any:
    """Open a text file, compressed or not, with the ends of its lines as they are."""
    opener: Any = gzip.open if path.suffix == ".gz" else open
    return opener(path, "rt", encoding="utf-8-sig", newline="")


class CsvLayout(NamedTuple):
    """How a CSV file is written: what separates fields, names of columns, the mark of decimals."""

    separator: str
    header: list[str]
    decimal: str


def csv_layout(path: Path) -> CsvLayout:
    """Learn from its first lines how a CSV file is written; no header if it is blank."""
    with open_text(path) as file:
        lines = list(islice(_text_lines(file, path), LINES_TO_SNIFF))
    try:
        separator = max(",;\t", key=lambda mark: len(_first_row(lines, mark)))
        header = _first_row(lines, separator)
    except csv.Error as error:
        raise ValueError(f"The first line of {path} cannot be read: {error}.") from error
    comma = separator == ";" and bool(_DECIMAL_COMMA.search("".join(lines)))
    return CsvLayout(separator, header, "," if comma else ".")


def _read_csv(path: Path) -> pd.DataFrame:
    pandas = import_pandas()
    separator, header, decimal = csv_layout(path)
    if not header:
        raise ValueError(f"{path} is empty.")
    _refuse_repeated_names(filter(None, header), path)
    if all(_NUMBER.fullmatch(name) for name in header):
        raise ValueError(f"The first line of {path} must name the columns, but has numbers only.")
    _check_rows(path, separator, len(header))
    try:
        frame = pandas.read_csv(
            path,
            sep=separator,
            encoding="utf-8-sig",
            na_values=["?"],
            skipinitialspace=True,
            decimal=decimal,
            index_col=False,
            low_memory=False,
        )
    except pandas.errors.ParserError as error:
        what = reason(error).rpartition("C error: ")[2].strip()
        raise ValueError(f"{path} cannot be read: {what}.") from error
    # A nameless column may be empty, or the first and hold row numbers.
    for j, name in enumerate(header):
        if not name and (j or len(header) == 1) and frame.iloc[:, j].notna().any():
            raise ValueError(f"Column {j + 1} of {path} has values but no name.")
    return frame.iloc[:, [j for j, name in enumerate(header) if name]]


def _first_row(lines: Iterable[str], separator: str) -> list[str]:
    """Fields of the first line that is not blank."""
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    return next(([field.strip() for field in row] for row in rows if not is_blank(row)), [])


def is_blank(row: list[str]) -> bool:
    """Whether a row comes from a line without text, which pandas skips."""
    return not row or (len(row) == 1 and not row[0].strip())


def _text_lines(file: Iterable[str], path: Path) -> Iterator[str]:
    for line in file:
        if "\0" in line:
            raise ValueError(f"{path} is not a text file: it holds NUL bytes.")
        yield line


def _check_rows(path: Path, separator: str, n_fields: int) -> None:
    """Raise unless every row has as many fields as the first line; pandas would fill them up."""
    with open_text(path) as file:
        lines = _text_lines(file, path)
        rows = csv.reader(lines, delimiter=separator, skipinitialspace=True)
        try:
            for row in rows:
                if len(row) != n_fields and not is_blank(row):
                    raise ValueError(
                        f"Line {rows.line_num} of {path} has {len(row)} "
                        f"field{'s' if len(row) > 1 else ''}, where its first line has {n_fields}."
                    )
        except csv.Error as error:
            raise ValueError(f"Line {rows.line_num} of {path} cannot be read: {error}.") from error


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        return import_pandas().read_parquet(path)
    except ImportError as error:
        raise ImportError('Parquet files need pyarrow: pip install "broadlearn[study]".') from error
    # Damaged files make pyarrow and pandas raise all kinds.
    except Exception as error:
        raise ValueError(f"{path} is not a readable Parquet file: {reason(error)}.") from error


def _read_arff(path: Path) -> pd.DataFrame:
    arff, pandas = arff_module(), import_pandas()
    with open_text(path) as file:
        try:
            content = arff.load(file)
        except arff.ArffException as error:
            raise ValueError(f"{path} is not a readable ARFF file: {reason(error)}.") from error
    names = [name for name, _ in content["attributes"]]
    frame = pandas.DataFrame(content["data"], columns=names, dtype=object)
    for name, kind in content["attributes"]:
        if isinstance(kind, list):
            frame[name] = pandas.Categorical(frame[name], categories=kind)
        elif kind != "STRING":
            frame[name] = frame[name].astype(np.float64)
    return frame


def _refuse_repeated_names(names: Iterable[str], path: Path) -> None:
    repeated = [repr(name) for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(f"{path} has more than one column named {', '.join(repeated)}.")
