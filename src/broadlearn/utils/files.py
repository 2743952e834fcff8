"""Tables as CSV that no spreadsheet runs, and files written whole or not at all."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")


def safe_csv(table: pd.DataFrame) -> str:
    """The table as CSV, texts quoted, and those that begin like a formula behind an apostrophe.

    Examples
    --------
    >>> import pandas as pd
    >>> print(safe_csv(pd.DataFrame({"label": ["=1+1", "b"], "score": [0.5, -1.0]})))
    "","label","score"
    0,"'=1+1",0.5
    1,"b",-1.0
    <BLANKLINE>
    """
    safe = table.copy()
    for name in safe:
        if safe[name].dtype.kind not in "biuf":
            safe[name] = safe[name].map(harmless)
    text: str = safe.rename(columns=harmless).to_csv(
        quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n"
    )
    return text


def encoded(text: str) -> bytes:
    """The text as UTF-8; lone surrogates, from names or files of another encoding, as escapes."""
    return text.encode("utf-8", "backslashreplace")


def write_whole(path: str | PathLike[str], content: str | Iterable[bytes]) -> None:
    """Write a file whole or not at all."""
    path = Path(path)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.writelines([encoded(content)] if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def harmless(value: Any) -> Any:
    """A text that begins like a formula behind an apostrophe; all else as it is."""
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return f"'{value}"
    return value
